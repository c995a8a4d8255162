package drivertest

import (
	"context"
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

// ended returns a context that is done.
func ended() context.Context {
	c, cancel := context.WithCancel(ctx)
	cancel()
	return c
}

// asked calls a function whenever somebody asks whether the context has ended.
type asked struct {
	context.Context
	then func()
}

func (a asked) Err() error {
	a.then()
	return a.Context.Err()
}

// stopped is in the error of a Run whose context ended in a loop that the host decides on.
func (e *env) stopped() string {
	if e.dev.Caps().EndsRuns {
		return "the run was ended"
	}
	return "stopped between two rounds"
}

// wantEnded looks whether a run that was given up is over, on a device that ends runs, and how its error says so.
func (e *env) wantEnded(s *driver.Sequence, err error) {
	e.Helper()
	var over *driver.Ended
	if e.fails(err, driver.Canceled, "the run was ended"); !errors.As(err, &over) || !errors.Is(err, context.Canceled) {
		e.Errorf("%v does not say that the run is over", err)
	}
	if n := e.dev.Stats().Get(metric.RunsInFlight); n != 0 {
		e.Errorf("%d runs are in flight", n)
	}
	_, again := s.Wait(ctx)
	e.fails(again, driver.Canceled, "the run was ended")
}

// interrupted tries f, which interrupts a kernel of n trips, with ever more trips until f
// is faster than the kernel and returns an error.
func (e *env) interrupted(f func(n uint32) error) {
	e.Helper()
	for n := uint32(longSpin); n <= 256*longSpin; n *= 4 {
		if f(n) != nil {
			return
		}
	}
	e.Fatal("every run ended before it could be interrupted")
}

// cancelWhileRunning calls run and ends its context once a run is in flight, or run returned.
func (e *env) cancelWhileRunning(run func(context.Context) error) error {
	c, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := make(chan error, 1)
	go func() { seen <- run(c) }()
	for e.dev.Stats().Get(metric.RunsInFlight) == 0 {
		select {
		case err := <-seen:
			return err
		default:
		}
	}
	cancel()
	return <-seen
}

// spinning is a sequence that launches k, which takes a while for a large n, and reads what it wrote, n, to dst.
func (e *env) spinning(k driver.Kernel, n uint32) (s *driver.Sequence, launch *driver.Step, dst []byte) {
	b := e.words("b", 0)
	dst = le(77)
	s = e.dev.NewSequence("s")
	launch = s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(n))
	s.Read(driver.All(b), dst)
	return s, launch, dst
}

