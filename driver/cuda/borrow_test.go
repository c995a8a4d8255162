package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// otherLibrary is another library of the process: it has memory and a stream in the primary context, and knows nothing of vyre.
type otherLibrary struct {
	cu.Driver
	dev    cu.Device
	handle cu.Context
	stream cu.Stream
	x      cu.Ptr // of 128 bytes, which are 1 each word
}

// do makes calls with the context current. An error names its call, as one of the device does.
func (l *otherLibrary) do(calls ...func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := l.CtxSetCurrent(l.handle)
	for _, call := range calls {
		if err == nil {
			err = call()
		}
	}
	return named(err)
}

func named(err error) error {
	var call *cu.CallError
	if errors.As(err, &call) {
		return &driver.Error{Op: "library", Kind: driver.Internal, Call: call.Call, Err: err}
	}
	return err
}

// newLibrary opens one on a GPU of the driver. Close is owed in any case.
func newLibrary(drv cu.Driver, ordinal int) (l *otherLibrary, err error) {
	l = &otherLibrary{Driver: drv, dev: cu.Device(ordinal)}
	if err = drv.Init(); err != nil {
		return l, named(err)
	}
	if l.handle, err = drv.DevicePrimaryCtxRetain(l.dev); err != nil {
		return l, named(err)
	}
	return l, l.do(
		func() (err error) { l.stream, err = drv.StreamCreate(cu.StreamNonBlocking); return err },
		func() (err error) { l.x, err = drv.MemAlloc(128); return err },
		func() error { return l.set(1) },
		func() error { return drv.StreamSynchronize(l.stream) })
}

// set puts a store of all words into the stream.
func (l *otherLibrary) set(v uint32) error { return l.MemsetD32Async(l.x, v, 32, l.stream) }

func (l *otherLibrary) Close() error {
	if l.handle == 0 {
		return nil
	}
	var errs []error
	note := func(err error) error { errs = append(errs, named(err)); return nil }
	_ = l.do(
		func() error {
			if l.x == 0 {
				return nil
			}
			return note(l.MemFree(l.x))
		},
		func() error {
			if l.stream == 0 {
				return nil
			}
			return note(l.StreamDestroy(l.stream))
		})
	_ = note(l.DevicePrimaryCtxRelease(l.dev))
	return errors.Join(errs...)
}

// beside opens a device and a library on one simulated driver.
func beside(t *testing.T, c cusim.Config) (*cuda.Device, *otherLibrary) {
	t.Helper()
	d, sim := onSim(t, c)
	l, err := newLibrary(sim, 0)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return d, l
}

func (l *otherLibrary) foreign(t driver.Turns) driver.Foreign {
	return driver.Foreign{Address: uint64(l.x), Bytes: 128, Label: "theirs", Turns: t}
}

func closeAll(t *testing.T, all ...interface{ Close() error }) {
	t.Helper()
	for _, c := range all {
		closed(t, c)
	}
}

// expectError checks an error's kind, how its text begins, and an expression that it fits.
func expectError(t *testing.T, what string, err error, kind driver.Kind, begin, expression string) {
	t.Helper()
	if !errors.Is(err, kind) || !regexp.MustCompile(begin+".*"+expression).MatchString(err.Error()) {
		t.Errorf("%s: got %v; want one of kind %v that says %s", what, err, kind, expression)
	}
}

// there goes from vyre to the library and back: x += 1 by ours, y = x and x = 100 by the library, x += 1 by ours. Nobody waits
// in between.
func there(d *cuda.Device, l *otherLibrary, add driver.Kernel, x, y driver.Buffer, to cu.Ptr) (gotX, gotY []byte, err error) {
	gotX, gotY = make([]byte, 128), make([]byte, 128)
	first, second := d.NewSequence("first"), d.NewSequence("second")
	defer func() { err = errors.Join(err, first.Close(), second.Close()) }()
	first.Launch(add, driver.Groups(1), driver.All(x), driver.U32(1))
	second.Launch(add, driver.Groups(1), driver.All(x), driver.U32(1))
	second.Read(driver.All(x), gotX)
	second.Read(driver.All(y), gotY)
	if err := second.Prepare(); err != nil {
		return nil, nil, err
	}
	if _, err := first.Start(ctx); err != nil {
		return nil, nil, err
	}
	if err := l.do(
		func() error { return l.MemcpyDtoDAsync(to, l.x, 128, l.stream) },
		func() error { return l.set(100) }); err != nil {
		return nil, nil, err
	}
	if _, err := second.Run(ctx); err != nil {
		return nil, nil, err
	}
	_, err = first.Wait(ctx)
	return gotX, gotY, err
}

