package cpu

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Parents writes for every node that has a level, and not level 0, the smallest node one level above from which an arc leads to
// it that the filter allows; None for all others. The levels are those of a search with the same filter.
//
// Errors: slices of another length than there are nodes; a context that ends, after which what was written is worth nothing.
func (e *Engine) Parents(ctx context.Context, level []uint32, filter uint32, parent []uint32) (err error) {
	if err := e.mayStart(ctx, "parents"); err != nil {
		return err
	}
	if len(level) != e.g.nodes() || len(parent) != e.g.nodes() {
		return fmt.Errorf("graph: %d levels and %d parents for a graph of %d nodes", len(level), len(parent), e.g.nodes())
	}
	e.begin()
	defer e.end(&err)
	for v := range parent {
		parent[v] = None
	}
	each := e.lookUp
	if !e.both {
		each = e.offer
	}
	var deal chunks
	deal.reset(len(parent), 1<<10)
	e.team.do(len(parent)/e.sharedNodes, func(int) {
		for from, to, ok := deal.take(); ok && ctx.Err() == nil; from, to, ok = deal.take() {
			for v := from; v < to; v++ {
				if level[v] != None {
					each(uint32(v), level, filter, parent)
				}
			}
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return nil
}

// lookUp finds the parent of v: the first in its row of the reverse, which ascends.
func (e *Engine) lookUp(v uint32, level []uint32, filter uint32, parent []uint32) {
	if level[v] == 0 {
		return
	}
	for k, last := e.back.row(v); k < last; k++ {
		if u := e.back.Targets[k]; level[u] == level[v]-1 && e.back.allowed(k, filter) {
			parent[v] = u
			return
		}
	}
}

// offer makes u the parent of those it leads to that have none, or a greater one. Others may offer at the same time.
func (e *Engine) offer(u uint32, level []uint32, filter uint32, parent []uint32) {
	for k, last := e.g.row(u); k < last; k++ {
		v := e.g.Targets[k]
		if level[v] != level[u]+1 || !e.g.allowed(k, filter) {
			continue
		}
		for {
			old := atomic.LoadUint32(&parent[v])
			if u >= old || atomic.CompareAndSwapUint32(&parent[v], old, u) {
				break
			}
		}
	}
}
