package cpu

import (
	"context"
	"fmt"
	"sync/atomic"
)

// sampled is of how many nodes the most frequent label is taken for that of the largest component.
const sampled = 1024

// union links nodes that an arc joins: a forest in which every node points to one that is not greater.
type union struct {
	*Engine
	label  []uint32
	filter uint32 // of masks; 0 if all arcs are allowed
	deal   chunks
	team   *team
}

// Components writes a label for every node: the smallest node of its weak component, which is what arcs that the filter allows
// join, whichever way they go. The slice has as many elements as there are nodes. O(nodes + arcs) but for paths that are
// shortened in passing.
//
// Errors: a slice of another length; a context that ends, after which the labels are worth nothing.
func (e *Engine) Components(ctx context.Context, filter uint32, label []uint32) error {
	if len(label) != e.g.nodes() {
		return fmt.Errorf("graph: %d labels for a graph of %d nodes", len(label), e.g.nodes())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.g.Masks == nil && filter&1 == 0 { // every mask is 1
		for v := range label {
			label[v] = uint32(v)
		}
		return nil
	}
	u := &union{Engine: e, label: label}
	if e.g.Masks != nil && filter != None {
		u.filter = filter
	}
	workers := e.workers
	if len(e.g.Targets) < e.sharedNodes {
		workers = 1
	}
	u.team = newTeam(workers)
	defer u.team.close()
	return u.run(ctx)
}

func (u *union) run(ctx context.Context) error {
	u.each(ctx, func(from, to uint32) {
		for v := from; v < to; v++ {
			u.label[v] = v
		}
	})
	// The first two arcs of each row, with paths made short in between, join nearly all of what is joined. First and last would
	// be one link seen from both ends, where nodes are numbered along lines.
	for k := range uint32(2) {
		u.each(ctx, func(from, to uint32) {
			for v := from; v < to; v++ {
				u.joinArc(v, u.g.Offsets[v]+k)
			}
		})
		u.each(ctx, u.shorten)
	}
	largest := uint32(None)
	if u.both {
		largest = u.largest()
	}
	u.each(ctx, func(from, to uint32) { u.joinRest(from, to, largest) })
	u.each(ctx, u.shorten)
	return context.Cause(ctx)
}

// joinRest joins nodes with the ends of their other arcs, and where the reverse is known of those that come to them: the
// nodes with the label largest are left out then, since the other end of an arc looks at it, if that is elsewhere.
func (u *union) joinRest(from, to, largest uint32) {
	for v := from; v < to; v++ {
		if u.both && atomic.LoadUint32(&u.label[v]) == largest {
			continue
		}
		for k := u.g.Offsets[v] + 2; k < u.g.Offsets[v+1]; k++ {
			u.joinArc(v, k)
		}
		if !u.both {
			continue
		}
		begin, end := u.back.Offsets[v], u.back.Offsets[v+1]
		for k, w := range u.back.Targets[begin:end] {
			if u.filter == 0 || u.back.Masks[begin+uint32(k)]&u.filter != 0 {
				u.join(v, w)
			}
		}
	}
}

// each calls do for stretches of the nodes, all workers together, unless the context has ended.
func (u *union) each(ctx context.Context, do func(from, to uint32)) {
	u.deal.reset(len(u.label), 1<<12)
	u.team.do(func(int) {
		for from, to, ok := u.deal.take(); ok && ctx.Err() == nil; from, to, ok = u.deal.take() {
			do(uint32(from), uint32(to))
		}
	})
}

// joinArc joins v with the end of an arc, if the row of v has it and it is allowed.
func (u *union) joinArc(v, arc uint32) {
	if arc >= u.g.Offsets[v] && arc < u.g.Offsets[v+1] && (u.filter == 0 || u.g.Masks[arc]&u.filter != 0) {
		u.join(v, u.g.Targets[arc])
	}
}

// join makes one component of two: the greater root points to the smaller one. Who finds that another worker was faster goes
// on from where that left it.
func (u *union) join(v, w uint32) {
	a, b := atomic.LoadUint32(&u.label[v]), atomic.LoadUint32(&u.label[w])
	for a != b {
		high, low := max(a, b), min(a, b)
		up := atomic.LoadUint32(&u.label[high])
		if up == low || up == high && atomic.CompareAndSwapUint32(&u.label[high], high, low) {
			return
		}
		a, b = atomic.LoadUint32(&u.label[atomic.LoadUint32(&u.label[high])]), atomic.LoadUint32(&u.label[low])
	}
}

// shorten makes nodes point to their roots.
func (u *union) shorten(from, to uint32) {
	for v := from; v < to; v++ {
		up := atomic.LoadUint32(&u.label[v])
		root := atomic.LoadUint32(&u.label[up])
		if up == root {
			continue
		}
		for above := atomic.LoadUint32(&u.label[root]); above != root; above = atomic.LoadUint32(&u.label[root]) {
			root = above
		}
		atomic.StoreUint32(&u.label[v], root)
	}
}

// largest is the most frequent label of some nodes that stand anywhere.
func (u *union) largest() uint32 {
	n := uint64(len(u.label))
	if n == 0 {
		return None
	}
	count, best := make(map[uint32]int, sampled), uint32(None)
	for k := range uint64(sampled) {
		l := u.label[(k*0x9E3779B97F4A7C15>>1)%n]
		if count[l]++; count[l] > count[best] || best == None {
			best = l
		}
	}
	return best
}