// TestRunsTakeTurnsWithAnotherLibrary: borrowed memory and lent memory, ordered by a stream of the library, in whatever order the
// GPU takes its streams. Without the turns the results are wrong for some order.
func TestRunsTakeTurnsWithAnotherLibrary(t *testing.T) {
	program := parse(t, strings.ReplaceAll(noted, "  trace %v, #3\n", ""))
	wrong := 0
	for _, ordered := range []bool{true, false} {
		for seed := range uint64(long.Count(10, 40, 200)) {
			d, l := beside(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: seed + 1})
			add := compiled(t, d, program)
			y := alloc(t, d, 128)
			turns := driver.Turns{}
			if ordered {
				turns.Stream = uintptr(l.stream)
			}
			x, err := driver.Borrow(d, l.foreign(turns))
			if err != nil {
				t.Fatal(err)
			}
			loan, err := driver.Lend(y, turns)
			if err != nil {
				t.Fatal(err)
			}
			gotX, gotY, err := there(d, l, add, x, y, cu.Ptr(loan.Address))
			if err != nil {
				t.Fatal(err)
			}
			right := bytes.Equal(gotX, words(32, 101)) && bytes.Equal(gotY, words(32, 2))
			if ordered && !right {
				t.Errorf("seed %d: x is %v, y is %v", seed, gotX[0], gotY[0])
			}
			if !ordered && !right {
				wrong++
			}
			if err := errors.Join(loan.Close(), l.do(func() error { return l.StreamSynchronize(l.stream) })); err != nil {
				t.Fatal(err)
			}
			closeAll(t, x, y, add)
		}
	}
	if wrong == 0 {
		t.Error("without turns every order is right: the test shows nothing")
	}
}

// TestEventsOrderRunsWithAnotherLibrary: a run waits for Ready, and Done comes after all runs that were started, on whatever stream.
func TestEventsOrderRunsWithAnotherLibrary(t *testing.T) {
	for seed := range uint64(long.Count(10, 40, 200)) {
		d, l := beside(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: seed + 1})
		var ready, done cu.Event
		if err := l.do(
			func() (err error) { ready, err = l.EventCreate(cu.EventDisableTiming); return err },
			func() (err error) { done, err = l.EventCreate(cu.EventDisableTiming); return err },
			func() error { return l.set(7) },
			func() error { return l.EventRecord(ready, l.stream) }); err != nil {
			t.Fatal(err)
		}
		x, err := driver.Borrow(d, l.foreign(driver.Turns{Ready: uintptr(ready), Done: uintptr(done)}))
		if err != nil {
			t.Fatal(err)
		}
		var readers []*driver.Sequence
		var got [][]byte
		for i := range 3 {
			s, dst := d.NewSequence(fmt.Sprint("reader ", i)), make([]byte, 128)
			s.Read(driver.All(x), dst)
			if _, err := s.Start(ctx); err != nil {
				t.Fatal(err)
			}
			readers, got = append(readers, s), append(got, dst)
		}
		if err := l.do(
			func() error { return l.StreamWaitEvent(l.stream, done) },
			func() error { return l.set(8) },
			func() error { return l.StreamSynchronize(l.stream) }); err != nil {
			t.Fatal(err)
		}
		for i, s := range readers {
			if _, err := s.Wait(ctx); err != nil || !bytes.Equal(got[i], words(32, 7)) {
				t.Errorf("seed %d: reader %d got %v, %v", seed, i, got[i][0], err)
			}
			closeAll(t, s)
		}
		closeAll(t, x)
		if err := l.do(func() error { return l.EventDestroy(ready) }, func() error { return l.EventDestroy(done) }); err != nil {
			t.Fatal(err)
		}
	}
}

// TestALoanWaitsForRunsInFlight: what the library does comes after a run that was started before the loan.
func TestALoanWaitsForRunsInFlight(t *testing.T) {
	for seed := range uint64(long.Count(10, 20, 100)) {
		d, l := beside(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: seed + 1})
		b, s := alloc(t, d, 128), d.NewSequence("s")
		s.Fill(driver.All(b), 5, 4)
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		loan, err := driver.Lend(b, driver.Turns{Stream: uintptr(l.stream)})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.do(func() error { return l.MemcpyDtoDAsync(l.x, cu.Ptr(loan.Address), 128, l.stream) }); err != nil {
			t.Fatal(err)
		}
		x, err := driver.Borrow(d, l.foreign(driver.Turns{Stream: uintptr(l.stream)}))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 128)
		if err := driver.ReadInto(ctx, driver.All(x), got); err != nil || !bytes.Equal(got, words(32, 5)) {
			t.Errorf("seed %d: the library copied %v, %v", seed, got[0], err)
		}
		closeAll(t, loan, s, b, x)
	}
}

