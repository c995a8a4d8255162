//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// HistogramWords is how many counts HistogramAll keeps in shared memory: all bins, as often as they fit, or none of them.
const HistogramWords = 8192

// Binning says which bin an element belongs to: one of n, or n for less than all, or n+1 for more than all, or for none.
// bounds is what HistogramAll got.
type Binning[T any] interface {
	Bin(x T, n uint32, bounds []T) uint32
}

// HistogramAll adds to counts[b] how many elements of x[:n] belong to bin b. There are bins, and all counts: as many, or two
// more, for what is less and what is more. part is shared memory of HistogramWords.
func HistogramAll[T any, B Binning[T]](t gpu.Thread, b B, bins, all uint32, bounds, x []T, n uint64, counts []uint32, part []uint32) {
	if all > HistogramWords {
		for base := uint64(t.Group().X) * Tile; base < n; base += uint64(t.Groups().X) * Tile {
			for i := range uint64(Each) {
				if k := place(t, base, i); k < n {
					if bin := b.Bin(x[k], bins, bounds); bin < all {
						gpu.AtomicAdd(&counts[bin], 1)
					}
				}
			}
		}
		return
	}
	// Invocations that are neighbours add to different copies, so that equal elements seldom meet.
	copies := min(HistogramWords/max(all, 1), 32)
	for k := t.Local().X; k < copies*all; k += Threads {
		part[k] = 0
	}
	t.Barrier()
	mine := t.Lane() % copies
	for base := uint64(t.Group().X) * Tile; base < n; base += uint64(t.Groups().X) * Tile {
		var v [Each]T
		whole := base+Tile <= n
		if whole {
			for i := range uint64(Each) {
				v[i] = x[place(t, base, i)]
			}
		} else {
			for i := range uint64(Each) {
				if k := place(t, base, i); k < n {
					v[i] = x[k]
				}
			}
		}
		for i := range uint64(Each) {
			if whole || place(t, base, i) < n {
				if bin := b.Bin(v[i], bins, bounds); bin < all {
					gpu.AtomicAdd(&part[bin*copies+mine], 1)
				}
			}
		}
	}
	t.Barrier()
	for bin := t.Local().X; bin < all; bin += Threads {
		sum := uint32(0)
		for c := range copies {
			sum += part[bin*copies+(c+t.Lane())%copies]
		}
		if sum > 0 {
			gpu.AtomicAdd(&counts[bin], sum)
		}
	}
}

// place is where element i of an invocation's share of a tile is: quads of neighbours, 1024 apart.
func place(t gpu.Thread, base, i uint64) uint64 {
	return base + uint64(4*t.Local().X) + 1024*(i/4) + i%4
}

// Direct has a bin for each value of a short integer.
type Direct[T ~uint8 | ~uint16] struct{}

// Bin is the value itself.
func (Direct[T]) Bin(x T, n uint32, _ []T) uint32 { return uint32(x) }

// EvenIntegers has bins of one width from a least value on.
type EvenIntegers[T gpu.Integer] struct{ Least, Width T }

// Bin is the distance from the least value over the width.
func (e EvenIntegers[T]) Bin(x T, n uint32, _ []T) uint32 {
	if x < e.Least {
		return n
	}
	k := (uint64(x) - uint64(e.Least)) / uint64(e.Width) // the distance is right modulo 1<<64, also of signed ones
	if k >= uint64(n) {
		return n + 1
	}
	return uint32(k)
}

// EvenFloats has bins of one width from a least value on.
type EvenFloats[T gpu.Float] struct{ Least, Width T }

// Bin is the whole part of the rounded difference from the least value over the width.
func (e EvenFloats[T]) Bin(x T, n uint32, _ []T) uint32 {
	d := (x - e.Least) / e.Width
	switch {
	case d < T(n) && x >= e.Least:
		return uint32(d)
	case x < e.Least:
		return n
	}
	return n + 1
}

// Between has bins between bounds that ascend: bin b from bounds[b] up to, but not including, bounds[b+1].
type Between[T gpu.Number] struct{}

// Bin is the number of bounds that are not greater, less one.
func (Between[T]) Bin(x T, n uint32, bounds []T) uint32 {
	if !(x >= bounds[0]) {
		if x < bounds[0] {
			return n
		}
		return n + 1 // a NaN
	}
	lo, hi := uint32(0), n+1 // bounds[lo] <= x, and x < bounds[hi] if there is one
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; x >= bounds[mid] {
			lo = mid
		} else {
			hi = mid
		}
	}
	if lo == n {
		return n + 1
	}
	return lo
}
