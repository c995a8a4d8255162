package exec

import (
	"cmp"
	"slices"
)

// mostBranches bounds the branches of a graph. A driver launches as many chains quickly, but neither one chain nor nodes
// without edges: see docs/design/graphs.md.
const mostBranches = 8

// nodesPerBranch is how many nodes of a graph there are, at least, for each of its branches.
const nodesPerBranch = 3

// seen has, for each branch, one more than the index of a node of it; 0 for none.
type seen [mostBranches]int32

// merge takes the later node of each branch.
func (s *seen) merge(o *seen) {
	for b := range s {
		s[b] = max(s[b], o[b])
	}
}

// latest returns the latest node, -1 if there is none.
func (s *seen) latest() int { return int(slices.Max(s[:])) - 1 }

// branches puts nodes into branches, each of which is a chain, and finds the edges between these. A node comes after the last
// writer of each byte that it touches and, if it writes, after the readers since.
//
// An older writer, or an older reader, needs no forgetting: the newer one comes after it, so that its clock covers the older.
// So it is enough to know, of each range and each branch, the latest node that wrote and the latest that touched it.
type branches struct {
	most  int
	of    []int8 // by node: its branch
	tails []int  // by branch
	sizes []int
	// clocks has, by node and by branch, the last node that it is known to come after, itself included.
	clocks []seen
	memory map[uint64]*extent
	all    int // the last node that touches everything; -1 without one
	deps   []int
}

// newBranches returns branches for nodes that touch these, in order, at most so many.
func newBranches(list []touches, most int) *branches {
	o := &branches{most: most, memory: map[uint64]*extent{}, all: -1}
	for i := range list {
		for _, t := range list[i].list {
			if t.from >= t.to {
				continue
			}
			e := o.memory[t.key]
			if e == nil {
				e = &extent{}
				o.memory[t.key] = e
			}
			e.cuts = append(e.cuts, t.from, t.to)
		}
	}
	for _, e := range o.memory {
		e.divide()
	}
	return o
}

// branchesOf returns how many branches a graph of so many nodes has at most.
func branchesOf(nodes int) int {
	return min(mostBranches, (nodes+nodesPerBranch-1)/nodesPerBranch)
}

// before returns the latest nodes, of each branch, that a node with these touches depends on.
func (o *branches) before(t *touches) (deps seen) {
	if t.all {
		for b, tail := range o.tails {
			deps[b] = int32(tail) + 1
		}
		return deps
	}
	if o.all >= 0 {
		deps[o.of[o.all]] = int32(o.all) + 1
	}
	for _, a := range t.list {
		if a.from >= a.to {
			continue
		}
		e := o.memory[a.key]
		from, to := e.pieces(a)
		if a.writes {
			e.touched.latest(from, to, &deps)
		} else {
			e.wrote.latest(from, to, &deps)
		}
	}
	return deps
}

// add puts the next node into a branch, and returns the nodes that it has edges from, until the next call.
func (o *branches) add(t *touches) []int {
	deps, node := o.before(t), len(o.of)
	branch := o.choose(&deps)
	var clock seen
	o.deps = o.deps[:0]
	edge := func(from int) {
		o.deps = append(o.deps, from)
		clock.merge(&o.clocks[from])
	}
	if branch == len(o.tails) {
		o.tails, o.sizes = append(o.tails, node), append(o.sizes, 0)
	} else {
		edge(o.tails[branch])
	}
	// The later ones first: what these come after needs no edge.
	var others [mostBranches]int32
	copy(others[:], deps[:])
	slices.SortFunc(others[:], func(a, b int32) int { return cmp.Compare(b, a) })
	for _, d := range others {
		if d == 0 {
			break
		}
		if from := int(d) - 1; clock[o.of[from]] < d {
			edge(from)
		}
	}
	clock[branch] = int32(node) + 1
	o.tails[branch], o.of, o.clocks = node, append(o.of, int8(branch)), append(o.clocks, clock)
	o.sizes[branch]++
	o.note(t, branch, node)
	return o.deps
}

// choose returns the branch of a node: the one whose tail is its latest dependency, else a new one while there may be one,
// else the one with the fewest nodes.
func (o *branches) choose(deps *seen) int {
	if latest := deps.latest(); latest >= 0 && o.tails[o.of[latest]] == latest {
		return int(o.of[latest])
	}
	if len(o.tails) < o.most {
		return len(o.tails)
	}
	return slices.Index(o.sizes, slices.Min(o.sizes))
}

// note enters what a node touches.
func (o *branches) note(t *touches, branch, node int) {
	if t.all {
		o.all = node
		return
	}
	for _, a := range t.list {
		if a.from >= a.to {
			continue
		}
		e := o.memory[a.key]
		from, to := e.pieces(a)
		e.touched.note(from, to, branch, node)
		if a.writes {
			e.wrote.note(from, to, branch, node)
		}
	}
}

// extent is the bytes of one buffer that nodes touch, cut where a touch begins or ends.
type extent struct {
	cuts           []int64
	wrote, touched pieces
}

// divide makes pieces between cuts.
func (e *extent) divide() {
	slices.Sort(e.cuts)
	e.cuts = slices.Compact(e.cuts)
	size := 1
	for size < len(e.cuts)-1 {
		size *= 2
	}
	for _, p := range []*pieces{&e.wrote, &e.touched} {
		*p = pieces{make([]seen, 2*size), make([]seen, 2*size)}
	}
}

// pieces returns the pieces of a touch, [from, to).
func (e *extent) pieces(t touch) (from, to int) {
	from, _ = slices.BinarySearch(e.cuts, t.from)
	to, _ = slices.BinarySearch(e.cuts, t.to)
	return from, to
}

// pieces is a binary tree over pieces of memory: the children of p are 2p and 2p+1, and the leaves, one a piece, are the
// second half. A range is a few subtrees.
type pieces struct {
	within []seen // the latest nodes in any part of the subtree
	over   []seen // the latest nodes whose range is all of the subtree, as it was cut into few
}

// subtrees calls f with the roots of those that make up a range, and up with all that one of its ends is in.
func (p *pieces) subtrees(from, to int, f, up func(at int)) {
	size := len(p.over) / 2
	from, to = from+size, to+size
	for l, r := from, to; l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			f(l)
			l++
		}
		if r&1 == 1 {
			r--
			f(r)
		}
	}
	for l, r := from, to-1; l > 0; l, r = l/2, r/2 {
		up(l)
		if r != l {
			up(r)
		}
	}
}

// note enters a node, which is later than all before.
func (p *pieces) note(from, to, branch, node int) {
	p.subtrees(from, to, func(at int) {
		p.over[at][branch] = int32(node) + 1
		p.within[at][branch] = int32(node) + 1
	}, func(at int) { p.within[at][branch] = int32(node) + 1 })
}

// latest merges the latest nodes that touched any of a range.
func (p *pieces) latest(from, to int, into *seen) {
	p.subtrees(from, to, func(at int) { into.merge(&p.within[at]) }, func(at int) { into.merge(&p.over[at]) })
}
