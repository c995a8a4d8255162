package main

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/govyre/vyre/driver"
)

// mix and unit make the inputs, as in loops.h.
func mix(i uint32) uint32 {
	i = (i ^ i>>16) * 0x7feb352d
	i = (i ^ i>>15) * 0x846ca68b
	return i ^ i>>16
}

func unit(i uint32) float32 { return float32(mix(i)>>8) / (1 << 24) }

func fill(n uint32, f func(i uint32) uint32) []byte {
	b := make([]byte, 0, 4*n)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, f(i))
	}
	return b
}

func fill64(n uint32, f func(i uint32) uint64) []byte {
	b := make([]byte, 0, 8*n)
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, f(i))
	}
	return b
}

func floats(n uint32, f func(i uint32) float32) []byte {
	return fill(n, func(i uint32) uint32 { return math.Float32bits(f(i)) })
}

func units(n, from uint32) []byte {
	return floats(n, func(i uint32) float32 { return unit(i + from) })
}

func words(n, from uint32) []byte {
	return fill(n, func(i uint32) uint32 { return mix(i + from) })
}

func zeros(n int) []byte { return make([]byte, n) }

// how is what a measurement has to know of a problem.
type how struct {
	slow    bool // on the interpreter
	changes bool // what comes out went in: it is made new for each run, as in the loops, where all else stays in the caches
}

// problem is a kernel with its arguments. The last buffer is what comes out.
type problem struct {
	name, kernel string
	grid         driver.Grid
	scalars      []driver.Arg // before the buffers
	buffers      [][]byte
	how
}

// problems are the loops of directory loops, at the sizes that they have there.
func problems() []problem {
	f, u := driver.F32, driver.U32
	return slices.Concat([]problem{
		{"saxpy", "Saxpy", driver.Groups(64), []driver.Arg{f(2.5)}, [][]byte{units(65536, 0), units(65536, 65536)}, how{changes: true}},
		{"histogram", "Histogram", driver.Groups(4), nil, [][]byte{words(1<<18, 0), zeros(1024)}, how{changes: true}},
		{"stencil", "Stencil", driver.Grid{2, 8}, []driver.Arg{u(64), f(0.6), f(0.1)}, [][]byte{units(65536, 0), units(65536, 0), zeros(4 * 65536)}, how{slow: true}},
		{"transpose", "Transpose", driver.Grid{4, 4}, []driver.Arg{u(64)}, [][]byte{units(65536, 0), zeros(4 * 65536)}, how{}},
		{"planes", "Planes", driver.Groups(256), nil, [][]byte{words(65536, 0), zeros(6 * 65536)}, how{}},
		{"particles", "Particles", driver.Groups(64), []driver.Arg{f(0.01)}, [][]byte{units(16384*12, 0)}, how{changes: true}},

		{"mandelbrot", "Mandelbrot", driver.Grid{16, 16}, []driver.Arg{u(256), u(256), f(-2), f(-1.5), f(3.0 / 256)}, [][]byte{zeros(4 * 65536)}, how{slow: true}},
		{"sha256", "SHA256", driver.Groups(16), nil, [][]byte{words(4096*16, 0), zeros(4096 * 32)}, how{}},
		{"blake3", "BLAKE3", driver.Groups(16), nil, [][]byte{words(4096*16, 0), zeros(4096 * 32)}, how{}},
		{"nbody", "NBody", driver.Groups(4), []driver.Arg{f(0.01)}, [][]byte{units(4096, 0), zeros(4096 * 4)}, how{slow: true}},
		{"sgemm", "SGEMM", driver.Grid{4, 4}, []driver.Arg{u(64)}, [][]byte{units(65536, 0), units(65536, 65536), zeros(4 * 65536)}, how{slow: true}},
		{"rays", "Rays", driver.Groups(8), nil, [][]byte{units(256*9, 0), units(1024*6, 256*9), zeros(8 * 1024)}, how{slow: true}},

		{"biquad", "Biquad", driver.Groups(16), []driver.Arg{u(2048), f(0.0674553), f(0.1349105), f(0.0674553), f(-1.1429805), f(0.4128016)},
			[][]byte{units(2048*128, 0), zeros(4 * 2048 * 128)}, how{}},
		{"convolve", "Convolve", driver.Grid{16, 64}, []driver.Arg{u(512), u(512)}, [][]byte{units(25, 0), units(1<<18, 25), zeros(4 << 18)}, how{slow: true}},
		blackScholes(16384),
	}, integers())
}

