package interp

import "github.com/govyre/vyre/ir"

// A load that may be stale gives, under a schedule that is drawn, now and then what the element held before another
// group wrote it: at the last barrier of the grid, or when the launch began. Other schedules give what is there. A
// program with orders other than relaxed, or with barriers of first groups, may have ordered the write before the load,
// so it gets what is there, too.

// element names an element of a buffer.
type element struct {
	obj uint32
	i   uint64
}

// past is what an element held before it was first written since the last barrier of the grid.
type past struct {
	bits   uint64
	writer uint64 // the group that has written it
	many   bool   // more than one has
}

// resetPast prepares the worker for a launch.
func (x *worker) resetPast() {
	x.past = nil
	if x.k.stale != nil && x.o.Schedule.order == drawn && !x.k.p.Traits().Ordered && !x.k.firsts {
		x.past = make(map[element]past)
	}
}

// overwritten notes that group g writes an element that holds old.
func (x *worker) overwritten(g *group, obj uint32, i, old uint64) {
	if !x.k.stale[obj] {
		return
	}
	at := element{obj, i}
	p, ok := x.past[at]
	if !ok {
		p = past{bits: old, writer: g.id}
	}
	p.many = p.many || p.writer != g.id
	x.past[at] = p
}

// staleOr returns what a load of group g that may be stale gives of an element that holds now.
func (x *worker) staleOr(g *group, obj uint32, i, now uint64) uint64 {
	if p, ok := x.past[element{obj, i}]; ok && !p.many && p.writer != g.id && x.draw(2) == 0 {
		return p.bits
	}
	return now
}

// staleObjects says which objects are read by loads that may be stale; nil if none is.
func staleObjects(p *ir.Program) (list []bool) {
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) == ir.OpLoadStale {
			if list == nil {
				list = make([]bool, len(p.Objects()))
			}
			list[p.X(r)] = true
		}
	}
	return list
}
