package canonical

import (
	"math/bits"
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/literal"
)

// Rewrite brings structurally sound code into the one form that sealing
// promises: const rows directly after the arg rows of region 0, unique by type and
// bits and in order of first use; trivial arguments and results gone; shared arrays
// before local ones; rows, regions, pool and operand lists numbered in program order.
// Linear in rows plus operands, but for the sort-free hash of constants.
func Rewrite(c *ir.Code) {
	k := canon{c: c, n: c.Rows()}
	k.run()
}

func (k *canon) run() {
	k.orderArrays()
	k.fillParams()
	k.collectExits()
	k.mergeConsts()
	k.dropTrivial()
	k.rebuild()
}

// canon is the state of Rewrite.
type canon struct {
	c *ir.Code
	n int

	fwd    []ir.Row // replacement of a row; itself if it stays
	exits  buckets  // of each structured row, by slot: the rows that end it (break, yield)
	conts  buckets  // of each loop, by slot: its continues
	slot   []int32  // of each structured row
	noArg  [][]bool // which arguments of a loop are dropped, by slot; nil for none
	noRes  [][]bool // which results of a structured op are dropped, by slot
	visits int      // rows and operands touched, for the test of linear work
}

// orderArrays moves shared arrays before local ones, these before tables, and renumbers objects.
func (k *canon) orderArrays() {
	c := k.c
	bufs := uint32(c.Buffers())
	remap := make([]uint32, len(c.Arrays))
	var sorted []ir.Array
	for _, kind := range ir.ArrayKinds {
		// The array whose length comes with the launch is the last shared one.
		for _, rest := range []bool{false, true} {
			for i, a := range c.Arrays {
				if a.Kind() == kind && (a.Len == ir.RestLen) == rest {
					remap[i] = bufs + uint32(len(sorted))
					sorted = append(sorted, a)
				}
			}
		}
	}
	c.Arrays = sorted
	number := func(o uint32) uint32 {
		if o >= bufs && int(o-bufs) < len(remap) {
			return remap[o-bufs]
		}
		return o
	}
	for r, op := range c.Op {
		switch op.Info().Imm {
		case ir.ImmObject:
			c.X[r] = number(c.X[r])
		case ir.ImmCopy:
			dst, src := ir.CopyObjects(c.X[r])
			c.X[r] = ir.MakeCopy(ir.Object(number(uint32(dst))), ir.Object(number(uint32(src))))
		}
	}
}

// fillParams gives buffers the default MaxLen and the alignment of their widest access.
func (k *canon) fillParams() {
	c := k.c
	for i := range c.Params {
		p := &c.Params[i]
		if !p.IsBuffer() {
			p.Align, p.MaxLen = 0, 0
			continue
		}
		if p.MaxLen == 0 {
			p.MaxLen = ir.DefaultMaxLen
		}
	}
	objs := c.Objects()
	bufs := objs[:c.Buffers()]
	widest := make([]int, len(bufs)) // in elements
	for r, op := range c.Op {
		in := op.Info()
		if in.Vec != 0 && int(c.X[r]) < len(bufs) {
			widest[c.X[r]] = max(widest[c.X[r]], in.Vec.Lanes())
		}
		if _, src := ir.CopyObjects(c.X[r]); in.Imm == ir.ImmCopy && int(src) < len(bufs) {
			if size := bufs[src].Type().Size(); size > 0 {
				widest[src] = max(widest[src], 4<<(op-ir.OpCopyAsync4)/size)
			}
		}
	}
	for r, op := range c.Op { // all fields have one length: it is the first one's
		if op == ir.OpLen && int(c.X[r]) < len(bufs) {
			c.X[r] = uint32(bufs[c.X[r]].First)
		}
	}
	for i, o := range bufs {
		switch p := o.Param; {
		case p.Align != ir.AlignAuto:
		case p.Record != nil:
			p.Align = p.Record.WideAlign()
		default:
			p.Align = uint8(bits.TrailingZeros(uint(p.Type.Size() * max(1, widest[i]))))
		}
	}
}

// collectExits finds, for every structured op, the rows whose operand lists become
// its results (exits) or the next values of its arguments (conts).
func (k *canon) collectExits() {
	c := k.c
	k.fwd = make([]ir.Row, k.n)
	k.slot = make([]int32, k.n)
	slots := 0
	for r := range k.fwd {
		k.fwd[r] = ir.Row(r)
		if c.Op[r].Info().Attr&ir.Structured != 0 {
			k.slot[r] = int32(slots)
			slots++
		}
	}
	k.noArg, k.noRes = make([][]bool, slots), make([][]bool, slots)
	k.exits, k.conts = newBuckets(slots, 0), newBuckets(slots, 0)
	for r, op := range c.Op {
		switch op {
		case ir.OpYield:
			k.exits.add(k.slot[c.Regions[c.Region[r]].Op], int32(r))
		case ir.OpBreak:
			k.exits.add(k.slot[ir.Row(c.X[r])], int32(r))
		case ir.OpContinue:
			k.conts.add(k.slot[ir.Row(c.X[r])], int32(r))
		}
	}
}

