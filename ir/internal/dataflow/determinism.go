package dataflow

import (
	"github.com/govyre/vyre/ir"
)

// Determinism proves that a program leaves the same bytes in its buffers however its invocations are scheduled. What it
// cannot prove it denies.
//
// Two invocations may meet at a cell, one of them writing, only by atomics of one commutative op whose results nobody
// reads. So accesses of an object fall into classes: loads anywhere, atomics, and, for each function from invocations
// to cells that gives no two of them the same, accesses through it. Within a class nothing can go wrong; a class that
// writes and another one must not come in one barrier interval. What is read of arrays must have been written, since
// they begin with bytes of chance.
//
// The proof is about launches along x, of 2³¹ invocations at most.
type Determinism struct {
	Flow
	objs []ir.ObjectInfo
	uni  *ir.Uniformity

	size   [axes]uint64 // how many values each number has; of the group id, at most
	forms  []form
	formAt []uint32 // by row: 1 + index into forms
	fixed  []bool   // by row: the value is the same in the whole launch
	next   []ir.Row // by first region of a loop: its only continue, else NoRow
	result []ir.Row // by row of a result of an if: that if, plus one

	pins    map[pin]int32 // numbers of conditions
	known   []pin         // by number
	held    [][]int32     // by region: conditions that hold in what is left of it
	access  []access
	met     int             // how many of them the walk has met
	through map[uint32]bool // see goesThrough
	Visits  int
}

// MaxInvocations is how many invocations a launch has at most for which the proof holds.
const MaxInvocations = 1 << 31

// access is a row that may meet others at an object.
type access struct {
	row   ir.Row
	obj   ir.Object
	class int  // of the object: see classes
	write bool // stores, or is an atomic
	key   key
	lo    int64 // elements before and after the one that key gives: [lo, hi]
	hi    int64
	keyed bool
}

// The classes of an object that have fixed numbers. Those of keys come after them.
const (
	anywhere = iota
	atomics
	keyed
)

// Deterministic reports whether structurally sound code of exact ops, whose uniformity is known, is proven deterministic.
func Deterministic(c *ir.Code, objs []ir.ObjectInfo, uni *ir.Uniformity) bool {
	return newDeterminism(c, objs, uni).proven()
}

func newDeterminism(c *ir.Code, objs []ir.ObjectInfo, uni *ir.Uniformity) *Determinism {
	return &Determinism{Flow: Flow{Code: c}, objs: objs, uni: uni}
}

func (d *Determinism) proven() bool {
	if !d.collect() {
		return false
	}
	if len(d.access) == 0 && !d.uninitialised() {
		return true
	}
	d.prepare()
	for r := range ir.Row(d.Code.Rows()) {
		d.walk(r)
	}
	return d.keys() && d.apart() && d.written()
}

// collect lists the accesses to what the program writes and several invocations see. It refuses ops that show an order.
func (d *Determinism) collect() bool {
	c := d.Code
	written := make([]bool, len(d.objs))
	for r, op := range c.Op {
		in := op.Info()
		if op == ir.OpTrace || in.Imm == ir.ImmCopy || in.Attr&(ir.Unordered|ir.Approximate) != 0 {
			return false
		}
		if in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 {
			written[c.X[r]] = true
		}
	}
	d.Visits += c.Rows()
	var rmw []ir.Row
	ops := make([]ir.Op, len(d.objs))
	for r, op := range c.Op {
		in := op.Info()
		if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 || !written[c.X[r]] || d.objs[c.X[r]].Local() {
			continue
		}
		a := access{row: ir.Row(r), obj: ir.Object(c.X[r]), write: in.Attr&ir.Writes != 0}
		if in.Attr&ir.Atomic != 0 {
			if !d.commutes(ir.Row(r)) || ops[a.obj] != 0 && ops[a.obj] != op {
				return false
			}
			ops[a.obj], a.class = op, atomics
			rmw = append(rmw, a.row)
		}
		d.access = append(d.access, a)
	}
	return d.unread(rmw)
}

// commutes reports whether atomics like that of row r may come in any order.
func (d *Determinism) commutes(r ir.Row) bool {
	c := d.Code
	o := d.objs[c.X[r]]
	return c.Op[r] >= ir.OpAtomicAdd && c.Op[r] <= ir.OpAtomicXor && o.Type().IsInt() && (o.Shared() || c.Flags[r].Scope() != ir.Group)
}

// unread reports whether nothing uses the values of the rows.
func (d *Determinism) unread(rows []ir.Row) bool {
	if len(rows) == 0 {
		return true
	}
	c := d.Code
	is := make([]bool, c.Rows())
	for _, r := range rows {
		is[r] = true
	}
	for r := range c.Op {
		for _, v := range [3]ir.Row{c.A[r], c.B[r], c.C[r]} {
			if v != ir.NoRow && is[v] {
				return false
			}
		}
		for _, v := range c.List(ir.Row(r)) {
			if is[v] {
				return false
			}
		}
	}
	d.Visits += c.Rows()
	return true
}

