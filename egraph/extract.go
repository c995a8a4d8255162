package egraph

import (
	"math"

	"github.com/govyre/vyre/egraph/internal/groups"
)

// Costs says what terms cost, and which may be used.
type Costs struct {
	// Of is the cost of a head, its children left out. nil: 1 for an op, 0 for a leaf or a constant. A head with children
	// costs 1 at least.
	Of func(Head) uint64
	// Allow says whether a head may be in the result. nil: all may. The term that came in is allowed without being asked.
	Allow func(Head) bool
}

// Term is terms with their common parts once: nodes, children before what uses them.
type Term struct {
	Nodes []Node
	Roots []int  // nodes, of the classes asked for
	Cost  uint64 // of all nodes

	g *Graph
}

// Node is a head applied to other nodes.
type Node struct {
	Class Class // an id that is equal to the node
	Head  Head
	Kids  []int // nodes, in the order of the op's operands

	row uint32
}

// maxCost is the cost of what cannot be had.
const maxCost = math.MaxUint64

// most is where costs of trees stop growing: a term of n nodes can be a tree of 2ⁿ.
const most = 1 << 62

// maxLooks bounds the nodes that the pass for common parts looks at.
const maxLooks = 1 << 22

// Extract returns the cheapest terms that it finds for classes, of which common parts count once. The graph is closed. It
// takes the cheapest trees, ties by the smaller row, and changes one class after the other where that makes the whole
// cheaper. If the terms with which the classes began are not dearer it returns those, and so if a tree would cost 2^62. The
// result has no cycle; it is nil if a class has no term. O(rows × depth of the terms).
func (g *Graph) Extract(by Costs, classes ...Class) *Term {
	x := &extraction{Graph: g, by: by}
	first := x.original(classes)
	if !x.trees() {
		return first
	}
	for _, c := range classes {
		x.roots = append(x.roots, g.sets.find(c))
		if x.tree[g.sets.find(c)] == maxCost {
			return first
		}
	}
	x.share()
	if best := x.term(); first == nil || best.Cost < first.Cost {
		return best
	}
	return first
}

// extraction chooses a row for each class.
type extraction struct {
	*Graph
	by     Costs
	roots  []Class
	cost   []uint64 // by row: its head's; maxCost for what may not be used
	tree   []uint64 // by class: of the cheapest tree
	chosen []uint32 // by class
	uses   []uint32 // by class: from roots and chosen rows that are used
	total  uint64
	seen   []uint32
	mark   uint32
	looks  int
	kids   []int // room for those of nodes
}

// room is an empty list for so many children.
func (x *extraction) room(n int) []int {
	if n > cap(x.kids)-len(x.kids) {
		x.kids = make([]int, 0, max(n, 256))
	}
	at := len(x.kids)
	x.kids = x.kids[:at+n]
	return x.kids[at : at : at+n]
}

// of is the cost of a head with so many children.
func (x *extraction) of(h Head, kids uint32) uint64 {
	c := uint64(0)
	switch {
	case x.by.Of != nil:
		c = min(x.by.Of(h), most)
	case kids > 0:
		c = 1
	}
	if kids > 0 {
		return max(c, 1)
	}
	return c
}

// trees finds the cheapest tree of each class, from below until none gets cheaper. It reports whether there are rows.
func (x *extraction) trees() bool {
	n := len(x.types)
	x.tree, x.chosen, x.cost = make([]uint64, n), make([]uint32, n), make([]uint64, len(x.rowHead))
	for c := range x.tree {
		x.tree[c], x.chosen[c] = maxCost, noRow
	}
	for row, h := range x.rowHead {
		if x.cost[row] = maxCost; !x.isDead(uint32(row)) && (x.by.Allow == nil || x.by.Allow(h)) {
			x.cost[row] = x.of(h, x.rowLen[row])
		}
	}
	for again := true; again; {
		again = false
		for row := range x.rowHead {
			c := x.sets.find(x.rowClass[row])
			// Of equal trees the smaller row wins: a tree is dearer than those of its children, so that cannot make a cycle.
			if sum := x.sum(uint32(row)); sum < x.tree[c] || sum == x.tree[c] && sum != maxCost && uint32(row) < x.chosen[c] {
				x.tree[c], x.chosen[c], again = sum, uint32(row), true
			}
		}
	}
	return len(x.rowHead) > 0
}

// sum is the cost of the cheapest tree that begins with a row.
func (x *extraction) sum(row uint32) uint64 {
	sum := x.cost[row]
	if sum == maxCost {
		return maxCost
	}
	for _, k := range x.children(row) {
		if x.tree[k] == maxCost {
			return maxCost
		}
		sum += x.tree[k]
		if sum >= most {
			return maxCost
		}
	}
	return sum
}

