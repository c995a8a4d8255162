package egraph

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// Columns are views of a graph's rows, for a device or a digest. They are to be read only, and until the graph changes.
// Class and row ids are as in the graph: Parent leads from a class id to its root, which Find would return.
type Columns struct {
	Class  []Class  // by row: the class id in which it was made
	Head   []Head   // by row
	First  []uint32 // by row: its children are Kids[First : First+Len]
	Len    []uint32
	Kids   []Class // roots, after a rebuild
	Parent []Class // by class id
	Dead   []uint64
	// Rows by class: GroupRow[GroupFirst[i]:GroupFirst[i+1]] are those of GroupClass[i], a root. Both ascend. Dead rows,
	// which are equal to a smaller one, are among them.
	GroupClass []Class
	GroupFirst []uint32
	GroupRow   []uint32
}

// Columns returns the rows and, in time and space O(rows + classes), their groups.
func (g *Graph) Columns() Columns {
	g.sets.flatten()
	c := Columns{Class: g.rowClass, Head: g.rowHead, First: g.rowFirst, Len: g.rowLen, Kids: g.kids, Parent: g.sets.parent, Dead: g.dead}
	c.GroupClass, c.GroupFirst, c.GroupRow = g.groups()
	return c
}

// groups sorts rows by root, each class's in rising order, by counting. Classes without rows have a group too.
func (g *Graph) groups() (class []Class, first, rows []uint32) {
	parent := g.sets.parent
	index := make([]uint32, len(parent))
	class = make([]Class, 0, g.Classes())
	for c, p := range parent {
		if Class(c) == p {
			index[c] = uint32(len(class))
			class = append(class, p)
		}
	}
	first = make([]uint32, len(class)+1)
	for _, c := range g.rowClass {
		first[index[g.sets.find(c)]+1]++
	}
	for i := range class {
		first[i+1] += first[i]
	}
	next := append([]uint32(nil), first...)
	rows = make([]uint32, len(g.rowClass))
	for r, c := range g.rowClass {
		i := index[g.sets.find(c)]
		rows[next[i]] = uint32(r)
		next[i]++
	}
	return class, first, rows
}

// Pending lists the unions that the next Rebuild will do.
func (g *Graph) Pending() [][2]Class {
	list := make([][2]Class, len(g.pending))
	for i, e := range g.pending {
		list[i] = [2]Class{e.a, e.b}
	}
	return list
}

// Classes returns the number of roots.
func (g *Graph) Classes() int { return len(g.types) - g.sets.joined }

// Rows returns the number of rows that are no copies of others, as of the last rebuild.
func (g *Graph) Rows() int { return g.table.live }

// Digest is of the root of every class id: graphs of one history that are closed have one digest.
func (g *Graph) Digest() uint64 {
	d := uint64(0)
	for c := range g.types {
		d = d*1099511628211 + uint64(g.sets.find(Class(c))) + 1
	}
	return d
}

// maxPrinted bounds the heads of a term in a message.
const maxPrinted = 40

// term prints the term with which a class began: each class id has one.
func (g *Graph) term(c Class) string {
	var b strings.Builder
	left := maxPrinted
	g.print(&b, c, &left)
	return b.String()
}

func (g *Graph) print(b *strings.Builder, c Class, left *int) {
	row := g.begun(c)
	if *left--; row == noRow || *left < 0 {
		fmt.Fprintf(b, "class %d", c)
		return
	}
	kids := g.original(row)
	name := g.heads.name(g.rowHead[row])
	if len(kids) == 0 {
		b.WriteString(name)
		return
	}
	b.WriteString("(" + name)
	for _, k := range kids {
		b.WriteByte(' ')
		g.print(b, k, left)
	}
	b.WriteByte(')')
}

// begun returns the row with which Add began a class id, or noRow: one of Class has no term but its id.
func (g *Graph) begun(c Class) uint32 { return g.first[c] }

// constant prints raw bits in a type, as a person writes the number.
func constant(t ir.Type, bits uint64) string {
	switch {
	case t == ir.Bool:
		return strconv.FormatBool(bits != 0)
	case t.IsSigned():
		return strconv.FormatInt(interval.WidthOf(t).Sign(bits), 10)
	case t == ir.F64:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case t == ir.F32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case t.IsHalf():
		f := exact.Eval(ir.OpCvt, t, ir.F32, 0, bits, 0, 0)
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(f))), 'g', -1, 32)
	}
	return strconv.FormatUint(bits, 10)
}
