package generate

import (
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/mix"
)

// sixteen is the size of kron and uniform: 16 arcs a node, and as many back.
func sixteen(p [3]uint64) (nodes, arcs uint64) { return power(p[0]), 32 * power(p[0]) }

// scattered yields arcs that are made one by one from their number, and the arc back of each.
func scattered(scale uint64, o Options, arc func(s mix.Stream) (from, to uint32)) made {
	return func(part graph.Portion, emit graph.Emit) {
		for e, last := part.Of(16 * power(scale)); e < last && !part.Ended(); e++ {
			u, v := arc(mix.StreamOf(o.Seed, e))
			emit(u, v, 1)
			if !o.Directed {
				emit(v, u, 1)
			}
		}
	}
}

func uniformArcs(p [3]uint64, o Options) made {
	s := p[0]
	return scattered(s, o, func(words mix.Stream) (from, to uint32) {
		return uint32(words.Word(0) >> (64 - s)), uint32(words.Word(1) >> (64 - s))
	})
}

// kronArcs draws arcs by the Kronecker product of the Graph500 benchmark: each bit of the two ends by one draw, both 0
// with probability 0.57, one of them 1 with 0.19 each, both 1 with 0.05. Then ids are permuted, so that they do not
// tell degrees.
func kronArcs(p [3]uint64, o Options) made {
	const both0, to1, from1 = 2448131358, 3264175144, 4080218931 // sums of the probabilities, times 2³²
	s := p[0]
	place := kronOrder(s, o.Seed)
	return scattered(s, o, func(words mix.Stream) (from, to uint32) {
		for l := range s {
			// Sums in place of a switch: no processor guesses this draw.
			r := words.Word(l) >> 32
			a, b, c := atLeast(r, both0), atLeast(r, to1), atLeast(r, from1)
			from, to = from<<1|b, to<<1|(a-b+c)
		}
		return place.of(from), place.of(to)
	})
}

// atLeast is 1 if r is at least least, and 0 if not; both are below 2⁶³.
func atLeast(r, least uint64) uint32 { return 1 - uint32((r-least)>>63) }

// kronSeeds is where the id went that the product favours.
func kronSeeds(p [3]uint64, o Options) []uint32 {
	place := kronOrder(p[0], o.Seed)
	return []uint32{place.of(0)}
}

// permutation is a one to one map of the numbers below a power of two: rounds of an odd factor, a sum and a shift.
type permutation struct {
	mask        uint32
	shift       uint64
	factor, sum [3]uint32
}

func kronOrder(scale, seed uint64) permutation {
	const graph = 1<<64 - 1 // the words of the graph as a whole, which is no arc's number
	p := permutation{mask: uint32(power(scale) - 1), shift: (scale + 1) / 2}
	words := mix.StreamOf(seed, graph)
	for j := range uint64(3) {
		p.factor[j], p.sum[j] = uint32(words.Word(2*j))|1, uint32(words.Word(2*j+1))
	}
	return p
}

func (p *permutation) of(x uint32) uint32 {
	for j := range p.factor {
		x = (x*p.factor[j] + p.sum[j]) & p.mask
		x ^= x >> p.shift
	}
	return x
}
