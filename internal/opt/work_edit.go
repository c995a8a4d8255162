package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// revision changes with every edit but the marking of accesses as in bounds, which says nothing about values.
func (w *work) revision() int { return w.edits - w.marked }

// state changes whenever anything does that a pass can see.
func (w *work) state() int { return w.edits + w.renewed }

// unmarked is state but for the marks of accesses as in bounds.
func (w *work) unmarked() int { return w.state() - w.marked }

// count adds d to the use counts of row r's operands.
func (w *work) count(r ir.Row, d int32) {
	for _, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
		if v != ir.NoRow {
			w.visits++
			w.uses[v] += d
		}
	}
	for _, v := range w.Operands(r) {
		w.visits++
		w.uses[v] += d
	}
}

// append links row r at the end of region reg.
//
//go:noinline
func (w *work) append(reg uint32, r ir.Row) {
	last := w.tail[reg]
	w.prev[r], w.next[r] = last, ir.NoRow
	if last == ir.NoRow {
		w.head[reg] = r
	} else {
		w.next[last] = r
	}
	w.tail[reg] = r
	w.Region[r] = reg
}

// link puts row r into the list in front of row at.
func (w *work) link(r, at ir.Row) {
	reg, before := w.Region[at], w.prev[at]
	w.Region[r], w.prev[r], w.next[r], w.prev[at] = reg, before, at, r
	if before == ir.NoRow {
		w.head[reg] = r
	} else {
		w.next[before] = r
	}
}

// unlink takes row r out of its list. It keeps its links, so that a walk that stands on
// it finds its way on.
func (w *work) unlink(r ir.Row) {
	reg, before, after := w.Region[r], w.prev[r], w.next[r]
	if before == ir.NoRow {
		w.head[reg] = after
	} else {
		w.next[before] = after
	}
	if after == ir.NoRow {
		w.tail[reg] = before
	} else {
		w.prev[after] = before
	}
}

// move takes row r from where it stands to in front of row at.
func (w *work) move(r, at ir.Row) {
	w.unlink(r)
	w.link(r, at)
	w.edits++
}

// make adds a row to the columns, with the source position of row like. It stands in no
// list yet. Operands that op does not have are NoRow.
func (w *work) make(like ir.Row, op ir.Op, t ir.Type, x uint32, a, b, c ir.Row) ir.Row {
	r := ir.Row(w.Rows())
	if int(r) == cap(w.forward) { // all columns together, by more than append would: a loop written out adds many rows
		w.reserve(int(r)*3/4 + 64)
	}
	// One append a line: Go writes no pointer then, unless a column moves.
	w.Op = append(w.Op, op)
	w.Type = append(w.Type, t)
	w.Flags = append(w.Flags, 0)
	w.Region = append(w.Region, 0)
	w.Code.A = append(w.Code.A, a)
	w.Code.B = append(w.Code.B, b)
	w.Code.C = append(w.Code.C, c)
	w.X = append(w.X, x)
	w.Args = append(w.Args, ir.NoArgs)
	if w.Debug.PosOf != nil {
		at := uint32(0)
		if like != ir.NoRow {
			at = w.Debug.PosOf[like]
		}
		w.Debug.PosOf = append(w.Debug.PosOf, at)
	}
	w.next = append(w.next, ir.NoRow)
	w.prev = append(w.prev, ir.NoRow)
	w.forward = append(w.forward, r)
	w.uses = append(w.uses, 0)
	w.gone = append(w.gone, false)
	w.level = append(w.level, w.levelOf(r))
	w.notice(r)
	for _, v := range [3]ir.Row{a, b, c} {
		if v != ir.NoRow {
			w.uses[w.find(v)]++
			w.visits++
		}
	}
	w.visits++
	w.edits++
	return r
}

// notice lists row r among those of memory, if it is one.
func (w *work) notice(r ir.Row) {
	if touches[w.Op[r]%(1<<10)] {
		w.memory = append(w.memory, r)
	}
}

// touches says which ops touch or order memory.
var touches = func() (list [1 << 10]bool) {
	for op := range list {
		if in := ir.Op(op).Info(); in != nil {
			list[op] = in.Imm == ir.ImmObject && in.Args > 0 || in.Attr&changing != 0
		}
	}
	return list
}()

// reserve makes room for n more rows.
func (w *work) reserve(n int) {
	w.Op, w.Type, w.Flags = slices.Grow(w.Op, n), slices.Grow(w.Type, n), slices.Grow(w.Flags, n)
	w.Region, w.X, w.Args = slices.Grow(w.Region, n), slices.Grow(w.X, n), slices.Grow(w.Args, n)
	w.Code.A, w.Code.B, w.Code.C = slices.Grow(w.Code.A, n), slices.Grow(w.Code.B, n), slices.Grow(w.Code.C, n)
	w.next, w.prev, w.forward = slices.Grow(w.next, n), slices.Grow(w.prev, n), slices.Grow(w.forward, n)
	w.uses, w.gone, w.level = slices.Grow(w.uses, n), slices.Grow(w.gone, n), slices.Grow(w.level, n)
	if w.Debug.PosOf != nil {
		w.Debug.PosOf = slices.Grow(w.Debug.PosOf, n)
	}
}

