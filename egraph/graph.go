package egraph

import (
	"fmt"
	"slices"

	"github.com/govyre/vyre/ir"
)

// Class is the id of a class, and so the name of the term with which it began. Unions keep every id valid: Find returns
// the smallest id that is equal, the root.
type Class uint32

// None is not a class. Calls with a mistake in them return it.
const None Class = 1<<32 - 1

// noRow is not a row.
const noRow = 1<<32 - 1

// Graph is an e-graph: rows in columns, grouped into classes of equal terms. The zero value is not one: call New. It is for
// one goroutine at a time.
type Graph struct {
	columns
	heads   heads
	sets    sets
	types   []ir.Type // by class id
	first   []uint32  // by class id: the row with which Add began it, or noRow
	uses    uses
	table   table
	reasons reasons
	known   analysis
	pending []edge
	fresh   []uint32 // rows that Insert has put in, which the table does not have yet
	changed []Class  // classes that stopped being roots, whose uses have to be looked at
	dirty   []uint32 // rows that may have a child that is not a root
	err     error    // the first mistake since the last rebuild

	tracking bool     // touched is kept, for a run
	touched  []uint32 // rows that are new, or have other children
}

// columns are the rows. A row is an index.
type columns struct {
	rowClass []Class
	rowHead  []Head
	rowFirst []uint32
	rowLen   []uint32
	kids     []Class // canonical after a rebuild
	given    []Class // as they were given, which proofs are about
	dead     []uint64
	fault    fault
}

// fault is a mistake that a test has put in, to see that another test notices.
type fault uint8

const (
	faultCompare fault = iota + 1 // rows are equal if their signatures are
	faultWork                     // a changed row is left out of the work list
	faultEarly                    // the parallel form stops a round early
	faultLarger                   // the larger root stays one
	faultStamp                    // a row that moved to another class counts as old
)

// New returns an empty graph.
func New() *Graph {
	g := &Graph{}
	g.known.g = g
	g.table.full = 3
	g.table.reset(64)
	return g
}

// Grow makes room for more rows with so many children in all, so that adding them moves nothing.
func (g *Graph) Grow(rows, children int) {
	g.reserve(rows, children)
	g.index()
	if need := len(g.rowHead) + rows; need > g.table.room() {
		g.table.rehash(&g.columns, need)
	}
}

// reserve is Grow without the table.
func (g *Graph) reserve(rows, children int) {
	c := &g.columns
	c.rowClass, c.rowHead = slices.Grow(c.rowClass, rows), slices.Grow(c.rowHead, rows)
	c.rowFirst, c.rowLen = slices.Grow(c.rowFirst, rows), slices.Grow(c.rowLen, rows)
	c.kids, c.given = slices.Grow(c.kids, children), slices.Grow(c.given, children)
	g.uses.list = slices.Grow(g.uses.list, children)
	g.uses.last = slices.Grow(g.uses.last, rows)
	g.types, g.first = slices.Grow(g.types, rows), slices.Grow(g.first, rows)
	g.sets.parent = slices.Grow(g.sets.parent, rows)
}

// room makes room for as many rows again if there is none: append makes a quarter, and so copies more often.
func (g *Graph) room() {
	if n := len(g.rowHead); n == cap(g.rowHead) {
		g.reserve(n+8, len(g.kids)+16)
	}
}

// children returns the children of a row, canonical after a rebuild.
func (c *columns) children(row uint32) []Class {
	first := c.rowFirst[row]
	return c.kids[first : first+c.rowLen[row]]
}

// original returns the children with which a row was made.
func (c *columns) original(row uint32) []Class {
	first := c.rowFirst[row]
	return c.given[first : first+c.rowLen[row]]
}

func (c *columns) isDead(row uint32) bool { return c.dead[row/64]>>(row%64)&1 != 0 }
func (c *columns) kill(row uint32)        { c.dead[row/64] |= 1 << (row % 64) }

// push appends a row.
func (c *columns) push(class Class, head Head, kids []Class) uint32 {
	row := uint32(len(c.rowHead))
	c.rowClass = append(c.rowClass, class)
	c.rowHead = append(c.rowHead, head)
	c.rowFirst = append(c.rowFirst, uint32(len(c.kids)))
	c.rowLen = append(c.rowLen, uint32(len(kids)))
	c.kids = append(c.kids, kids...)
	c.given = append(c.given, kids...)
	if row%64 == 0 {
		c.dead = append(c.dead, 0)
	}
	return row
}

// Leaf adds a value that nothing is known about but its name and its type.
func (g *Graph) Leaf(name string, t ir.Type) Class {
	return g.Add(g.Head(HeadInfo{Name: name, Type: t}))
}

// Const adds a constant by its raw bits.
func (g *Graph) Const(t ir.Type, bits uint64) Class {
	return g.Add(g.Head(HeadInfo{Op: ir.OpConst, Type: t, Bits: bits}))
}

// Add returns the class of a head applied to children. It makes a row, and a class for it, where the graph has none that is
// equal. A mistake, such as a wrong number of children, returns None, and the next Rebuild says which it was. O(children).
func (g *Graph) Add(head Head, kids ...Class) Class {
	if !g.valid(head, kids) {
		return None
	}
	row, _ := g.add(head, kids)
	return g.rowClass[row]
}

