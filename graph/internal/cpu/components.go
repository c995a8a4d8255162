package cpu

import (
	"context"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// sampled is of how many nodes the most frequent label is taken for that of the largest component.
const sampled = 1024

// manyArcs a node, and the index is worth more than its first two arcs.
const manyArcs = 8

// union links nodes that an arc joins: a forest in which every node points to one that is not greater.
type union struct {
	*Engine
	label  []uint32
	filter uint32 // of masks; 0 if all arcs are allowed
	deal   chunks
}

// Components writes a label for every node: the smallest node of its weak component, which is what arcs that the filter allows
// join, whichever way they go. The slice has as many elements as there are nodes. O(nodes + arcs) but for paths that are
// shortened in passing.
//
// Errors: a slice of another length; a context that ends, after which the labels are worth nothing.
func (e *Engine) Components(ctx context.Context, filter uint32, label []uint32) (err error) {
	if err := e.mayStart(ctx, "components"); err != nil {
		return err
	}
	if len(label) != e.g.nodes() {
		return fmt.Errorf("graph: %d labels for a graph of %d nodes", len(label), e.g.nodes())
	}
	e.begin()
	defer e.end(&err)
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
	return u.run(ctx)
}

func (u *union) run(ctx context.Context) error {
	if u.greatest != nil && u.filter == 0 && len(u.g.Targets) >= manyArcs*len(u.label) {
		return u.runIndexed(ctx)
	}
	u.each(ctx, u.hook)
	u.each(ctx, u.shorten)
	// The second arc of each row joins nearly all of what the first has not. The last would be the first seen from its other
	// end, where nodes are numbered along lines.
	u.each(ctx, u.joinSecond)
	u.each(ctx, u.shorten)
	largest, joined := uint32(None), uint64(2)
	if u.both {
		largest = u.largest()
	}
	if u.symmetric() {
		joined = 0 // of the first two, only those with smaller ends
	}
	u.each(ctx, func(from, to uint32) { u.joinRest(from, to, joined, largest) })
	u.each(ctx, u.shorten)
	return ctx.Err()
}

// runIndexed joins every node with the one of most arcs that an arc comes from, and so nearly all, without a look at the rows.
func (u *union) runIndexed(ctx context.Context) error {
	u.each(ctx, func(from, to uint32) {
		for v := from; v < to; v++ {
			u.label[v] = v
		}
	})
	u.each(ctx, func(from, to uint32) {
		for v := from; v < to; v++ {
			if u.linked[v/64]>>(v%64)&1 != 0 {
				u.join(v, u.greatest[v])
			}
		}
	})
	u.each(ctx, u.shorten)
	largest := u.largest()
	u.each(ctx, func(from, to uint32) { u.joinRest(from, to, 0, largest) })
	u.each(ctx, u.shorten)
	return ctx.Err()
}

// hook makes every node point to the end of its first arc, if that is smaller: rows ascend, so that no other is, and nobody
// else writes there. Nodes whose first arc is not that way, or is not allowed, begin as roots.
func (u *union) hook(from, to uint32) {
	label, targets := u.label, u.g.Targets
	for v := from; v < to; v++ {
		up := v
		if first, last := u.g.row(v); first < last && (u.filter == 0 || u.g.Masks[first]&u.filter != 0) {
			up = min(up, targets[first])
		}
		label[v] = up
	}
}

// joinSecond joins nodes with the end of their second arc, and of the first where that was not smaller. Where every arc has one
// back, only with smaller ends: the others are joined from there.
func (u *union) joinSecond(from, to uint32) {
	targets, symmetric := u.g.Targets, u.symmetric()
	for v := from; v < to; v++ {
		first, last := u.g.row(v)
		if !symmetric && first < last && targets[first] > v {
			u.joinArc(v, first)
		}
		if second := first + 1; second < last && (!symmetric || targets[second] < v) && (u.filter == 0 || u.g.Masks[second]&u.filter != 0) {
			u.join(v, targets[second])
		}
	}
}

// symmetric reports whether the graph is its own reverse.
func (u *union) symmetric() bool {
	return u.both && unsafe.SliceData(u.g.Offsets) == unsafe.SliceData(u.back.Offsets) && unsafe.SliceData(u.g.Wide) == unsafe.SliceData(u.back.Wide)
}

// joinRest joins nodes with the ends of their arcs but the first ones, and where the reverse is another graph of those that come to them.
// The nodes with the label largest are left out, where the reverse is known: the other end of an arc looks at it, if that is
// elsewhere.
func (u *union) joinRest(from, to uint32, skipped uint64, largest uint32) {
	label, symmetric := u.label, u.symmetric()
	for v := from; v < to; v++ {
		if u.both && atomic.LoadUint32(&label[v]) == largest {
			continue
		}
		first, last := u.g.row(v)
		for k := first + skipped; k < last; k++ {
			u.joinArc(v, k)
		}
		if !u.both || symmetric {
			continue
		}
		begin, end := u.back.row(v)
		for k, w := range u.back.Targets[begin:end] {
			if u.filter == 0 || u.back.Masks[begin+uint64(k)]&u.filter != 0 {
				u.join(v, w)
			}
		}
	}
}

// each calls do for stretches of the nodes, all workers together, unless the context has ended.
func (u *union) each(ctx context.Context, do func(from, to uint32)) {
	u.deal.reset(len(u.label), 1<<12)
	u.team.do(len(u.g.Targets)/u.sharedNodes, func(int) {
		for from, to, ok := u.deal.take(); ok && ctx.Err() == nil; from, to, ok = u.deal.take() {
			do(uint32(from), uint32(to))
		}
	})
}

// joinArc joins v with the end of an arc of its row, if that is allowed.
func (u *union) joinArc(v uint32, arc uint64) {
	if u.filter == 0 || u.g.Masks[arc]&u.filter != 0 {
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
