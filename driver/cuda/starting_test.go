package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/faults"
)

// slow is a GPU on which nothing goes on while it is held, as far as events and streams tell.
type slow struct {
	cu.Driver
	held   atomic.Bool
	blocks bool          // who asks for an event waits in the call
	asked  chan struct{} // closed when somebody does, or else asks for anything
	once   sync.Once
	gone   chan struct{} // closed by release
}

func (s *slow) EventQuery(e cu.Event) (bool, error) {
	if !s.held.Load() {
		return s.Driver.EventQuery(e)
	}
	s.once.Do(func() { close(s.asked) })
	if s.blocks {
		<-s.gone
	}
	return false, nil
}

func (s *slow) StreamQuery(h cu.Stream) (bool, error) {
	if !s.held.Load() {
		return s.Driver.StreamQuery(h)
	}
	if !s.blocks {
		s.once.Do(func() { close(s.asked) })
	}
	return false, nil
}

func (s *slow) release() {
	s.held.Store(false)
	close(s.gone)
}

// onSlow opens a device on a GPU that is held from now on. Transfers above 1 KiB go in chunks.
func onSlow(t *testing.T, blocks bool, o driver.OpenOptions) (*cuda.Device, *slow, *cusim.Driver) {
	t.Helper()
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	s := &slow{Driver: sim, blocks: blocks, asked: make(chan struct{}), gone: make(chan struct{})}
	d, err := cuda.Open(cuda.Options{Driver: s, OpenOptions: o})
	if err != nil {
		t.Fatal(err)
	}
	s.held.Store(true)
	return small(d), s, sim
}

// ends closes a device that has no run left to wait for, and leaves nothing.
func ends(t *testing.T, d *cuda.Device, sim *cusim.Driver) {
	t.Helper()
	for d.Stats().Get(metric.DeferredBlocks) > 0 {
		runtime.Gosched()
		if _, err := d.Trim(1 << 30); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
	for _, m := range []driver.Metric{metric.RunsInFlight, metric.Sequences, metric.Graphs, metric.Buffers, metric.PinnedBytes} {
		counted(t, d, m, 0)
	}
}

// chunks is a sequence that sends bytes there and back in chunks.
func chunks(t *testing.T, d *cuda.Device, label string, b driver.Buffer) (s *driver.Sequence, in *driver.Input, dst []byte) {
	t.Helper()
	s, dst = d.NewSequence(label), make([]byte, b.Len())
	in = s.Upload(driver.All(b), pattern(int(b.Len()), 1), driver.Always)
	s.Read(driver.All(b), dst)
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	return s, in, dst
}

type outcome struct {
	driver.Pending
	error
}

// starting starts a run in a goroutine of its own.
func starting(p driver.Prepared) <-chan outcome {
	started := make(chan outcome, 1)
	go func() {
		p, err := p.Start(ctx)
		started <- outcome{p, err}
	}()
	return started
}

// until returns once touching the input fails like that.
func until(in *driver.Input, kind driver.Kind) {
	for !errors.Is(in.Touch(), kind) {
		runtime.Gosched()
	}
}

func fails(t *testing.T, err error, kind driver.Kind, texts ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("got error %v, want one of kind %v", err, kind)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error does not say %q: %v", text, err)
		}
	}
}

// perhaps is fails for what may as well succeed: a Close finds nothing to give up if it comes
// before the runner was told to start.
func perhaps(t *testing.T, err error, kind driver.Kind, texts ...string) {
	t.Helper()
	if err != nil {
		fails(t, err, kind, texts...)
	}
}

func TestASequenceThatWaitsForAChunkIsBusy(t *testing.T) {
	d, gpu, sim := onSlow(t, false, driver.OpenOptions{})
	s, in, dst := chunks(t, d, "s", alloc(t, d, 8_000))
	started := starting(s)
	<-gpu.asked
	fails(t, in.Touch(), driver.Busy, "a run is in flight")
	_, err := s.Start(ctx)
	fails(t, err, driver.Busy)
	_, err = s.Run(ctx)
	fails(t, err, driver.Busy)
	_, err = s.Wait(ctx)
	fails(t, err, driver.Busy, "another goroutine is starting a run")
	_, err = s.Capture(driver.CaptureOptions{})
	fails(t, err, driver.Busy)
	gpu.release()
	p := <-started
	if p.error != nil {
		t.Fatal(p.error)
	}
	if _, err := p.Wait(ctx); err != nil || !bytes.Equal(dst, in.Bytes()) {
		t.Errorf("other bytes came back, or %v", err)
	}
	ends(t, d, sim)
}

