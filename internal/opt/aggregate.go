package opt

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// aggregate lets lane 0 issue one atomic for all lanes of a warp that would issue one on the same element:
//
//	if %hit {                                        %m = ballot %hit
//	  atomic_add.relaxed.dev @n[0_u32], 1_u32   =>   %c = popc.u32 %m
//	}                                                if elect && %c != 0 { atomic_add.relaxed.dev @n[0_u32], %c }
//
// That is one of the orders in which the atomics could have come, if all lanes of the warp come to the condition, mean
// the same element, and combine integers in a way that order does not matter to; and if the atomic orders nothing else,
// by itself or with a fence: what a lane's fence tells others goes with atomics of that lane.
//
// An old value is used with an add in bounds only: it is lane 0's, and what lanes below would have added.
//
// A lane's own accesses of the object stay in order with its atomic, which another lane issues now: where there are any
// and no barrier is seen between, a barrier of the warp is put there. Without it the two would be a race.
//
// Values that differ between lanes are combined in 32 bits only: in 64 that takes twenty shuffles, more than few
// atomics cost.
func (w *work) aggregate() {
	if !w.mayAggregate() {
		return
	}
	// Levels were not kept while nothing relied on them, and those of control are only known of a sealed program.
	p, err := verify.Seal(w.code())
	if err != nil {
		return // sealing after the pass says so
	}
	w.renew(p)
	a := &aggregation{w: w, control: p.Uniformity().Control, apart: make([]bool, len(w.objs))}
	first := make([]ir.Row, len(w.objs))
	for r := range ir.Row(p.Rows()) {
		in := w.info(r)
		a.fences = a.fences || in.Attr&ir.Fence != 0
		if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 {
			continue
		}
		o := w.X[r]
		if f := first[o]; f == 0 { // row 0 is no access: it has no operand
			first[o] = r
		} else if w.Op[r] != w.Op[f] || combining[w.Op[r]] == 0 || w.uses[r]+w.uses[f] > 0 {
			a.apart[o] = true
		}
	}
	for it := w.rows(); it.step(); {
		if it.at == atRow && w.Op[it.row] == ir.OpIf && int(it.row) < len(a.control) {
			a.branch(it.row)
		}
	}
}

// combining are the atomics that can be combined, with the op that does.
var combining = [1 << 10]ir.Op{ir.OpAtomicAdd: ir.OpReduceAdd, ir.OpAtomicMin: ir.OpReduceMin, ir.OpAtomicMax: ir.OpReduceMax,
	ir.OpAtomicAnd: ir.OpReduceAnd, ir.OpAtomicOr: ir.OpReduceOr, ir.OpAtomicXor: ir.OpReduceXor}

// mayAggregate reports whether there is an atomic of that kind at the top of an arm, and a lane to leave it to.
func (w *work) mayAggregate() bool {
	if w.groupSize() == 1 {
		return false
	}
	w.visits += len(w.memory)
	for _, r := range w.memory {
		if w.gone[r] || combining[w.Op[r]] == 0 || w.Region[r] == 0 {
			continue
		}
		if o := w.owner(w.Region[r]); w.Op[o] == ir.OpIf {
			if _, ok := w.bits(w.A(o)); !ok {
				return true
			}
		}
	}
	return false
}

// renew makes the work that of p, which the work was sealed to.
func (w *work) renew(p *ir.Program) {
	n := open(p)
	n.edits, n.visits, n.stats, n.weak, n.renewed = w.edits, w.visits+p.Rows(), w.stats, w.weak, w.renewed+1
	*w = *n
}

type aggregation struct {
	w       *work
	control []ir.Level // by row of the sealed program
	apart   []bool     // by object: it has accesses whose order matters to a lane
	fences  bool       // the program has any
	left    int        // rows that needs may still look at for one atomic
}

// branch takes atomics out of the arms of an if whose condition differs between lanes.
func (a *aggregation) branch(r ir.Row) {
	w := a.w
	if w.level[w.A(r)] <= ir.LevelWarp || !w.must(checkWarpControl, a.control[r] <= ir.LevelWarp) {
		return
	}
	for arm := range uint32(2) {
		for at := w.head[w.X[r]+arm]; at != ir.NoRow; {
			next := w.next[at]
			w.visits++
			if combining[w.Op[at]] != 0 && a.fits(at) && a.free(at, r) {
				a.combine(at, r, arm == 0)
			} else if _, ok := w.speculative(at); !ok {
				break // what follows may depend on it, or must not come before it
			}
			at = next
		}
	}
}

