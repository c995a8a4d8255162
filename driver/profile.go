package driver

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/govyre/vyre/internal/pprof"
)

// Profile measures what runs take on a device from now on, until stop, which writes that to w as a gzipped profile for
// `go tool pprof`. Every launch, copy and fill of a run lies between two reads of the device's clock, which takes time: runs are slower, and
// sequences need memory for it.
//
// A sample has three values: launches, nanoseconds on the device, and bytes that a copy, a fill, an upload or a read moved. Its stack
// begins with the kernel, with file and first line of its function, or with the name of another command. Then come the command's
// path, with the loops around it, the label of the sequence, and the device. Labels tell the grid, the group and the registers of a
// launch. Frames named "gap" are the time between commands. So the samples of a sequence add up to Result.Device of its runs, but
// for those under "transfers in" and "transfers out".
//
// Runs that are in flight when the profile begins or ends are not in it. The second profile of a device at a time is Busy. A closed device may still
// be stopped. Calling stop again returns what the first call returned.
func Profile(d Device, w io.Writer) (stop func() error, err error) {
	if d == nil || w == nil {
		return nil, &Error{Op: "profile", Kind: InvalidArgument, Msg: "the device, or the writer, is nil", Fix: "pass both"}
	}
	c := d.core()
	if err := c.Alive("profile", ""); err != nil {
		return nil, c.Fail(err)
	}
	if !d.Caps().CommandTimes {
		return nil, c.Fail(&Error{Op: "profile", Device: c.name, Kind: Unsupported, Msg: "the device does not measure single commands"})
	}
	p := &profile{core: c, tell: (*ledger).enter, begin: time.Now(), vehicles: map[*vehicle]struct{}{}, samples: map[sampleKey]*sampleSum{}}
	if !c.profile.CompareAndSwap(nil, p) {
		return nil, c.Fail(&Error{Op: "profile", Device: c.name, Kind: Busy, Msg: "a profile of the device is being made", Fix: "stop that first"})
	}
	return sync.OnceValue(func() error { return p.stop(w) }), nil
}

// profile is what is known so far.
type profile struct {
	core  *Core
	begin time.Time
	tell  func(*ledger, *profile, *Result) // enters a run; a value, so that a program that profiles nothing does not link it

	mu       sync.Mutex
	stopped  bool
	vehicles map[*vehicle]struct{} // that have a timed runner for it
	running  int                   // runs in flight
	untold   int                   // runs that ended without times
	samples  map[sampleKey]*sampleSum
}

// sampleKey is what samples with different sums differ in.
type sampleKey struct {
	sequence, part, path string // part is empty, or says on which side of the work a transfer is
	leaf                 pprof.Frame
	inside               wavePart // of a launch; its zero value is all of it, or what is in no wave
	grid                 Grid
	group                [3]uint32
	registers            int
}

type sampleSum struct{ launches, took, bytes int64 }

// enter says that a run begins, of a vehicle with a timed runner if that is not nil. It reports false if the profile has ended.
func (p *profile) enter(v *vehicle) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return false
	}
	if p.running++; v != nil {
		p.vehicles[v] = struct{}{}
	}
	return true
}

// leave says that a run has ended, with a result if it was started.
func (p *profile) leave(l *ledger, res *Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	switch p.running--; {
	case res == nil:
	case len(res.Commands) != len(l.rows):
		p.untold++
	default:
		p.tell(l, p, res)
	}
}

func (p *profile) active() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.stopped
}

// forget says that a vehicle has gone.
func (p *profile) forget(v *vehicle) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.vehicles, v)
}

// add adds to the sums of a sample, which at keeps once they are known. The lock is held.
func (p *profile) add(at **sampleSum, k *sampleKey, n sampleSum) {
	if n == (sampleSum{}) {
		return
	}
	s := *at
	if s == nil {
		if s = p.samples[*k]; s == nil {
			s = &sampleSum{}
			p.samples[*k] = s
		}
		*at = s
	}
	s.launches += n.launches
	s.took += n.took
	s.bytes += n.bytes
}

