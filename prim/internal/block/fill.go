//vyre:library

package block

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/gpu/random"
)

// Source is a place in a sequence of random words (gpu/random), counted in numbers of the kind that is drawn. So number i
// is the same whatever is drawn beside it.
type Source struct{ Seed, Stream, From uint64 }

// DrawWords writes n numbers of 32 bits to out: words, or, with a bound, numbers below it.
func DrawWords(t gpu.Thread, s Source, below bool, bound uint32, n uint64, out []uint32) {
	for i := 4 * t.GlobalIndex(); i < n; i += 4 * Threads * uint64(t.Groups().X) {
		var v [4]uint32
		if s.From%4 == 0 {
			v = random.Block(s.Seed, s.Stream, (s.From+i)/4)
		} else {
			for k := range uint64(4) {
				v[k] = random.Word(s.Seed, s.Stream, s.From+i+k)
			}
		}
		if below {
			for k := range uint64(4) {
				v[k] = random.Below(v[k], bound)
			}
		}
		put4(out, i, n, v)
	}
}

// DrawFloats writes n floats to out: uniform in [0, 1), or normal.
func DrawFloats(t gpu.Thread, s Source, normal bool, n uint64, out []float32) {
	for i := 4 * t.GlobalIndex(); i < n; i += 4 * Threads * uint64(t.Groups().X) {
		var w [4]uint32
		odd := normal && s.From%2 == 1 // pairs lie across the quads, and take a word before and one after
		if s.From%4 == 0 {
			w = random.Block(s.Seed, s.Stream, (s.From+i)/4)
		} else {
			for k := range uint64(4) {
				w[k] = random.Word(s.Seed, s.Stream, s.From+i+k)
			}
		}
		var v [4]float32
		switch {
		case odd:
			_, v[0] = random.Normal(random.Word(s.Seed, s.Stream, s.From+i-1), w[0])
			v[1], v[2] = random.Normal(w[1], w[2])
			v[3], _ = random.Normal(w[3], random.Word(s.Seed, s.Stream, s.From+i+4))
		case normal:
			v[0], v[1] = random.Normal(w[0], w[1])
			v[2], v[3] = random.Normal(w[2], w[3])
		default:
			for k := range uint64(4) {
				v[k] = random.Uniform(w[k])
			}
		}
		put4(out, i, n, v)
	}
}

// draw64 returns the four words of numbers i and i+1 of 64 bits each.
func draw64(s Source, i uint64) [4]uint32 {
	if at := 2 * (s.From + i); at%4 == 0 {
		return random.Block(s.Seed, s.Stream, at/4)
	}
	return [4]uint32{random.Word(s.Seed, s.Stream, 2*(s.From+i)), random.Word(s.Seed, s.Stream, 2*(s.From+i)+1),
		random.Word(s.Seed, s.Stream, 2*(s.From+i)+2), random.Word(s.Seed, s.Stream, 2*(s.From+i)+3)}
}

// DrawLongs writes n numbers of 64 bits to out: pairs of words, low before high, or, with a bound, numbers below it.
func DrawLongs(t gpu.Thread, s Source, below bool, bound, n uint64, out []uint64) {
	for i := 2 * t.GlobalIndex(); i < n; i += 2 * Threads * uint64(t.Groups().X) {
		w := draw64(s, i)
		v := [2]uint64{uint64(w[1])<<32 | uint64(w[0]), uint64(w[3])<<32 | uint64(w[2])}
		if below {
			v = [2]uint64{random.Below64(w[0], w[1], bound), random.Below64(w[2], w[3], bound)}
		}
		put2(out, i, n, v)
	}
}

// DrawDoubles writes n floats of 64 bits to out: uniform in [0, 1), or normal.
func DrawDoubles(t gpu.Thread, s Source, normal bool, n uint64, out []float64) {
	for i := 2 * t.GlobalIndex(); i < n; i += 2 * Threads * uint64(t.Groups().X) {
		w := draw64(s, i)
		var v [2]float64
		switch {
		case normal && s.From%2 == 1:
			b := draw64(s, i-1)
			_, v[0] = random.Normal64(b[0], b[1], w[0], w[1])
			b = draw64(s, i+1)
			v[1], _ = random.Normal64(w[2], w[3], b[2], b[3])
		case normal:
			v[0], v[1] = random.Normal64(w[0], w[1], w[2], w[3])
		default:
			v = [2]float64{random.Uniform64(w[0], w[1]), random.Uniform64(w[2], w[3])}
		}
		put2(out, i, n, v)
	}
}

// put4 stores four neighbours from a multiple of 4 on, as far as there is room below n.
func put4[T gpu.Number](out []T, i, n uint64, v [4]T) {
	if i+4 <= n {
		out[i], out[i+1], out[i+2], out[i+3] = v[0], v[1], v[2], v[3]
		return
	}
	for k := range uint64(4) {
		if i+k < n {
			out[i+k] = v[k]
		}
	}
}

// put2 is put4 for two.
func put2[T gpu.Number](out []T, i, n uint64, v [2]T) {
	if out[i] = v[0]; i+1 < n {
		out[i+1] = v[1]
	}
}

// Iota writes start, start+step and so on to out, n numbers that wrap.
func Iota[T gpu.Number](t gpu.Thread, start, step T, n uint64, out []T) {
	for i := t.GlobalIndex(); i < n; i += Threads * uint64(t.Groups().X) {
		out[i] = start + T(i)*step
	}
}

// Wide is an element of 16 bytes, to be moved.
type Wide struct{ A, B uint64 }

// Gather writes x[at[i]] to out[i], for i below n. An index that is out of range is a trap that tells it; nothing is written
// for it.
func Gather[T any, I Bits](t gpu.Thread, x []T, at []I, n uint64, out []T) {
	for i := t.GlobalIndex(); i < n; i += Threads * uint64(t.Groups().X) {
		k := uint64(at[i])
		gpu.Assert(k < uint64(len(x)), "an index to gather from is out of range", k)
		if k < uint64(len(x)) {
			out[i] = x[k]
		}
	}
}

// Scatter writes x[i] to out[at[i]], for i below n. An index that is out of range is a trap that tells it; nothing is written
// for it. Where an index stands twice, one of the two elements is written.
func Scatter[T any, I Bits](t gpu.Thread, x []T, at []I, n uint64, out []T) {
	for i := t.GlobalIndex(); i < n; i += Threads * uint64(t.Groups().X) {
		k := uint64(at[i])
		gpu.Assert(k < uint64(len(out)), "an index to scatter to is out of range", k)
		if k < uint64(len(out)) {
			out[k] = x[i]
		}
	}
}
