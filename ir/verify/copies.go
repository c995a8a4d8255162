package verify

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/dataflow"
)

// copyBytes is what an asynchronous copy moves.
func copyBytes(op ir.Op) int { return 4 << (op - ir.OpCopyAsync4) }

// copies checks that the asynchronous copy in row r goes from a buffer to a shared array, in whole elements.
func (k *checker) copies(r ir.Row) {
	to, from := ir.CopyObjects(k.Code.X[r])
	dst, src, n := &k.objs[to], &k.objs[from], copyBytes(k.Code.Op[r])
	t, p := src.Type(), src.Param
	code, args := "", []any{k.Op(r), t, src.Name(), dst.Type(), dst.Name()}
	switch {
	case !dst.Shared():
		code, args = "VY209", []any{args[0], kindName(*dst), args[4]}
	case p == nil || src.Field != nil:
		code, args = "VY209", []any{args[0], "records, or an object that is not a buffer,", args[2]}
	case p.Access == ir.WO:
		code, args = "VY203", []any{args[0], args[2]}
	case dst.Type() != t:
		code = "VY703"
	case t == ir.Bool || t.Size() > n:
		code, args = "VY707", args[:3]
	case p.Align <= maxAlign && 1<<p.Align < n:
		code, args = "VY708", []any{args[0], args[2], 1 << p.Align}
	case dst.Array.Len == ir.RestLen || dst.Array.Len*uint64(t.Size())%uint64(n) != 0:
		code, args = "VY706", []any{args[0], args[4], n}
	default:
		return
	}
	k.Add(code, r, args...)
}

// maxCopies bounds the copies that are looked at one by one.
const maxCopies = 16

// copyRows lists the asynchronous copies of a program.
func copyRows(c *ir.Code) (rows []ir.Row) {
	for r, op := range c.Op {
		if op.Info().Imm == ir.ImmCopy {
			rows = append(rows, ir.Row(r))
		}
	}
	return rows
}

// waits reports copies that are not waited for on every way to the end of the invocation.
func (k *checker) waits() {
	rows := copyRows(k.Code)
	if len(rows) == 0 {
		return
	}
	p := dataflow.NewPending(k.Code)
	left := func(f func(ir.Row) bool) (at ir.Row, yes bool) {
		p.Solve(f, func(r ir.Row, pending bool) {
			if pending && !yes && k.Code.Op[r] == ir.OpReturn {
				at, yes = r, true
			}
		})
		return at, yes
	}
	if _, yes := left(func(ir.Row) bool { return true }); yes {
		for _, one := range rows[:min(len(rows), maxCopies)] {
			if at, yes := left(func(r ir.Row) bool { return r == one }); yes {
				k.Note(k.Add("VY701", one, k.Op(one)), at, "it is pending when invocations return here")
			}
		}
		if len(k.Diags) == 0 {
			k.Add("VY701", rows[maxCopies], k.Op(rows[maxCopies]))
		}
	}
	k.visits += p.Visits
}

// early warns of copies whose destination is touched before their wait, where the indices are constants.
func (a *advice) early() {
	c := a.Code
	rows := copyRows(c)
	if len(rows) == 0 {
		return
	}
	p := dataflow.NewPending(c)
	for n, one := range rows {
		from, to, ok := a.touched(one)
		if !ok || n == maxCopies {
			continue
		}
		dst, _ := ir.CopyObjects(c.X[one])
		said := false
		p.Solve(func(r ir.Row) bool { return r == one }, func(r ir.Row, pending bool) {
			if !pending || said {
				return
			}
			o := ir.Object(c.X[r])
			if c.Op[r].Info().Imm == ir.ImmCopy {
				o, _ = ir.CopyObjects(c.X[r])
			}
			if lo, hi, ok := a.touched(r); ok && o == dst && lo < to && from < hi {
				said = true
				a.Note(a.Add("VY702", r, a.Op(r), a.Object(a.p.Objects()[dst].Name())), one, "the copy is here")
			}
		})
	}
	a.visits += p.Visits
}

// touched returns the elements of its object, or of its destination, that row r accesses at a constant index.
func (a *advice) touched(r ir.Row) (from, to uint64, ok bool) {
	c := a.Code
	in := c.Op[r].Info()
	n := uint64(in.Vec.Lanes())
	switch {
	case in.Imm == ir.ImmCopy:
		dst, _ := ir.CopyObjects(c.X[r])
		n = uint64(copyBytes(c.Op[r]) / a.p.Objects()[dst].Type().Size())
	case in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0:
		return 0, 0, false
	}
	i := c.A[r]
	if c.Op[i] != ir.OpConst || c.Pool[c.X[i]] >= 1<<31 {
		return 0, 0, false
	}
	return c.Pool[c.X[i]] * n, (c.Pool[c.X[i]] + 1) * n, true
}