// stop ends the profile and writes it.
func (p *profile) stop(w io.Writer) error {
	p.core.profile.Store(nil)
	p.mu.Lock()
	p.stopped = true
	vehicles := p.vehicles
	p.vehicles = nil
	p.mu.Unlock()
	for v := range vehicles {
		v.part()
	}
	if err := p.made().Write(w); err != nil {
		return p.core.Fail(&Error{Op: "profile", Device: p.core.name, Kind: Unavailable, Msg: "the profile could not be written: " + err.Error(), Err: err,
			Fix: "profile again, to a writer that takes it"})
	}
	return nil
}

// made returns the profile as it is written, with samples in order.
func (p *profile) made() *pprof.Profile {
	types := []pprof.Type{{Name: "launches", Unit: "count"}, {Name: "device", Unit: "nanoseconds"}, {Name: "bytes", Unit: "bytes"}}
	out := &pprof.Profile{Subject: p.core.name, Types: types, Default: "device", Begin: p.begin, Duration: time.Since(p.begin)}
	if p.running > 0 {
		out.Comments = append(out.Comments, fmt.Sprintf("%d runs that had not ended, or that nobody had waited for, are not in it", p.running))
	}
	if p.untold > 0 {
		out.Comments = append(out.Comments, fmt.Sprintf("%d runs that failed are not in it", p.untold))
	}
	for _, k := range slices.SortedFunc(maps.Keys(p.samples), sampleKey.compare) {
		s := p.samples[k]
		stack := append(k.stack(), pprof.Frame{Name: p.core.name})
		out.Samples = append(out.Samples, pprof.Sample{Stack: stack, Values: []int64{s.launches, s.took, s.bytes}, Labels: k.labels()})
	}
	return out
}

func (k sampleKey) compare(o sampleKey) int {
	return cmp.Or(cmp.Compare(k.sequence, o.sequence), cmp.Compare(k.part, o.part), cmp.Compare(k.path, o.path), cmp.Compare(k.leaf.Name, o.leaf.Name), k.inside.compare(o.inside),
		slices.Compare(k.grid[:], o.grid[:]), slices.Compare(k.group[:], o.group[:]), cmp.Compare(k.registers, o.registers),
		cmp.Compare(k.leaf.File, o.leaf.File), cmp.Compare(k.leaf.Line, o.leaf.Line))
}

// stack is the frames but for the device's: the path "4.body.1" is that command in "4".
func (k sampleKey) stack() []pprof.Frame {
	frames := []pprof.Frame{k.leaf}
	if k.inside.round != "" {
		frames = []pprof.Frame{{Name: k.inside.round}, k.inside.wave, k.leaf}
	}
	for path := k.path; path != ""; {
		frames = append(frames, pprof.Frame{Name: path + " of " + k.sequence})
		path = path[:max(0, strings.LastIndex(path, ".body."))]
	}
	if k.part != "" {
		frames = append(frames, pprof.Frame{Name: k.part})
	}
	return append(frames, pprof.Frame{Name: "sequence " + k.sequence})
}

func (k sampleKey) labels() []pprof.Label {
	if k.grid == (Grid{}) {
		return nil
	}
	labels := []pprof.Label{{Key: "grid", Text: k.grid.String()}, {Key: "group", Text: Grid(k.group).String()}}
	if k.registers > 0 {
		labels = append(labels, pprof.Label{Key: "registers", Number: int64(k.registers)})
	}
	return labels
}

// ledger is a plan as profiles enter its runs.
type ledger struct {
	plan  *Plan
	rows  []ledgerRow
	label string

	own []time.Duration // of a run that is entered, by row
	of  *profile        // that sums are of
	gap *sampleSum      // of the time between commands
}

// ledgerRow is a command.
type ledgerRow struct {
	cmd    Cmd
	around int // row of the loop around it; -1 without one
	timed  bool
	key    sampleKey  // with the grid of the last run
	sum    *sampleSum // of that key in the profile of the last run; nil before there is one
}

