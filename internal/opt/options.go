package opt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/govyre/vyre/ir"
)

// Level says how much a run does.
type Level uint8

// The levels. The zero Level is O2.
const (
	Default Level = iota
	O0            // the lowerings only
	O1            // and what is cheap and nearly always pays
	O2            // and everything but the optional passes
)

// Options are the choices of a run; the zero value does what is best for most programs.
type Options struct {
	Level   Level
	Enable  []string // passes to run whatever the level, by name
	Disable []string // passes not to run

	Check bool // seal and verify after every pass, not only at the end

	// Trace is called behind each pass with what the pass did and with the program as it is
	// then: the very one of the call before if nothing changed.
	Trace func(PassStats, *ir.Program)

	weak weakness
}

// Run optimises p. The result is sealed and verified, and is p itself when there was
// nothing to do. The error names an option that is wrong, or, as a BUG, the pass that
// broke the program.
func Run(p *ir.Program, o Options) (*ir.Program, *Report, error) {
	plan, err := o.plan()
	if err != nil {
		return nil, nil, err
	}
	rep := &Report{Kernel: p.Name(), Before: totals(p)}
	r := &run{o: o, src: p, sealed: p, traced: p, idle: make(map[string]int), rep: rep}
	for _, ps := range plan {
		if err := r.pass(ps); err != nil {
			return nil, rep, err
		}
	}
	out, err := r.seal("the passes together")
	if err != nil {
		if !o.Check { // once more, to say which pass it was
			o.Check, o.Trace = true, nil
			if _, _, err2 := Run(p, o); err2 != nil {
				err = err2
			}
		}
		return nil, rep, err
	}
	rep.After = totals(out)
	return out, rep, nil
}

// plan lists the passes to run, in order.
func (o Options) plan() ([]*pass, error) {
	level := o.Level
	if level == Default {
		level = O2
	}
	if level > O2 {
		return nil, fmt.Errorf("optimisation level %d; the levels are O0, O1 and O2", level-O0)
	}
	for _, name := range slices.Concat(o.Enable, o.Disable) {
		if !slices.ContainsFunc(passes, func(p pass) bool { return p.name == name }) {
			return nil, fmt.Errorf("no pass is called %q; the passes are %s", name, strings.Join(Passes(), ", "))
		}
	}
	var plan []*pass
	for i := range passes {
		p := &passes[i]
		if !slices.Contains(o.Disable, p.name) && (p.level <= level || slices.Contains(o.Enable, p.name)) {
			plan = append(plan, p)
		}
	}
	return plan, nil
}

// run is the state of one Run.
type run struct {
	o      Options
	src    *ir.Program // what went in
	sealed *ir.Program // the work when it was last sealed
	traced *ir.Program // the first that looked like it
	work   *work
	at     int            // its edits by then
	idle   map[string]int // by pass: 1 + the state of the work in which it last found nothing to do
	rep    *Report
}

// pass runs one pass of the table, unless it has nothing to do in the very program that it has.
func (r *run) pass(p *pass) error {
	if r.work == nil {
		r.work = open(r.sealed)
		r.work.weak = r.o.weak
	}
	w := r.work
	if p.when != nil && !p.when(w) {
		return nil
	}
	edits, marked, visits, start := w.edits, w.marked, w.visits, time.Now()
	r.rep.Passes = append(r.rep.Passes, PassStats{Pass: p.name})
	w.stats = &r.rep.Passes[len(r.rep.Passes)-1]
	if state := 1 + w.state(); r.idle[p.name] != state {
		p.run(w)
		if state == 1+w.state() { // and so it would be again: a pass sees nothing but the work
			r.idle[p.name] = state
		}
	}
	w.reopened = w.reopened || w.edits-edits > w.marked-marked && slices.Contains(reopening, p.name)
	if w.edits != edits {
		w.legalise()
	}
	w.stats.Time, w.stats.Visits, w.stats.Rows = time.Since(start), w.visits-visits, w.linked()
	if !r.o.Check && r.o.Trace == nil {
		return nil
	}
	if _, err := r.seal("pass " + p.name); err != nil {
		return err
	}
	if r.sealed.Digest() != r.traced.Digest() {
		r.traced = r.sealed
	}
	if r.o.Trace != nil {
		r.o.Trace(*w.stats, r.traced)
	}
	return nil
}

// seal makes a program of the work; who is to blame if that fails.
func (r *run) seal(who string) (*ir.Program, error) {
	if r.work == nil || r.work.edits == r.at {
		return r.sealed, nil
	}
	out, err := r.work.code().Seal()
	if err != nil {
		return nil, fmt.Errorf("BUG: opt: %s made a program of kernel %s that the verifier refuses: %w", who, r.src.Name(), err)
	}
	r.rep.Verified++
	r.sealed, r.at = out, r.work.edits
	return out, nil
}