// TestTheLegacyStreamTakesTurns: it has a handle that is not 0, for 0 is none.
func TestTheLegacyStreamTakesTurns(t *testing.T) {
	for seed := range uint64(long.Count(10, 20, 100)) {
		d, l := beside(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: seed + 1})
		x, err := driver.Borrow(d, l.foreign(driver.Turns{Stream: 1}))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.do(func() error { return l.MemsetD32Async(l.x, 9, 32, 0) }); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 128)
		if err := driver.ReadInto(ctx, driver.All(x), got); err != nil || !bytes.Equal(got, words(32, 9)) {
			t.Errorf("seed %d: got %v, %v", seed, got[0], err)
		}
		closeAll(t, x)
	}
}

// TestEveryKindOfRunTakesTurns: graphs, replays, loops of the host, and transfers in chunks.
func TestEveryKindOfRunTakesTurns(t *testing.T) {
	d, l := beside(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}, Seed: 3})
	turns := driver.Turns{Stream: uintptr(l.stream)}
	x, err := driver.Borrow(d, l.foreign(turns))
	if err != nil {
		t.Fatal(err)
	}
	count, add := compiled(t, d, parse(t, countDown)), compiled(t, d, parse(t, strings.ReplaceAll(noted, "  trace %v, #3\n", "")))
	big := alloc(t, d, 3<<20)
	for _, c := range []struct {
		name   string
		record func(*driver.Sequence)
		graph  bool
	}{
		{"launches", func(s *driver.Sequence) {
			s.Launch(add, driver.Groups(1), driver.All(x), driver.U32(1))
			s.Launch(add, driver.Groups(1), driver.All(x), driver.U32(1))
		}, false},
		{"a captured graph", func(s *driver.Sequence) {
			s.Repeat(2, func() { s.Launch(add, driver.Groups(1), driver.All(x), driver.U32(1)) })
		}, true},
		{"a loop of the host", func(s *driver.Sequence) {
			flag, n := s.Scratch(4), s.Scratch(4)
			s.Fill(driver.All(flag), 2, 4)
			s.Fill(driver.All(n), 0, 4)
			s.Lower(driver.LoopHost)
			s.While(driver.All(flag), 9, func() {
				s.Launch(add, driver.Groups(1), driver.All(x), driver.U32(1))
				s.Launch(count, driver.Groups(1), driver.All(flag), driver.All(n))
			})
		}, false},
		{"a transfer in chunks", func(s *driver.Sequence) {
			s.Upload(driver.All(big), make([]byte, big.Len()), driver.Always)
			s.Launch(add, driver.Groups(1), driver.All(x), driver.U32(2))
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := d.NewSequence(c.name)
			c.record(s)
			got := make([]byte, 128)
			s.Read(driver.All(x), got)
			var p driver.Prepared = s
			if c.graph {
				g, err := s.Capture(driver.CaptureOptions{})
				if err != nil {
					t.Fatal(err)
				}
				p = g
			}
			for i := range uint32(6) { // from the third run on, graphs
				if err := l.do(func() error { return l.set(10 * i) }); err != nil {
					t.Fatal(err)
				}
				if _, err := p.Run(ctx); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, words(32, 10*i+2)) {
					t.Fatalf("run %d gave %v, want %d", i, got[0], 10*i+2)
				}
			}
			closeAll(t, s)
		})
	}
	closeAll(t, x, big, count, add)
}

