package drivertest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/pprof"
	"github.com/govyre/vyre/internal/testing/pprofs"
)

var profileTests = []test{
	{"ProfileAddsUpToTheTimeOnTheDevice", func(e *env) {
		k, down := e.compile(add), e.compile(countDown)
		x, flag := e.buffer("x", 256, 0), e.words("flag", 0)
		s := e.dev.NewSequence("work")
		s.Fill(driver.All(x), 1, 4) // before the first launch, copy or loop
		s.Launch(k, driver.Groups(2), driver.All(x), driver.U32(1))
		s.Repeat(3, func() {
			s.Launch(k, driver.Groups(1), driver.Part(x, 0, 128), driver.U32(1))
			s.Fill(driver.Part(x, 128, 8), 5, 1)
		})
		s.Launch(k, driver.EmptyGrid(), driver.All(x), driver.U32(1))
		s.Copy(driver.Part(x, 0, 64), driver.Part(x, 64, 64))
		s.Fill(driver.All(flag), 2, 4)
		s.While(driver.All(flag), 10, func() { s.Launch(down, driver.Groups(1), driver.All(flag), driver.All(x)) })
		s.Read(driver.All(x), make([]byte, 256))
		ways := []driver.Prepared{s}
		if e.dev.Caps().Graphs {
			if g, err := s.Capture(driver.CaptureOptions{}); err == nil {
				ways = append(ways, g)
			} else {
				e.fails(err, driver.Unsupported, "the host decides")
			}
		}
		for _, p := range ways {
			var took time.Duration
			runs := int64(4)
			prof, stats := e.profiled(func() {
				for range runs {
					res := e.run(p)
					if len(res.Commands) > 0 {
						e.Errorf("a run that is profiled tells %+v", res.Commands)
					}
					took += res.Device
				}
			})
			all := sum(prof, func(s pprof.Sample) bool { return !strings.HasPrefix(part(s), "transfers") })
			if all[1] != int64(took) || took == 0 {
				e.Errorf("samples add up to %v, runs took %v", time.Duration(all[1]), took)
			}
			if n := sum(prof, within("")); n[0] != 6*runs || n[2] != runs*(256+3*8+64+4+256) {
				e.Errorf("%d launches and %d bytes are in the profile", n[0], n[2])
			}
			e.same("launches", stats.Get(metric.LaunchesPlain)+stats.Get(metric.LaunchesGraph), uint64(6*runs))
			if n := sum(prof, within("add")); n[0] != 4*runs || n[1] <= 0 {
				e.Errorf("add has %v", n)
			}
			if n := sum(prof, within("2 of work")); n[0] != 3*runs || n[1] <= sum(prof, within("2.body.0 of work"))[1] || n[2] != 3*8*runs {
				e.Errorf("the loop has %v", n)
			}
			if n := sum(prof, within("transfers out")); n[2] != 256*runs {
				e.Errorf("reads have %v", n)
			}
			e.labelled(prof, "add", "grid=2×1×1", "group=32×1×1")
		}
	}},
	{"ProfileNamesTheFunction", func(e *env) {
		k, x := e.compile(add), e.words("x", 0)
		prof, _ := e.profiled(func() {
			s := e.dev.NewSequence("s")
			s.Launch(k, driver.Groups(1), driver.All(x), driver.U32(1))
			_, err := s.Once(ctx)
			e.must(err)
		})
		for _, s := range prof.Samples {
			if s.Stack[0].Name == "add" && (!strings.HasPrefix(s.Stack[0].File, "drivertest") || s.Stack[0].Line < 3) {
				e.Errorf("add is at %+v", s.Stack[0])
			}
		}
		if names := names(prof.Samples[0]); len(prof.Samples) != 2 || names != "add, 0 of s, sequence s, "+e.dev.Name() && names != "gap, sequence s, "+e.dev.Name() {
			e.Errorf("the first of %d samples is %s", len(prof.Samples), names)
		}
	}},
	{"ProfileHasBatchesAndDispatches", func(e *env) {
		k := e.compile(addTo)
		prof, _ := e.profiled(func() {
			for range 3 {
				_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(le(3)), driver.Out(make([]byte, 4)), driver.U32(1))
				e.must(err)
			}
			if !e.dev.Caps().Graphs {
				return
			}
			s := e.dev.NewSequence("batch")
			a, b, dst := s.Scratch(4), s.Scratch(4), make([]byte, 4)
			s.Upload(driver.All(a), le(1), driver.IfChanged)
			s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(1))
			s.Read(driver.All(b), dst)
			g, err := s.Capture(driver.CaptureOptions{})
			e.must(err)
			var rows []driver.Row
			for i := range uint32(5) {
				rows = append(rows, driver.Row{Inputs: [][]byte{le(i)}, Outputs: [][]byte{make([]byte, 4)}})
			}
			results, err := g.RunBatch(ctx, rows)
			e.must(err)
			for i, res := range results {
				if len(res.Commands) > 0 || !res.HasDevice {
					e.Errorf("row %d has %+v", i, res)
				}
				e.equal("a row", rows[i].Outputs[0], le(uint32(i)+1))
			}
			e.must(s.Close())
		})
		want := int64(3)
		if e.dev.Caps().Graphs {
			want += 5
		}
		if n := sum(prof, within("add_to")); n[0] != want {
			e.Errorf("%d launches are in the profile, want %d", n[0], want)
		}
	}},
	{"ProfileOfATimedSequenceLeavesItsTimes", func(e *env) {
		x := e.words("x", 0)
		s := e.dev.NewSequence("timed")
		s.TimeCommands()
		s.Copy(driver.All(x), driver.All(e.words("y", 0)))
		prof, _ := e.profiled(func() {
			if res := e.run(s); len(res.Commands) != 1 {
				e.Errorf("commands took %+v", res.Commands)
			}
		})
		if n := sum(prof, within("copy")); n[1] <= 0 || n[2] != 4 {
			e.Errorf("the copy has %v", n)
		}
	}},
	{"ProfileOfUploadsThatAreLeftOut", func(e *env) {
		x := e.words("x", 0)
		s := e.dev.NewSequence("s")
		s.Upload(driver.All(x), le(7), driver.IfChanged)
		s.Copy(driver.All(e.words("y", 0)), driver.All(x))
		e.run(s)
		prof, _ := e.profiled(func() {
			for range 4 {
				e.run(s)
			}
		})
		// What sends bytes under a profile is another runner, and knows of no bytes before.
		if n := sum(prof, within("upload")); n[2] != 4 {
			e.Errorf("uploads have %v", n)
		}
	}},
	{"ProfileLeavesOutRunsUnderWay", func(e *env) {
		flag, x := e.words("flag", 1), e.words("x", 0)
		before, _ := e.endless("before", flag, x)
		c, cancel := context.WithCancel(ctx)
		ran := under(c, before)
		e.rounds(2)
		var w bytes.Buffer
		stop, err := driver.Profile(e.dev, &w)
		e.must(err)
		cancel()
		e.fails(<-ran, driver.Canceled)
		e.write(flag, le(1))
		c, cancel = context.WithCancel(ctx)
		defer cancel()
		ran = under(c, before)
		e.rounds(2)
		e.must(stop())
		prof, err := pprofs.Read(&w)
		e.must(err)
		if len(prof.Samples) > 0 && within("sequence before")(prof.Samples[0]) || len(prof.Comments) != 1 || !strings.HasPrefix(prof.Comments[0], "1 runs") {
			e.Errorf("the profile has %+v, %q", prof.Samples, prof.Comments)
		}
		cancel()
		e.fails(<-ran, driver.Canceled)
		e.write(flag, le(0))
		e.run(before)
	}},
	{"ProfileIsRefused", func(e *env) { e.oneAtATime(driver.Profile) }},
	{"ProfileThatCannotBeWritten", func(e *env) {
		e.unwritten(driver.Profile, func() { e.write(e.words("x", 0), le(1)) })
		prof, _ := e.profiled(func() { e.write(e.words("x", 0), le(1)) })
		if len(prof.Samples) == 0 {
			e.Error("then there is nothing in a profile")
		}
	}},
	{"ProfileOutlivesItsDevice", func(e *env) {
		dev, err := e.open(driver.OpenOptions{})
		e.must(err)
		var w bytes.Buffer
		stop, err := driver.Profile(dev, &w)
		e.must(err)
		s := dev.NewSequence("s")
		s.Fill(driver.All(s.Scratch(4)), 1, 4)
		e.run(s)
		_, err = s.Start(ctx)
		e.must(err)
		e.must(dev.Close())
		e.nothingLeft(dev)
		e.must(stop())
		prof, err := pprofs.Read(&w)
		e.must(err)
		if n := sum(prof, within("fill")); n[2] != 4 {
			e.Errorf("the fill has %v", n)
		}
	}},
	{"ProfileGivesBackWhatItTook", func(e *env) {
		k, x := e.compile(add), e.words("x", 0)
		s := e.dev.NewSequence("s")
		s.Launch(k, driver.Groups(1), driver.All(x), driver.U32(1))
		s.Read(driver.All(x), make([]byte, 4))
		e.run(s)
		before := e.dev.Stats()
		_, _ = e.profiled(func() { e.run(s) })
		now := e.dev.Stats().Sub(before)
		for _, m := range []driver.Metric{metric.InternalBytes, metric.LiveBytes, metric.Sequences, metric.Graphs, metric.RunsInFlight} {
			if e.dev.Stats().Get(m) != before.Get(m) {
				e.Errorf("%v is %d, was %d", m, e.dev.Stats().Get(m), before.Get(m))
			}
		}
		e.same("runs", now.Get(metric.RunsPlain), 1)
		e.run(s)
		e.equal("x", e.read(x), le(3))
	}},
}

