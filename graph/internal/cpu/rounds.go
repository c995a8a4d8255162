package cpu

import (
	"context"
	"sync/atomic"
)

// rounds goes over nodes until there are none: those of a list at first, then those that the nodes of the list before have
// listed, each once. Short lists are walked by the caller alone, longer ones by all workers.
type rounds struct {
	*Engine
	list, next []uint32
	tail       atomic.Int64 // of next
	mark       []uint32     // of a node: one more than the last round whose list it is in
	now        uint32       // the round, from 0 on
	deal       chunks
	stats      Stats
}

// newRounds begins with a list of different nodes, or with all.
func (e *Engine) newRounds(first []uint32, all bool) *rounds {
	n := e.g.nodes()
	r := &rounds{Engine: e, list: make([]uint32, n), next: make([]uint32, n), mark: make([]uint32, n)}
	if all {
		for v := range r.list {
			r.list[v] = uint32(v)
		}
		return r
	}
	r.list = r.list[:copy(r.list, first)]
	return r
}

// run calls visit for each node of each list, and reports whether the last one was empty, after at most so many rounds. Several
// workers call it at the same time; it lists nodes.
func (r *rounds) run(ctx context.Context, most uint32, visit func(u uint32)) (settled bool, err error) {
	share := func(int) {
		for from, to, ok := r.deal.take(); ok; from, to, ok = r.deal.take() {
			for _, u := range r.list[from:to] {
				visit(u)
			}
		}
	}
	for ; len(r.list) > 0 && r.now < most; r.now++ {
		if r.stats.Rounds%askedAgain == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		r.next = r.next[:cap(r.next)]
		r.tail.Store(0)
		r.deal.reset(len(r.list), chunkNodes)
		if r.workers > 1 && len(r.list) >= r.sharedNodes {
			r.team.do(r.others(len(r.list)), share)
			r.stats.Shared++
		} else {
			share(0)
		}
		r.stats.Rounds++
		r.list, r.next = r.next[:r.tail.Load()], r.list
	}
	return len(r.list) == 0, nil
}

// push lists a node for the next round, unless it is.
func (r *rounds) push(v uint32) {
	if old := atomic.LoadUint32(&r.mark[v]); old != r.now+1 && atomic.CompareAndSwapUint32(&r.mark[v], old, r.now+1) {
		r.next[r.tail.Add(1)-1] = v
	}
}