// share counts what is used, and takes another row of a class where that makes the whole cheaper.
func (x *extraction) share() {
	x.uses, x.seen = make([]uint32, len(x.types)), make([]uint32, len(x.types))
	for _, c := range x.roots {
		x.acquire(c)
	}
	x.sets.flatten()
	class, first, rows := groups.Of(x.rowClass, x.sets.parent)
	for i, c := range class {
		for _, row := range rows[first[i]:first[i+1]] {
			if x.uses[c] == 0 || x.looks > maxLooks {
				break
			}
			if row != x.chosen[c] && x.cost[row] != maxCost {
				x.try(c, row)
			}
		}
	}
}

// acquire counts a use of a class, and of what its row uses if that is the first.
func (x *extraction) acquire(c Class) {
	if x.looks++; x.uses[c] == 0 {
		x.total += x.cost[x.chosen[c]]
		for _, k := range x.children(x.chosen[c]) {
			x.acquire(k)
		}
	}
	x.uses[c]++
}

// release takes a use away again.
func (x *extraction) release(c Class) {
	x.looks++
	if x.uses[c]--; x.uses[c] == 0 {
		x.total -= x.cost[x.chosen[c]]
		for _, k := range x.children(x.chosen[c]) {
			x.release(k)
		}
	}
}

// try gives a class that is used another row, and the old one back if the whole is not cheaper with it.
func (x *extraction) try(c Class, row uint32) {
	x.mark++
	for _, k := range x.children(row) {
		if x.tree[k] == maxCost || x.reaches(k, c) {
			return
		}
	}
	was, before := x.chosen[c], x.total
	x.choose(c, row)
	if x.total >= before {
		x.choose(c, was)
	}
}

func (x *extraction) choose(c Class, row uint32) {
	was := x.chosen[c]
	x.total += x.cost[row]
	for _, k := range x.children(row) {
		x.acquire(k)
	}
	for _, k := range x.children(was) {
		x.release(k)
	}
	x.total -= x.cost[was]
	x.chosen[c] = row
}

// reaches reports whether the term of one class has the other in it.
func (x *extraction) reaches(from, to Class) bool {
	if from == to {
		return true
	}
	if x.looks++; x.seen[from] == x.mark {
		return false
	}
	x.seen[from] = x.mark
	for _, k := range x.children(x.chosen[from]) {
		if x.reaches(k, to) {
			return true
		}
	}
	return false
}

// term writes the choice down.
func (x *extraction) term() *Term {
	t := &Term{g: x.Graph, Cost: x.total}
	at := make(map[Class]int)
	var visit func(Class) int
	visit = func(c Class) int {
		if n, ok := at[c]; ok {
			return n
		}
		row := x.chosen[c]
		kids := x.children(row)
		n := Node{Class: c, Head: x.rowHead[row], Kids: x.room(len(kids)), row: row}
		for _, k := range kids {
			n.Kids = append(n.Kids, visit(k))
		}
		at[c] = len(t.Nodes)
		t.Nodes = append(t.Nodes, n)
		return at[c]
	}
	for _, c := range x.roots {
		t.Roots = append(t.Roots, visit(c))
	}
	return t
}

// original returns the terms with which the classes began, nil if one has none.
func (x *extraction) original(classes []Class) *Term {
	t := &Term{g: x.Graph}
	at := make(map[Class]int)
	var visit func(Class) int
	visit = func(c Class) int {
		if n, ok := at[c]; ok {
			return n
		}
		row := x.begun(c)
		if row == noRow {
			return -1
		}
		kids := x.Graph.original(row)
		n := Node{Class: c, Head: x.rowHead[row], Kids: x.room(len(kids)), row: row}
		for _, k := range kids {
			kid := visit(k)
			if kid < 0 {
				return -1
			}
			n.Kids = append(n.Kids, kid)
		}
		t.Cost = min(t.Cost+x.of(n.Head, uint32(len(n.Kids))), most)
		at[c] = len(t.Nodes)
		t.Nodes = append(t.Nodes, n)
		return at[c]
	}
	for _, c := range classes {
		root := visit(c)
		if root < 0 {
			return nil
		}
		t.Roots = append(t.Roots, root)
	}
	return t
}

// Term returns the term with which a class began: what was given to Add. nil for a class without one.
func (g *Graph) Term(c Class) *Term {
	if int(c) >= len(g.types) {
		return nil
	}
	return (&extraction{Graph: g}).original([]Class{c})
}