// mergeConsts forwards every const row to the first of its type and bits.
func (k *canon) mergeConsts() {
	c := k.c
	first := make(map[literal.Const]ir.Row)
	for r, op := range c.Op {
		if op != ir.OpConst {
			continue
		}
		key := literal.Const{Type: c.Type[r], Bits: c.Pool[c.X[r]]}
		if f, ok := first[key]; ok {
			k.fwd[r] = f
		} else {
			first[key] = ir.Row(r)
		}
	}
}

// find resolves forwarding, with path halving.
func (k *canon) find(r ir.Row) ir.Row {
	for k.fwd[r] != r {
		k.fwd[r] = k.fwd[k.fwd[r]]
		r = k.fwd[r]
	}
	return r
}

// merge describes an arg or res row: the structured op it belongs to and the lists
// that feed it.
type merge struct {
	row   ir.Row
	owner ir.Row
	init  bool // an argument of a loop: the owner's own list feeds it, and every continue
	k     uint32
}

// dropTrivial forwards every argument and result whose incoming values, itself aside,
// are one value from outside the structured op. A worklist revisits those fed by what
// was just forwarded, so the work is linear in operands.
func (k *canon) dropTrivial() {
	c := k.c
	var merges []merge
	at := make([]int32, k.n) // the merge of a row, counted from 1
	for r, op := range c.Op {
		row := ir.Row(r)
		switch {
		case op == ir.OpArg && c.Region[r] != 0:
			merges = append(merges, merge{row, c.Regions[c.Region[r]].Op, true, c.X[r]})
		case op == ir.OpRes:
			merges = append(merges, merge{row, k.ownerOfRes(row), false, c.X[r]})
		default:
			continue
		}
		at[r] = int32(len(merges))
	}
	if len(merges) == 0 {
		return
	}
	// users has, for each merge, the merges that it feeds.
	users := newBuckets(len(merges), len(merges))
	for i := range merges {
		k.incoming(&merges[i], func(v ir.Row) bool {
			if m := at[v]; m != 0 {
				users.add(m-1, int32(i))
			}
			return true
		})
	}
	queue := make([]int32, len(merges))
	queued := make([]bool, len(merges))
	for i := range queue {
		queue[i], queued[i] = int32(i), true
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		queued[i] = false
		m := &merges[i]
		if k.fwd[m.row] != m.row {
			continue
		}
		one := ir.NoRow
		ok := k.incoming(m, func(v ir.Row) bool {
			v = k.find(v)
			if v == m.row || v == one {
				return true
			}
			if one != ir.NoRow {
				return false
			}
			one = v
			return true
		})
		if !ok || one == ir.NoRow || one >= m.owner && c.Op[one] != ir.OpConst || c.Type[one] != c.Type[m.row] {
			continue // an argument of the wrong type stays, for the verifier to see
		}
		k.fwd[m.row] = one
		drop := &k.noRes[k.slot[m.owner]]
		if m.init {
			drop = &k.noArg[k.slot[m.owner]]
		}
		for len(*drop) <= int(m.k) {
			*drop = append(*drop, false)
		}
		(*drop)[m.k] = true
		for e := users.first(i); e != 0; e = users.after(e) {
			if u := users.value(e); !queued[u] {
				queued[u] = true
				queue = append(queue, u)
			}
		}
		if j := at[one]; j != 0 { // uses of m are now uses of one
			users.move(i, j-1)
		}
	}
}

// incoming calls f with each value that feeds m until f returns false.
func (k *canon) incoming(m *merge, f func(ir.Row) bool) bool {
	c := k.c
	feeds := &k.exits
	if m.init {
		feeds = &k.conts
		k.visits++
		if !f(ir.Row(c.List(m.owner)[m.k])) {
			return false
		}
	}
	slot := k.slot[m.owner]
	for e := feeds.first(slot); e != 0; e = feeds.after(e) {
		k.visits++
		if !f(ir.Row(c.List(ir.Row(feeds.value(e)))[m.k])) {
			return false
		}
	}
	return true
}

// ownerOfRes returns the structured op that the res row belongs to: its results follow
// its last region, so the row before the first of them ends that region.
func (k *canon) ownerOfRes(r ir.Row) ir.Row {
	c := k.c
	return c.Regions[c.Region[r-ir.Row(c.X[r])-1]].Op
}

// Differs names a column that sealing would change, "" if there is none.
func Differs(c *ir.Code) string {
	bare := *c
	bare.Debug = ir.Debug{}
	d := bare.Clone()
	Rewrite(d)
	for _, s := range []struct {
		what string
		same bool
	}{
		{"Op", slices.Equal(c.Op, d.Op)}, {"Type", slices.Equal(c.Type, d.Type)}, {"Flags", slices.Equal(c.Flags, d.Flags)},
		{"Region", slices.Equal(c.Region, d.Region)}, {"A", slices.Equal(c.A, d.A)}, {"B", slices.Equal(c.B, d.B)},
		{"C", slices.Equal(c.C, d.C)}, {"X", slices.Equal(c.X, d.X)}, {"Args", slices.Equal(c.Args, d.Args)},
		{"Extra", slices.Equal(c.Extra, d.Extra)}, {"Pool", slices.Equal(c.Pool, d.Pool)},
		{"Regions", slices.Equal(c.Regions, d.Regions)}, {"Params", slices.Equal(c.Params, d.Params)},
		{"Arrays", slices.Equal(c.Arrays, d.Arrays)},
	} {
		if !s.same {
			return s.what
		}
	}
	return ""
}
