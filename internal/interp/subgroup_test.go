package interp_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
)

// TestSubgroupOps runs one op on value v(l) = l·l+1 in groups whose last warp is short.
func TestSubgroupOps(t *testing.T) {
	v := func(l int) uint32 { return uint32(l*l + 1) }
	pick := func(n, base, from int) uint32 { // lane from of a warp of n lanes
		if from < 0 || from >= n {
			return 0
		}
		return v(base + from)
	}
	fold := func(n, base int, id uint32, f func(a, b uint32) uint32) uint32 {
		for l := range n {
			id = f(id, v(base+l))
		}
		return id
	}
	add := func(a, b uint32) uint32 { return a + b }
	cases := []struct {
		name string
		body string
		want func(n, base, l int) uint32 // warp of n lanes from base, lane l
	}{
		{"ballot", `%c = lt.u32 20_u32, %v
			%r = ballot %c`, func(n, base, l int) (m uint32) {
			for i := range n {
				if v(base+i) > 20 {
					m |= 1 << i
				}
			}
			return m
		}},
		{"any none", `%c = lt.u32 %v, 0_u32
			%a = any %c
			%r = cvt.u32.bool %a`, func(n, base, l int) uint32 { return 0 }},
		{"any last", `%c = eq.u32 %lane, 0_u32
			%a = any %c
			%r = cvt.u32.bool %a`, func(n, base, l int) uint32 { return 1 }},
		{"all", `%c = lt.u32 0_u32, %v
			%a = all %c
			%r = cvt.u32.bool %a`, func(n, base, l int) uint32 { return 1 }},
		{"all but one", `%c = lt.u32 0_u32, %lane
			%a = all %c
			%r = cvt.u32.bool %a`, func(n, base, l int) uint32 { return 0 }},
		{"elect", `%a = elect
			%r = cvt.u32.bool %a`, func(n, base, l int) uint32 {
			if l == 0 {
				return 1
			}
			return 0
		}},
		{"shuffle to the next lane", `%i = add.u32 %lane, 1_u32
			%r = shuffle.u32 %v, %i`, func(n, base, l int) uint32 { return pick(n, base, l+1) }},
		{"shuffle from no lane", `%i = add.u32 %lane, 2147483648_u32
			%r = shuffle.u32 %v, %i`, func(n, base, l int) uint32 { return 0 }},
		{"shuffle_xor", `%r = shuffle_xor.u32 %v, 5_u32`, func(n, base, l int) uint32 { return pick(n, base, l^5) }},
		{"shuffle_xor far", `%r = shuffle_xor.u32 %v, 32_u32`, func(n, base, l int) uint32 { return 0 }},
		{"shuffle_up", `%r = shuffle_up.u32 %v, 3_u32`, func(n, base, l int) uint32 { return pick(n, base, l-3) }},
		{"shuffle_up far", `%r = shuffle_up.u32 %v, 4294967295_u32`, func(n, base, l int) uint32 { return 0 }},
		{"shuffle_down", `%r = shuffle_down.u32 %v, 3_u32`, func(n, base, l int) uint32 { return pick(n, base, l+3) }},
		{"shuffle_down far", `%r = shuffle_down.u32 %v, 4294967295_u32`, func(n, base, l int) uint32 { return 0 }},
		{"match", `%k = and.u32 %lane, 3_u32
			%r = match.u32 %k`, func(n, base, l int) (m uint32) {
			for i := l & 3; i < n; i += 4 {
				m |= 1 << i
			}
			return m
		}},
		{"reduce.add", `%r = reduce.add.u32 %v`, func(n, base, l int) uint32 { return fold(n, base, 0, add) }},
		{"reduce.mul", `%r = reduce.mul.u32 %v`, func(n, base, l int) uint32 {
			return fold(n, base, 1, func(a, b uint32) uint32 { return a * b })
		}},
		{"reduce.min", `%r = reduce.min.u32 %v`, func(n, base, l int) uint32 {
			return fold(n, base, math.MaxUint32, func(a, b uint32) uint32 { return min(a, b) })
		}},
		{"reduce.max of negative numbers", `%s = sub.u32 0_u32, %v
			%i = bitcast.i32.u32 %s
			%m = reduce.max.i32 %i
			%r = bitcast.u32.i32 %m`, func(n, base, l int) uint32 { return -v(base) }},
		{"reduce.and", `%r = reduce.and.u32 %v`, func(n, base, l int) uint32 {
			return fold(n, base, math.MaxUint32, func(a, b uint32) uint32 { return a & b })
		}},
		{"reduce.or", `%r = reduce.or.u32 %v`, func(n, base, l int) uint32 {
			return fold(n, base, 0, func(a, b uint32) uint32 { return a | b })
		}},
		{"reduce.xor", `%r = reduce.xor.u32 %v`, func(n, base, l int) uint32 {
			return fold(n, base, 0, func(a, b uint32) uint32 { return a ^ b })
		}},
		{"scan.add", `%r = scan.add.u32 %v`, func(n, base, l int) uint32 { return fold(l+1, base, 0, add) }},
		{"scan_ex.add", `%r = scan_ex.add.u32 %v`, func(n, base, l int) uint32 { return fold(l, base, 0, add) }},
		{"scan_ex.min", `%r = scan_ex.min.u32 %v`, func(n, base, l int) uint32 {
			return fold(l, base, math.MaxUint32, func(a, b uint32) uint32 { return min(a, b) })
		}},
		{"scan.max", `%r = scan.max.u32 %v`, func(n, base, l int) uint32 { return v(base + l) }},
	}
	for _, c := range cases {
		for _, size := range []int{1, 31, 32, 33, 70} {
			t.Run(fmt.Sprintf("%s in groups of %d", c.name, size), func(t *testing.T) {
				k := prepare(t, fmt.Sprintf(`kernel @k workgroup(%d) {
					param @out: buf<u32> wo
					%%l = local.x
					%%lane = lane
					%%q = mul.u32 %%l, %%l
					%%v = add.u32 %%q, 1_u32
					`, size)+c.body+`
					store @out[%l], %r
				}`)
				want := make([]uint32, size)
				for i := range want {
					base := i / 32 * 32
					want[i] = c.want(min(32, size-base), base, i%32)
				}
				out := u32s(make([]uint32, size)...)
				run(t, k, 1, interp.Options{}, out)
				wantWords(t, "lanes", out, want...)
			})
		}
	}
}