// TestWhatTheDriverKnowsOfAnAddressIsChecked: memory that is too short, freed, of another device or of the host, and handles that
// are none.
func TestWhatTheDriverKnowsOfAnAddressIsChecked(t *testing.T) {
	d, l := beside(t, cusim.Config{Models: []cusim.Model{cusim.Hopper, cusim.Ampere}})
	other, err := newLibrary(l.Driver, 1)
	if err != nil {
		t.Fatal(err)
	}
	var freed cu.Ptr
	var host unsafe.Pointer
	if err := l.do(
		func() (err error) { freed, err = l.MemAlloc(128); return err },
		func() error { return l.MemFree(freed) },
		func() (err error) { host, err = l.MemHostAlloc(128, 0); return err }); err != nil {
		t.Fatal(err)
	}
	var foreignEvent cu.Event
	if err := other.do(func() (err error) { foreignEvent, err = other.EventCreate(0); return err }); err != nil {
		t.Fatal(err)
	}
	at := func(p cu.Ptr, n int64, turns driver.Turns) driver.Foreign {
		return driver.Foreign{Address: uint64(p), Bytes: n, Label: "theirs", Turns: turns}
	}
	for _, c := range []struct {
		name  string
		f     driver.Foreign
		texts string
	}{
		{"too short", at(l.x+64, 128, driver.Turns{}), "128 bytes are wanted at .*, where 64 are allocated; fix: borrow what is there"},
		{"freed", at(freed, 128, driver.Turns{}), "it was freed, or never allocated on a device"},
		{"of another device", at(other.x, 128, driver.Turns{}), "is memory of GPU 1 of the driver, the device is GPU 0"},
		{"of the host", at(cu.Ptr(uintptr(host)), 128, driver.Turns{}), "is memory of the host"},
		{"no stream", at(l.x, 128, driver.Turns{Stream: 0x99}), `the stream that buffer "theirs" is shared by is none of the device's context`},
		{"a stream of another device", at(l.x, 128, driver.Turns{Stream: uintptr(other.stream)}), "the stream that buffer"},
		{"a stream of a thread", at(l.x, 128, driver.Turns{Stream: 2}), "the stream is each thread's own"},
		{"no event to wait for", at(l.x, 128, driver.Turns{Ready: uintptr(foreignEvent)}), "the event Ready that"},
		{"no event to record", at(l.x, 128, driver.Turns{Done: 0x99}), "the event Done that"},
	} {
		_, err := driver.Borrow(d, c.f)
		expectError(t, c.name, err, driver.InvalidArgument, `vyre: borrow "theirs" on cuda:0: `, c.texts)
		b, err := driver.Borrow(d, at(l.x, 128, driver.Turns{Stream: uintptr(l.stream)})) // nothing is left of it
		if err != nil {
			t.Fatalf("after %s: %v", c.name, err)
		}
		closeAll(t, b)
	}
	b := alloc(t, d, 128)
	_, err = driver.Lend(b, driver.Turns{Stream: 0x99})
	expectError(t, "a loan", err, driver.InvalidArgument, `vyre: lend .*cuda:0: `, "the stream that")
	closeAll(t, b)
	if err := errors.Join(l.do(func() error { return l.MemFreeHost(host) }), other.do(func() error { return other.EventDestroy(foreignEvent) }), other.Close()); err != nil {
		t.Error(err)
	}
}