var errNoRoom = errors.New("no room")

// observed is Profile or Timeline.
type observed func(d driver.Device, w io.Writer) (stop func() error, err error)

// oneAtATime begins what a device has one of at a time, without what it needs, a second time and on a closed device.
func (e *env) oneAtATime(begin observed) {
	e.Helper()
	refused := func(kind driver.Kind, d driver.Device, w io.Writer, texts ...string) {
		e.Helper()
		stop, err := begin(d, w)
		if e.fails(err, kind, texts...); stop != nil {
			e.Error("there is a stop")
		}
	}
	refused(driver.InvalidArgument, nil, io.Discard, "pass both")
	refused(driver.InvalidArgument, e.dev, nil, "pass both")
	for range 2 {
		var w bytes.Buffer
		stop, err := begin(e.dev, &w)
		e.must(err)
		refused(driver.Busy, e.dev, io.Discard, "stop that first")
		e.must(stop())
		size := w.Len()
		e.must(stop())
		e.same("bytes written by the second stop", uint64(w.Len()-size), 0)
	}
	closed, err := e.open(driver.OpenOptions{})
	e.must(err)
	e.must(closed.Close())
	refused(driver.Closed, closed, io.Discard)
}

// unwritten stops it where its writer fails.
func (e *env) unwritten(begin observed, work func()) {
	e.Helper()
	stop, err := begin(e.dev, broken{})
	e.must(err)
	work()
	err = stop()
	e.fails(err, driver.Unavailable, "no room", "a writer that takes it")
	if !errors.Is(err, errNoRoom) || stop() != err {
		e.Errorf("got %v, then %v", err, stop())
	}
}

