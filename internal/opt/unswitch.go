package opt

import "github.com/govyre/vyre/ir"

// unswitch takes an if out of a loop that does not change its condition: it becomes an if around two loops, in each of
// which it is decided.
//
//	loop { … if %c { A } else { B } … }   =>   if %c { loop { … A … } } else { loop { … B … } }
//
// All lanes of a warp have to agree on the condition, or they would go through both loops one after the other. Loops with
// ops that rely on uniform control stay: what is uniform in all of them need not be in both arms. O(rows written),
// which the size of the program bounds; each loop is taken apart once.
func unswitch(w *work) {
	u := &unswitching{w: w, copies: cloning{w: w}, budget: w.linked() + 512}
	for it := w.rows(); it.control(); {
		if it.at == atEnd && w.Op[it.row] == ir.OpLoop {
			u.loop(&it)
		}
	}
}

// Bounds of the rows of a loop that is taken apart, and of the least that its if has: less is guards and no branch.
const (
	maxUnswitched = 96
	minUnswitched = 8
)

type unswitching struct {
	w      *work
	copies cloning
	budget int // rows that may still be written
}

// loop takes the loop apart that the walk has come to the end of.
func (u *unswitching) loop(it *walk) {
	w, l := u.w, it.row
	s := ir.NoRow
	for r := w.head[w.X[l]]; r != ir.NoRow && s == ir.NoRow; r = w.next[r] {
		w.visits++
		if w.Op[r] == ir.OpIf && u.still(l, w.A(r)) {
			s = r
		}
	}
	if s == ir.NoRow {
		return
	}
	size, convergent := u.size(l)
	if size > min(maxUnswitched, u.budget/2) || !w.must(checkUnswitchUniform, !convergent) {
		return
	}
	if n, _ := u.size(s); n < minUnswitched {
		return
	}
	u.budget -= 2 * size
	u.split(l, s, it)
	w.hit("unswitch")
}

// still reports whether condition c is the same in all rounds of loop l and for all lanes of a warp.
func (u *unswitching) still(l, c ir.Row) bool {
	w := u.w
	_, constant := w.bits(c)
	return !constant && w.level[c] <= ir.LevelWarp && !w.encloses(l, c)
}

// size counts the rows in structured op r, up to what a loop may have, and says whether one relies on uniform control.
func (u *unswitching) size(r ir.Row) (rows int, convergent bool) {
	w := u.w
	for it := (walk{w: w, row: r, at: atRow}); it.step() && !(it.at == atEnd && it.row == r) && rows <= maxUnswitched; {
		if it.at == atRow {
			rows++
			convergent = convergent || w.info(it.row).Attr&ir.Convergent != 0
		}
	}
	return rows, convergent
}

// split puts an if on the condition of s, an if in loop l, around two copies of the loop.
func (u *unswitching) split(l, s ir.Row, it *walk) {
	w := u.w
	c := w.A(s)
	branch := w.before(l, ir.OpIf, ir.None, uint32(len(w.Regions)), c)
	then, els := w.region(branch), w.region(branch)
	n := w.results(l)
	for k, reg := range [2]uint32{then, els} {
		cl := &u.copies
		cl.start(ir.NoRow)
		cl.row(l, reg)
		w.set(&w.Code.A[cl.to[s]], w.constant(ir.Bool, uint64(1-k)))
		var values []uint32
		for i := range n {
			old := w.result(l, i)
			res := w.make(old, ir.OpRes, w.Type[old], uint32(i), ir.NoRow, ir.NoRow, ir.NoRow)
			w.level[res] = w.level[old]
			w.append(reg, res)
			values = append(values, uint32(res))
		}
		yield := w.make(branch, ir.OpYield, ir.None, 0, ir.NoRow, ir.NoRow, ir.NoRow)
		w.setList(yield, values)
		w.append(reg, yield)
	}
	last := branch
	for i := range n {
		old := w.result(l, 0)
		res := w.before(l, ir.OpRes, w.Type[old], uint32(i))
		w.level[res] = w.level[old]
		w.replaceAlways(old, res)
		w.remove(old)
		last = res
	}
	w.remove(l)
	it.row, it.at = last, atEnd
}
