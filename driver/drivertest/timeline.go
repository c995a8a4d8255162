package drivertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/pprof"
	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

var timelineTests = []test{
	{"TimelineHasTheSpansOfEveryRun", func(e *env) {
		k, x := e.spanning(), e.words("x", 0)
		s := e.dev.NewSequence("s")
		s.Repeat(3, func() { s.Launch(k, driver.Groups(2), driver.All(x)) })
		again := driver.Prepared(s)
		if e.dev.Caps().Graphs {
			g, err := s.Capture(driver.CaptureOptions{})
			e.must(err)
			again = g
		}
		e.run(s)
		out := e.timeline(func() {
			e.run(s)
			e.run(again)
			p, err := s.Start(ctx)
			e.must(err)
			_, err = p.Wait(ctx)
			e.must(err)
		})
		e.run(s)
		e.same("spans", uint64(strings.Count(out, `"cat":"wave"`)), 3*3*2)
		for _, want := range []string{`"name":"a \"plan\" on ` + e.dev.Name() + `"`, `"name":"a wave"`, `"name":"group 1"`, `"in":"round 7"`, `"spans":"18","dropped":"0"`} {
			if !strings.Contains(out, want) {
				e.Errorf("the timeline does not say %s:\n%s", want, out)
			}
		}
	}},
	{"TimelineInAProfile", func(e *env) {
		k, x := e.spanning(), e.words("x", 0)
		var took [2]int64
		prof, _ := e.profiled(func() {
			s := e.dev.NewSequence("s")
			s.Repeat(3, func() { s.Launch(k, driver.Groups(2), driver.All(x)) })
			took[0] = int64(e.run(s).Device)
			e.must(s.Close())
		})
		took[1] = sum(prof, within(""))[1]
		in := sum(prof, func(s pprof.Sample) bool {
			return s.Stack[0].Name == "round 7" && s.Stack[1].Name == "a wave" && s.Stack[2].Name == k.Label()
		})
		if took[0] != took[1] || in[0] != 0 || in[1] <= 0 || in[1] > took[0] || sum(prof, within(k.Label()))[0] != 3 {
			e.Errorf("the run took %d ns, samples %d, of them waves %v", took[0], took[1], in)
		}
	}},
	{"TimelineOfMoreThanHasRoom", func(e *env) {
		k, x := e.spanning(), e.words("x", 0)
		out := e.timeline(func() {
			s := e.dev.NewSequence("s")
			e.must(s.Launch(k, driver.Groups(5), driver.All(x)).SetTrace(2))
			e.run(s)
		})
		if !strings.Contains(out, `"spans":"2","dropped":"3"`) {
			e.Errorf("the timeline is %s", out)
		}
	}},
	{"TimelineOfARunThatWasGivenUp", func(e *env) {
		k, x, flag := e.spanning(), e.words("x", 0), e.words("flag", 1)
		s := e.dev.NewSequence("s")
		s.Lower(driver.LoopHost)
		s.While(driver.All(flag), much, func() { s.Launch(k, driver.Groups(1), driver.All(x)) })
		out := e.timeline(func() {
			c, cancel := context.WithCancel(ctx)
			ran := under(c, s)
			e.rounds(2)
			cancel()
			e.fails(<-ran, driver.Canceled)
			e.write(flag, le(0))
			e.run(s)
			e.write(flag, le(1))
			other := e.dev.NewSequence("other")
			other.Launch(k, driver.Groups(3), driver.All(x))
			e.run(other)
		})
		if strings.Count(out, `"cat":"wave"`) < 3 {
			e.Errorf("the timeline is %s", out)
		}
	}},
	{"TimelineIsRefused", func(e *env) { e.oneAtATime(driver.Timeline) }},
	{"TimelineIsOfOneDevice", func(e *env) {
		closed, err := e.open(driver.OpenOptions{})
		e.must(err)
		stop, err := driver.Timeline(closed, io.Discard)
		e.must(err)
		if !spans.On(closed.Caps()) || spans.On(e.dev.Caps()) {
			e.Error("kernels of the wrong device record spans")
		}
		e.must(closed.Close())
		if spans.On(closed.Caps()) {
			e.Error("kernels of a closed device record spans")
		}
		e.must(stop())
	}},
	{"TimelineThatCannotBeWritten", func(e *env) {
		k, x := e.spanning(), e.words("x", 0)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(x))
		e.unwritten(driver.Timeline, func() { e.run(s) })
		if out := e.timeline(func() { e.run(s) }); strings.Count(out, `"cat":"wave"`) != 1 {
			e.Errorf("the next one has %s", out)
		}
	}},
}

// spanning compiles a kernel whose groups record spans, as those of package megakernel do: x = 1.
func (e *env) spanning() driver.Kernel {
	e.Helper()
	b := build.New("spanning", build.Workgroup(32))
	x := b.Buffer("x", ir.U32, ir.RW)
	leads := b.Eq(b.Local(0), b.U32(0))
	begin := b.Op(ir.OpTimer)
	b.If(b.And(leads, b.Eq(b.Group(0), b.U32(0))), func() { b.Store(x, b.U32(0), b.U32(1)) })
	b.If(leads, func() {
		b.Trace(5, spans.Name{Plan: `a "plan"`, Wave: "a wave", When: spans.InRound}.Message(), b.U64(7), begin, b.Op(ir.OpTimer))
	})
	p, err := b.Program()
	e.must(err)
	k, err := e.dev.Compile(ctx, p, driver.Options{})
	e.must(err)
	return k
}

// timeline returns that of what f does.
func (e *env) timeline(f func()) string {
	e.Helper()
	var w bytes.Buffer
	stop, err := driver.Timeline(e.dev, &w)
	e.must(err)
	f()
	e.must(stop())
	if !json.Valid(w.Bytes()) {
		e.Errorf("no JSON: %s", w.Bytes())
	}
	return w.String()
}