// broken is a writer that takes nothing.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errNoRoom }

// profiled returns the profile of what f does, and how far it moved the metrics.
func (e *env) profiled(f func()) (*pprof.Profile, *driver.Stats) {
	e.Helper()
	var w bytes.Buffer
	stop, err := driver.Profile(e.dev, &w)
	e.must(err)
	stats := e.counted(f)
	e.must(stop())
	p, err := pprofs.Read(&w)
	e.must(err)
	return p, stats
}

// sum adds up the values of samples.
func sum(p *pprof.Profile, of func(pprof.Sample) bool) (total [3]int64) {
	for _, s := range p.Samples {
		for i, v := range s.Values {
			if of(s) {
				total[i] += v
			}
		}
	}
	return total
}

// within is about samples with a frame of a name, or about all if that is empty.
func within(name string) func(pprof.Sample) bool {
	return func(s pprof.Sample) bool {
		for _, f := range s.Stack {
			if f.Name == name {
				return true
			}
		}
		return name == ""
	}
}

// part is the frame above that of the sequence.
func part(s pprof.Sample) string { return s.Stack[len(s.Stack)-3].Name }

func names(s pprof.Sample) string {
	var all []string
	for _, f := range s.Stack {
		all = append(all, f.Name)
	}
	return strings.Join(all, ", ")
}

// labelled checks that a sample of a kernel has such labels.
func (e *env) labelled(p *pprof.Profile, kernel string, want ...string) {
	e.Helper()
	for _, s := range p.Samples {
		have := ""
		for _, l := range s.Labels {
			have += l.Key + "=" + l.Text + " "
		}
		if s.Stack[0].Name == kernel && strings.HasPrefix(have, strings.Join(want, " ")) {
			return
		}
	}
	e.Errorf("no sample of %s has labels %q", kernel, want)
}
