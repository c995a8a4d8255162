package generate

import (
	"math/bits"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/mix"
)

// Filters of the skewed graph, where most nodes have one arc and one in 4096 has 2048. The two closures differ in depth
// and in what they reach; without a filter it is one strong component, and says little about a search.
const (
	SkewFacts uint32 = 0x10 // the IFDS closure
	SkewKinds uint32 = 0x07 // the kind closure
)

// skewSize counts at most: a node that several rules meet is counted for each.
func skewSize(p [3]uint64) (nodes, arcs uint64) {
	n := p[0]
	upTo := func(step uint64) uint64 { return (n + step - 1) / step }
	return n, n + 2048*upTo(4096) + 24*upTo(257) + 8*upTo(31) + 3*upTo(7)
}

func skewDegree(s uint32) uint32 {
	switch {
	case s%4096 == 0:
		return 2048
	case s%257 == 0:
		return 24
	case s%31 == 0:
		return 8
	case s%7 == 0:
		return 3
	}
	return 1
}

func skewArcs(p [3]uint64, _ Options) made {
	n := uint32(p[0])
	return func(part graph.Portion, emit graph.Emit) {
		first, last := part.Of(p[0])
		for s := uint32(first); uint64(s) < last && !part.Ended(); s++ {
			for e := range skewDegree(s) {
				emit(s, skewTarget(s, e)&(n-1), skewMask(s, e))
			}
		}
	}
}

// skewTarget is where arc e of node s goes, before the size is known: one in eight a short way ahead, one in eight a
// short way back, all others anywhere.
func skewTarget(s, e uint32) uint32 {
	switch e & 7 {
	case 0:
		return s + (e+1)*17
	case 1:
		return s - (e+3)*11
	}
	salt := bits.RotateLeft32(e*0x9E3779B9, int(e&15)+1)
	return mix.Mix32(s ^ salt ^ bits.RotateLeft32(s, int(e&15)))
}

func skewMask(s, e uint32) uint32 {
	h := mix.Mix32(s ^ e*0xA5A59651)
	mask := uint32(1) << (h & 3)
	if h&15 >= 2 {
		mask |= SkewFacts
	}
	return mask
}

func skewSeeds(p [3]uint64, _ Options) []uint32 {
	var seeds []uint32
	for s := range uint32(p[0]) {
		if s%97 == 0 || s%4096 == 0 || mix.Mix32(s^0xD1B54A32)&0x3FF == 0 {
			seeds = append(seeds, s)
		}
	}
	return seeds
}
