// Package turned says by other means in which direction rounds of a search go.
package turned

import (
	"slices"

	"github.com/govyre/vyre/graph"
)

// Search is what a search for levels does that turns on arcs: F or B for each round, which go forward and backward, and how many
// arcs it looks at, backward four at a time. forward and scan are costs (see arcs.Turn of package megakernel).
func Search(g, reverse *graph.CSR, seeds []uint32, kinds uint32, forward, scan uint64) (rounds string, looked uint64) {
	n, m := uint64(g.Nodes()), uint64(g.Arcs())
	found, degree := make([]bool, n), func(g *graph.CSR, v uint32) uint64 { return uint64(g.Offsets()[v+1] - g.Offsets()[v]) }
	open, left := n, m
	for v := range uint32(n) {
		if degree(reverse, v) == 0 {
			open--
		}
	}
	var list []uint32
	for _, v := range seeds {
		if !found[v] {
			found[v] = true
			list = append(list, v)
		}
	}
	in, allowed := make([]bool, n), func(masks []uint32, k int) bool {
		return masks == nil && kinds&1 != 0 || masks != nil && masks[k]&kinds != 0
	}
	for len(list) > 0 {
		var front, looks uint64
		for _, v := range list {
			front += degree(g, v)
			if degree(reverse, v) > 0 {
				open--
			}
		}
		if left -= front; front > 0 {
			looks = min(left, open*min(m/front, 1<<31))
		}
		var next []uint32
		if front > 0 && 4*forward*front > 16*looks+scan*n {
			rounds += "B"
			clear(in)
			for _, v := range list {
				in[v] = true
			}
			for v := range uint32(n) {
				if found[v] {
					continue
				}
				sources, masks := reverse.Row(v)
				for k := 0; k < len(sources); k += 4 {
					some := min(4, len(sources)-k)
					looked += uint64(some)
					if slices.ContainsFunc([]int{0, 1, 2, 3}[:some], func(i int) bool { return in[sources[k+i]] && allowed(masks, k+i) }) {
						next = append(next, v)
						break
					}
				}
			}
		} else {
			rounds += "F"
			looked += front
			for _, u := range list {
				targets, masks := g.Row(u)
				for k, v := range targets {
					if !found[v] && allowed(masks, k) {
						found[v] = true
						next = append(next, v)
					}
				}
			}
		}
		for _, v := range next {
			found[v] = true
		}
		list = next
	}
	return rounds, looked
}
