package cpu

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/graph/flow"
)

// Fixpoint moves facts along arcs of some kinds, and joins those that meet at a node, until nothing changes or so many rounds
// are over: then it is not settled. The nodes listed first, or all, are those whose facts may have something to say. Weights
// stand beside the arcs, or are nil if all are 1.
//
// Errors: slices of other lengths; an along or a join that panics; a context that ends. After one facts are worth nothing.
func Fixpoint[T flow.Word](ctx context.Context, e *Engine, along func(T, flow.Arc) T, join func(a, b T) T, weights []uint32, filter uint32, first []uint32, all bool, facts []T, most uint32) (s Stats, settled bool, err error) {
	if err := e.mayStart(ctx, "fixpoint"); err != nil {
		return Stats{}, false, err
	}
	if err := e.check(first, len(facts), e.g.nodes(), "facts"); err != nil {
		return Stats{}, false, err
	}
	if weights != nil && len(weights) != len(e.g.Targets) {
		return Stats{}, false, fmt.Errorf("graph: %d weights for %d arcs", len(weights), len(e.g.Targets))
	}
	e.begin()
	defer e.end(&err)
	r := e.newRounds(first, all)
	var failed atomic.Pointer[error]
	visit := func(u uint32) {
		for k, last := e.g.row(u); k < last; k++ {
			if !e.g.allowed(k, filter) {
				continue
			}
			a := flow.Arc{From: u, To: e.g.Targets[k], Mask: 1, Weight: 1}
			if e.g.Masks != nil {
				a.Mask = e.g.Masks[k]
			}
			if weights != nil {
				a.Weight = weights[k]
			}
			if meet(&facts[a.To], along(load(&facts[u]), a), join) {
				r.push(a.To)
			}
		}
	}
	settled, err = r.run(ctx, most, func(u uint32) {
		if failed.Load() != nil {
			return // the rest of the list is given up, and lists nothing
		}
		defer func() {
			if p := recover(); p != nil {
				err := fmt.Errorf("graph: the fixpoint's method panicked at node %d: %v\n%s", u, p, debug.Stack())
				failed.CompareAndSwap(nil, &err)
			}
		}()
		visit(u)
	})
	if p := failed.Load(); p != nil {
		err = *p
	}
	return r.stats, settled && err == nil, err
}

// meet joins x to a fact, and reports whether that changed it.
func meet[T flow.Word](fact *T, x T, join func(a, b T) T) bool {
	for {
		old := load(fact)
		joined := join(old, x)
		if joined == old {
			return false
		}
		if swap(fact, old, joined) {
			return true
		}
	}
}

// load and swap are atomic, since other workers join to the same facts. A Word has 4 bytes or 8, and is aligned so in a slice
// of its own.
func load[T flow.Word](p *T) T {
	if unsafe.Sizeof(*p) == 4 {
		return T(atomic.LoadUint32((*uint32)(unsafe.Pointer(p))))
	}
	return T(atomic.LoadUint64((*uint64)(unsafe.Pointer(p))))
}

func swap[T flow.Word](p *T, old, x T) bool {
	if unsafe.Sizeof(*p) == 4 {
		return atomic.CompareAndSwapUint32((*uint32)(unsafe.Pointer(p)), uint32(old), uint32(x))
	}
	return atomic.CompareAndSwapUint64((*uint64)(unsafe.Pointer(p)), uint64(old), uint64(x))
}
