package tiles

import "slices"

// None is the value that names neither a node nor a column.
const None = ^uint32(0)

// Graph is the rows of a graph: the targets of a node, and their masks, nil if all are 1.
type Graph interface {
	Row(u uint32) (targets, masks []uint32)
}

// lists are rows of numbers, of which some have changed.
type lists struct {
	first, of []uint32
	own       map[uint32][]uint32
}

// at is a row; one that came later, and that nothing was put in, is empty.
func (l *lists) at(k uint32) []uint32 {
	if l.own != nil {
		if row, changed := l.own[k]; changed {
			return row
		}
	}
	if int64(k)+1 >= int64(len(l.first)) {
		return nil
	}
	return l.of[l.first[k]:l.first[k+1]:l.first[k+1]]
}

// mine is a row that may be written.
func (l *lists) mine(k uint32) []uint32 {
	row, changed := l.own[k]
	if changed {
		return row
	}
	if l.own == nil {
		l.own = map[uint32][]uint32{}
	}
	row = slices.Clone(l.at(k))
	l.own[k] = row
	return row
}

func (l *lists) put(k uint32, i int, x uint32) { l.own[k] = slices.Insert(l.mine(k), i, x) }

func (l *lists) cut(k uint32, i int) { l.own[k] = slices.Delete(l.mine(k), i, i+1) }

// Arcs are the rows of a graph, of which some have changed.
type Arcs struct {
	base Graph
	own  map[uint32]row
}

// row is what a node has of its own: targets, with a mask each.
type row struct{ to, masks []uint32 }

// NewArcs returns those of a graph, none changed.
func NewArcs(base Graph) *Arcs { return &Arcs{base: base, own: map[uint32]row{}} }

// Row makes Arcs a Graph.
func (a *Arcs) Row(u uint32) (targets, masks []uint32) {
	if r, changed := a.own[u]; changed {
		return r.to, r.masks
	}
	return a.base.Row(u)
}

// find is where an arc is in its row, or where it would be.
func (a *Arcs) find(u, v, mask uint32) (i int, found bool) {
	to, masks := a.Row(u)
	i, _ = slices.BinarySearch(to, v)
	for ; i < len(to) && to[i] == v; i++ {
		if m := maskAt(masks, i); m >= mask {
			return i, m == mask
		}
	}
	return i, false
}

func maskAt(masks []uint32, i int) uint32 {
	if masks == nil {
		return 1
	}
	return masks[i]
}

func (a *Arcs) mine(u uint32) row {
	r, changed := a.own[u]
	if changed {
		return r
	}
	to, masks := a.base.Row(u)
	if masks == nil {
		return row{slices.Clone(to), slices.Repeat([]uint32{1}, len(to))}
	}
	return row{slices.Clone(to), slices.Clone(masks)}
}

func (a *Arcs) put(u, v, mask uint32) {
	i, _ := a.find(u, v, mask)
	r := a.mine(u)
	a.own[u] = row{slices.Insert(r.to, i, v), slices.Insert(r.masks, i, mask)}
}

func (a *Arcs) cut(u, v, mask uint32) {
	i, _ := a.find(u, v, mask)
	r := a.mine(u)
	a.own[u] = row{slices.Delete(r.to, i, i+1), slices.Delete(r.masks, i, i+1)}
}

// same counts arcs from u to v of the kinds that the filter allows.
func (a *Arcs) same(u, v, filter uint32) (n int) {
	to, masks := a.Row(u)
	for i, _ := slices.BinarySearch(to, v); i < len(to) && to[i] == v; i++ {
		if maskAt(masks, i)&filter != 0 {
			n++
		}
	}
	return n
}

// journal takes changes back.
type journal struct{ undo []func() }

// Undo takes back all since Begin, the last first.
func (l *journal) Undo() {
	for i := len(l.undo) - 1; i >= 0; i-- {
		l.undo[i]()
	}
	l.undo = l.undo[:0]
}

// Then has Undo do more.
func (l *journal) Then(undo func()) { l.undo = append(l.undo, undo) }

// set changes a word.
func (l *journal) set(of *[]uint32, i, x uint32) {
	if old := (*of)[i]; old != x {
		l.Then(func() { (*of)[i] = old })
		(*of)[i] = x
	}
}

// sum adds to one of the sums.
func (l *journal) sum(of *int, n int) {
	*of += n
	l.Then(func() { *of -= n })
}

// Keep ends what can be taken back.
func (l *journal) Keep() { l.undo = nil }
