package opt

import "github.com/govyre/vyre/ir"

// Expand replaces every op that has a recipe (exp, sin, pow, …) by the basic ops of that
// recipe. The result computes the same bits: the interpreter evaluates such an op by running the
// very same recipe. A program without such ops is returned as it is. O(rows).
func Expand(p *ir.Program) (*ir.Program, error) {
	found := false
	for r := range ir.Row(p.Rows()) {
		found = found || p.Op(r).Info().Recipe != nil
	}
	if !found {
		return p, nil
	}
	e := expander{src: p.Edit()}
	return e.run().Seal()
}

// expander copies code row by row into out and writes recipes where their op stood.
type expander struct {
	src, out *ir.Code
	rows     []ir.Row // new row of each old one
	regions  []uint32 // new number of each old region
	stack    []uint32 // open regions of out
	old      []uint32 // the same regions in src; those of recipes are not in it
	pos      uint32   // position of the op being expanded
	ifs      []ir.Row // open ifs of the recipe
}

func (e *expander) run() *ir.Code {
	src := e.src
	e.out = &ir.Code{Name: src.Name, Workgroup: src.Workgroup, Params: src.Params, Arrays: src.Arrays, Pool: src.Pool}
	e.out.Debug.Positions = src.Debug.Positions
	e.out.Debug.Names, e.out.Debug.Messages = make(map[ir.Row]string), make(map[ir.Row]string)
	e.rows = make([]ir.Row, src.Rows())
	e.regions = make([]uint32, len(src.Regions))
	e.out.Regions = []ir.Region{{Op: ir.NoRow}}
	e.stack, e.old = []uint32{0}, []uint32{0}
	for r := range ir.Row(src.Rows()) {
		e.enter(r)
		e.pos = 0
		if src.Debug.PosOf != nil {
			e.pos = src.Debug.PosOf[r]
		}
		if rec := src.Op[r].Info().Recipe; rec != nil {
			e.rows[r] = ir.Row(rec(ir.NewEmitter(e), src.Type[r], e.ref(src.A[r]), e.ref(src.B[r])))
		} else {
			e.copy(r)
		}
		if s, ok := src.Debug.Names[r]; ok {
			if _, taken := e.out.Debug.Names[e.rows[r]]; !taken {
				e.out.Debug.Names[e.rows[r]] = s
			}
		}
		if s, ok := src.Debug.Messages[r]; ok {
			e.out.Debug.Messages[e.rows[r]] = s
		}
	}
	for len(e.stack) > 0 {
		e.close()
	}
	return e.out
}

// enter closes and opens regions so that row r comes into the right one.
func (e *expander) enter(r ir.Row) {
	for e.src.Regions[e.old[len(e.old)-1]].End <= r {
		e.old = e.old[:len(e.old)-1]
		e.close()
	}
	if reg := e.src.Region[r]; reg != e.old[len(e.old)-1] {
		e.old = append(e.old, reg)
		e.openRegion(e.regions[reg])
	}
}

func (e *expander) openRegion(reg uint32) {
	e.out.Regions[reg].First = ir.Row(e.out.Rows())
	e.stack = append(e.stack, reg)
}

func (e *expander) close() {
	top := len(e.stack) - 1
	e.out.Regions[e.stack[top]].End = ir.Row(e.out.Rows())
	e.stack = e.stack[:top]
}

// add appends a row without operands.
func (e *expander) add(op ir.Op, t ir.Type, x uint32) ir.Row {
	o := e.out
	o.Op = append(o.Op, op)
	o.Type = append(o.Type, t)
	o.Flags = append(o.Flags, 0)
	o.Region = append(o.Region, e.stack[len(e.stack)-1])
	o.A, o.B, o.C = append(o.A, ir.NoRow), append(o.B, ir.NoRow), append(o.C, ir.NoRow)
	o.X = append(o.X, x)
	o.Args = append(o.Args, ir.NoArgs)
	o.Debug.PosOf = append(o.Debug.PosOf, e.pos)
	return ir.Row(len(o.Op) - 1)
}

func (e *expander) row(r ir.Row) ir.Row {
	if r == ir.NoRow {
		return ir.NoRow
	}
	return e.rows[r]
}

func (e *expander) ref(r ir.Row) ir.Ref { return ir.Ref(e.row(r)) }

// copy takes row r over as it is.
func (e *expander) copy(r ir.Row) {
	src, out := e.src, e.out
	at := e.add(src.Op[r], src.Type[r], src.X[r])
	e.rows[r] = at
	out.Flags[at] = src.Flags[r]
	out.A[at], out.B[at], out.C[at] = e.row(src.A[r]), e.row(src.B[r]), e.row(src.C[r])
	if list := src.List(r); list != nil {
		out.Args[at] = uint32(len(out.Extra))
		out.Extra = append(out.Extra, uint32(len(list)))
		for _, v := range list {
			out.Extra = append(out.Extra, uint32(e.rows[v]))
		}
	}
	switch src.Op[r].Info().Imm {
	case ir.ImmLabel:
		out.X[at] = uint32(e.rows[src.X[r]])
	case ir.ImmRegion:
		out.X[at] = uint32(len(out.Regions))
		for i := src.X[r]; i < uint32(len(src.Regions)) && src.Regions[i].Op == r; i++ {
			e.regions[i] = uint32(len(out.Regions))
			out.Regions = append(out.Regions, ir.Region{Op: at})
		}
	}
}

// Const, Op, If, Else and End make the expander the ir.Sink of a recipe.

// Const adds a constant.
func (e *expander) Const(t ir.Type, bits uint64) ir.Ref {
	e.out.Pool = append(e.out.Pool, bits)
	return ir.Ref(e.add(ir.OpConst, t, uint32(len(e.out.Pool)-1)))
}

// Op adds a basic op.
func (e *expander) Op(op ir.Op, out ir.Type, imm uint32, args int, a, b, c ir.Ref) ir.Ref {
	at := e.add(op, out, imm)
	cols := [3]*[]ir.Row{&e.out.A, &e.out.B, &e.out.C}
	for i, v := range [3]ir.Ref{a, b, c} {
		if i < args {
			(*cols[i])[at] = ir.Row(v)
		}
	}
	return ir.Ref(at)
}

// If opens an if with one result of type t.
func (e *expander) If(c ir.Ref, t ir.Type) {
	reg := uint32(len(e.out.Regions))
	at := e.add(ir.OpIf, ir.None, reg)
	e.out.A[at] = ir.Row(c)
	e.out.Regions = append(e.out.Regions, ir.Region{Op: at}, ir.Region{Op: at})
	e.ifs = append(e.ifs, at)
	e.openRegion(reg)
}

// Else ends the first arm with its value and opens the second.
func (e *expander) Else(v ir.Ref) {
	e.yield(v)
	e.openRegion(e.out.X[e.ifs[len(e.ifs)-1]] + 1)
}

// End ends the second arm with its value and returns the result of the if.
func (e *expander) End(v ir.Ref) ir.Ref {
	e.yield(v)
	e.ifs = e.ifs[:len(e.ifs)-1]
	return ir.Ref(e.add(ir.OpRes, e.out.Type[v], 0))
}

func (e *expander) yield(v ir.Ref) {
	at := e.add(ir.OpYield, ir.None, 0)
	e.out.Args[at] = uint32(len(e.out.Extra))
	e.out.Extra = append(e.out.Extra, 1, uint32(v))
	e.close()
}