func TestCloseWaitsForAStartInChunks(t *testing.T) {
	d, gpu, sim := onSlow(t, false, driver.OpenOptions{})
	b := alloc(t, d, 8_000)
	s, in, dst := chunks(t, d, "s", b)
	started := starting(s)
	<-gpu.asked
	ended := make(chan error, 1)
	go func() { ended <- s.Close() }()
	until(in, driver.Closed)
	gpu.release()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !bytes.Equal(dst, in.Bytes()) {
		t.Error("the run was not waited for")
	}
	// Whoever came first, the other has its answer.
	p := <-started
	if perhaps(t, p.error, driver.Closed); p.error == nil {
		_, err := p.Wait(ctx)
		perhaps(t, err, driver.Closed)
	}
	closed(t, b)
	ends(t, d, sim)
}

func TestCloseGivesUpAStartInChunks(t *testing.T) {
	for _, copiers := range []int{0, 3} {
		d, gpu, sim := onSlow(t, false, driver.OpenOptions{CloseTimeout: 1})
		d.SetTransfers(1<<10, 512, copiers)
		b := alloc(t, d, 8_000)
		s, in, dst := chunks(t, d, "s", b)
		started := starting(s)
		<-gpu.asked
		fails(t, s.Close(), driver.Closed, `"s"`, "had not ended 1ns later")
		fails(t, (<-started).error, driver.Closed, `"s"`)
		clear(in.Bytes()) // nobody copies any more; a race detector would tell
		clear(dst)
		closed(t, b)
		gpu.release()
		ends(t, d, sim)
	}
}

// A Start that is in a call of the driver cannot leave, but who closes its sequence can.
func TestCloseDoesNotWaitForACallOfTheDriver(t *testing.T) {
	d, gpu, sim := onSlow(t, true, driver.OpenOptions{CloseTimeout: 1})
	b := alloc(t, d, 8_000)
	at, err := b.Address()
	if err != nil {
		t.Fatal(err)
	}
	s, _, _ := chunks(t, d, "s", b)
	started := starting(s)
	<-gpu.asked
	fails(t, s.Close(), driver.Closed, "had not ended")
	closed(t, b)
	// The run may still touch the buffer.
	other := alloc(t, d, 8_000)
	if again, err := other.Address(); err != nil || again == at {
		t.Errorf("the memory of a run that goes on serves again: %#x, %v", again, err)
	}
	closed(t, other)
	gpu.release()
	fails(t, (<-started).error, driver.Closed)
	ends(t, d, sim)
}

// What waits for a run that is being started can be closed, too: in the queue for its buffer, in
// that for the device's chunks, and as a row of a batch.
func TestWhoWaitsForAStartIsGivenUp(t *testing.T) {
	d, gpu, sim := onSlow(t, true, driver.OpenOptions{CloseTimeout: 1})
	b := alloc(t, d, 8_000)
	first, _, _ := chunks(t, d, "first", b)
	started := starting(first)
	<-gpu.asked

	for _, x := range []driver.Buffer{b, alloc(t, d, 9_000)} {
		s, in, _ := chunks(t, d, "second", x)
		waits := starting(s)
		until(in, driver.Busy)
		perhaps(t, s.Close(), driver.Closed, `"second"`)
		fails(t, (<-waits).error, driver.Closed, `"second"`)
	}

	s := d.NewSequence("rows")
	y := s.Scratch(4)
	in := s.Upload(driver.All(y), words(1, 1), driver.Always)
	s.Copy(driver.All(y), driver.Part(b, 0, 4))
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := make(chan error, 1)
	go func() {
		_, err := g.RunBatch(ctx, []driver.Row{{Inputs: [][]byte{words(1, 1)}}})
		rows <- err
	}()
	until(in, driver.Busy)
	perhaps(t, g.Close(), driver.Closed, `"rows"`)
	fails(t, <-rows, driver.Closed)
	closed(t, s)

	fails(t, first.Close(), driver.Closed, `"first"`)
	gpu.release()
	fails(t, (<-started).error, driver.Closed, `"first"`)
	ends(t, d, sim)
}

