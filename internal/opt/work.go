package opt

import (
	"slices"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/ir"
)

// work is a program while passes edit it: the columns of a sealed program made mutable,
// and beside them what makes an edit cheap.
//
// The rows of a region are a doubly linked list, so that an insertion renumbers nothing
// and a row keeps its id while the work lives: the list is the order key. A
// structured op stands in the list of its region, its own regions hang off it, its res
// rows follow it. Const rows stand in no list; they are reached as operands and dominate
// everything.
//
// A value that was replaced forwards to its replacement, and every operand is read
// through that (A, B, C and Operands below). uses counts the operand slots, of rows that
// are still linked, that name a value.
//
// First and End in Regions are those of the sealed program and mean nothing here; Op is
// kept up to date.
type work struct {
	*ir.Code
	objs []ir.ObjectInfo

	next, prev []ir.Row // neighbours in the region; NoRow at its ends
	head, tail []ir.Row // by region
	forward    []ir.Row // itself, or the row that replaced it
	uses       []int32
	gone       []bool // unlinked for good
	removed    int    // how many are
	consts     constTable
	memory     []ir.Row // those that ever had an op that touches or orders memory, some twice

	// level is an upper bound of the level that the verifier will find for a value. Nothing may
	// be replaced by a value of a higher one while ops rely on uniform control. It is at least that of the control
	// with which the value's region begins: the verifier raises a value to that before it gets out of there, and no op in
	// there relies on control that is more uniform. So choices in divergent loops may be made of branches.
	level      []ir.Level
	convergent bool     // the program has convergent ops
	varying    ir.Level // the highest that a value can have: a group of one invocation knows no lanes

	scratch  scratch
	analysis *ranges // the last one of ranges
	ways     exits   // the last ones, and the state of the work then
	waysOf   int
	tables   map[uint32]*contents // of tables, by object

	wroteOut bool // unroll wrote out rounds of a loop
	inner    bool // unroll wrote out the rounds of a loop that has loops in it
	equated  bool // egraph has run, so that arms are as short as they get

	reopened bool // a pass has changed what the first ones of the table had left, or there are checks to prove
	checks   bool // the program has checks of memcheck

	edits   int    // changes so far
	marked  int    // those among them that only mark accesses as in bounds
	renewed int    // how often the work was sealed and opened, which is no change but may reorder and drop rows
	visits  int    // rows and operands touched, for the test of linear work
	sums    int    // rows that may still be written for sums that count bits
	row     ir.Row // where the last walk is, for errors
	stats   *compile.Stats
	left    left
	weak    weakness
}

// open makes a working copy of p.
func open(p *ir.Program) *work {
	c := p.Edit()
	n := c.Rows()
	checks := p.Traits().Checks > 0
	w := &work{Code: c, objs: c.Objects(), waysOf: -1, checks: checks, reopened: checks}
	w.next, w.prev, w.forward = make([]ir.Row, n, n+n/4), make([]ir.Row, n, n+n/4), make([]ir.Row, n, n+n/4)
	w.uses, w.gone = make([]int32, n, n+n/4), make([]bool, n, n+n/4)
	w.level = append(make([]ir.Level, 0, n+n/4), p.Uniformity().Value...)
	w.head, w.tail = make([]ir.Row, len(c.Regions)), make([]ir.Row, len(c.Regions))
	for i := range c.Regions {
		w.head[i], w.tail[i] = ir.NoRow, ir.NoRow
	}
	w.consts.reset(n / 8)
	w.varying = ir.LevelLane
	if w.groupSize() == 1 {
		w.varying = ir.LevelGroup
	}
	if slices.Contains(c.Op, ir.OpLoop) { // some of which may be written out
		w.reserve(n)
	}
	for r := range ir.Row(n) {
		if c.Op[r] != ir.OpTrace {
			w.Flags[r] &^= ir.Checked // equal accesses are one, whatever the source says of them
		}
		w.forward[r], w.next[r], w.prev[r] = r, ir.NoRow, ir.NoRow
		if c.Op[r] == ir.OpConst {
			w.consts.add(w, r)
			continue
		}
		w.append(c.Region[r], r)
		w.notice(r)
		w.convergent = w.convergent || c.Op[r].Info().Attr&ir.Convergent != 0
		w.count(r, 1)
	}
	if w.convergent {
		control := p.Uniformity().Control
		for r := range ir.Row(n) {
			if c.Op[r] != ir.OpConst {
				w.level[r] = max(w.level[r], control[w.head[c.Region[r]]])
			}
		}
	}
	return w
}

