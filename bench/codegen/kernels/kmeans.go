package kernels

import (
	"math"

	"github.com/govyre/vyre/gpu"
)

const mostCentres = 64

// Feature is a point.
type Feature [16]float32

// away is the square of how far two points are apart, or something above most if that is more.
func (p *Feature) away(q *Feature, most float32) float32 {
	var sum float32
	for k := 0; k < len(p); k += 4 {
		for j := k; j < k+4; j++ {
			d := p[j] - q[j]
			sum += d * d
		}
		if sum > most {
			break
		}
	}
	return sum
}

// KMeans is the step of k-means that finds the nearest of up to 64 centres for each point, and how many points each
// centre gets.
//
//vyre:kernel workgroup=256
func KMeans(t gpu.Thread, centres, points []Feature, nearest []uint8, sizes []uint32) {
	tile := gpu.Shared[Feature](t, mostCentres)
	counts := gpu.Shared[uint32](t, mostCentres)
	l := t.Local().X
	if l < mostCentres {
		counts[l] = 0
		if l < uint32(len(centres)) {
			tile[l] = centres[l]
		}
	}
	t.Barrier()
	if i := t.Global().X; i < uint32(len(points)) {
		p := points[i]
		best, least := 0, float32(math.MaxFloat32)
		for c := range len(centres) {
			if d := p.away(&tile[c], least); d < least {
				best, least = c, d
			}
		}
		nearest[i] = uint8(best)
		gpu.AtomicAdd(&counts[best], 1)
	}
	t.Barrier()
	if l < mostCentres && counts[l] > 0 {
		gpu.AtomicAdd(&sizes[l], counts[l])
	}
}