// TestAStreamThatIsGoneEndsNoRun: a Start over memory whose owner has ended its stream is refused, and the loan can be ended.
func TestAStreamThatIsGoneEndsNoRun(t *testing.T) {
	d, l := beside(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	b, s := alloc(t, d, 128), d.NewSequence("s")
	loan, err := driver.Lend(b, driver.Turns{Stream: uintptr(l.stream)})
	if err != nil {
		t.Fatal(err)
	}
	s.Fill(driver.All(b), 1, 4)
	run := func() error { _, err := s.Run(ctx); return err }
	if err := errors.Join(run(), l.do(func() error { return l.StreamDestroy(l.stream) })); err != nil {
		t.Fatal(err)
	}
	l.stream = 0
	for range 3 {
		expectError(t, "a run", run(), driver.InvalidArgument, `start "s" on cuda:0`, "or not any more")
	}
	if err := errors.Join(loan.Close(), run()); err != nil {
		t.Fatal(err)
	}
	closeAll(t, s, b)
}

type released chan bool

func (r released) Release() { r <- true }

// TestTheOwnerOfALostRunWaitsForItsEnd: memory that a run may still touch is its owner's again when the run is over.
func TestTheOwnerOfALostRunWaitsForItsEnd(t *testing.T) {
	for _, whole := range []bool{true, false} {
		sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
		d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{CloseTimeout: 1}})
		if err != nil {
			t.Fatal(err)
		}
		l, err := newLibrary(sim, 0)
		if err != nil {
			t.Fatal(err)
		}
		k, owner := compiled(t, d, parse(t, spin)), make(released, 9)
		f := l.foreign(driver.Turns{Stream: uintptr(l.stream)})
		f.Owner = owner
		b, err := driver.Borrow(d, f)
		if err != nil {
			t.Fatal(err)
		}
		s := d.NewSequence("lost")
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(200_000))
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); !errors.Is(err, driver.Closed) {
			t.Fatalf("closing a run that goes on for long: %v", err)
		}
		closeAll(t, b)
		_, err = driver.Borrow(d, f)
		expectError(t, "borrowing it again", err, driver.Busy, "a run that was given up may still use it", "fix: wait until its Owner is released")
		if len(owner) > 0 {
			t.Error("the owner has its memory back while the run goes on")
		}
		for whole && len(owner) == 0 {
			if _, err := d.Trim(0); err != nil {
				t.Fatal(err)
			}
		}
		if whole {
			again, err := driver.Borrow(d, f)
			if err != nil {
				t.Fatal(err)
			}
			closeAll(t, again)
		}
		err = d.Close()
		if whole && err != nil || !whole && len(owner) > 0 {
			t.Errorf("closing the device: %v, %d releases", err, len(owner))
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWarmRunsOverSharedMemoryAllocateNothing: nor on our side, nor in the simulated driver.
func TestWarmRunsOverSharedMemoryAllocateNothing(t *testing.T) {
	d, l := beside(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
	b, err := driver.Borrow(d, l.foreign(driver.Turns{Stream: uintptr(l.stream)}))
	if err != nil {
		t.Fatal(err)
	}
	k, s := compiled(t, d, parse(t, addOne)), d.NewSequence("s")
	s.Launch(k, driver.Groups(1), driver.All(b))
	run := func() {
		if _, err := s.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		run()
	}
	if n := testing.AllocsPerRun(20, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
	closeAll(t, s, b, k)
}

// TestAnyCallOfSharingMayFail: a device and a library that share memory in both directions, with every call failing in turn.
func TestAnyCallOfSharingMayFail(t *testing.T) {
	program := parse(t, strings.ReplaceAll(noted, "  trace %v, #3\n", ""))
	session := func(sim *cusim.Driver) (err error) {
		return faults.OnDevice(func(ctx context.Context, dev driver.Device) (err error) {
			l, err := newLibrary(sim, 0)
			defer func() { err = errors.Join(err, l.Close()) }()
			if err != nil {
				return err
			}
			return share(ctx, dev, l, program)
		})(sim)
	}
	every := long.Count(3, 1, 1)
	for _, c := range []struct {
		eager  bool
		result cu.Result
	}{{false, 719}, {true, 1}, {false, 400}, {true, cu.OutOfMemory}} {
		if n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: c.eager, Recovers: true}, every, session, c.result); n < 10 {
			t.Errorf("only %d calls failed", n)
		}
	}
}

// share borrows, lends, and runs twice, again after what failed.
func share(ctx context.Context, dev driver.Device, l *otherLibrary, program *ir.Program) (err error) {
	add, err := dev.Compile(ctx, program, driver.Options{})
	if err != nil {
		return err
	}
	turns := driver.Turns{Stream: uintptr(l.stream)}
	owner := make(released, 9)
	f := l.foreign(turns)
	f.Owner = owner
	var x driver.Buffer
	borrow := func() (err error) { x, err = driver.Borrow(dev, f); return err }
	if err = borrow(); err != nil {
		if again := borrow(); again != nil {
			return errors.Join(err, again)
		}
	}
	y, failed := dev.Alloc(128, driver.AllocOptions{})
	if failed != nil {
		return errors.Join(err, failed, x.Close())
	}
	var loan *driver.Loan
	lend := func() (err error) { loan, err = driver.Lend(y, turns); return err }
	if failed := lend(); failed != nil {
		if again := lend(); again != nil {
			return errors.Join(err, failed, again, x.Close(), y.Close())
		}
		err = errors.Join(err, failed)
	}
	s, got := dev.NewSequence("s"), make([]byte, 128)
	s.Copy(driver.All(y), driver.All(x))
	s.Launch(add, driver.Groups(1), driver.All(y), driver.U32(1))
	s.Read(driver.All(y), got)
	v := uint32(0)
	err = errors.Join(err, faults.Twice(ctx, func() error {
		v++
		set := l.do(func() error { return l.set(v) })
		if _, err := s.Run(ctx); err != nil || set != nil {
			return errors.Join(err, set)
		}
		if !bytes.Equal(got, words(32, v+1)) {
			return fmt.Errorf("%w: %v, want %d", faults.ErrWrong, got[0], v+1)
		}
		return nil
	}))
	err = errors.Join(err, s.Close(), loan.Close(), x.Close(), y.Close(), add.Close())
	if len(owner) != 1 && dev.Err() == nil && err == nil {
		return fmt.Errorf("%w: the owner does not have its memory back", faults.ErrWrong)
	}
	return err
}