// before adds a row of a pure op in front of row at and returns it.
func (w *work) before(at ir.Row, op ir.Op, t ir.Type, x uint32, args ...ir.Row) ir.Row {
	in := [3]ir.Row{ir.NoRow, ir.NoRow, ir.NoRow}
	copy(in[:], args)
	r := w.make(at, op, t, x, in[0], in[1], in[2])
	w.link(r, at)
	return r
}

// setList gives row r an operand list of its own.
func (w *work) setList(r ir.Row, list []uint32) {
	for _, v := range w.Operands(r) {
		w.uses[v]--
	}
	for _, v := range list {
		w.uses[v]++
	}
	w.edits++
	if len(list) == 0 {
		w.Args[r] = ir.NoArgs
		return
	}
	w.Args[r] = uint32(len(w.Extra))
	w.Extra = append(w.Extra, uint32(len(list)))
	w.Extra = append(w.Extra, list...)
}

// set replaces one of the columns A, B and C of a row.
func (w *work) set(at *ir.Row, v ir.Row) {
	old := w.operand(at)
	if old == v {
		return
	}
	if old != ir.NoRow {
		w.uses[old]--
	}
	if v != ir.NoRow {
		w.uses[v]++
	}
	*at = v
	w.edits++
}

// setAt replaces an entry of an operand list.
func (w *work) setAt(list []uint32, i int, v ir.Row) {
	w.uses[list[i]]--
	w.uses[v]++
	list[i] = uint32(v)
	w.edits++
}

// become turns row r into another op with the same value: its uses, its place and its
// name stay.
func (w *work) become(r ir.Row, op ir.Op, x uint32, args ...ir.Row) {
	in := [3]ir.Row{ir.NoRow, ir.NoRow, ir.NoRow}
	copy(in[:], args)
	w.set(&w.Code.A[r], in[0])
	w.set(&w.Code.B[r], in[1])
	w.set(&w.Code.C[r], in[2])
	if w.Args[r] != ir.NoArgs {
		w.setList(r, nil)
	}
	w.Op[r], w.X[r], w.Flags[r] = op, x, 0
	w.level[r] = w.levelOf(r)
	w.notice(r)
	w.edits++
}

// fits reports whether v may take the place of old: where ops rely on uniform control the
// verifier must be able to find it as uniform.
func (w *work) fits(old, v ir.Row) bool {
	return w.must(checkLevel, !w.convergent || w.level[v] <= w.level[old])
}

// replace makes every use of old a use of v, which must dominate them, and removes old
// unless it is an argument or a result, which dce drops from its lists. It reports
// whether v fits.
func (w *work) replace(old, v ir.Row) bool {
	if !w.fits(old, v) {
		return false
	}
	w.forward[old] = v
	w.uses[v] += w.uses[old]
	w.uses[old] = 0
	w.edits++
	if name, ok := w.Debug.Names[old]; ok && w.Op[v] != ir.OpConst {
		if _, taken := w.Debug.Names[v]; !taken {
			w.Debug.Names[v] = name
			delete(w.Debug.Names, old)
		}
	}
	if in := w.info(old); in.Spread != ir.SpreadMerge {
		w.remove(old)
	}
	return true
}

// remove takes row r out, with all rows inside it.
func (w *work) remove(r ir.Row) {
	if w.structured(r) {
		for i := range uint32(w.info(r).Owns) {
			w.removeFrom(w.head[w.X[r]+i])
		}
	}
	w.count(r, -1)
	w.unlink(r)
	w.gone[r] = true
	w.removed++
	w.edits++
}

// removeFrom removes row r and those after it in its region. Nesting bounds the recursion.
func (w *work) removeFrom(r ir.Row) {
	for r != ir.NoRow {
		next := w.next[r]
		w.visits++
		w.remove(r)
		r = next
	}
}

// inline puts the rows of region reg in front of row at, and takes away its terminator.
func (w *work) inline(reg uint32, at ir.Row) {
	w.remove(w.tail[reg])
	for r := w.head[reg]; r != ir.NoRow; {
		next := w.next[r]
		w.visits++
		w.link(r, at)
		r = next
	}
	w.head[reg], w.tail[reg] = ir.NoRow, ir.NoRow
	w.edits++
}

// region adds a region of op and returns its number.
func (w *work) region(op ir.Row) uint32 {
	w.Regions = append(w.Regions, ir.Region{Op: op})
	w.head, w.tail = append(w.head, ir.NoRow), append(w.tail, ir.NoRow)
	return uint32(len(w.Regions) - 1)
}

// levelOf bounds the level of a row by those of its operands.
func (w *work) levelOf(r ir.Row) ir.Level {
	in := w.info(r)
	var l ir.Level
	switch in.Spread {
	case ir.SpreadOperands, ir.SpreadGrid:
		if in.Result.Kind != ir.ResultNone {
			for _, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
				if v != ir.NoRow {
					l = max(l, w.level[v])
				}
			}
			for _, v := range w.Operands(r) {
				l = max(l, w.level[v])
			}
		}
	case ir.SpreadLoad:
		l = w.varying
		if w.objs[w.X[r]].ReadOnly() {
			l = w.level[w.A(r)]
		}
	default:
		l = w.varying
	}
	return l
}
