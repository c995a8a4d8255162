package opt

import (
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// Expand replaces every op that has a recipe (exp, sin, pow, …) by the basic ops of that
// recipe, and every integer division by a constant by a multiplication. The result computes the same bits: the
// interpreter evaluates an op with a recipe by running the very same recipe. A program without such ops is
// returned as it is. O(rows).
func Expand(p *ir.Program) (*ir.Program, error) {
	q, _, err := Run(p, Options{Passes: compile.Choice{Level: compile.O0}})
	return q, err
}

// expand writes recipes where their ops stood, and divisions by constants as products (divide.go).
func expand(w *work) {
	e := expander{w: w}
	for it := w.rows(); it.step(); {
		if it.at != atRow {
			continue
		}
		if rec := exact.RecipeOf(w.Op[it.row]); rec != nil {
			e.at, e.in = it.row, nil
			v := rec(exact.NewEmitter(&e), w.Type[it.row], exact.Ref(w.A(it.row)), exact.Ref(w.B(it.row)))
			w.hit(w.info(it.row).Name)
			w.replaceAlways(it.row, ir.Row(v))
			continue
		}
		w.divide(it.row)
	}
}

// expander is the ir.Sink of the recipe of one row. Rows come in front of that one, or at
// the end of the arm that is being written.
type expander struct {
	w  *work
	at ir.Row
	in []ir.Row // open ifs; the arm being written is the last region of the last
}

// add puts a row where the recipe has come to.
func (e *expander) add(r ir.Row) ir.Row {
	if n := len(e.in); n > 0 {
		e.w.append(e.arm(), r)
	} else {
		e.w.link(r, e.at)
	}
	return r
}

// arm is the region being written: the first arm of the innermost if until that has its end.
func (e *expander) arm() uint32 {
	w := e.w
	x := w.X[e.in[len(e.in)-1]]
	if last := w.tail[x]; last != ir.NoRow && w.Op[last] == ir.OpYield {
		return x + 1
	}
	return x
}

// Const gives a constant.
func (e *expander) Const(t ir.Type, bits uint64) exact.Ref { return exact.Ref(e.w.constant(t, bits)) }

// Op adds a basic op.
func (e *expander) Op(op ir.Op, out ir.Type, imm uint32, args int, a, b, c exact.Ref) exact.Ref {
	in := [3]ir.Row{ir.NoRow, ir.NoRow, ir.NoRow}
	for i, v := range [3]exact.Ref{a, b, c} {
		if i < args {
			in[i] = ir.Row(v)
		}
	}
	return exact.Ref(e.add(e.w.make(e.at, op, out, imm, in[0], in[1], in[2])))
}

// If opens an if with one result of type t.
func (e *expander) If(c exact.Ref, t ir.Type) {
	w := e.w
	r := e.add(w.make(e.at, ir.OpIf, ir.None, uint32(len(w.Regions)), ir.Row(c), ir.NoRow, ir.NoRow))
	w.region(r)
	w.region(r)
	e.in = append(e.in, r)
}

// Else ends the first arm with its value.
func (e *expander) Else(v exact.Ref) { e.yield(v) }

// End ends the second arm with its value and returns the result of the if.
func (e *expander) End(v exact.Ref) exact.Ref {
	w := e.w
	e.yield(v)
	r := e.in[len(e.in)-1]
	e.in = e.in[:len(e.in)-1]
	res := w.make(e.at, ir.OpRes, w.Type[v], 0, ir.NoRow, ir.NoRow, ir.NoRow)
	// A recipe does the same in every lane: its result is no more varying than its condition and what the arms give.
	w.level[res] = max(w.level[w.A(r)], w.level[w.tail[w.X[r]]], w.level[v])
	return exact.Ref(e.add(res))
}

func (e *expander) yield(v exact.Ref) {
	w := e.w
	y := w.make(e.at, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow)
	w.append(e.arm(), y)
	w.setList(y, []uint32{uint32(v)})
	w.level[y] = w.level[v]
}
