package cuda_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
)

// batched is a captured sequence for batches: x from the host, y = x + 1, y to the host.
type batched struct {
	t   *testing.T
	d   *cuda.Device
	sim *cusim.Driver
	s   *driver.Sequence
	g   *driver.Graph
}

func newBatched(t *testing.T, bytes int64, o driver.OpenOptions, c cusim.Config) *batched {
	t.Helper()
	b := &batched{t: t, sim: cusim.New(c)}
	var err error
	if b.d, err = cuda.Open(cuda.Options{Driver: b.sim, OpenOptions: o}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.d.Close(); err != nil {
			t.Error(err)
		}
		if left := b.sim.Left(); left != "" {
			t.Errorf("left behind: %s", left)
		}
	})
	k, err := b.d.Compile(ctx, parse(t, addTo), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.s = b.d.NewSequence("batched")
	x, y := b.s.Scratch(bytes), b.s.Scratch(bytes)
	b.s.Upload(driver.Part(x, 0, 128), make([]byte, 128), driver.IfChanged)
	b.s.Launch(k, driver.Groups(1), driver.Part(x, 0, 128), driver.Part(y, 0, 128), driver.U32(1))
	b.s.Read(driver.Part(y, 0, 128), make([]byte, 128))
	return b
}

func (b *batched) capture() {
	b.t.Helper()
	var err error
	if b.g, err = b.s.Capture(driver.CaptureOptions{}); err != nil {
		b.t.Fatal(err)
	}
}

// run runs a batch of n rows, and returns how many chunks it took.
func (b *batched) run(n int) (chunks uint64) {
	b.t.Helper()
	before := b.d.Stats()
	var rows []driver.Row
	for i := range n {
		rows = append(rows, driver.Row{Inputs: [][]byte{words(32, uint32(i))}, Outputs: [][]byte{make([]byte, 128)}})
	}
	results, err := b.g.RunBatch(ctx, rows)
	if err != nil || len(results) != n {
		b.t.Fatalf("%d results of %d rows: %v", len(results), n, err)
	}
	for i, r := range rows {
		if !bytes.Equal(r.Outputs[0], words(32, uint32(i)+1)) {
			b.t.Errorf("row %d is % x", i, r.Outputs[0][:8])
		}
	}
	return b.d.Stats().Sub(before).Get(metric.BatchChunks)
}

// Where one launch of so many rows is too much for the driver, chunks have half as many from then on.
func TestAChunkThatTheDriverRefusesIsHalved(t *testing.T) {
	b := newBatched(t, 128, driver.OpenOptions{}, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	b.capture()
	b.sim.Fail(cusim.Rule{Call: "cuGraphInstantiateWithFlags", Nth: 1, Result: cu.NotSupported})
	if chunks := b.run(17); chunks != 3 { // of 8, 8 and 1
		t.Errorf("%d chunks of at most 8 rows", chunks)
	}
	b.sim.Heal()
	if chunks := b.run(17); chunks != 3 {
		t.Errorf("%d chunks later", chunks)
	}
	fails(t, func() error {
		b.sim.Fail(cusim.Rule{Call: "cuGraphInstantiateWithFlags", Nth: 1, Result: cu.OutOfMemory})
		_, err := b.g.RunBatch(ctx, []driver.Row{{Inputs: [][]byte{words(32, 1)}, Outputs: [][]byte{make([]byte, 128)}}, {Inputs: [][]byte{words(32, 1)}, Outputs: [][]byte{make([]byte, 128)}}})
		return err
	}(), driver.OutOfMemory)
	b.sim.Heal()
	b.run(2)
}

// With no memory for a second chunk, one takes all turns.
func TestABatchWithoutMemoryForTwoChunksTakesOne(t *testing.T) {
	for _, limit := range []int64{4 << 20, 8 << 20} { // 1 MiB a lane, and as much for the sequence
		b := newBatched(t, 512<<10, driver.OpenOptions{MemoryLimit: limit}, cusim.Config{Models: []cusim.Model{cusim.Tiny}})
		b.capture()
		for range 3 {
			b.run(9)
		}
		if live := b.d.Stats().Get(metric.LiveBytes); live > uint64(limit) {
			t.Errorf("%d bytes of %d", live, limit)
		}
	}
}

// A chunk is one launch of a graph, and two take turns: the second is launched before the first is waited for.
func TestChunksAreLaunchesThatTakeTurns(t *testing.T) {
	b := newBatched(t, 128, driver.OpenOptions{}, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Record: true})
	b.capture()
	const lanes = 17
	b.run(3 * lanes)
	before := len(b.sim.Calls())
	b.run(3 * lanes)
	calls := b.sim.Calls()[before:]
	launches := 0
	for _, c := range calls {
		if c == "cuGraphLaunch" {
			launches++
		}
	}
	second := slices.Index(calls, "cuGraphLaunch") + 1
	second += slices.Index(calls[second:], "cuGraphLaunch")
	asks := func(c string) bool {
		return c == "cuStreamQuery" || c == "cuStreamSynchronize" || c == "cuEventSynchronize"
	}
	if first := slices.IndexFunc(calls, asks); launches != 3 || first < second {
		t.Errorf("%d launches, the second is call %d and the first wait call %d of %v", launches, second, first, calls)
	}
}