// TestFloatReduceAddsAsATree uses values whose sum depends on the order of additions.
func TestFloatReduceAddsAsATree(t *testing.T) {
	in := make([]uint32, 32)
	var v [32]float32
	for l := range v {
		v[l] = float32(math.Ldexp(1+float64(l)/7, l%5*9-20))
		in[l] = math.Float32bits(v[l])
	}
	scan := v
	for d := 1; d < 32; d *= 2 {
		for l := 31; l >= d; l-- {
			scan[l] = scan[l-d] + scan[l]
		}
	}
	for d := 16; d > 0; d /= 2 {
		old := v
		for l := range v {
			v[l] = old[l] + old[l^d]
		}
	}
	k := prepare(t, `kernel @k workgroup(32) {
		param @in: buf<f32> ro
		param @out: buf<f32> wo
		%l = local.x
		%v = load @in[%l]
		%s = reduce.add.f32 %v
		%p = scan.add.f32 %v
		%up = add.u32 %l, 32_u32
		store @out[%l], %s
		store @out[%up], %p
	}`)
	out := u32s(make([]uint32, 64)...)
	run(t, k, 1, interp.Options{}, u32s(in...), out)
	var want []uint32
	for range 32 {
		want = append(want, math.Float32bits(v[0]))
	}
	for _, s := range scan {
		want = append(want, math.Float32bits(s))
	}
	wantWords(t, "tree sums", out, want...)
}

// TestAbsentLanesContributeTheIdentity runs float reductions in a warp of three lanes
// whose values are all −0, or all NaN.
func TestAbsentLanesContributeTheIdentity(t *testing.T) {
	const negZero, nan = uint32(1 << 31), 0x7FC0_0000
	for _, c := range []struct {
		op       string
		in, want uint32
	}{
		{"reduce.add", negZero, negZero},
		{"scan.add", negZero, negZero},
		{"reduce.mul", 0x4000_0000, 0x4100_0000}, // 2·2·2
		{"reduce.min", negZero, negZero},
		{"reduce.max", negZero, negZero},
		{"reduce.max", nan, nan},
	} {
		k := prepare(t, `kernel @k workgroup(3) {
			param @io: buf<f32> rw
			%l = local.x
			%v = load @io[%l]
			%r = `+c.op+`.f32 %v
			store @io[%l], %r
		}`)
		io := u32s(c.in, c.in, c.in)
		run(t, k, 1, interp.Options{}, io)
		if got := words(io)[2]; got != c.want {
			t.Errorf("%s of %#x: %#x, want %#x", c.op, c.in, got, c.want)
		}
	}
	k := prepare(t, `kernel @k workgroup(3) {
		param @io: buf<f32> rw
		%l = local.x
		%v = load @io[%l]
		%r = scan_ex.add.f32 %v
		store @io[%l], %r
	}`)
	io := u32s(negZero, negZero, negZero)
	run(t, k, 1, interp.Options{}, io)
	wantWords(t, "exclusive scan begins with +0", io, 0, negZero, negZero)
}

func TestSubgroupOpsMove64Bits(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(32) {
		param @out: buf<u64> wo
		%l = local.x
		%w = cvt.u64.u32 %l
		%h = shl.u64 %w, 40_u32
		%x = shuffle_xor.u64 %h, 1_u32
		%s = scan.add.u64 %x
		store @out[%l], %s
	}`)
	out := launch.Arg{Mem: make([]byte, 32*8)}
	run(t, k, 1, interp.Options{}, out)
	w := words(out)
	var sum uint64
	for l := range 32 {
		sum += uint64(l^1) << 40
		if got := uint64(w[2*l]) | uint64(w[2*l+1])<<32; got != sum {
			t.Fatalf("lane %d: %#x, want %#x (%d bits set)", l, got, sum, bits.OnesCount64(sum))
		}
	}
}
