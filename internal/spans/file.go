package spans

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// File is the spans of plans on a device. Its zero value is ready.
type File struct {
	plans   []*plan
	of      map[string]*plan
	kept    int
	Dropped uint64 // spans that found no room
}

// plan is a process in the file.
type plan struct {
	name  string
	waves []Name
	spans []entry // the newest, in a ring from next on once there are PerPlan
	next  int
}

type entry struct {
	Span
	wave int
}

// Bounds of a file. Of a plan the newest spans are kept.
const (
	PerPlan = PerLaunch
	Most    = 1 << 20
)

// Add adds a span of a wave.
func (f *File) Add(n Name, s Span) {
	p := f.of[n.Plan]
	if p == nil {
		if f.of == nil {
			f.of = map[string]*plan{}
		}
		p = &plan{name: n.Plan}
		f.of[n.Plan], f.plans = p, append(f.plans, p)
	}
	e := entry{s, slices.Index(p.waves, n)}
	if e.wave < 0 {
		e.wave, p.waves = len(p.waves), append(p.waves, n)
	}
	switch {
	case len(p.spans) < PerPlan && f.kept < Most:
		p.spans = append(p.spans, e)
		f.kept++
	case len(p.spans) == 0:
		f.Dropped++
	default:
		p.spans[p.next] = e
		p.next = (p.next + 1) % len(p.spans)
		f.Dropped++
	}
}

// Write writes the file, in the JSON form of Chrome's trace events: a process for each plan, which has a row for its rounds and one for each
// group. Times begin with the first span.
func (f *File) Write(w io.Writer, device string) error {
	out := &writer{Writer: bufio.NewWriter(w)}
	fmt.Fprintf(out, `{"displayTimeUnit":"ns","otherData":{"device":%s,"spans":"%d","dropped":"%d"},"traceEvents":[`, quoted(device), f.kept, f.Dropped)
	begin := f.begin()
	for k, p := range f.plans {
		slices.SortStableFunc(p.spans, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Group, b.Group), cmp.Compare(a.wave, b.wave))
		})
		p.next = 0
		out.plan(p, k+1, begin, device)
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

func (f *File) begin() uint64 {
	first := ^uint64(0)
	for _, p := range f.plans {
		for _, s := range p.spans {
			first = min(first, s.Begin)
		}
	}
	return first
}

type writer struct {
	*bufio.Writer
	some bool
}

// event writes one event.
func (w *writer) event(format string, args ...any) {
	if w.some {
		w.WriteByte(',')
	}
	w.some = true
	w.WriteByte('\n')
	fmt.Fprintf(w, format, args...)
}

// name writes what a process or a row is called.
func (w *writer) name(what string, process int, row uint64, name string) {
	w.event(`{"ph":"M","name":"%s_name","pid":%d,"tid":%d,"args":{"name":%s}}`, what, process, row, quoted(name))
}

// roundsRow is the row of the rounds; that of group g is g + 1.
const roundsRow = 0

func (w *writer) plan(p *plan, process int, begin uint64, device string) {
	w.name("process", process, 0, p.name+" on "+device)
	w.name("thread", process, roundsRow, "rounds")
	rows := map[uint64]bool{}
	var whole Span // the round that the spans so far are in
	at := -1       // its wave
	end := func() {
		if at >= 0 {
			w.event(`{"ph":"X","cat":"round","name":%s,"pid":%d,"tid":%d,%s}`, quoted(p.waves[at].Round(whole.Round)), process, roundsRow, times(whole, begin))
		}
	}
	for _, s := range p.spans {
		n := p.waves[s.wave]
		if !rows[s.Group] {
			rows[s.Group] = true
			w.name("thread", process, s.Group+1, fmt.Sprintf("group %d", s.Group))
		}
		w.event(`{"ph":"X","cat":"wave","name":%s,"pid":%d,"tid":%d,%s,"args":{"in":%s}}`, quoted(n.Wave), process, s.Group+1, times(s.Span, begin), quoted(n.Round(s.Round)))
		if at < 0 || n.When != p.waves[at].When || n.When == InRound && s.Round != whole.Round {
			end()
			whole, at = s.Span, s.wave
		}
		whole.End = max(whole.End, s.End)
	}
	end()
}

// times are those of a span, in microseconds.
func times(s Span, begin uint64) string {
	return `"ts":` + micros(s.Begin-begin) + `,"dur":` + micros(s.End-s.Begin)
}

func micros(ns uint64) string {
	return strconv.FormatUint(ns/1000, 10) + fmt.Sprintf(".%03d", ns%1000)
}

// quoted is a string as JSON has it. Package encoding/json would be a third of a megabyte of each program with a device.
func quoted(s string) string {
	b := []byte{'"'}
	for _, c := range s { // what is not UTF-8 comes as U+FFFD
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = utf8.AppendRune(b, c)
		}
	}
	return string(append(b, '"'))
}
