package dataflow

import (
	"github.com/govyre/vyre/ir"
)

// Analysis finds the smallest levels that satisfy the rules, by worklist: levels start at grid
// and rise, three times each at most, and what depends on a level is looked at again only
// when that rose. So it is linear in rows plus operands.
//
// Two kinds of node rise. A value's dependents are the values computed from it or fed
// by it. The control of a basic block (see Flow) has as dependents the basic block after it,
// those inside the op that ends it, and, if an exit ends it, the basic blocks after every
// op that the exit leaves and the results that it feeds.
type Analysis struct {
	Flow
	objs []ir.ObjectInfo

	firsts uint32 // groups that are the first ones: see ir.Level

	Value   []ir.Level // by row
	control []ir.Level // by basic block

	// Why a level is not grid. Of a value: the row that raised it, itself at a source. Of a
	// basic block: the if that split control, or the exit that some invocations took.
	WhyValue, WhyControl []ir.Row

	heads []uint32 // by row: where its dependents start in uses
	uses  []ir.Row

	differs     []bool     // by row: an argument that continues feed with different values
	Inner       []uint32   // by region: region of the innermost loop around its rows, 0 for none
	conditional [][]ir.Row // by basic block: loads that are settled only while control is uniform enough
	climbed     [ir.LevelLane + 1][]uint32
	risen       []ir.Level // by basic block: control already passed on

	values []ir.Row
	blocks []uint32
	Visits int
}

// NewAnalysis prepares the analysis of structurally sound code.
func NewAnalysis(c *ir.Code, objs []ir.ObjectInfo) *Analysis {
	n := c.Rows()
	u := &Analysis{Flow: NewFlow(c), objs: objs}
	if list := c.FirstGroups(); list != nil {
		u.firsts = list[len(list)-1]
	}
	u.Value, u.control = make([]ir.Level, n), make([]ir.Level, len(u.last))
	u.WhyValue, u.WhyControl = make([]ir.Row, n), make([]ir.Row, len(u.last))
	u.risen = make([]ir.Level, len(u.last))
	u.loops()
	u.dependents()
	return u
}

// Solve runs the analysis.
func (u *Analysis) Solve() *ir.Uniformity {
	u.sources()
	for len(u.values)+len(u.blocks) > 0 {
		if n := len(u.blocks); n > 0 {
			s := u.blocks[n-1]
			u.blocks = u.blocks[:n-1]
			u.controlRose(s)
			continue
		}
		n := len(u.values)
		v := u.values[n-1]
		u.values = u.values[:n-1]
		u.valueRose(v)
	}
	control := make([]ir.Level, len(u.Value))
	for r := range control {
		control[r] = u.control[u.Of[r]]
	}
	return &ir.Uniformity{Value: u.Value, Control: control}
}

func (u *Analysis) raiseValue(v ir.Row, l ir.Level, why ir.Row) {
	u.Visits++
	if l > u.Value[v] {
		u.Value[v], u.WhyValue[v] = l, why
		u.values = append(u.values, v)
	}
}

func (u *Analysis) raiseControl(s uint32, l ir.Level, why ir.Row) {
	u.Visits++
	if l > u.control[s] {
		u.control[s], u.WhyControl[s] = l, why
		u.blocks = append(u.blocks, s)
	}
}

// valueRose passes the level of v on.
func (u *Analysis) valueRose(v ir.Row) {
	c := u.Code
	l := u.Value[v]
	for _, w := range u.uses[u.heads[v]:u.heads[v+1]] {
		u.raiseValue(w, l, v)
	}
	if c.Op[v] != ir.OpIf {
		return
	}
	x := c.X[v]
	u.raiseControl(u.first[x], l, v)
	u.raiseControl(u.first[x+1], l, v)
	// A result that is the same value from both arms does not depend on the condition; it is
	// gone in canonical form.
	end := u.after(v)
	for at := end; int(at) < c.Rows() && c.Op[at] == ir.OpRes && int(c.X[at]) == int(at-end); at++ {
		u.raiseValue(at, l, v)
	}
}

// controlRose passes the level of basic block s on: to what its last row leads to.
func (u *Analysis) controlRose(s uint32) {
	c := u.Code
	l, why := u.control[s], u.WhyControl[s]
	from := u.risen[s]
	if from == l {
		return
	}
	u.risen[s] = l
	if u.conditional != nil {
		for _, r := range u.conditional[s] {
			if l > settledAt(u.objs[c.X[r]]) {
				u.raiseValue(r, u.folded(ir.LevelLane), r)
			}
		}
	}
	r := u.last[s]
	switch op := c.Op[r]; {
	case op.Info().Owns > 0:
		u.raiseControl(u.Next[s], l, why)
		for i := range uint32(op.Info().Owns) {
			u.raiseControl(u.first[c.X[r]+i], l, why)
		}
	case op == ir.OpBreak, op == ir.OpContinue, op == ir.OpReturn:
		u.exitRose(r, from, l)
	}
}

// exitRose handles the exit in row e, whose control rose from one level to another: what
// comes after every op that it leaves is reached by some invocations only, and so is the
// next round of every loop that it leaves.
func (u *Analysis) exitRose(e ir.Row, from, to ir.Level) {
	c := u.Code
	op := c.Op[e]
	target := int64(-1) // every op with a larger row that encloses e is left for good
	if op != ir.OpReturn {
		target = int64(c.X[e])
	}
	for l := from + 1; l <= to; l++ {
		u.climb(u.Owner(c.Region[e]), target, l, e)
	}
	if op == ir.OpReturn {
		return
	}
	t := ir.Row(target)
	loop := c.Op[t].Info().Attr&ir.Repeats != 0
	if op == ir.OpBreak && loop {
		u.raiseControl(u.first[c.X[t]], to, e)
	}
	if to <= u.control[u.Of[t]] {
		return // not more divergent than where the values go
	}
	if op == ir.OpBreak {
		end := u.after(t)
		for k := range c.List(e) {
			u.raiseValue(end+ir.Row(k), to, e)
		}
		return
	}
	first := c.Regions[c.X[t]].First
	around := u.Inner[c.Region[e]] != c.X[t] // e stands in a loop inside t
	for k := range c.List(e) {
		if at := first + ir.Row(k); around || u.differs[at] {
			u.raiseValue(at, to, e)
		}
	}
}

// climb raises control after every structured op from the one owning region x (its first
// region) outward that encloses exit e and lies inside row target. An op that was
// climbed over for level l has passed l on already, so it is skipped from then on: the
// links in climbed, with path halving, lead to the next op that was not.
func (u *Analysis) climb(x uint32, target int64, l ir.Level, e ir.Row) {
	c := u.Code
	if u.climbed[l] == nil {
		u.climbed[l] = make([]uint32, len(c.Regions))
		for i := range u.climbed[l] {
			u.climbed[l][i] = uint32(i)
		}
	}
	link := u.climbed[l]
	find := func(x uint32) uint32 {
		for link[x] != x {
			u.Visits++
			link[x] = link[link[x]]
			x = link[x]
		}
		return x
	}
	for x = find(x); x != 0 && int64(c.Regions[x].Op) > target; x = find(x) {
		s := c.Regions[x].Op
		u.raiseControl(u.Next[u.Of[s]], l, e)
		if c.Op[s].Info().Attr&ir.Repeats != 0 {
			u.raiseControl(u.first[x], l, e)
		}
		link[x] = u.Owner(c.Region[s])
	}
}