// fits reports whether the lanes may leave atomic at to one of them.
func (a *aggregation) fits(at ir.Row) bool {
	w := a.w
	t := w.objs[w.X[at]].Type()
	shared := w.level[w.B(at)] <= ir.LevelWarp
	return !a.assembled(at) && w.must(checkOneElement, w.level[w.A(at)] <= ir.LevelWarp) &&
		w.must(checkAnyOrder, t.IsInt()) && (shared || t.Bits() == 32) &&
		w.must(checkUnordered, w.Flags[at].Order() == ir.Relaxed && !a.fences) &&
		(w.uses[at] == 0 || w.Op[at] == ir.OpAtomicAdd && w.must(checkOldInBounds, w.Flags[at].InBounds()))
}

// assembled reports whether the assembler lets one lane issue atomic at by itself, and would look for it once more after us:
// of integers of 32 bits, where it sees that all lanes mean the same element. docs/design/optimiser.md has the table.
func (a *aggregation) assembled(at ir.Row) bool {
	w := a.w
	t := w.objs[w.X[at]].Type()
	return t.IsInt() && t.Bits() == 32 && w.level[w.A(at)] <= ir.LevelGroup && (w.Op[at] == ir.OpAtomicAdd || w.uses[at] == 0)
}

// free moves what atomic at is computed from in front of row r, and reports whether that could be.
func (a *aggregation) free(at, r ir.Row) bool {
	w := a.w
	arm := w.Region[at]
	var order []ir.Row
	cost := 0
	a.left = 4 * maxSpeculated
	for _, v := range [2]ir.Row{w.A(at), w.B(at)} {
		c, ok := a.needs(v, arm, &order)
		if cost += c; !ok || cost > maxSpeculated {
			return false
		}
	}
	for _, v := range order {
		if w.Region[v] != arm {
			continue // moved already, for the other operand
		}
		w.move(v, r)
		if w.info(v).Attr&ir.Reads != 0 && !w.must(checkSpeculatedBounds, false) {
			w.Flags[v] &^= ir.InBounds
		}
	}
	return true
}

// needs lists the rows of the arm that v is computed from, with what they cost where they run in vain.
func (a *aggregation) needs(v ir.Row, arm uint32, order *[]ir.Row) (cost int, ok bool) {
	w := a.w
	if w.Op[v] == ir.OpConst || w.Region[v] != arm {
		return 0, true
	}
	w.visits++
	if a.left--; a.left < 0 { // counted before those that it needs, because these may be any number
		return 0, false
	}
	cost, ok = w.speculative(v)
	w.each(v, func(u ir.Row) {
		if ok && cost <= maxSpeculated {
			var c int
			c, ok = a.needs(u, arm, order)
			cost += c
		}
	})
	*order = append(*order, v)
	return cost, ok
}

// combine issues atomic at, of an arm of the if in row r, for the warp in front of r.
func (a *aggregation) combine(at, r ir.Row, then bool) {
	w := a.w
	o, op, t := w.X[at], w.Op[at], w.Type[at]
	before, after := a.apart[o] && !a.quietBefore(r, o), a.apart[o] && !a.quietAfter(at, r, o)
	if before && !w.must(checkLaneOrder, false) {
		w.before(r, ir.OpBarrierWarp, ir.None, 0)
	}
	put := func(op ir.Op, t ir.Type, args ...ir.Row) ir.Row { return w.before(r, op, t, 0, args...) }
	c, v := w.A(r), w.B(at)
	if !then {
		c = put(ir.OpNot, ir.Bool, c)
	}
	mask := a.shared(put(ir.OpBallot, ir.U32, c))
	n := put(ir.OpPopc, ir.U32, mask)
	some := put(ir.OpAnd, ir.Bool, put(ir.OpElect, ir.Bool), put(ir.OpNe, ir.Bool, n, w.constant(ir.U32, 0)))
	// times is v, so many times; each is what the lanes contribute where that differs.
	times := func(n ir.Row) ir.Row {
		if t != ir.U32 {
			n = put(ir.OpCvt, t, n)
		}
		if w.isConst(v, 1) {
			return n
		}
		return put(ir.OpMul, t, n, v)
	}
	each, all := ir.NoRow, v
	switch {
	case w.level[v] > ir.LevelWarp:
		each = put(ir.OpSelect, t, c, v, w.constant(t, identity(op, t)))
		all = a.shared(put(combining[op], t, each))
	case op == ir.OpAtomicAdd:
		all = times(n)
	case op == ir.OpAtomicXor:
		all = times(put(ir.OpAnd, ir.U32, n, w.constant(ir.U32, 1)))
	}
	old := a.issue(at, r, some, all)
	if after && !w.must(checkLaneOrder, false) {
		w.before(r, ir.OpBarrierWarp, ir.None, 0)
	}
	w.hit(w.info(at).Name)
	if old == ir.NoRow {
		w.remove(at)
		return
	}
	base := a.shared(put(ir.OpShuffle, t, old, w.constant(ir.U32, 0)))
	var below ir.Row
	if each != ir.NoRow {
		below = put(ir.OpScanExAdd, t, each)
	} else {
		one := w.constant(ir.U32, 1)
		lanes := put(ir.OpSub, ir.U32, put(ir.OpShl, ir.U32, one, put(ir.OpLane, ir.U32)), one)
		below = times(put(ir.OpPopc, ir.U32, put(ir.OpAnd, ir.U32, mask, lanes)))
	}
	w.replaceAlways(at, put(ir.OpAdd, t, base, below))
}

