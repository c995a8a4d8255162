package graph

import (
	"context"
	"slices"
	"sync/atomic"
)

// emit takes one arc.
type emit func(from, to, mask uint32)

// made yields the arcs of a portion of a graph, in any order and the same ones each time. Portions may be asked for at the same
// time; all of them are the graph.
type made func(portion, emit)

// whole is what is made in one piece.
func whole(arcs func(*polls, emit)) made {
	return func(part portion, emit emit) {
		if part.number == 0 {
			arcs(part.polls, emit)
		}
	}
}

// build makes a graph of n nodes from what yields its arcs, at most so many. They are yielded twice: to count rows, and to place
// targets. Nothing but the graph itself is held, beside one row a core while rows are sorted. Places in a row are taken in any
// order, but a sorted row has only one.
func build(ctx context.Context, n uint32, most uint64, masked bool, arcs made) (*CSR, error) {
	degrees := make([]uint32, uint64(n)+1)
	if err := portions(ctx, most, func(p portion) {
		arcs(p, func(from, _, _ uint32) { p.count(&degrees[from]) })
	}); err != nil {
		return nil, err
	}
	g := &CSR{rows: newOffsets(degrees)}
	rows, total := &g.rows, g.rows.at(int(n))
	g.targets = make([]uint32, total)
	targets := g.targets
	if masked {
		g.masks = make([]uint32, total)
	}
	masks := g.masks
	if err := portions(ctx, most, func(p portion) {
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
func (p portion) count(number *uint32) {
	if p.parts > 1 {
		atomic.AddUint32(number, 1)
		return
	}
	*number++
}

// sortRows makes rows ascend by target, then by mask. Rows that do are left alone.
func (g *CSR) sortRows(ctx context.Context) error {
	return portions(ctx, uint64(g.Arcs()), func(p portion) {
		for u, last := p.of(uint64(g.Nodes())); u < last && !p.ended(); u++ {
			g.sortRow(uint32(u), p.kept)
		}
	})
}

// sortRow sorts one row. Its keys need memory, which is kept for the next one.
func (g *CSR) sortRow(u uint32, row *[]uint64) {
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