// add is Add for what is valid. It returns the row, and whether that is new.
func (g *Graph) add(head Head, kids []Class) (row uint32, made bool) {
	g.index()
	g.room()
	var few [4]Class
	roots := append(few[:0], kids...)
	g.roots(head, roots)
	slot, was := g.table.seek(&g.columns, head, roots)
	if was != noRow {
		return was, false
	}
	row = g.columns.push(Class(len(g.types)), head, kids)
	copy(g.children(row), roots)
	g.class(g.heads.info[head].Type, row)
	g.uses.note(g, row)
	g.table.put(&g.columns, slot, row)
	g.note(row)
	return row, true
}

// note tells those who follow rows that one is new, or has new children.
func (g *Graph) note(row uint32) {
	g.known.made(row)
	if g.tracking {
		g.touched = append(g.touched, row)
	}
}

// class makes a class.
func (g *Graph) class(t ir.Type, row uint32) Class {
	c := Class(len(g.types))
	g.types, g.first = append(g.types, t), append(g.first, row)
	g.sets.parent = append(g.sets.parent, c)
	g.uses.last = append(g.uses.last, noUse)
	g.known.grow(t)
	return c
}

// Class makes a class with no rows, for Insert.
func (g *Graph) Class(t ir.Type) Class { return g.class(t, noRow) }

// Insert puts a row into a class that is there, which Add never does. Children may have any id that Class or Add has
// returned, the class itself too. The next Rebuild joins it with what is equal. A mistake is reported there.
func (g *Graph) Insert(class Class, head Head, kids ...Class) {
	if !g.valid(head, kids) {
		return
	}
	switch t := g.heads.info[head].Type; {
	case int(class) >= len(g.types):
		g.mistake("a row of %s for class %d of %d", g.heads.name(head), class, len(g.types))
	case g.types[class] != t:
		g.mistake("a row of %s, which is %s, for class %d, which is %s", g.heads.name(head), t, class, g.types[class])
	default:
		g.index()
		row := g.columns.push(class, head, kids)
		g.uses.note(g, row)
		g.fresh = append(g.fresh, row)
	}
}

// mistake keeps the first error until the next rebuild.
func (g *Graph) mistake(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("egraph: "+format, args...)
	}
}

// valid reports whether a head may have these children.
func (g *Graph) valid(head Head, kids []Class) bool {
	if int(head) >= len(g.heads.info) {
		g.mistake("no head %d, only %d", head, len(g.heads.info))
		return false
	}
	if len(g.rowHead) >= noRow-1 || len(g.kids)+len(kids) >= noRow-1 {
		g.mistake("2³² rows or children")
		return false
	}
	for i, k := range kids {
		if int(k) >= len(g.types) {
			g.mistake("child %d of a row of %s is class %d of %d", i, g.heads.name(head), k, len(g.types))
			return false
		}
	}
	return g.typed(&g.heads.info[head], kids)
}

// typed reports whether the op table allows the types of the children.
func (g *Graph) typed(h *HeadInfo, kids []Class) bool {
	in := h.Op.Info()
	if in == nil {
		return true
	}
	if len(kids) != in.Args {
		g.mistake("%s takes %d children, not %d", in.Name, in.Args, len(kids))
		return false
	}
	var types [3]ir.Type
	for i, k := range kids {
		rule := in.In[i]
		types[i] = g.types[k]
		if rule.Set != 0 && !rule.Set.Has(types[i]) || rule.Same > 0 && types[i] != types[rule.Same-1] {
			g.mistake("child %d of %s is %s", i, in.Name, types[i])
			return false
		}
	}
	if t := in.ResultType(types[:len(kids)]...); t != ir.None && t != h.Type {
		g.mistake("%s of these children is %s, its head says %s", in.Name, t, h.Type)
		return false
	}
	return true
}

// canonical makes the children of a row roots, and orders those of a commutative head. It reports whether one was no root.
func (g *Graph) canonical(row uint32) bool { return g.roots(g.rowHead[row], g.children(row)) }

// roots is canonical for children of a head.
func (g *Graph) roots(head Head, kids []Class) (changed bool) {
	for i, k := range kids {
		if root := g.sets.find(k); root != k {
			kids[i], changed = root, true
		}
	}
	if len(kids) == 2 && kids[0] > kids[1] && g.heads.info[head].Commutative {
		kids[0], kids[1] = kids[1], kids[0]
		changed = true
	}
	return changed
}

// Find returns the root of a class: the smallest id that is equal, as of the last rebuild. Amortised O(1).
func (g *Graph) Find(c Class) Class {
	if int(c) >= len(g.types) {
		return None
	}
	return g.sets.find(c)
}

// Type returns the type of a class.
func (g *Graph) Type(c Class) ir.Type {
	if int(c) >= len(g.types) {
		return ir.None
	}
	return g.types[c]
}

// Union records that two classes are equal, and why. The next Rebuild joins them. Classes of two types are an error.
func (g *Graph) Union(a, b Class, why string) error {
	if int(max(a, b)) >= len(g.types) {
		return fmt.Errorf("egraph: union of classes %d and %d of %d", a, b, len(g.types))
	}
	if g.types[a] != g.types[b] {
		return &Error{Rule: why, Class: min(a, b), Left: g.term(a), Right: g.term(b),
			Text: fmt.Sprintf("%s and %s are of two types", g.types[a], g.types[b])}
	}
	g.pending = append(g.pending, edge{a: a, b: b, kind: given, rule: g.reasons.label(why)})
	return nil
}
