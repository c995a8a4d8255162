package egraph

import (
	"cmp"
	"fmt"

	"github.com/govyre/vyre/ir"
)

// Graph is an e-graph: rows in columns, grouped into classes of equal terms. The zero value is not one: call New. It is for
// one goroutine at a time.
type Graph struct {
	closing
	pending []edge
	fresh   fresh // rows that Insert has put in, which the table does not have yet
	err     error // the first mistake since the last rebuild
}

// New returns an empty graph.
func New() *Graph {
	g := &Graph{}
	g.known.rows = &g.rows
	g.table.full = 3
	g.table.reset(64)
	return g
}

// Grow makes room for more rows with so many children in all, so that adding them moves nothing.
func (g *Graph) Grow(rows, children int) {
	g.reserve(rows, children)
	if need := len(g.rowHead) + rows; need > g.table.room() {
		g.table.rehash(&g.columns, need)
	}
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
	if err := g.valid(head, kids); err != nil {
		g.err = cmp.Or(g.err, err)
		return None
	}
	row, _ := g.add(head, kids)
	return g.rowClass[row]
}

// Class makes a class with no rows, for Insert.
func (g *Graph) Class(t ir.Type) Class { return g.class(t, noRow) }

// Insert puts a row into a class that is there, which Add never does. Children may have any id that Class or Add has
// returned, the class itself too. The next Rebuild joins it with what is equal. A mistake is reported there.
func (g *Graph) Insert(class Class, head Head, kids ...Class) {
	err := g.valid(head, kids)
	switch {
	case err != nil:
	case int(class) >= len(g.types):
		err = mistake("a row of %s for class %d of %d", g.heads.name(head), class, len(g.types))
	case g.types[class] != g.heads.info[head].Type:
		err = mistake("a row of %s, which is %s, for class %d, which is %s", g.heads.name(head), g.heads.info[head].Type, class, g.types[class])
	default:
		row := g.columns.push(class, head, kids)
		g.uses.note(&g.columns, &g.sets, row)
		g.fresh.add(int(row))
	}
	g.err = cmp.Or(g.err, err)
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
		return &Error{Rule: why, Text: fmt.Sprintf("%s and %s in class %d: %s and %s are of two types", g.term(a), g.term(b), min(a, b), g.types[a], g.types[b])}
	}
	g.pending = append(g.pending, edge{a: a, b: b, kind: given, rule: g.reasons.label(why)})
	return nil
}

// Head returns the id of a head, a new one the first time.
func (g *Graph) Head(h HeadInfo) Head {
	if in := h.Op.Info(); in != nil {
		h.Commutative = in.Attr&ir.Commutative != 0
	}
	return g.heads.intern(h)
}

// Info returns a head in full.
func (g *Graph) Info(h Head) HeadInfo { return g.heads.info[h] }

// Assume says what the caller knows of an integer or bool class. All that follows holds where that does. The next Rebuild
// draws conclusions.
func (g *Graph) Assume(c Class, f Facts) {
	if int(c) >= len(g.types) || !known(g.types[c]) {
		g.err = cmp.Or(g.err, mistake("facts about class %d, which is not an integer or a bool", c))
		return
	}
	g.known.start()
	g.known.said = append(g.known.said, fact{c, f})
	g.known.meet(g.sets.find(c), &f)
}

// Facts returns what is known of an integer or bool class, as of the last Rebuild, and whether anything is: of others, and
// before the first Run or Assume, nothing is.
func (g *Graph) Facts(c Class) (f Facts, ok bool) {
	if int(c) >= len(g.types) || !known(g.types[c]) || !g.known.on {
		return f, false
	}
	return g.known.facts[g.sets.find(c)], true
}
