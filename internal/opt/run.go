package opt

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// Options are the choices of a run; the zero value does what is best for most programs.
type Options struct {
	Passes compile.Choice

	Check bool // seal and verify after every run of a pass, not only at the end

	// Explain makes proofs, which the report keeps, that each value that egraph has replaced is equal to what was there. It is
	// (*egraph.Graph).Explain, or nil: a program that asks for no proofs does not link what makes them.
	Explain Explain

	// Trace is called after each run with what it did and with the program as it is then: the very one of the call before
	// if nothing changed.
	Trace func(compile.Stats, *ir.Program)

	weak weakness
	runs []compile.Run // instead of what Passes chooses; tests try other orders
}

// Run takes p through the runs before the group text. The result is sealed and verified, and is p itself when there was
// nothing to do. The error names an option that is wrong; is an ir.Diags if the program becomes larger than one may be; or
// names, as a BUG, the run that broke the program; after a panic it is a *compile.InternalError.
func Run(p *ir.Program, o Options) (*ir.Program, *Report, error) {
	runs := o.runs
	if runs == nil {
		var err error
		if runs, err = o.Passes.Runs(); err != nil {
			return nil, nil, err
		}
	}
	rep := &Report{Kernel: p.Name(), Before: Count(p)}
	r := &run{o: o, src: p, sealed: p, traced: p, idle: make(map[string]int), rep: rep}
	for _, at := range runs {
		if at.Group == compile.Text {
			break
		}
		if err := r.pass(at); err != nil {
			return nil, rep, err
		}
	}
	if o.Explain != nil {
		r.mark()
	}
	out, err := r.seal("the passes together")
	if err != nil {
		if !o.Check && !overLimit(err) { // once more, to say which pass it was
			o.Check, o.Trace = true, nil
			if _, _, err2 := Run(p, o); err2 != nil {
				err = err2
			}
		}
		return nil, rep, err
	}
	rep.After = Count(out)
	if r.work != nil {
		rep.Notes = r.work.left.notes(out)
		rep.Equated = r.work.left.equated(out)
	}
	return out, rep, nil
}

// run is the state of one Run.
type run struct {
	o       Options
	src     *ir.Program // what went in
	sealed  *ir.Program // the work when it was last sealed
	traced  *ir.Program // the first that looked like it
	work    *work
	at      int // its edits by then
	rows    int // linked ones, and the edits when they were counted
	counted int
	idle    map[string]int // by pass: 1 + the state of the work in which it last found nothing to do
	rep     *Report
}

// pass runs one row of the table, unless it has nothing to do in the very program that it has.
func (r *run) pass(at compile.Run) error {
	if r.work == nil {
		r.work = open(r.sealed)
		r.work.weak, r.work.left.explain = r.o.weak, r.o.Explain
	}
	w := r.work
	if !w.applies(at.When) {
		return nil
	}
	r.rep.Passes = append(r.rep.Passes, compile.Stats{Run: at.Name, Pass: at.Pass})
	w.stats, w.row = &r.rep.Passes[len(r.rep.Passes)-1], ir.NoRow
	if err := compile.Guard(at.Name, r.src.Name(), w.where, func() { r.call(at) }); err != nil {
		return err
	}
	if !r.o.Check && r.o.Trace == nil {
		return nil
	}
	if _, err := r.seal("pass " + at.Name); err != nil {
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

// call calls the function of a pass and keeps count of what it does.
func (r *run) call(at compile.Run) {
	w := r.work
	edits, marked, visits, start := w.edits, w.marked, w.visits, time.Now()
	seen := w.state // what the pass can see of the work
	if at.Pass == "dce" {
		seen = w.unmarked
	}
	if state := 1 + seen(); r.idle[at.Pass] != state {
		functions[at.Pass](w)
		if state == 1+seen() { // and so it would be again: a pass sees nothing but the work
			r.idle[at.Pass] = state
		}
	}
	if p, _ := compile.Of(at.Pass); p.Reopens && w.edits-edits > w.marked-marked {
		w.reopened = true
	}
	if w.edits != edits {
		w.legalise()
	}
	if w.edits != r.counted || r.rows == 0 {
		r.rows, r.counted = w.linked(), w.edits
	}
	w.stats.Time, w.stats.Visits, w.stats.Rows = time.Since(start), w.visits-visits, r.rows
}

// seal makes a program of the work; who is to blame if that fails.
func (r *run) seal(who string) (out *ir.Program, err error) {
	if r.work == nil || r.work.edits == r.at {
		return r.sealed, nil
	}
	w := r.work
	w.row = ir.NoRow
	if failed := compile.Guard(who, r.src.Name(), w.where, func() { out, err = verify.Seal(w.code()) }); failed != nil {
		return nil, failed
	}
	if overLimit(err) {
		return nil, fmt.Errorf("kernel %s, of %d rows, becomes more than a program may be in %s: %w", r.src.Name(), r.src.Rows(), who, err)
	}
	if err != nil {
		return nil, fmt.Errorf("BUG: opt: %s made a program of kernel %s that the verifier refuses: %w", who, r.src.Name(), err)
	}
	r.rep.Verified++
	r.sealed, r.at = out, w.edits
	return out, nil
}

// overLimit reports whether all that the verifier says against a program is that it is too large. Then nothing is wrong
// with it: what the author wrote stands for more than fits, such as functions that expand replaces by their steps.
func overLimit(err error) bool {
	var ds ir.Diags
	return errors.As(err, &ds) && !slices.ContainsFunc(ds, func(d ir.Diag) bool { return d.Code != "VY502" })
}

// where tells the row that the last walk is at, and its place in the source.
func (w *work) where() (ir.Row, ir.Pos) {
	if w.row == ir.NoRow || int(w.row) >= w.Rows() {
		return ir.NoRow, ir.Pos{}
	}
	return w.row, w.Debug.Pos(w.row)
}
