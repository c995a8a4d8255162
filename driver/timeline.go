package driver

import (
	"cmp"
	"io"
	"slices"
	"sync"

	"github.com/govyre/vyre/internal/pprof"
	"github.com/govyre/vyre/internal/spans"
)

// Timeline records, from now on until stop, what waves do inside of launches, and stop writes it to w: a file for ui.perfetto.dev, in the JSON form
// of Chrome's trace events. A plan of package megakernel that is made meanwhile is a process in it, with a row for its rounds and rows for at
// most 32 of its groups. A span is the time of a wave in a round, as the first thread of a group sees it, by the device's timer. That of a GPU
// may advance in steps of a microsecond.
//
// Only such plans run slower for it, and need memory: 2.5 MiB for each launch of theirs in a sequence. Of a launch the first 65,536 spans of a run
// are kept, of a plan the newest 65,536 of all runs, and 1<<20 in all; the file says how many were dropped. A profile of the device that is being made
// has the same spans as frames.
//
// The second timeline of a device at a time is Busy. A closed device may still be stopped. Calling stop again returns what the first call returned.
func Timeline(d Device, w io.Writer) (stop func() error, err error) {
	if d == nil || w == nil {
		return nil, &Error{Op: "timeline", Kind: InvalidArgument, Msg: "the device, or the writer, is nil", Fix: "pass both"}
	}
	t := &timeline{core: d.core(), take: (*timeline).add}
	if err := t.begin(); err != nil {
		return nil, t.core.Fail(err)
	}
	return sync.OnceValue(func() error { return t.stop(w) }), nil
}

// timeline is what is known so far.
type timeline struct {
	core *Core
	take func(*timeline, *Plan, *Result) // add; a value, so that a program without a timeline does not link it
	mu   sync.Mutex
	file spans.File
}

// begin makes it the timeline of its device.
func (t *timeline) begin() error {
	c := t.core
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return closedDevice(c, "timeline", "")
	}
	if !c.timeline.CompareAndSwap(nil, t) {
		return &Error{Op: "timeline", Device: c.name, Kind: Busy, Msg: "a timeline of the device is being made", Fix: "stop that first"}
	}
	spans.Watch(c.device.Caps(), true)
	return nil
}

// add adds the spans of a run.
func (t *timeline) add(p *Plan, res *Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	some := false
	eachSpan(p, res, func(_ *LaunchCmd, n spans.Name, s spans.Span) {
		some = true
		t.file.Add(n, s)
	})
	if some {
		t.file.Dropped += res.TracesDropped
	}
}

// stop ends the timeline and writes it.
func (t *timeline) stop(w io.Writer) error {
	spans.Watch(t.core.device.Caps(), false)
	t.core.timeline.Store(nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.file.Write(w, t.core.name); err != nil {
		return t.core.Fail(&Error{Op: "timeline", Device: t.core.name, Kind: Unavailable, Msg: "the timeline could not be written: " + err.Error(), Err: err,
			Fix: "make another one, with a writer that takes it"})
	}
	return nil
}

// eachSpan calls do with the spans among the traces of a run.
func eachSpan(p *Plan, res *Result, do func(*LaunchCmd, spans.Name, spans.Span)) {
	for i := range res.Traces {
		r := &res.Traces[i]
		cmd := p.Launches[r.Step]
		if n, ok := spans.Of(cmd.Kernel)[r.Tag]; ok && r.Count == len(r.Values) {
			size := cmd.Kernel.Workgroup()
			do(cmd, n, spans.Read(r.Global, int(size[0]), r.Values))
		}
	}
}

// wavePart is a wave in a round, as a part of a launch.
type wavePart struct {
	wave  pprof.Frame
	round string
}

func (p wavePart) compare(o wavePart) int {
	return cmp.Or(cmp.Compare(p.wave.Name, o.wave.Name), cmp.Compare(p.round, o.round))
}

// waveParts divides the time of a plan's launches among their waves, by the spans that a run has recorded. Where spans overlap, the time is that of
// the one that began first; what is in no span stays with the launch.
func waveParts(p *Plan, res *Result) map[*LaunchCmd]map[wavePart]int64 {
	if len(res.Traces) == 0 {
		return nil
	}
	type span struct {
		wavePart
		begin, end uint64
	}
	all := map[*LaunchCmd][]span{}
	eachSpan(p, res, func(c *LaunchCmd, n spans.Name, s spans.Span) {
		all[c] = append(all[c], span{wavePart{pprof.Frame{Name: n.Wave, File: n.File, Line: int64(n.Line)}, n.Round(s.Round)}, s.Begin, s.End})
	})
	parts := map[*LaunchCmd]map[wavePart]int64{}
	for c, list := range all {
		slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(a.begin, b.begin) })
		took, until := map[wavePart]int64{}, uint64(0)
		for _, s := range list {
			if s.end > until {
				took[s.wavePart] += int64(s.end - max(s.begin, until))
				until = s.end
			}
		}
		parts[c] = took
	}
	return parts
}
