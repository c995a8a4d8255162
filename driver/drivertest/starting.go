package drivertest

import (
	"context"
	"errors"
	"runtime"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

// much is a bound that no loop gets to.
const much = 1 << 30

// endless is a sequence over buffers of one word, in which the host decides on a loop that does
// not end by itself.
func (e *env) endless(label string, flag, x driver.Buffer) (*driver.Sequence, *driver.Loop) {
	s := e.dev.NewSequence(label)
	s.Lower(driver.LoopHost)
	l := s.While(driver.All(flag), much, func() { s.Fill(driver.All(x), 7, 4) })
	e.must(s.Prepare())
	return s, l
}

// under runs p in a goroutine of its own.
func under(c context.Context, p driver.Prepared) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run(c)
		ended <- err
	}()
	return ended
}

// rounds returns once a loop of the host has run so many rounds more.
func (e *env) rounds(n uint64) {
	before := e.dev.Stats()
	for e.dev.Stats().Sub(before).Get(metric.LoopIterations) < n {
		runtime.Gosched()
	}
}

// until returns once setting the bound of a loop to n fails like that.
func until(l *driver.Loop, n int, kind driver.Kind) {
	for !errors.Is(l.SetCount(n), kind) {
		runtime.Gosched()
	}
}

var startingTests = []test{
	{"SequenceInALoopOfTheHostIsBusy", func(e *env) {
		flag, x := e.words("flag", 1), e.words("x", 0)
		s, l := e.endless("s", flag, x)
		c, cancel := context.WithCancel(ctx)
		defer cancel()
		ran := under(c, s)
		e.rounds(2)
		e.fails(l.SetCount(1), driver.Busy, "a run is in flight")
		_, err := s.Run(ctx)
		e.fails(err, driver.Busy)
		_, err = s.Start(ctx)
		e.fails(err, driver.Busy)
		_, err = s.Wait(ctx)
		e.fails(err, driver.Busy)
		_, err = s.Capture(driver.CaptureOptions{})
		e.fails(err, driver.Busy)
		e.fails(x.Close(), driver.Busy, `"s"`)
		cancel()
		e.fails(<-ran, driver.Canceled, e.stopped())
		e.must(l.SetCount(3))
		e.run(s)
		e.same("rounds", l.Iterations(), 3)
	}},
	{"CloseWaitsForALoopOfTheHost", func(e *env) {
		flag, x := e.words("flag", 1), e.words("x", 0)
		s, l := e.endless("s", flag, x)
		c, cancel := context.WithCancel(ctx)
		defer cancel()
		ran := under(c, s)
		e.rounds(2)
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		until(l, much, driver.Closed)
		e.rounds(2) // it goes on
		cancel()
		e.must(<-closed)
		e.fails(<-ran, driver.Canceled)
		e.must(x.Close())
		e.must(flag.Close())
	}},
	{"CloseAndStartMayMeet", func(e *env) {
		flag, x := e.words("flag", 1), e.words("x", 0)
		for i := range 100 {
			s := e.dev.NewSequence("s")
			if i%2 == 0 {
				s.Lower(driver.LoopHost)
			}
			s.While(driver.All(flag), i%3, func() { s.Fill(driver.All(x), 7, 4) })
			var p driver.Prepared = s
			if i%4 == 1 && e.dev.Caps().LoopNodes {
				p = e.capture(s)
			}
			ran := under(ctx, p)
			if i%5 > 0 {
				runtime.Gosched()
			}
			e.must(s.Close())
			// Whoever came first, the other has its answer.
			if err := <-ran; err != nil {
				e.fails(err, driver.Closed)
			}
		}
		e.must(x.Close())
	}},
	{"WhoWaitsForALoopOfTheHostLeavesWithItsContext", func(e *env) {
		flag, x, other := e.words("flag", 1), e.words("x", 0), e.words("other", 1)
		first, _ := e.endless("first", flag, x)
		c, cancel := context.WithCancel(ctx)
		defer cancel()
		ran := under(c, first)
		e.rounds(2)
		second, l := e.endless("second", other, x)
		d, leave := context.WithCancel(ctx)
		defer leave()
		waits := under(d, second)
		until(l, much, driver.Busy)
		leave()
		e.fails(<-waits, driver.Canceled, "nothing was started")
		e.must(l.SetCount(1))
		waits = under(ctx, second)
		until(l, 1, driver.Busy)
		cancel()
		e.fails(<-ran, driver.Canceled)
		e.must(<-waits)
		e.same("rounds of the second", l.Iterations(), 1)
	}},
}