func blackScholes(n uint32) problem {
	between := func(from uint32, least, span float32) []byte {
		return floats(n, func(i uint32) float32 { return least + float32(span*unit(i+from)) })
	}
	return problem{"blackscholes", "BlackScholes", driver.Groups(n / 256), []driver.Arg{driver.F32(0.02), driver.F32(0.3)},
		[][]byte{between(0, 5, 25), between(n, 1, 99), between(2*n, 0.25, 10), zeros(4 * int(n)), zeros(4 * int(n))}, how{}}
}

func integers() []problem {
	letters := func(n, from uint32) []byte {
		return fill(n, func(i uint32) uint32 { return mix(i+from) & 0x03030303 })
	}
	return []problem{
		{"crc32", "CRC32", driver.Groups(4), []driver.Arg{driver.U32(16)}, [][]byte{words(65536, 0), zeros(4 * 1024)}, how{}},
		{"editdistance", "EditDistance", driver.Groups(16), nil, [][]byte{letters(16384, 0), letters(16384, 16384), zeros(4 * 2048)}, how{slow: true}},
		powMod(1024),
		{"queens", "Queens", driver.Groups(6), []driver.Arg{driver.U32(9), driver.U32(3)}, [][]byte{zeros(4 * 729)}, how{}},
		bfs(16384),
		lookup(32768, 16384),
	}
}

func powMod(n uint32) problem {
	const m = uint64(1<<63 - 25)
	inverse := uint64(1) // Newton's iteration doubles the bits that are right; one is
	for range 6 {
		inverse *= 2 - m*inverse
	}
	one := bits.Rem64(1, 0, m)
	hi, lo := bits.Mul64(one, one)
	scalars := []driver.Arg{driver.U64(0xc0ffee1234567), driver.U64(m), driver.U64(-inverse), driver.U64(bits.Rem64(hi, lo, m))}
	x := fill64(n, func(i uint32) uint64 { return key(i) % m })
	return problem{"powmod", "PowMod", driver.Groups(n / 128), scalars, [][]byte{x, zeros(8 * int(n))}, how{}}
}

func key(i uint32) uint64 { return uint64(mix(2*i+1))<<32 | uint64(mix(2*i)) }

func bfs(nodes uint32) problem {
	arcs := uint32(0)
	rows := fill(nodes+1, func(v uint32) uint32 {
		first := arcs
		arcs += 8 + mix(v)%49
		return first
	})
	arcs = binary.LittleEndian.Uint32(rows[4*nodes:])
	to := fill(arcs, func(i uint32) uint32 { return mix(i+nodes) % nodes })
	return problem{"bfs", "BFSLevel", driver.Groups(nodes / 256), nil,
		[][]byte{rows, to, words(nodes/32, 1<<24), words(nodes/32, 1<<25), zeros(int(nodes) / 8)}, how{changes: true}}
}

func lookup(slots, keys uint32) problem {
	table := zeros(16 * int(slots))
	for i := range slots / 2 {
		k := key(i + 1) // the hash is that of the kernel, the last step of MurmurHash3
		h := (k ^ k>>33) * 0xff51afd7ed558ccd
		h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
		at := (h ^ h>>33) % uint64(slots)
		for binary.LittleEndian.Uint64(table[16*at:]) != 0 {
			at = (at + 1) % uint64(slots)
		}
		binary.LittleEndian.PutUint64(table[16*at:], k)
		binary.LittleEndian.PutUint64(table[16*at+8:], uint64(i))
	}
	asked := fill64(keys, func(i uint32) uint64 { return key(1 + mix(i)%(slots/2+slots/6)) }) // a quarter is not there
	return problem{"lookup", "Lookup", driver.Groups(keys / 256), nil, [][]byte{table, asked, zeros(8 * int(keys))}, how{}}
}