var contextTests = []test{
	{"ContextDoneOnEntryStartsNothing", func(e *env) {
		b := e.words("b", 1)
		s := e.dev.NewSequence("s")
		s.Fill(driver.All(b), 2, 4)
		_, err := s.Run(ended())
		e.fails(err, driver.Canceled, "nothing was started")
		if !errors.Is(err, context.Canceled) {
			e.Errorf("%v does not wrap the context's error", err)
		}
		e.equal("b", e.read(b), le(1))
		e.run(s) // it is free to run
		_, err = e.dev.Compile(ended(), e.program(add), driver.Options{})
		e.fails(err, driver.Canceled)
	}},
	{"NoContextIsRefused", func(e *env) {
		var none context.Context
		refused := func(err error) {
			e.Helper()
			e.fails(err, driver.InvalidArgument, "the context is nil", "context.Background()")
		}
		_, err := e.dev.Compile(none, e.program(add), driver.Options{})
		refused(err)
		refused(e.dev.Warm(none))
		b := e.words("b", 1)
		refused(driver.Write(none, driver.All(b), le(3)))
		refused(driver.ReadInto(none, driver.All(b), le(3)))
		for range 3 { // sequences of a kind are kept, and used again
			_, err = driver.Dispatch(none, e.compile(add), driver.Groups(1), driver.InOut(le(1)), driver.U32(1))
			refused(err)
		}
		pool := driver.NewPool(e.dev, driver.PoolOptions{})
		for range 2 {
			_, err = pool.Static(none, 1, le(1))
			refused(err)
		}
		e.must(pool.Close())
		s := e.dev.NewSequence("s")
		s.Fill(driver.All(b), 2, 4)
		_, err = s.Run(none)
		refused(err)
		p, err := s.Start(ctx)
		e.must(err)
		_, err = p.Wait(none)
		refused(err)
		_, err = s.Wait(ctx) // the run is still there
		e.must(err)
		if e.dev.Caps().Graphs {
			t := e.dev.NewSequence("t")
			t.Fill(driver.All(t.Scratch(4)), 2, 4)
			g, err := t.Capture(driver.CaptureOptions{})
			e.must(err)
			_, err = g.Run(none)
			refused(err)
			_, err = g.RunBatch(none, make([]driver.Row, 2))
			refused(err)
		}
		e.equal("b", e.read(b), le(2))
	}},
	{"NoSequenceAndNoGraphAreRefused", func(e *env) {
		k, b := e.compile(add), e.words("b", 1)
		for _, s := range []*driver.Sequence{nil, new(driver.Sequence)} {
			refused := func(err error) {
				e.Helper()
				e.fails(err, driver.InvalidArgument, "the sequence is nil", "NewSequence")
			}
			s.NoDeviceTime()
			s.TimeTransfers(true)
			s.TimeCommands()
			s.Lower(driver.LoopHost)
			s.Refuse(&driver.Error{})
			s.Fill(driver.All(b), 2, 4)
			s.Copy(driver.All(s.Scratch(4)), driver.All(b))
			in, out := s.Upload(driver.All(b), le(1), driver.Static), s.Read(driver.All(b), le(1))
			st := s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
			var inner *driver.Step
			l := s.While(driver.All(b), 2, func() { inner = s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1)) })
			s.Repeat(2, nil)
			for _, err := range []error{in.Set(le(1)), in.Touch(), out.Set(le(1)), st.SetArg(0, driver.All(b)), inner.SetGrid(driver.Groups(2)), st.SetDomain(1), st.SetTrace(1), l.SetCount(3)} {
				refused(err)
			}
			if s.Label() != "" || s.Device() != nil || s.Plan() != nil || l.Lowering() != driver.LowerAuto {
				e.Errorf("no sequence is %q on %v with plan %v, lowered by %v", s.Label(), s.Device(), s.Plan(), l.Lowering())
			}
			refused(s.Prepare())
			_, err := s.Run(ctx)
			refused(err)
			_, err = s.Start(ctx)
			refused(err)
			_, err = s.Wait(ctx)
			refused(err)
			refused(s.Settle(ctx))
			_, err = s.Capture(driver.CaptureOptions{})
			refused(err)
			refused(s.Close())
		}
		for _, g := range []*driver.Graph{nil, new(driver.Graph)} {
			_, err := g.Run(ctx)
			e.fails(err, driver.InvalidArgument, "the graph is nil", "Capture")
			_, err = g.Start(ctx)
			e.fails(err, driver.InvalidArgument, "the graph is nil")
			_, err = g.Wait(ctx)
			e.fails(err, driver.InvalidArgument, "the graph is nil")
			_, err = g.RunBatch(ctx, nil)
			e.fails(err, driver.InvalidArgument, "the graph is nil")
			e.fails(g.Close(), driver.InvalidArgument, "the graph is nil")
			if i := g.Info(); i.ReplaySafe || i.Why == "" {
				e.Errorf("no graph is %+v", i)
			}
		}
		_, err := driver.AllocAll(nil, 4)
		e.fails(err, driver.InvalidArgument, "the device is nil")
	}},
	{"CanceledWaitLeavesTheRunGoing", func(e *env) {
		k := e.compile(spin)
		e.interrupted(func(n uint32) error {
			s, st, dst := e.spinning(k, n)
			defer s.Close()
			p, err := s.Start(ctx)
			e.must(err)
			if _, err = p.Wait(ended()); err == nil {
				return nil
			}
			e.fails(err, driver.Canceled, "the run goes on")
			e.equal("destination", dst, le(77))
			e.fails(st.SetArg(1, driver.U32(1)), driver.Busy)
			_, again := s.Start(ctx)
			e.fails(again, driver.Busy)
			_, waited := s.Wait(ctx)
			e.must(waited)
			e.equal("destination", dst, le(n))
			e.must(st.SetArg(1, driver.U32(1)))
			e.run(s)
			e.equal("destination of the next run", dst, le(1))
			return err
		})
	}},
	{"SettledSequencesRunAgain", func(e *env) {
		k := e.compile(spin)
		e.interrupted(func(n uint32) error {
			s, st, dst := e.spinning(k, n)
			defer s.Close()
			e.must(s.Settle(ended())) // nothing is to be waited for
			err := e.cancelWhileRunning(func(c context.Context) error {
				_, err := s.Run(c)
				return err
			})
			if err == nil {
				return nil
			}
			e.fails(err, driver.Canceled)
			if e.dev.Caps().EndsRuns {
				e.wantEnded(s, err)
				n = 77 // which was there before
			} else if early := s.Settle(ended()); early != nil {
				e.fails(early, driver.Canceled, "the run goes on")
			}
			e.must(s.Settle(ctx))
			e.equal("destination", dst, le(n))
			e.must(s.Settle(ended()))
			e.must(st.SetArg(1, driver.U32(1)))
			e.run(s)
			e.equal("destination of the next run", dst, le(1))
			e.must(s.Close())
			e.must(s.Settle(ctx))
			return err
		})
	}},
	{"CanceledRunIsWaitedForOnTheSequence", func(e *env) {
		k := e.compile(spin)
		if e.dev.Caps().EndsRuns {
			return // SettledSequencesRunAgain has it
		}
		e.interrupted(func(n uint32) error {
			b := e.words("b", 0)
			s := e.dev.NewSequence("s")
			defer s.Close()
			s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(n))
			e.must(s.Prepare())
			err := e.cancelWhileRunning(func(c context.Context) error {
				_, err := s.Run(c)
				return err
			})
			if err == nil {
				return nil
			}
			e.fails(err, driver.Canceled)
			_, waited := s.Wait(ctx)
			e.must(waited)
			e.equal("b", e.read(b), le(n))
			return err
		})
	}},
	{"WaitWantsARunInFlight", func(e *env) {
		s := e.dev.NewSequence("s")
		s.Fill(driver.All(e.words("b", 0)), 0, 4)
		_, err := s.Wait(ctx)
		e.fails(err, driver.InvalidArgument, "no run is in flight")
		p, err := s.Start(ctx)
		e.must(err)
		_, err = p.Wait(ctx)
		e.must(err)
		_, err = p.Wait(ctx)
		e.fails(err, driver.InvalidArgument, "no run is in flight")
	}},
}

