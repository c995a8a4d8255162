package graph

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
)

// New makes a graph of its arrays, which it keeps: they must not be written again. starts are the offsets, one more than there
// are nodes, of 64 bits where 32 do not count the arcs; masks is nil where every arc has mask 1.
//
// Errors: that of the context; the row or the arc that is wrong, with its values.
func New[O uint32 | uint64](ctx context.Context, starts []O, targets, masks []uint32) (*CSR, error) {
	if err := errOf(ctx, "check"); err != nil {
		return nil, err
	}
	g := &CSR{arrays: arrays{targets: targets, masks: masks}}
	switch o := any(starts).(type) {
	case []uint32:
		g.rows.narrow = o
	case []uint64:
		g.rows.wide = o
	}
	p := &polls{ctx: ctx}
	switch err := g.check(p); {
	case p.end:
		return nil, errOf(ctx, "check")
	case err != nil:
		return nil, err
	}
	g.rows = g.rows.settled()
	g.dropEqualMasks()
	return g, nil
}

// Emit takes one arc.
type Emit func(from, to, mask uint32)

// FromFunc makes a graph of n nodes from a function that yields its arcs, at most so many. Each portion of the work has some of
// them, in any order and the same ones each time; several portions are asked for at the same time, and all of them are the graph.
// Arcs are yielded twice: to count rows, and to place targets. Nothing but the graph itself is held, beside one row a core while
// rows are sorted. Without masked all masks are 1.
//
// Errors: an arc with an end that is no node; that of the context.
func FromFunc(ctx context.Context, n uint32, most uint64, masked bool, arcs func(Portion, Emit)) (*CSR, error) {
	degrees := make([]uint32, uint64(n)+1)
	var wrong atomic.Pointer[error]
	if err := portions(ctx, most, func(p Portion) {
		arcs(p, func(from, to, _ uint32) {
			if from >= n || to >= n {
				err := fmt.Errorf("graph: arc %d → %d: there are %d nodes, which count from 0", from, to, n)
				wrong.CompareAndSwap(nil, &err)
				return
			}
			p.count(&degrees[from])
		})
	}); err != nil {
		return nil, err
	}
	if err := wrong.Load(); err != nil {
		return nil, *err
	}
	g := &CSR{arrays: arrays{rows: newOffsets(degrees)}}
	rows, total := &g.rows, g.rows.at(int(n))
	g.targets = make([]uint32, total)
	targets := g.targets
	if masked {
		g.masks = make([]uint32, total)
	}
	masks := g.masks
	if err := portions(ctx, most, func(p Portion) {
		if masks == nil {
			arcs(p, func(from, to, _ uint32) { targets[rows.take(p, from)] = to })
			return
		}
		arcs(p, func(from, to, mask uint32) {
			at := rows.take(p, from)
			targets[at], masks[at] = to, mask
		})
	}); err != nil {
		return nil, err
	}
	rows.filled()
	if err := g.sortRows(ctx); err != nil {
		return nil, err
	}
	g.dropEqualMasks()
	return g, nil
}

// count adds 1 to a number. A portion that is all of the work has nobody beside it.
func (p Portion) count(number *uint32) {
	if p.parts > 1 {
		atomic.AddUint32(number, 1)
		return
	}
	*number++
}

// sortRows makes rows ascend by target, then by mask. Rows that do are left alone.
func (g *arrays) sortRows(ctx context.Context) error {
	return portions(ctx, uint64(g.Arcs()), func(p Portion) {
		for u, last := p.Of(uint64(g.Nodes())); u < last && !p.Ended(); u++ {
			g.sortRow(uint32(u), p.kept)
		}
	})
}

// sortRow sorts one row. Its keys need memory, which is kept for the next one.
func (g *arrays) sortRow(u uint32, row *[]uint64) {
	targets, masks := g.row(u)
	if masks == nil {
		if !slices.IsSorted(targets) {
			slices.Sort(targets)
		}
		return
	}
	keys := slices.Grow((*row)[:0], len(targets))
	for i, v := range targets {
		keys = append(keys, uint64(v)<<32|uint64(masks[i]))
	}
	*row = keys
	if slices.IsSorted(keys) {
		return
	}
	slices.Sort(keys)
	for i, k := range keys {
		targets[i], masks[i] = uint32(k>>32), uint32(k)
	}
}
