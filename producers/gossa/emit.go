package main

import (
	"context"

	"github.com/govyre/vyre/graph"
)

// emitted is the arcs of a graph, and where its nodes come from.
type emitted struct {
	*flow
	node  []uint32 // of each object and face, or graph.None
	nodes []owner
	arcs  arcBlocks

	changed []bool // of objects, whether something is put there; see findChanged
}

// owner is what a node is.
type owner struct {
	object int32
	face   face
	proc   int32
}

// valuesOf is the arcs of what becomes of values.
func valuesOf(ctx context.Context, p *program, c *calls, r *rules, flat bool) (*emitted, error) {
	f, err := flowOf(ctx, p, c, r, flat)
	if err != nil {
		return nil, err
	}
	return f.emit(ctx)
}

// emit numbers nodes by procedure, and makes all arcs.
func (f *flow) emit(ctx context.Context) (*emitted, error) {
	e := &emitted{flow: f}
	e.number()
	e.inside()
	var pairs [][]bound
	if !f.heap.flat { // there, nearly everything changes
		var err error
		if pairs, err = e.pairs(ctx); err != nil {
			return nil, err
		}
		if err := e.findChanged(ctx, pairs); err != nil {
			return nil, err
		}
	}
	for i := range f.sites {
		if i%eachLook == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := &f.sites[i]
		if f.heap.flat {
			f.bind(s, func(b bound) { e.bound(s, b) })
			continue
		}
		for _, b := range pairs[i] {
			e.bound(s, b)
		}
	}
	return e, nil
}

// pairs are what each site binds.
func (e *emitted) pairs(ctx context.Context) ([][]bound, error) {
	all := make([][]bound, len(e.sites))
	for i := range e.sites {
		if i%eachLook == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e.bind(&e.sites[i], func(b bound) { all[i] = append(all[i], b) })
	}
	e.changed = append(e.changed, make([]bool, len(e.heap.objects)-len(e.changed))...) // results that are not used; see bound
	return all, nil
}

// findChanged finds the places into which procedures, or what they call, may put something: only that comes back to callers.
// Others would bring back what another caller has put there, if what they are bound to belongs to no call.
func (e *emitted) findChanged(ctx context.Context, pairs [][]bound) error {
	h := e.heap
	for o := range h.objects {
		if h.objects[o].flags&(isWritten|isFilled|isGiven) != 0 {
			e.changed[o] = true
		}
	}
	order := e.calleesFirst()
	for again := true; again; {
		again = false
		for k, q := range order {
			if k%eachLook == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			for _, s := range e.procs[q].calls {
				for _, b := range pairs[s] {
					formal, actual := h.find(b.formal), h.find(b.actual)
					if b.way&outward != 0 && e.changed[formal] && !e.changed[actual] {
						e.changed[actual], again = true, true
					}
				}
			}
		}
	}
	return nil
}

// number gives every object a node, and two more if somebody reads or writes all of it.
func (e *emitted) number() {
	h := e.heap
	e.changed = make([]bool, len(h.objects))
	e.node = make([]uint32, int(faces)*len(h.objects))
	of := make([][]int32, len(e.procs))
	for o := range h.objects {
		if at := h.objects[o]; at.up == int32(o) {
			of[at.proc] = append(of[at.proc], int32(o))
		}
	}
	for q, list := range of {
		for _, o := range list {
			flags := h.objects[o].flags
			for w := itself; w < faces; w++ {
				if w == itself || flags&faceFlag[w] != 0 {
					e.node[int(faces)*int(o)+int(w)] = uint32(len(e.nodes))
					e.nodes = append(e.nodes, owner{o, w, int32(q)})
				}
			}
		}
	}
}

// faceFlag is the flag of objects that have other faces.
var faceFlag = [faces]uint8{all: isRead, into: isWritten, filled: isFilled, yielded: isYielded, given: isGiven}

// isReading is true of the faces that take a value out of its parts.
func (w face) isReading() bool { return w == all || w == yielded }

// id returns the node of an object that may have become another.
func (e *emitted) id(o int32, w face) uint32 { return e.node[int(faces)*int(e.heap.find(o))+int(w)] }

func (e *emitted) arc(from, to, mask, site uint32) {
	if from == to && site == noSite {
		return
	}
	e.arcs.add(from, to, mask, site)
}