// newLedger makes the ledger of a plan, with a row for each of those in a Result.
func newLedger(label string, p *Plan) *ledger {
	l := &ledger{plan: p, label: label}
	around := -1
	var walk func(cmds []Cmd, part func(i int) string)
	walk = func(cmds []Cmd, part func(i int) string) {
		outer := around
		for i, c := range cmds {
			at := len(l.rows)
			l.rows = append(l.rows, ledgerRow{cmd: c, around: outer, timed: part(i) == "", key: keyOf(label, part(i), c)})
			if loop, ok := c.(*LoopCmd); ok {
				around = at
				walk(loop.Body, func(int) string { return part(i) })
				around = outer
			}
		}
	}
	walk(p.Cmds, func(i int) string {
		switch {
		case i < p.TimedFrom:
			return "transfers in"
		case i >= p.TimedTo:
			return "transfers out"
		}
		return ""
	})
	return l
}

func keyOf(label, part string, c Cmd) sampleKey {
	k := sampleKey{sequence: label, part: part, path: c.where(), leaf: pprof.Frame{Name: whatOf(c)}}
	switch c := c.(type) {
	case *LaunchCmd:
		a := c.Kernel.Artifact()
		k.leaf.File, k.leaf.Line, k.group, k.registers = a.Pos.File, int64(a.Pos.Line), c.Kernel.Workgroup(), a.Registers
	case *LoopCmd:
		k.leaf.Name = "gap"
	}
	return k
}

// enter adds a run to a profile, whose lock is held.
func (l *ledger) enter(p *profile, res *Result) {
	if l.of != p {
		l.of, l.gap = p, nil
		for i := range l.rows {
			l.rows[i].sum = nil
		}
	}
	if l.own == nil {
		l.own = make([]time.Duration, len(l.rows))
	}
	gap, own := res.Device, l.own
	clear(own)
	for i, c := range res.Commands {
		own[i] += c.Time
		if at := l.rows[i].around; at >= 0 {
			own[at] -= c.Time
		} else if l.rows[i].timed {
			gap -= c.Time
		}
	}
	parts := waveParts(l.plan, res)
	for i, c := range res.Commands {
		r, launches := &l.rows[i], int64(0)
		if launch, ok := r.cmd.(*LaunchCmd); ok {
			if launch.Grid != r.key.grid {
				r.key.grid, r.sum = launch.Grid, nil
			}
			if !launch.Grid.Empty() {
				launches = int64(c.Times)
			}
			own[i] -= p.inside(r.key, parts[launch], own[i])
		}
		p.add(&r.sum, &r.key, sampleSum{launches, int64(own[i]), int64(c.Times) * bytesOf(r.cmd)})
	}
	if res.HasDevice {
		p.add(&l.gap, &sampleKey{sequence: l.label, leaf: pprof.Frame{Name: "gap"}}, sampleSum{took: int64(gap)})
	}
}

// inside adds what waves took inside of a launch, whose time it is, and returns the sum, which is at most that. The lock is held.
func (p *profile) inside(k sampleKey, parts map[wavePart]int64, of time.Duration) time.Duration {
	if len(parts) == 0 {
		return 0
	}
	left := of
	for _, part := range slices.SortedFunc(maps.Keys(parts), wavePart.compare) {
		took := min(time.Duration(parts[part]), left)
		left -= took
		k.inside = part
		p.add(new(*sampleSum), &k, sampleSum{took: int64(took)})
	}
	return of - left
}

// bytesOf is how much a command moves.
func bytesOf(c Cmd) int64 {
	switch c := c.(type) {
	case *FillCmd:
		return c.Dst.Len
	case *UploadCmd:
		return c.Dst.Len
	case *CopyCmd:
		return c.Dst.Len
	case *ReadCmd:
		return c.Src.Len
	}
	return 0
}