// A, B and C return the operands of row r, what replaced them considered.
func (w *work) A(r ir.Row) ir.Row { return w.operand(&w.Code.A[r]) }

// B returns the second operand.
func (w *work) B(r ir.Row) ir.Row { return w.operand(&w.Code.B[r]) }

// C returns the third operand.
//
//go:noinline
func (w *work) C(r ir.Row) ir.Row { return w.operand(&w.Code.C[r]) }

func (w *work) operand(at *ir.Row) ir.Row {
	v := *at
	if v != ir.NoRow && w.forward[v] != v {
		v = w.find(v)
		*at = v
	}
	return v
}

// Operands returns the operand list of row r. It aliases Extra until the next edit.
func (w *work) Operands(r ir.Row) []uint32 {
	if w.Args[r] == ir.NoArgs {
		return nil
	}
	return w.operandList(r)
}

// operandList is Operands of a row that has a list, as few have.
func (w *work) operandList(r ir.Row) []uint32 {
	list := w.List(r)
	for i, v := range list {
		if w.forward[v] != ir.Row(v) {
			list[i] = uint32(w.find(ir.Row(v)))
		}
	}
	return list
}

// find follows replacements, halving the path.
func (w *work) find(v ir.Row) ir.Row {
	for w.forward[v] != v {
		w.forward[v] = w.forward[w.forward[v]]
		v = w.forward[v]
	}
	return v
}

// each calls f with every operand of row r.
func (w *work) each(r ir.Row, f func(v ir.Row)) {
	if v := w.A(r); v != ir.NoRow {
		w.visits++
		f(v)
	}
	if v := w.B(r); v != ir.NoRow {
		w.visits++
		f(v)
	}
	if v := w.C(r); v != ir.NoRow {
		w.visits++
		f(v)
	}
	for _, v := range w.Operands(r) {
		w.visits++
		f(ir.Row(v))
	}
}

// infos is the op table by op, without a look whether there is such an op.
var infos = func() (list [1 << 10]*ir.Info) {
	for op := range list {
		list[op] = ir.Op(op).Info()
	}
	return list
}()

// info returns the op table's row for the op of r.
func (w *work) info(r ir.Row) *ir.Info { return infos[w.Op[r]%(1<<10)] }

// owns is how many regions an op owns: what every step of every walk asks, in a table that stays in the cache.
var owns = func() (list [1 << 10]uint8) {
	for op := range list {
		if in := ir.Op(op).Info(); in != nil {
			list[op] = uint8(in.Owns)
		}
	}
	return list
}()

// regions returns how many regions row r owns.
func (w *work) regions(r ir.Row) uint32 { return uint32(owns[w.Op[r]%(1<<10)]) }

// structured reports whether row r owns regions.
func (w *work) structured(r ir.Row) bool { return w.regions(r) > 0 }

// pure reports whether row r may run anywhere and any number of times.
func (w *work) pure(r ir.Row) bool {
	const pure = ir.Pure | ir.Convergent
	in := w.info(r)
	return in.Attr&pure == ir.Pure && in.Spread != ir.SpreadMerge
}

// bits returns the raw bits of v if it is a constant.
func (w *work) bits(v ir.Row) (uint64, bool) {
	if v == ir.NoRow || w.Op[v] != ir.OpConst {
		return 0, false
	}
	return w.Pool[w.X[v]], true
}

// isConst reports whether v is the constant with these raw bits.
func (w *work) isConst(v ir.Row, bits uint64) bool {
	b, ok := w.bits(v)
	return ok && b == bits
}

// owner returns the structured op that region reg belongs to.
func (w *work) owner(reg uint32) ir.Row { return w.Regions[reg].Op }

// exitTarget returns the structured op that row r, a yield, break or continue, goes to.
func (w *work) exitTarget(r ir.Row) ir.Row {
	if w.Op[r] == ir.OpYield {
		return w.owner(w.Region[r])
	}
	return ir.Row(w.X[r])
}

// result returns the k-th res row of structured op r.
func (w *work) result(r ir.Row, k int) ir.Row {
	at := w.next[r]
	for range k {
		at = w.next[at]
	}
	return at
}

// results returns how many res rows structured op r has.
func (w *work) results(r ir.Row) int {
	n := 0
	for at := w.next[r]; at != ir.NoRow && w.Op[at] == ir.OpRes; at = w.next[at] {
		n++
	}
	return n
}
