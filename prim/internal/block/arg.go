//vyre:library

package block

import (
	"math"

	"github.com/govyre/vyre/gpu"
)

// How the bits of an element are ordered.
const (
	Unsigned = iota
	Signed
	Float
)

// Bits is an unsigned integer of any size: the bits of a key.
type Bits interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Ordered maps the bits of a key to an integer that has its place in the total order: integers by value; floats by their
// bits, of negative ones inverted, so that -0 comes before +0 and NaNs come last, or first if they are negative. kind
// says what the bits are.
func Ordered[T Bits](x T, kind uint32) T {
	ones := ^T(0)
	top := ones &^ (ones >> 1)
	switch {
	case kind == Signed || kind == Float && x&top == 0:
		return x ^ top
	case kind == Float:
		return ^x
	}
	return x
}

// unordered is the key of which Ordered made x.
func unordered[T Bits](x T, kind uint32) T {
	ones := ^T(0)
	top := ones &^ (ones >> 1)
	switch {
	case kind == Signed || kind == Float && x&top != 0:
		return x ^ top
	case kind == Float:
		return ^x
	}
	return x
}

// isNaN reports whether the bits of a float of 32 or 64 bits are those of a NaN.
func isNaN[T Bits](x T) bool {
	v, infinity := uint64(x), uint64(0x7ff<<52)
	ones := uint64(^T(0))
	if ones>>32 == 0 {
		infinity = 0xff << 23
	}
	return v&(ones>>1) > infinity
}

// ArgAll finds the least key of x[:n], or the greatest, and its smallest index, in one launch of any grid, and writes its
// bits and the index; a NaN is never found. If there is none, the bits are empty, and the index is 1<<64 - 1. keys and
// indices have room for one element a workgroup, and count is one word, 0 when the launch begins; best and where are shared
// memory of Warps elements each.
func ArgAll[T Bits](t gpu.Thread, greatest bool, kind uint32, empty T, x []T, n uint64, out []T, index, keys, indices []uint64, count []uint32, best, where []uint64) {
	const none = uint64(math.MaxUint64)
	key, at := none, none
	for base := uint64(t.Group().X) * Tile; base < n; base += uint64(t.Groups().X) * Tile {
		for i := range uint64(Each) {
			k := base + uint64(4*t.Local().X) + 1024*(i/4) + i%4
			if k >= n {
				continue
			}
			v := x[k]
			o := uint64(Ordered(v, kind))
			if greatest {
				o = uint64(^Ordered(v, kind))
			}
			if (kind != Float || !isNaN(v)) && (o < key || at == none) {
				key, at = o, k
			}
		}
	}
	key, at = argGroup(t, key, at, best, where)
	last := uint32(0)
	if t.Local().X == 0 {
		keys[t.Group().X], indices[t.Group().X] = key, at
		if gpu.AtomicAddOrdered(&count[0], 1, gpu.AcqRel, gpu.Device) == t.Groups().X-1 {
			last = 1
		}
	}
	if t.BarrierAdd(last) == 0 {
		return
	}
	key, at = none, none
	for g := t.Local().X; g < t.Groups().X; g += Threads {
		key, at = less(key, at, keys[g], indices[g])
	}
	_, at = argGroup(t, key, at, best, where)
	if t.Local().X == 0 {
		index[0] = at
		out[0] = empty
		if at != none {
			out[0] = x[at]
		}
	}
}

// less returns the pair with the lesser key, of equal keys the one with the lesser index. An index of all ones is none.
func less(key, at, otherKey, other uint64) (uint64, uint64) {
	if otherKey < key || otherKey == key && other < at {
		return otherKey, other
	}
	return key, at
}

// argGroup finds the least pair of a workgroup; all invocations get it.
func argGroup(t gpu.Thread, key, at uint64, best, where []uint64) (uint64, uint64) {
	for h := uint32(16); h > 0; h /= 2 {
		key, at = less(key, at, gpu.ShuffleXor(t, key, h), gpu.ShuffleXor(t, at, h))
	}
	if t.Lane() == 0 {
		best[t.Warp()], where[t.Warp()] = key, at
	}
	t.Barrier()
	for w := range uint32(Warps) {
		key, at = less(key, at, best[w], where[w])
	}
	t.Barrier()
	return key, at
}
