package opt

import (
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// Checks is the number of checks that Weaken can turn off.
const Checks = int(numChecks)

// CheckName names the k-th check.
func CheckName(k int) string { return checkNames[k] }

// Weaken returns o with the k-th soundness check turned off.
func Weaken(o Options, k int) Options {
	o.weak = o.weak.off(check(k))
	return o
}

// WithRuns returns o with other runs, in another order, than what its choice has.
func WithRuns(o Options, runs []compile.Run) Options {
	o.runs = runs
	return o
}

// WithPass makes another function the pass of that name, until the test is over. It is called when it has walked to the
// last row.
func WithPass(t testing.TB, name string, f func(last ir.Row)) {
	before := functions[name]
	functions[name] = func(w *work) {
		for it := w.rows(); it.step(); {
		}
		f(w.row)
	}
	t.Cleanup(func() { functions[name] = before })
}

// Interval is what the range analysis says about a value at one place.
type Interval struct {
	i interval.Interval
	n interval.Width
}

// Has reports whether it allows for the raw bits v.
func (i Interval) Has(v uint64) bool { return i.i.Has(i.n, v) }

// Says reports whether it says anything.
func (i Interval) Says() bool {
	var full interval.Interval
	full.Full(i.n)
	return !i.i.Same(&full)
}

// OperandRanges returns what is known about the operands A, B and C of every row, at that row; the
// zero Interval for those that are neither integers nor bools.
func OperandRanges(p *ir.Program) map[ir.Row][3]Interval {
	all := make(map[ir.Row][3]Interval)
	w := open(p)
	w.stats = new(compile.Stats)
	w.ranges(func(g *ranges, r ir.Row) {
		var at [3]Interval
		for k, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
			if v == ir.NoRow {
				continue
			}
			if t := w.Type[v]; t.IsInt() || t == ir.Bool {
				at[k] = Interval{*g.at(v), interval.WidthOf(t)}
			}
		}
		all[r] = at
	})
	return all
}

// RunForgetting is Run at the default level with nothing kept from one pass to the next, and each of them run.
func RunForgetting(p *ir.Program) (*ir.Program, error) {
	runs, err := compile.Choice{}.Runs()
	if err != nil {
		return nil, err
	}
	r := &run{src: p, sealed: p, traced: p, rep: &Report{}}
	for _, at := range runs {
		if at.Group == compile.Text {
			break
		}
		r.idle = make(map[string]int)
		if err := r.pass(at); err != nil {
			return nil, err
		}
		r.work.analysis = nil
	}
	return r.seal("the passes together")
}

// Around returns an interval that holds the given raw bits, and whatever else the domain cannot
// tell from them.
func Around(t ir.Type, vals ...uint64) Interval {
	n := interval.WidthOf(t)
	var i, one interval.Interval
	i.Exact(n, vals[0])
	for _, v := range vals[1:] {
		one.Exact(n, v)
		i.Join(&i, &one)
	}
	i.Reduced(n, &i)
	return Interval{i, n}
}

// Transfers returns a function that gives the interval of row r's value for those of its operands.
func Transfers(p *ir.Program) func(r ir.Row, in [3]Interval) Interval {
	w := open(p)
	w.stats = new(compile.Stats)
	return func(r ir.Row, in [3]Interval) Interval {
		out := Interval{n: interval.WidthOf(w.Type[r])}
		w.transfer(r, &out.i, func(v ir.Row) *interval.Interval {
			for k, u := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
				if u == v {
					return &in[k].i
				}
			}
			panic("no operand")
		})
		return out
	}
}

// Divide returns a function that divides numbers of a width by d, or gives the remainder, the way in which expand
// writes it; false if expand leaves that divisor alone. t tells the sign.
func Divide(op ir.Op, t ir.Type, width uint8, d uint64) (func(x uint64) uint64, bool) {
	plan, ok := divideBy(d, uint(width), t.IsSigned())
	s := stepsOfBits{exact.Types{In: t, Out: t, Width: width}}
	if op == ir.OpRem {
		return func(x uint64) uint64 { return remainder(plan, s, x) }, ok
	}
	return func(x uint64) uint64 { return quotient(plan, s, x) }, ok
}

// stepsOfBits evaluates the steps.
type stepsOfBits struct{ t exact.Types }

func (s stepsOfBits) op(op ir.Op, a, b uint64) uint64 { return exact.Of(op)(s.t, 0, a, b, 0) }

func (s stepsOfBits) shift(op ir.Op, a uint64, n uint) uint64 { return s.op(op, a, uint64(n)) }

func (s stepsOfBits) number(bits uint64) uint64 { return bits << (64 - s.t.Width) >> (64 - s.t.Width) }

// CostOf is what the ops of a program cost, as egraph counts; values that nothing uses are left out.
func CostOf(p *ir.Program) (cost uint64) {
	w := open(p)
	w.stats = new(compile.Stats)
	dce(w)
	pl := placing{equating: &equating{w: w}}
	for it := w.rows(); it.step(); {
		if it.at == atRow && w.equatable(it.row) {
			cost += pl.rowCost(it.row)
		}
	}
	return cost
}
