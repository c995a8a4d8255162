package generate

import (
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/mix"
)

// gridSize counts a grid exactly, and the road in it at most.
func gridSize(p [3]uint64) (nodes, arcs uint64) {
	w, h := p[0], p[1]
	nodes = product(w, h)
	if nodes > graph.MaxNodes {
		return nodes, nodes
	}
	return nodes, 2 * ((w-1)*h + w*(h-1))
}

// links yields the links of a grid that are kept, as an arc each way. right and down say whether a node keeps the
// link to its right, and to the one below.
func links(w, h uint32, right, down func(node uint32) bool) made {
	return func(part graph.Portion, emit graph.Emit) {
		for y, last := part.Of(uint64(h)); y < last; y++ {
			for x := range w {
				if part.Ended() {
					return
				}
				u := uint32(y)*w + x
				if x+1 < w && right(u) {
					emit(u, u+1, 1)
					emit(u+1, u, 1)
				}
				if y+1 < uint64(h) && down(u) {
					emit(u, u+w, 1)
					emit(u+w, u, 1)
				}
			}
		}
	}
}

func gridArcs(p [3]uint64, _ Options) made {
	always := func(uint32) bool { return true }
	return links(uint32(p[0]), uint32(p[1]), always, always)
}

// roadArcs keeps enough links for one giant component, and few enough for detours: 2.4 arcs a node, as in road
// networks.
func roadArcs(p [3]uint64, o Options) made {
	const sevenTenths, half = 12912720851596686131, 1 << 63 // of 2⁶⁴
	return links(uint32(p[0]), uint32(p[1]),
		func(u uint32) bool { return mix.Draw(o.Seed, uint64(u), 0) < sevenTenths },
		func(u uint32) bool { return mix.Draw(o.Seed, uint64(u), 1) < half })
}

func chainArcs(p [3]uint64, _ Options) made {
	return whole(func(part graph.Portion, emit graph.Emit) {
		for u := range uint32(p[0]) - 1 {
			if part.Ended() {
				return
			}
			emit(u, u+1, 1)
		}
	})
}

func ladderSize(p [3]uint64) (nodes, arcs uint64) {
	return product(p[0], p[1]), product(p[0]-1, p[1], 2)
}

func ladderArcs(p [3]uint64, _ Options) made {
	n, w := uint32(p[0]), uint32(p[1])
	return whole(func(part graph.Portion, emit graph.Emit) {
		for i := range n - 1 {
			next := (i + 1) * w
			for j := range w {
				if part.Ended() {
					return
				}
				emit(i*w+j, next+j, 1)
				emit(i*w+j, next+(j+1)%w, 1)
			}
		}
	})
}

func starArcs(p [3]uint64, _ Options) made {
	return whole(func(part graph.Portion, emit graph.Emit) {
		for v := uint32(1); v < uint32(p[0]) && !part.Ended(); v++ {
			emit(0, v, 1)
		}
	})
}

func completeArcs(p [3]uint64, _ Options) made {
	n := uint32(p[0])
	return whole(func(part graph.Portion, emit graph.Emit) {
		for u := range n {
			for v := range n {
				if part.Ended() {
					return
				}
				if u != v {
					emit(u, v, 1)
				}
			}
		}
	})
}

func treeArcs(p [3]uint64, _ Options) made {
	n, k := p[0], p[1]
	return whole(func(part graph.Portion, emit graph.Emit) {
		for v := uint64(1); v < n && !part.Ended(); v++ {
			emit(uint32((v-1)/k), uint32(v), 1)
		}
	})
}
