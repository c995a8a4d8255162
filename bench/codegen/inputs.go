package codegen

import "math"

// random is a generator with a fixed sequence for each seed (Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", 2014).
type random uint64

func (r *random) next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below returns a number below n.
func (r *random) below(n uint32) uint32 { return uint32(r.next() >> 32 * uint64(n) >> 32) }

// words returns n random words of 32 bits.
func words(seed random, n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(seed.next() >> 32)
	}
	return out
}

// floats returns n random numbers between -1 and 1.
func floats(seed random, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		// 23 random bits behind the point of a number between 2 and 4.
		out[i] = math.Float32frombits(0x40000000|uint32(seed.next()>>41)) - 3
	}
	return out
}

// doubles returns n random numbers between -1 and 1.
func doubles(seed random, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		// 52 random bits behind the point of a number between 2 and 4.
		out[i] = math.Float64frombits(0x4000<<48|seed.next()>>12) - 3
	}
	return out
}

// longs returns n random words of 64 bits, none of them 0.
func longs(seed random, n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = max(seed.next(), 1)
	}
	return out
}

// between returns n random numbers between least and most.
func between(seed random, n int, least, most float32) []float32 {
	out := floats(seed, n)
	for i, v := range out {
		out[i] = least + (v+1)/2*(most-least)
	}
	return out
}

// csr returns a graph in compressed rows: where each row starts, and the arcs. Rows have least to most
// arcs, to any node.
func csr(seed random, nodes, columns, least, most int) (rows, arcs []uint32) {
	rows = make([]uint32, nodes+1)
	for v := range nodes {
		rows[v+1] = rows[v] + uint32(least) + seed.below(uint32(most-least+1))
	}
	arcs = make([]uint32, rows[nodes])
	for i := range arcs {
		arcs[i] = seed.below(uint32(columns))
	}
	return rows, arcs
}
