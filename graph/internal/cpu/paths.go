package cpu

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"
)

// Far is the distance of a node that is not reached.
const Far = math.MaxUint64

// Paths writes for each node the least sum of weights of allowed arcs from a seed to it. Nodes nearer than a limit
// are in lists, the others in a set of bits; each time the lists are empty the limit moves a step beyond the least of
// the set.
//
// Errors: those of Levels; slices of other lengths.
func (e *Engine) Paths(ctx context.Context, seeds []uint32, filter uint32, weights []uint32, step uint64, distance []uint64) (s Stats, err error) {
	if err := e.mayStart(ctx, "paths"); err != nil {
		return Stats{}, err
	}
	if err := e.check(seeds, len(distance), e.g.nodes(), "distances"); err != nil {
		return Stats{}, err
	}
	if len(weights) != len(e.g.Targets) {
		return Stats{}, fmt.Errorf("graph: %d weights for %d arcs", len(weights), len(e.g.Targets))
	}
	e.begin()
	defer e.end(&err)
	for v := range distance {
		distance[v] = Far
	}
	r, far, limit := e.newRounds(nil, false), make([]uint64, (len(distance)+63)/64), step
	for _, v := range seeds {
		if distance[v] != 0 {
			distance[v] = 0
			r.list = append(r.list, v)
		}
	}
	for {
		_, err := r.run(ctx, math.MaxUint32, func(u uint32) {
			for k, last := e.g.row(u); k < last; k++ {
				if !e.g.allowed(k, filter) {
					continue
				}
				v, x := e.g.Targets[k], atomic.LoadUint64(&distance[u])+uint64(weights[k])
				switch {
				case !lower(&distance[v], x):
				case x < limit:
					r.push(v)
				default:
					atomic.OrUint64(&far[v/64], 1<<(v%64))
				}
			}
		})
		if err != nil {
			return r.stats, err
		}
		least := uint64(Far)
		eachOf(far, func(v uint32) {
			if d := distance[v]; d < limit { // it was in a list since
				far[v/64] &^= 1 << (v % 64)
			} else {
				least = min(least, d)
			}
		})
		if least == Far {
			break
		}
		if limit = least + step; limit < least {
			limit = Far
		}
		r.list = r.list[:0]
		eachOf(far, func(v uint32) {
			if distance[v] < limit {
				far[v/64] &^= 1 << (v % 64)
				r.list = append(r.list, v)
			}
		})
	}
	for _, d := range distance {
		if d != Far {
			r.stats.Reached++
		}
	}
	return r.stats, nil
}

// lower makes a word no greater than x, and reports whether it was.
func lower[T uint32 | uint64](p *T, x T) bool {
	for {
		old := load(p)
		if old <= x {
			return false
		}
		if swap(p, old, x) {
			return true
		}
	}
}

// eachOf calls f for each node of a set.
func eachOf(set []uint64, f func(v uint32)) {
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			f(uint32(64*i + bits.TrailingZeros64(w)))
		}
	}
}

// PathParents writes the node before each one on a shortest path: the least that is nearer; if there is none, the
// least that is as near and, along arcs of weight 0, one arc closer to a node that has such a parent or is a seed.
// None are those of seeds and of nodes that are not reached. The distances are those of Paths for the same question.
//
// Errors: those of Paths.
func (e *Engine) PathParents(ctx context.Context, seeds []uint32, filter uint32, weights []uint32, distance []uint64, parent []uint32) (err error) {
	if err := e.mayStart(ctx, "parents"); err != nil {
		return err
	}
	if err := e.check(seeds, len(distance), len(parent), "distances"); err != nil {
		return err
	}
	e.begin()
	defer e.end(&err)
	for v := range parent {
		parent[v] = None
	}
	zero := atomic.Bool{}
	last := func(u uint32, f func(v uint32, k uint64)) {
		for k, end := e.g.row(u); k < end; k++ {
			if v := e.g.Targets[k]; distance[v]-distance[u] == uint64(weights[k]) && distance[v] >= distance[u] && distance[u] != Far && e.g.allowed(k, filter) {
				f(v, k)
			}
		}
	}
	r := e.newRounds(nil, true)
	_, err = r.run(ctx, 1, func(u uint32) {
		last(u, func(v uint32, k uint64) {
			if weights[k] != 0 {
				lower(&parent[v], u)
			} else if u != v {
				zero.Store(true)
			}
		})
	})
	if err != nil || !zero.Load() {
		return err
	}
	r = e.newRounds(nil, false)
	hops := make([]uint32, len(parent))
	for v := range hops {
		if hops[v] = None; parent[v] != None {
			hops[v], r.list = 0, append(r.list, uint32(v))
		}
	}
	for _, v := range seeds {
		if hops[v] != 0 {
			hops[v], r.list = 0, append(r.list, v)
		}
	}
	_, err = r.run(ctx, math.MaxUint32, func(u uint32) {
		last(u, func(v uint32, k uint64) {
			if weights[k] != 0 {
				return
			}
			if atomic.CompareAndSwapUint32(&hops[v], None, r.now+1) {
				r.push(v)
			}
			if atomic.LoadUint32(&hops[v]) == r.now+1 {
				lower(&parent[v], u)
			}
		})
	})
	return err
}