// prepare makes room for what the walk finds.
func (d *Determinism) prepare() {
	c := d.Code
	n := c.Rows()
	d.Flow = NewFlow(c)
	group := uint64(1)
	for k, w := range c.Workgroup {
		d.size[k] = uint64(w)
		group *= uint64(w)
	}
	d.size[groupX] = max(1, MaxInvocations/group)
	d.formAt, d.fixed, d.result = make([]uint32, n), make([]bool, n), make([]ir.Row, n)
	d.next = make([]ir.Row, len(c.Regions))
	d.held, d.pins = make([][]int32, len(c.Regions)), make(map[pin]int32)
	d.through = make(map[uint32]bool)
	for x := range d.next {
		d.next[x] = ir.NoRow
	}
	again := make([]int, len(c.Regions))
	for r, op := range c.Op {
		if op == ir.OpContinue {
			x := c.X[c.X[r]]
			d.next[x] = ir.Row(r)
			again[x]++
		}
	}
	for x, times := range again {
		if times > 1 {
			d.next[x] = ir.NoRow
		}
	}
	d.Visits += n
}

// walk finds what row r's value is like, and what holds where it leads to.
func (d *Determinism) walk(r ir.Row) {
	c := d.Code
	d.Visits++
	in := c.Op[r].Info()
	if in.Attr&ir.Pure != 0 && in.Attr&ir.Convergent == 0 {
		d.fixed[r] = d.same(r, in)
		if f, ok := d.form(r); ok {
			d.forms = append(d.forms, f)
			d.formAt[r] = uint32(len(d.forms))
		}
	}
	if in.Owns > 0 {
		d.enter(r)
	}
	if len(d.access) > d.met && d.access[d.met].row == r {
		a := &d.access[d.met]
		a.keyed = a.class != atomics && d.find(a)
		d.met++
	}
}

// same reports whether all invocations of the launch get one value, whenever they come to row r.
func (d *Determinism) same(r ir.Row, in *ir.Info) bool {
	c := d.Code
	switch in.Spread {
	case ir.SpreadMerge:
		return c.Op[r] == ir.OpArg && c.Region[r] == 0
	case ir.SpreadOperands, ir.SpreadGrid:
	default:
		return false
	}
	for _, v := range [3]ir.Row{c.A[r], c.B[r], c.C[r]} {
		if v != ir.NoRow && !d.fixed[v] {
			return false
		}
	}
	for _, v := range c.List(r) {
		if !d.fixed[v] {
			return false
		}
	}
	return true
}

// apart reports whether no two classes of an object, one of which writes, come in one barrier interval.
func (d *Determinism) apart() bool {
	const few = 12 // classes of one object, so that the work is linear
	classes := 0
	var objs []ir.Object
	seen := make(map[ir.Object]int)
	for i := range d.access {
		a := &d.access[i]
		if was, ok := seen[a.obj]; !ok {
			objs = append(objs, a.obj)
			seen[a.obj] = a.class
		} else if was != a.class {
			seen[a.obj] = -1
		}
		classes = max(classes, a.class+1)
	}
	mixed := objs[:0]
	for _, o := range objs {
		if seen[o] < 0 {
			mixed = append(mixed, o)
		}
	}
	if len(mixed) > 0 && classes > few {
		return false
	}
	for len(mixed) > 0 {
		n := min(len(mixed), 64)
		for k := atomics; k < classes; k++ {
			if d.meet(mixed[:n], k) {
				return false
			}
		}
		mixed = mixed[n:]
	}
	return true
}

// meet reports whether a write of class k may come in one interval with an access of another class.
func (d *Determinism) meet(batch []ir.Object, k int) bool {
	iv := NewIntervals(&d.Flow, d.objs, batch)
	of := make(map[ir.Row]*access, len(d.access))
	for i := range d.access {
		of[d.access[i].row] = &d.access[i]
	}
	for i := range iv.Incidents {
		e := &iv.Incidents[i]
		if a := of[e.Row]; a != nil {
			all := e.Plain | e.Atomic
			if e.Plain, e.Atomic = 0, all; a.class == k {
				e.Plain, e.Atomic = 0, 0
				if a.write {
					e.Plain = all
				}
			}
		}
	}
	write, startW := iv.Ahead(func(e *Incident) uint64 { return e.Plain })
	other, startO := iv.Ahead(func(e *Incident) uint64 { return e.Atomic })
	d.Visits += iv.Visits
	if startW&startO != 0 {
		return true
	}
	for i := range iv.Incidents {
		if write[i]&other[i]&iv.Incidents[i].kills != 0 {
			return true
		}
	}
	return false
}
