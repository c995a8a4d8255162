package egraph

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
}

// Columns returns the rows, in time O(classes).
func (g *Graph) Columns() Columns {
	g.sets.flatten()
	return Columns{Class: g.rowClass, Head: g.rowHead, First: g.rowFirst, Len: g.rowLen, Kids: g.kids, Parent: g.sets.parent, Dead: g.dead}
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