func TestADeviceClosesWhileARunIsBeingStarted(t *testing.T) {
	d, gpu, sim := onSlow(t, true, driver.OpenOptions{CloseTimeout: 1})
	s, _, _ := chunks(t, d, "s", alloc(t, d, 8_000))
	started := starting(s)
	<-gpu.asked
	fails(t, d.Close(), driver.Closed, `"s"`, "the context was left to the process: 1 runs are being enqueued")
	if sim.Left() == "" {
		t.Error("the context went while a call was under way in it")
	}
	gpu.release()
	fails(t, (<-started).error, driver.Closed)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// A driver frees memory and code when all work of the context is over. Where that may never be,
// nothing but the context itself may be given back.
func TestADeviceClosesOverARunThatDoesNotEnd(t *testing.T) {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}, Record: true, Lacks: []cu.Group{cu.MemOp}})
	gpu := &slow{Driver: sim, asked: make(chan struct{}), gone: make(chan struct{})}
	d, err := cuda.Open(cuda.Options{Driver: gpu, OpenOptions: driver.OpenOptions{CloseTimeout: 1}})
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := alloc(t, d, 128)
	closed(t, alloc(t, d, 100_000)) // is kept for later
	s := d.NewSequence("s")
	s.Upload(driver.All(b), make([]byte, 128), driver.Always)
	s.Launch(k, driver.Groups(1), driver.All(b))
	gpu.held.Store(true)
	p, err := s.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	before := len(sim.Calls())
	fails(t, s.Close(), driver.Closed, `"s"`, "had not ended")
	closed(t, k)
	d.KeepModules(0)
	if _, err := d.Compile(ctx, parse(t, spin), driver.Options{}); err != nil {
		t.Fatal(err)
	}
	fails(t, d.Close(), driver.Closed, "of pinned memory were left to the context")
	for _, call := range sim.Calls()[before:] {
		if faults.GivesBack(call) && call != "cuDevicePrimaryCtxRelease_v2" {
			t.Errorf("%s was called, which waits for the run", call)
		}
	}
	if !p.Done() {
		t.Error("the run is not done, but its device was closed")
	}
	if n := d.Stats().Get(metric.DriverBytes) + d.Stats().Get(metric.PinnedBytes); n != 0 {
		t.Errorf("%d bytes are counted after Close", n)
	}
	gpu.release()
}

func TestCloseGivesUpALoopOfTheHost(t *testing.T) {
	cancelable, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		held bool // the round under way does not end
	}{
		{"between two rounds", ctx, false},
		{"between two rounds, or in one", cancelable, false},
		{"in a round", cancelable, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, gpu, sim := onSlow(t, false, driver.OpenOptions{CloseTimeout: 1})
			gpu.held.Store(c.held)
			flag, x := alloc(t, d, 4), alloc(t, d, 4)
			s := d.NewSequence("loop")
			s.Lower(driver.LoopHost)
			s.Fill(driver.All(flag), 1, 4)
			s.While(driver.All(flag), 1<<30, func() { s.Fill(driver.All(x), 7, 4) })
			if err := s.Prepare(); err != nil {
				t.Fatal(err)
			}
			ran := make(chan error, 1)
			go func() {
				_, err := s.Run(c.ctx)
				ran <- err
			}()
			for !c.held && d.Stats().Get(metric.LoopIterations) == 0 {
				runtime.Gosched()
			}
			if c.held {
				<-gpu.asked
			}
			fails(t, s.Close(), driver.Closed, `"loop"`, "had not ended 1ns later")
			fails(t, <-ran, driver.Closed)
			closed(t, flag)
			closed(t, x)
			gpu.release()
			ends(t, d, sim)
		})
	}
}