// shared notes that all lanes of a warp have the same value in row r.
func (a *aggregation) shared(r ir.Row) ir.Row {
	a.w.level[r] = ir.LevelWarp
	return r
}

// issue puts atomic at, with value v, in front of row r under condition c. It returns the old value, if that is used.
func (a *aggregation) issue(at, r, c, v ir.Row) ir.Row {
	w := a.w
	branch := w.before(r, ir.OpIf, ir.None, uint32(len(w.Regions)), c)
	then, els := w.region(branch), w.region(branch)
	atomic := w.make(at, w.Op[at], w.Type[at], w.X[at], w.A(at), v, ir.NoRow)
	w.Flags[atomic] = w.Flags[at]
	w.append(then, atomic)
	for _, reg := range [2]uint32{then, els} {
		w.append(reg, w.make(r, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow))
	}
	if w.uses[at] == 0 {
		return ir.NoRow
	}
	w.setList(w.tail[then], []uint32{uint32(atomic)})
	w.setList(w.tail[els], []uint32{uint32(w.constant(w.Type[at], 0))})
	return w.before(r, ir.OpRes, w.Type[at], 0)
}

// identity is what changes nothing that it is combined with.
func identity(op ir.Op, t ir.Type) uint64 {
	top := t.Mask() ^ t.Mask()>>1
	switch op {
	case ir.OpAtomicAnd:
		return t.Mask()
	case ir.OpAtomicMin:
		if t.IsSigned() {
			return top - 1
		}
		return t.Mask()
	case ir.OpAtomicMax:
		if t.IsSigned() {
			return top
		}
	}
	return 0
}

// maxLook bounds the rows in which a barrier is looked for.
const maxLook = 32

// quietBefore reports whether the lanes have met, or just begun, since any of them accessed object o.
func (a *aggregation) quietBefore(r ir.Row, o uint32) bool {
	w := a.w
	at := w.prev[r]
	for range maxLook {
		if at == ir.NoRow {
			return w.Region[r] == 0
		}
		w.visits++
		if in := w.info(at); in.Attr&ir.Barrier != 0 {
			return true
		} else if in.Owns > 0 || a.touches(at, o) || a.orders(at) {
			return false
		}
		at = w.prev[at]
	}
	return false
}

// quietAfter reports whether the lanes meet, or end, before any of them accesses object o after atomic at in row r.
func (a *aggregation) quietAfter(at, r ir.Row, o uint32) bool {
	w := a.w
	it := walk{w: w, row: r, at: atRow}
	for range maxLook {
		if !it.step() {
			return true
		}
		in := w.info(it.row)
		inside := w.encloses(r, it.row)
		switch {
		case it.at == atEnd && it.row != r, it.at == atRow && it.row != at && (a.touches(it.row, o) || a.orders(it.row)):
			return false // a loop may go on with what stands above
		case it.at == atRow && in.Owns > 0 && !inside:
			return false
		case it.at == atRow && in.Attr&ir.Barrier != 0 && !inside:
			return true
		}
	}
	return false
}

// orders reports whether row r is an atomic that orders what stands around it, for others to rely on.
func (a *aggregation) orders(r ir.Row) bool {
	return a.w.info(r).Attr&ir.Atomic != 0 && a.w.Flags[r].Order() != ir.Relaxed
}

func (a *aggregation) touches(r ir.Row, o uint32) bool {
	in := a.w.info(r)
	return in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes) != 0 && a.w.X[r] == o
}