var orderTests = []test{
	{"RunsThatShareABufferTakeEffectInTheOrderOfTheirStart", func(e *env) {
		slow, fast := e.compile(spin), e.compile(add)
		b := e.words("b", 0)
		dst := make([]byte, 4)
		one, two, three := e.dev.NewSequence("one"), e.dev.NewSequence("two"), e.dev.NewSequence("three")
		one.Launch(slow, driver.Groups(1), driver.All(b), driver.U32(longSpin))
		two.Launch(fast, driver.Groups(1), driver.All(b), driver.U32(1))
		three.Read(driver.All(b), dst)
		var all []driver.Pending
		for _, s := range []*driver.Sequence{one, two, three} {
			p, err := s.Start(ctx)
			e.must(err)
			all = append(all, p)
		}
		for _, p := range all {
			_, err := p.Wait(ctx)
			e.must(err)
		}
		e.equal("bytes", dst, le(longSpin+1))
	}},
	{"WriterWaitsForReaders", func(e *env) {
		slow := e.compile(spin)
		b, c := e.words("b", 5), e.words("c", 0)
		dst := make([]byte, 4)
		reader, writer := e.dev.NewSequence("reader"), e.dev.NewSequence("writer")
		reader.Launch(slow, driver.Groups(1), driver.All(c), driver.U32(longSpin))
		reader.Read(driver.All(b), dst)
		writer.Fill(driver.All(b), 6, 4)
		p, err := reader.Start(ctx)
		e.must(err)
		e.run(writer)
		_, err = p.Wait(ctx)
		e.must(err)
		e.equal("what the reader saw", dst, le(5))
		e.equal("b", e.read(b), le(6))
	}},
	{"StartAfterOrdersRunsThatShareNothing", func(e *env) {
		slow := e.compile(spin)
		b, c := e.words("b", 0), e.words("c", 0)
		one, two := e.dev.NewSequence("one"), e.dev.NewSequence("two")
		one.Launch(slow, driver.Groups(1), driver.All(b), driver.U32(longSpin))
		two.Fill(driver.All(c), 1, 4)
		p, err := one.Start(ctx)
		e.must(err)
		q, err := two.Start(ctx, p)
		e.must(err)
		_, err = q.Wait(ctx)
		e.must(err)
		if !p.Done() {
			e.Error("the run that was to come first has not ended")
		}
		_, err = p.Wait(ctx)
		e.must(err)
	}},
	{"StartAfterARunOfAnotherDeviceIsRefused", func(e *env) {
		other, err := e.openOther()
		e.must(err)
		foreign := other.NewSequence("foreign")
		p, err := foreign.Start(ctx)
		e.must(err)
		_, err = e.dev.NewSequence("s").Start(ctx, p)
		e.fails(err, driver.InvalidArgument, "another device")
		_, err = p.Wait(ctx)
		e.must(err)
	}},
}
