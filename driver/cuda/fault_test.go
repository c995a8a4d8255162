package cuda_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/pprofs"
	"github.com/govyre/vyre/ir"
)

// noted adds n to every word; it traces what was there, and traps where that is 99.
const noted = `vyre 1
kernel @noted workgroup(32) {
  param @x: buf<u32> rw
  param %n: u32
  %i = global.x
  %v = load @x[%i]
  trace %v, #3
  %bad = eq.u32 %v, 99_u32
  %w = cvt.u64.u32 %v
  trap %bad, %w, #7
  %s = add.u32 %v, %n
  store @x[%i], %s
}`

// tour is a bit of everything on a device that may fail anywhere.
type tour struct {
	d     *cuda.Device
	noted driver.Kernel
	count driver.Kernel
	meet  driver.Kernel // nil if the tour is without grid barriers
	x, f  driver.Buffer
}

// parts are run one after the other; what each expects does not depend on the others.
var parts = []struct {
	name string
	run  func(*tour) error
}{
	{"a run", (*tour).plain}, {"replays", (*tour).replays}, {"loops", (*tour).loops}, {"a trap", (*tour).trap}, {"a batch", (*tour).batch}, {"grid barriers", (*tour).barriers}, {"times", (*tour).times}, {"a profile", (*tour).profiled},
}

