package ir

// Uniformity holds, for every row, the level of its value and of the control that
// reaches it. It is computed once, when a program is sealed.
//
// Control of level s at a row: all invocations of one instance of scope s (the grid, a
// workgroup, a warp, a lane) reach the row together, the same number of times. A value
// of level s is equal in all of them where control is at most s; in more divergent
// control nothing is claimed, and a value is raised before it can get out of there. In
// a group of at most 32 invocations warp counts as group, in a group of one lane does too.
type Uniformity struct {
	Value   []Level // of an if, that of its condition; grid for other rows without a value
	Control []Level
}

// uniformity finds the smallest levels that satisfy the rules, by worklist: levels start at grid
// and rise, three times each at most, and what depends on a level is looked at again only
// when that rose. So it is linear in rows plus operands.
//
// Two kinds of node rise. A value's dependents are the values computed from it or fed
// by it. The control of a stretch (see flow) has as dependents the stretch behind it,
// those inside the op that ends it, and, if an exit ends it, the stretches behind every
// op that the exit leaves and the results that it feeds.
type uniformity struct {
	flow
	objs []ObjectInfo

	value   []Level // by row
	control []Level // by stretch

	// Why a level is not grid. Of a value: the row that raised it, itself at a source. Of a
	// stretch: the if that split control, or the exit that some invocations took.
	whyValue, whyControl []Row

	heads []uint32 // by row: where its dependents start in uses
	uses  []Row

	differs []bool   // by row: an argument that continues feed with different values
	inner   []uint32 // by region: region of the innermost loop around its rows, 0 for none
	uneasy  [][]Row  // by stretch: loads that are settled only while control is uniform enough
	climbed [4][]uint32
	risen   []Level // by stretch: control already passed on

	values    []Row
	stretches []uint32
	visits    int
}

// newUniformity prepares the analysis of structurally sound code.
func newUniformity(c *Code, objs []ObjectInfo) *uniformity {
	n := c.Rows()
	u := &uniformity{flow: newFlow(c), objs: objs}
	u.value, u.control = make([]Level, n), make([]Level, len(u.last))
	u.whyValue, u.whyControl = make([]Row, n), make([]Row, len(u.last))
	u.risen = make([]Level, len(u.last))
	u.loops()
	u.dependents()
	return u
}

// solve runs the analysis.
func (u *uniformity) solve() *Uniformity {
	u.sources()
	for len(u.values)+len(u.stretches) > 0 {
		if n := len(u.stretches); n > 0 {
			s := u.stretches[n-1]
			u.stretches = u.stretches[:n-1]
			u.controlRose(s)
			continue
		}
		n := len(u.values)
		v := u.values[n-1]
		u.values = u.values[:n-1]
		u.valueRose(v)
	}
	control := make([]Level, len(u.value))
	for r := range control {
		control[r] = u.control[u.of[r]]
	}
	return &Uniformity{Value: u.value, Control: control}
}

func (u *uniformity) raiseValue(v Row, l Level, why Row) {
	u.visits++
	if l > u.value[v] {
		u.value[v], u.whyValue[v] = l, why
		u.values = append(u.values, v)
	}
}

func (u *uniformity) raiseControl(s uint32, l Level, why Row) {
	u.visits++
	if l > u.control[s] {
		u.control[s], u.whyControl[s] = l, why
		u.stretches = append(u.stretches, s)
	}
}

// valueRose passes the level of v on.
func (u *uniformity) valueRose(v Row) {
	c := u.c
	l := u.value[v]
	for _, w := range u.uses[u.heads[v]:u.heads[v+1]] {
		u.raiseValue(w, l, v)
	}
	if c.Op[v] != OpIf {
		return
	}
	x := c.X[v]
	u.raiseControl(u.first[x], l, v)
	u.raiseControl(u.first[x+1], l, v)
	// A result that is the same value from both arms does not depend on the condition; it is
	// gone in canonical form.
	end := u.after(v)
	for at := end; int(at) < c.Rows() && c.Op[at] == OpRes && int(c.X[at]) == int(at-end); at++ {
		u.raiseValue(at, l, v)
	}
}

// controlRose passes the level of stretch s on: to what its last row leads to.
func (u *uniformity) controlRose(s uint32) {
	c := u.c
	l, why := u.control[s], u.whyControl[s]
	from := u.risen[s]
	if from == l {
		return
	}
	u.risen[s] = l
	if u.uneasy != nil {
		for _, r := range u.uneasy[s] {
			if l > u.objs[c.X[r]].settledAt() {
				u.raiseValue(r, LevelLane, r)
			}
		}
	}
	r := u.last[s]
	switch op := c.Op[r]; {
	case table[op].Owns > 0:
		u.raiseControl(u.next[s], l, why)
		for i := range uint32(table[op].Owns) {
			u.raiseControl(u.first[c.X[r]+i], l, why)
		}
	case op == OpBreak, op == OpContinue, op == OpReturn:
		u.exitRose(r, from, l)
	}
}

// exitRose handles the exit in row e, whose control rose from one level to another: what
// comes behind every op that it leaves is reached by some invocations only, and so is the
// next round of every loop that it leaves.
func (u *uniformity) exitRose(e Row, from, to Level) {
	c := u.c
	op := c.Op[e]
	target := int64(-1) // every op with a larger row that encloses e is left for good
	if op != OpReturn {
		target = int64(c.X[e])
	}
	for l := from + 1; l <= to; l++ {
		u.climb(u.owner(c.Region[e]), target, l, e)
	}
	if op == OpReturn {
		return
	}
	t := Row(target)
	loop := table[c.Op[t]].Attr&Repeats != 0
	if op == OpBreak && loop {
		u.raiseControl(u.first[c.X[t]], to, e)
	}
	if to <= u.control[u.of[t]] {
		return // not more divergent than where the values go
	}
	if op == OpBreak {
		end := u.after(t)
		for k := range c.List(e) {
			u.raiseValue(end+Row(k), to, e)
		}
		return
	}
	first := c.Regions[c.X[t]].First
	around := u.inner[c.Region[e]] != c.X[t] // e stands in a loop inside t
	for k := range c.List(e) {
		if at := first + Row(k); around || u.differs[at] {
			u.raiseValue(at, to, e)
		}
	}
}

// climb raises control behind every structured op from the one owning region x (its first
// region) outward that encloses exit e and lies inside row target. An op that was
// climbed over for level l has passed l on already, so it is skipped from then on: the
// links in climbed, with path halving, lead to the next op that was not.
func (u *uniformity) climb(x uint32, target int64, l Level, e Row) {
	c := u.c
	if u.climbed[l] == nil {
		u.climbed[l] = make([]uint32, len(c.Regions))
		for i := range u.climbed[l] {
			u.climbed[l][i] = uint32(i)
		}
	}
	link := u.climbed[l]
	find := func(x uint32) uint32 {
		for link[x] != x {
			u.visits++
			link[x] = link[link[x]]
			x = link[x]
		}
		return x
	}
	for x = find(x); x != 0 && int64(c.Regions[x].Op) > target; x = find(x) {
		s := c.Regions[x].Op
		u.raiseControl(u.next[u.of[s]], l, e)
		if table[c.Op[s]].Attr&Repeats != 0 {
			u.raiseControl(u.first[x], l, e)
		}
		link[x] = u.owner(c.Region[s])
	}
}
