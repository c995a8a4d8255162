package graph

import (
	"fmt"
	"slices"
)

// emit takes one arc.
type emit func(from, to, mask uint32)

// build makes a graph of n nodes from a function that yields its arcs, in any order and the same ones each time. It
// yields them twice: to count rows, and to place targets. Nothing but the graph itself is held, beside one row while
// it is sorted.
func build(n uint32, masked bool, arcs func(emit)) (*CSR, error) {
	offsets := make([]uint32, uint64(n)+1)
	arcs(func(from, _, _ uint32) { offsets[from]++ })
	total := startRows(offsets)
	if total > MaxArcs {
		return nil, fmt.Errorf("%d arcs, offsets of 32 bits count at most %d", total, uint64(MaxArcs))
	}
	g := &CSR{offsets: offsets, targets: make([]uint32, total)}
	targets := g.targets
	if masked {
		g.masks = make([]uint32, total)
		masks := g.masks
		arcs(func(from, to, mask uint32) {
			at := offsets[from]
			offsets[from]++
			targets[at], masks[at] = to, mask
		})
	} else {
		arcs(func(from, to, _ uint32) {
			targets[offsets[from]] = to
			offsets[from]++
		})
	}
	// Every offset has moved to the end of its row, where the next one starts.
	copy(offsets[1:], offsets)
	offsets[0] = 0
	g.sortRows()
	g.dropEqualMasks()
	return g, nil
}

// startRows turns the degrees of nodes into the starts of their rows, and returns the number of arcs. The last entry,
// which has no degree, gets that number.
func startRows(degrees []uint32) uint64 {
	var total uint64
	for i, d := range degrees {
		degrees[i] = uint32(total)
		total += uint64(d)
	}
	return total
}

// sortRows makes rows ascend by target, then by mask. Rows that do are left alone.
func (g *CSR) sortRows() {
	var keys []uint64 // of one row
	if g.masks != nil {
		keys = make([]uint64, 0, g.maxDegree())
	}
	for u := range g.Nodes() {
		targets, masks := g.Row(uint32(u))
		if masks == nil {
			if !slices.IsSorted(targets) {
				slices.Sort(targets)
			}
			continue
		}
		keys = keys[:0]
		for i, v := range targets {
			keys = append(keys, uint64(v)<<32|uint64(masks[i]))
		}
		if slices.IsSorted(keys) {
			continue
		}
		slices.Sort(keys)
		for i, k := range keys {
			targets[i], masks[i] = uint32(k>>32), uint32(k)
		}
	}
}

func (g *CSR) maxDegree() (most uint32) {
	for u := range g.Nodes() {
		most = max(most, g.offsets[u+1]-g.offsets[u])
	}
	return most
}