// arcBlocks are arcs in blocks of equal size: what grows would be copied again and again.
type arcBlocks []graph.Block

// mostInBlock is how many arcs a block has; one is a megabyte.
const mostInBlock = 1 << 16

func (a *arcBlocks) add(from, to, mask, site uint32) {
	if len(*a) == 0 || len((*a)[len(*a)-1].From) == mostInBlock {
		room := func() []uint32 { return make([]uint32, 0, mostInBlock) }
		*a = append(*a, graph.Block{From: room(), To: room(), Masks: room(), Sites: room()})
	}
	b := &(*a)[len(*a)-1]
	b.From, b.To, b.Masks, b.Sites = append(b.From, from), append(b.To, to), append(b.Masks, mask), append(b.Sites, site)
}

// ofFace takes what arcs of a heap lead from or to apart.
func ofFace(n uint32) (o int32, w face) { return int32(n / uint32(faces)), face(n % uint32(faces)) }

// inside makes the arcs that bodies have, and those between objects and their parts.
func (e *emitted) inside() {
	h := e.heap
	for i := range h.arcs {
		b := &h.arcs[i]
		for k, from := range b.From {
			to := b.To[k]
			e.arc(e.id(ofFace(from)), e.id(ofFace(to)), b.Masks[k], noSite)
			e.changed[h.find(int32(to/uint32(faces)))] = true
		}
		*b = graph.Block{}
	}
	h.arcs = nil
	for o := range h.objects {
		at := h.objects[o]
		if at.up != int32(o) {
			continue
		}
		o := int32(o)
		for w := all; w < faces; w++ {
			if at.flags&faceFlag[w] != 0 {
				e.face(o, itself, o, w, graph.KindAssign)
			}
		}
		for p := at.parts; p != 0; p = h.parts[p].next {
			flags := h.flagsOf(h.parts[p].key, at.flags)
			for w := all; w < faces; w++ {
				if flags&faceFlag[w] != 0 {
					e.face(h.parts[p].of, w, o, w, graph.KindField)
				}
			}
			if at.flags&isFilled != 0 && h.called[h.parts[p].key] {
				e.filledItself(o, h.parts[p].of)
			}
		}
	}
}

// filledItself makes an arc from what is put into all of an object to a part that is set, with nothing that the program has put into it.
func (e *emitted) filledItself(o, part int32) {
	for _, to := range []int32{part, e.heap.get(part, pointee)} {
		if to != none {
			e.arc(e.id(o, filled), e.id(to, itself), graph.KindField, noSite)
			e.changed[e.heap.find(to)] = true
		}
	}
}

// face makes an arc from a part of an object to it if a face reads, and back if it writes.
func (e *emitted) face(part int32, of face, o int32, w face, mask uint32) {
	from, to := e.id(part, of), e.id(o, w)
	if !w.isReading() {
		from, to = to, from
	}
	e.arc(from, to, mask, noSite)
}

// bound makes the arcs of a pair: into the procedure, and back.
func (e *emitted) bound(s *site, b bound) {
	h := e.heap
	if int(faces)*int(max(b.formal, b.actual)) >= len(e.node) { // it is new: a result that is not used
		return
	}
	flags := h.objects[b.formal].flags & h.objects[b.actual].flags // a flat heap does not mark what calls pass
	forth, back, number := graph.KindArgument|s.mask, graph.KindReturn, s.number
	if h.objects[b.formal].proc == shared || h.objects[b.actual].proc == shared {
		forth, back, number = graph.KindAlias, graph.KindAlias, noSite
	}
	if b.way&inward != 0 {
		e.arc(e.id(b.actual, itself), e.id(b.formal, itself), forth, number)
		for w := all; w < faces; w++ {
			if w.isReading() && flags&faceFlag[w] != 0 {
				e.arc(e.id(b.actual, w), e.id(b.formal, w), forth, number)
			}
		}
	}
	if b.way&outward != 0 && (h.flat || e.changed[h.find(b.formal)]) {
		e.arc(e.id(b.formal, itself), e.id(b.actual, itself), back, number)
		for w := all; w < faces; w++ {
			if !w.isReading() && flags&faceFlag[w] != 0 {
				e.arc(e.id(b.formal, w), e.id(b.actual, w), back, number)
			}
		}
	}
}
