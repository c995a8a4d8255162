package drivertest

import (
	"context"
	"errors"

	"github.com/govyre/vyre/driver"
)

// ended returns a context that is done.
func ended() context.Context {
	c, cancel := context.WithCancel(ctx)
	cancel()
	return c
}

var contextTests = []test{
	{"AContextDoneOnEntryStartsNothing", func(e *env) {
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
	{"ACanceledWaitLeavesTheRunGoing", func(e *env) {
		k := e.compile(spin)
		b := e.words("b", 0)
		dst := le(77)
		s := e.dev.NewSequence("s")
		st := s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(longSpin))
		s.Read(driver.All(b), dst)
		p, err := s.Start(ctx)
		e.must(err)
		_, err = p.Wait(ended())
		e.fails(err, driver.Canceled, "the run goes on")
		e.equal("destination", dst, le(77))
		e.fails(st.SetArg(1, driver.U32(1)), driver.Busy)
		_, err = s.Start(ctx)
		e.fails(err, driver.Busy)
		_, err = s.Wait(ctx)
		e.must(err)
		e.equal("destination", dst, le(longSpin))
		e.must(st.SetArg(1, driver.U32(1)))
		e.run(s)
		e.equal("destination of the next run", dst, le(1))
	}},
	{"ACanceledRunIsWaitedForOnTheSequence", func(e *env) {
		k := e.compile(spin)
		b := e.words("b", 0)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(longSpin))
		e.must(s.Prepare())
		c, cancel := context.WithCancel(ctx)
		seen := make(chan error, 1)
		go func() {
			_, err := s.Run(c)
			seen <- err
		}()
		for e.dev.Stats().Get(driver.RunsInFlight) == 0 {
		}
		cancel()
		err := <-seen
		e.fails(err, driver.Canceled)
		_, err = s.Wait(ctx)
		e.must(err)
		e.equal("b", e.read(b), le(longSpin))
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
	{"AWriterWaitsForReaders", func(e *env) {
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