// do opens a device, runs all parts, and closes what there is in any case.
func do(drv cu.Driver, o driver.OpenOptions, programs []*ir.Program) (err error) {
	o.CloseTimeout = time.Second
	d, err := cuda.Open(cuda.Options{Driver: drv, OpenOptions: o})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	s := &tour{d: d}
	if s.noted, err = d.Compile(ctx, programs[0], driver.Options{}); err != nil {
		return err
	}
	if s.count, err = d.Compile(ctx, programs[1], driver.Options{}); err != nil {
		return err
	}
	if len(programs) > 2 {
		if s.meet, err = d.Compile(ctx, programs[2], driver.Options{}); err != nil {
			return err
		}
	}
	if s.x, err = d.Alloc(128, driver.AllocOptions{Label: "x"}); err != nil {
		return err
	}
	if s.f, err = d.Alloc(4, driver.AllocOptions{Label: "f"}); err != nil {
		return err
	}
	for _, p := range parts {
		if err := p.run(s); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if s.meet != nil {
		err = s.meet.Close()
	}
	return errors.Join(err, s.x.Close(), s.f.Close(), s.noted.Close(), s.count.Close())
}

func words(n int, v uint32) []byte {
	var b []byte
	for range n {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func differ(what string, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("%s is % x, want % x", what, got[:4], want[:4])
}

func (s *tour) plain() error {
	q, dst := s.d.NewSequence("plain"), make([]byte, 128)
	host, err := s.d.AllocHost(128)
	if err != nil {
		return err
	}
	copy(host.Bytes(), words(32, 1))
	q.TimeTransfers(true)
	q.Upload(driver.All(s.x), host.Bytes(), driver.IfChanged)
	q.Repeat(2, func() { q.Launch(s.noted, driver.Groups(1), driver.All(s.x), driver.U32(1)) })
	q.Read(driver.All(s.x), dst)
	if _, err := q.Run(ctx); err != nil {
		return err
	}
	if err := differ("x", dst, words(32, 3)); err != nil {
		return err
	}
	// Another stream has to come after it, and a wait that may end polls.
	other, again := s.d.NewSequence("other"), make([]byte, 128)
	other.Read(driver.All(s.x), again)
	if _, err := q.Start(ctx); err != nil {
		return err
	}
	c, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := other.Run(c); err != nil {
		return err
	}
	res, err := q.Wait(ctx)
	if err != nil {
		return err
	}
	if len(res.Traces) != 64 {
		return fmt.Errorf("%d traces", len(res.Traces))
	}
	return errors.Join(differ("x read by another", again, words(32, 3)), other.Close(), q.Close(), host.Close())
}

func (s *tour) replays() error {
	q, dst := s.d.NewSequence("replays"), make([]byte, 128)
	in := q.Upload(driver.All(s.f), words(1, 5), driver.IfChanged)
	y := q.Scratch(128)
	q.Fill(driver.All(y), 0x100000001, 8)
	q.Copy(driver.Part(y, 0, 4), driver.All(s.f))
	st := q.Launch(s.noted, driver.Groups(1), driver.All(y), driver.U32(1))
	q.Read(driver.All(y), dst)
	g, err := q.Capture(driver.CaptureOptions{Overlap: true})
	if err != nil {
		return err
	}
	for _, r := range []struct{ in, n uint32 }{{5, 1}, {5, 1}, {5, 2}, {6, 2}} {
		if err := errors.Join(in.Set(words(1, r.in)), st.SetArg(1, driver.U32(r.n))); err != nil {
			return err
		}
		if _, err := g.Run(ctx); err != nil {
			return err
		}
		if err := differ("y", dst, append(words(1, r.in+r.n), words(31, 1+r.n)...)); err != nil {
			return err
		}
	}
	return errors.Join(g.Close(), q.Close())
}

func (s *tour) loops() error {
	q, dst := s.d.NewSequence("loops"), make([]byte, 4)
	n := q.Scratch(4)
	var l *driver.Loop
	record := func() {
		q.Fill(driver.All(s.f), 3, 4)
		l = q.While(driver.All(s.f), 10, func() { q.Launch(s.count, driver.Groups(1), driver.All(s.f), driver.All(n)) })
	}
	q.Fill(driver.All(n), 0, 4)
	q.Repeat(2, record)
	q.Read(driver.All(n), dst)
	if _, err := q.Run(ctx); err != nil {
		return err
	}
	if err := differ("n", dst, words(1, 6)); err != nil {
		return err
	}
	if l.Iterations() != 3 {
		return fmt.Errorf("%d rounds", l.Iterations())
	}
	if l.Lowering() == driver.LoopHost {
		return q.Close()
	}
	g, err := q.Capture(driver.CaptureOptions{})
	if err != nil {
		return err
	}
	if _, err := g.Run(ctx); err != nil {
		return err
	}
	return errors.Join(differ("n of a replay", dst, words(1, 6)), q.Close())
}

func (s *tour) trap() error {
	q := s.d.NewSequence("trap")
	q.Fill(driver.All(s.x), 99, 4)
	q.Launch(s.noted, driver.Groups(1), driver.All(s.x), driver.U32(1))
	if _, err := q.Run(ctx); !errors.Is(err, driver.Trap) {
		return errors.Join(err, errorUnless(err != nil, "no trap"))
	}
	return q.Close()
}

func (s *tour) barriers() error {
	if s.meet == nil {
		return nil
	}
	q, dst := s.d.NewSequence("barriers"), make([]byte, 4)
	q.Fill(driver.All(s.f), 500, 4)
	q.Repeat(300, func() { q.Launch(s.meet, driver.Groups(4), driver.All(s.f)) })
	q.Read(driver.All(s.f), dst)
	if _, err := q.Run(ctx); err != nil {
		return err
	}
	return errors.Join(differ("f", dst, words(1, 200)), q.Close())
}

func (s *tour) times() error {
	q, dst := s.d.NewSequence("times"), make([]byte, 128)
	q.TimeCommands()
	q.Fill(driver.All(s.x), 0, 4)
	loop := q.Repeat(0, func() { q.Launch(s.noted, driver.Groups(1), driver.All(s.x), driver.U32(1)) })
	q.Read(driver.All(s.x), dst)
	if err := errors.Join(q.Prepare(), loop.SetCount(9)); err != nil {
		return err
	}
	if _, err := q.Run(ctx); err != nil {
		return err
	}
	return errors.Join(differ("x", dst, words(32, 9)), q.Close())
}

// profiled is some of the tour under a profile, with nothing kept from before, and then more of it.
func (s *tour) profiled() error {
	if err := s.d.Flush(); err != nil {
		return err
	}
	var w bytes.Buffer
	stop, err := driver.Profile(s.d, &w)
	if err != nil {
		return err
	}
	for _, part := range []func() error{s.plain, s.loops, s.batch} {
		if err == nil {
			err = part()
		}
	}
	if err = errors.Join(err, stop()); err != nil {
		return err
	}
	p, err := pprofs.Read(&w)
	if err == nil && (len(p.Samples) == 0 || len(p.Comments) > 0) {
		err = fmt.Errorf("%d samples, %q", len(p.Samples), p.Comments)
	}
	return errors.Join(err, s.replays())
}

func errorUnless(ok bool, text string) error {
	if ok {
		return nil
	}
	return errors.New(text)
}

func (s *tour) batch() error {
	q := s.d.NewSequence("batch")
	y := q.Scratch(128)
	q.Upload(driver.All(y), words(32, 0), driver.IfChanged)
	q.Launch(s.noted, driver.Groups(1), driver.All(y), driver.U32(1))
	q.Read(driver.All(y), make([]byte, 128))
	g, err := q.Capture(driver.CaptureOptions{})
	if err != nil {
		return err
	}
	var rows []driver.Row
	for i := range uint32(7) { // two chunks in turn, and one that is smaller
		rows = append(rows, driver.Row{Inputs: [][]byte{words(32, i)}, Outputs: [][]byte{make([]byte, 128)}})
	}
	if _, err := g.RunBatch(ctx, rows); err != nil {
		return err
	}
	for i, r := range rows {
		if err := differ("row", r.Outputs[0], words(32, uint32(i)+1)); err != nil {
			return err
		}
	}
	return q.Close()
}

// anyCallMayFail lets each call of a session fail with each result, or every so manieth unless it may take long, and returns how many
// there are: whatever call it is, the error says which, nothing is left, and the next session works.
func anyCallMayFail(t *testing.T, config cusim.Config, session func(*cusim.Driver) error, results ...cu.Result) int {
	t.Helper()
	every := long.Every(13, 1)
	if testing.Short() && !long.Enabled() { // under the race detector each takes a second
		every = 29
	}
	return every * faults.EachCall(t, config, every, session, results...)
}

func TestAnyCallMayFailOnTheSimulatedDriver(t *testing.T) {
	programs := []*ir.Program{parse(t, noted), parse(t, countDown)}
	for _, c := range []struct {
		name    string
		eager   bool // runs end before they are waited for
		lacks   []cu.Group
		results []cu.Result
	}{
		{"a slow GPU", false, nil, []cu.Result{719}},
		{"a fast GPU", true, nil, []cu.Result{cu.OutOfMemory, 1}},
		{"an old driver", false, []cu.Group{cu.MemOp, cu.Pool, cu.Cond, cu.Loading, cu.Pointer}, []cu.Result{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: c.eager, Lacks: c.lacks}
			attempts := anyCallMayFail(t, config, func(sim *cusim.Driver) error { return do(sim, driver.OpenOptions{}, programs) }, c.results...)
			if attempts < 200 {
				t.Errorf("only %d calls failed", attempts)
			}
		})
	}
}

// Records, rings and whatever else comes back has been written by then, in memory of any history.
func TestRunsFetchOnlyWhatWasWritten(t *testing.T) {
	programs := []*ir.Program{parse(t, noted), parse(t, countDown), parse(t, countDownTogether)}
	for _, lacks := range [][]cu.Group{nil, {cu.MemOp, cu.Pool, cu.Cond, cu.Loading, cu.Pointer}} {
		sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: 1, Lacks: lacks, Fetches: true})
		if err := do(sim, driver.OpenOptions{}, programs); err != nil {
			t.Fatal(err)
		}
		fetchesWhatWasWritten(t, sim)
	}
}

// A device that is watched gives the same bytes, whatever order its work takes.
func TestWatchedDevicesGiveTheSameBytes(t *testing.T) {
	programs := []*ir.Program{parse(t, noted), parse(t, countDown), parse(t, countDownTogether)}
	for seed := range uint64(3) {
		sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: seed})
		if err := do(sim, driver.OpenOptions{Debug: "sync", PreserveThreadContext: true}, programs); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if left := sim.Left(); left != "" {
			t.Errorf("left behind: %s", left)
		}
	}
}
