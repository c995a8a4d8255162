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
		if h.objects[o].flags&isWritten != 0 {
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
	e.node = make([]uint32, 3*len(h.objects))
	of := make([][]int32, len(e.procs))
	for o := range h.objects {
		if at := h.objects[o]; at.up == int32(o) {
			of[at.proc] = append(of[at.proc], int32(o))
		}
	}
	for q, list := range of {
		for _, o := range list {
			flags := h.objects[o].flags
			for w := itself; w <= into; w++ {
				if w == itself || w == all && flags&isRead != 0 || w == into && flags&isWritten != 0 {
					e.node[3*int(o)+int(w)] = uint32(len(e.nodes))
					e.nodes = append(e.nodes, owner{o, w, int32(q)})
				}
			}
		}
	}
}

// id returns the node of an object that may have become another.
func (e *emitted) id(o int32, w face) uint32 { return e.node[3*int(e.heap.find(o))+int(w)] }

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

// inside makes the arcs that bodies have, and those between objects and their parts.
func (e *emitted) inside() {
	h := e.heap
	for i := range h.arcs {
		b := &h.arcs[i]
		for k, from := range b.From {
			to := b.To[k]
			e.arc(e.id(int32(from/3), face(from%3)), e.id(int32(to/3), face(to%3)), b.Masks[k], noSite)
			e.changed[h.find(int32(to/3))] = true
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
		if at.flags&isRead != 0 {
			e.arc(e.id(o, itself), e.id(o, all), graph.KindAssign, noSite)
		}
		if at.flags&isWritten != 0 {
			e.arc(e.id(o, into), e.id(o, itself), graph.KindAssign, noSite)
		}
		for p := at.parts; p != 0; p = h.parts[p].next {
			part := h.parts[p].of
			if at.flags&isRead != 0 {
				e.arc(e.id(part, all), e.id(o, all), graph.KindField, noSite)
			}
			if at.flags&isWritten != 0 {
				e.arc(e.id(o, into), e.id(part, into), graph.KindField, noSite)
			}
		}
	}
}

// bound makes the arcs of a pair: into the procedure, and back.
func (e *emitted) bound(s *site, b bound) {
	h := e.heap
	if 3*int(max(b.formal, b.actual)) >= len(e.node) { // nobody has asked for it until now: a result that is not used
		return
	}
	flags := h.objects[b.formal].flags & h.objects[b.actual].flags // a flat heap does not mark what calls pass
	forth, back, number := graph.KindArgument|s.mask, graph.KindReturn, s.number
	if h.objects[b.formal].proc == shared || h.objects[b.actual].proc == shared {
		forth, back, number = graph.KindAlias, graph.KindAlias, noSite
	}
	if b.way&inward != 0 {
		e.arc(e.id(b.actual, itself), e.id(b.formal, itself), forth, number)
		if flags&isRead != 0 {
			e.arc(e.id(b.actual, all), e.id(b.formal, all), forth, number)
		}
	}
	if b.way&outward != 0 && (h.flat || e.changed[h.find(b.formal)]) {
		e.arc(e.id(b.formal, itself), e.id(b.actual, itself), back, number)
		if flags&isWritten != 0 {
			e.arc(e.id(b.formal, into), e.id(b.actual, into), back, number)
		}
	}
}