// Kernels that need all of the device take one row at a time, also of two chunks.
func TestRowsThatNeedAllOfTheDeviceTakeTurns(t *testing.T) {
	d, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}, Seed: 4})
	k, err := d.Compile(ctx, parse(t, summed), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("all")
	x := s.Scratch(256)
	s.Upload(driver.All(x), words(64, 0), driver.IfChanged)
	s.Launch(k, driver.Groups(2), driver.All(x))
	s.Read(driver.All(x), make([]byte, 256))
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []driver.Row
	for i := range 6 {
		rows = append(rows, driver.Row{Inputs: [][]byte{words(64, uint32(i))}, Outputs: [][]byte{make([]byte, 256)}})
	}
	before := d.Stats()
	results, err := g.RunBatch(ctx, rows)
	if err := errors.Join(err, s.Close()); err != nil || len(results) != 6 {
		t.Fatalf("%d results: %v", len(results), err)
	}
	for i, r := range rows {
		if !bytes.Equal(r.Outputs[0], words(64, uint32(i)+64)) {
			t.Errorf("row %d is % x", i, r.Outputs[0][:8])
		}
	}
	if n := d.Stats().Sub(before).Get(metric.BatchChunks); n != 6 {
		t.Errorf("%d chunks of 6 rows", n)
	}
}

// Whatever call of building, updating, launching or waiting for chunks fails, before its effect or after it: the results are
// those of the rows before, the same graph runs the batch then, and everything is given back.
func TestAnyCallOfABatchMayFail(t *testing.T) {
	every := long.Every(3, 1)
	if testing.Short() && !long.Enabled() {
		every = 11
	}
	first := 1 + int(long.Seed(t, 0)%uint64(every))
	for _, rule := range []cusim.Rule{{Result: cu.OutOfMemory}, {Result: cu.NotSupported, After: true}, {Result: 1}} {
		failed := 0
		for nth := first; ; nth += every {
			b := newBatched(t, 128, driver.OpenOptions{}, cusim.Config{Models: []cusim.Model{cusim.Tiny}, Seed: uint64(nth)})
			b.capture()
			before := b.sim.Count("")
			rule.Nth = nth
			b.sim.Fail(rule)
			var rows []driver.Row
			for i := range 9 {
				rows = append(rows, driver.Row{Inputs: [][]byte{words(32, uint32(i))}, Outputs: [][]byte{make([]byte, 128)}})
			}
			results, err := b.g.RunBatch(ctx, rows)
			fired := b.sim.Count("")-before >= nth
			b.sim.Heal()
			if err != nil {
				failed++
			} else if len(results) != len(rows) {
				t.Errorf("call %d: %d results", nth, len(results))
			}
			for i := range results {
				if !bytes.Equal(rows[i].Outputs[0], words(32, uint32(i)+1)) {
					t.Errorf("call %d, %v: row %d of %d is % x", nth, err, i, len(results), rows[i].Outputs[0][:8])
				}
			}
			if b.d.Err() == nil {
				b.run(9)
			}
			if err := b.s.Close(); err != nil && b.d.Err() == nil {
				t.Errorf("call %d: %v, and closing: %v", nth, rule, err)
			}
			if !fired || t.Failed() {
				break
			}
		}
		if failed == 0 {
			t.Errorf("no call failed the batch with %v", rule.Result)
		}
	}
}
