package native_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir/text"
)

// accessKernels reach memory in each of the ways for which there is code of its own. Their parameters are buffers, filled
// at random; %i is the invocation's number in the grid, %p another invocation's.
var accessKernels = []struct{ name, params, local, body string }{
	{"an index widened from a word", "@x: buf<u64> ro | @z: buf<u64> rw", "", `%j = cvt.u64.u32 %i; %v = load @x[%j]; store @z[%j], %v`},
	{"an index widened with its sign", "@x: buf<u32> ro | @z: buf<u32> rw", "", `%s = bitcast.i32.u32 %i; %t = sub.i32 %s, 9_i32; %j = cvt.i64.i32 %t; %v = load @x[%j]; %k = cvt.i64.u32 %i; store @z[%k], %v`},
	{"a wide index that counts through a word", "@x: buf<u32> ro | @z: buf<u32> rw", "", `%w = cvt.u64.u32 %i; %j = add.u64 %w, 4294967284_u64; %v = load @x[%j]; store @z[%i], %v
		%k = sub.u64 %w, 3_u64; %u = load @x[%k]; %m = add.u64 %w, 128_u64; store @z[%m], %u`},
	{"a wide index from data", "@x: buf<u64> ro | @z: buf<u64> rw", "", `%d = load @x[%i]; %j = shr.u64 %d, 58_u32; %v = load @x[%j]; store @z[%i], %v
		%k = and.u64 %d, 17179869191_u64; %u = load @x[%k]; %m = add.u32 %i, 128_u32; store @z[%m], %u`},
	{"sums that wrap", "@x: buf<u32> ro | @y: buf<u8> ro | @z: buf<u32> rw", "", `%n = len @x; %b = sub.u32 %i, %n; %j = add.u32 %b, 70_u32; %v = load @x[%j]; %k = add.u32 %b, 71_u32; %w = load.v4 @y[%k]; %w1 = elem %w, #1
		%g = group.x; %o = sub.u32 %g, %n; %h = add.u32 %o, 5_u32; %u = load @x[%h]; %s = add.u32 %v, %u; %t = xor.u32 %s, %w1; store @z[%i], %t; %q = add.u32 %b, 900_u32; store @z[%q], %v`},
	{"wide elements anywhere", "@x: buf<f64> ro | @y: buf<u32> ro | @z: buf<f64> rw", "", `%d = load @y[%i]; %j = and.u32 %d, 63_u32; %v = load @x[%j]; store @z[%p], %v`},
	{"wide elements under a mask", "@x: buf<u64> ro | @y: buf<u32> ro | @z: buf<u64> rw", "", `%d = load @y[%i]; %odd = and.u32 %d, 1_u32; %is = eq.u32 %odd, 0_u32
		if %is { %j = and.u32 %d, 63_u32; %v = load @x[%j]; %w = mul.u64 %v, 3_u64; store @z[%i], %w }`},
	{"records in order", "@x: buf<{u32, f32, u32; 12}> ro | @z: buf<{u32, f32, u32; 12}> rw", "", `%a = load @x[%i].0; %b = load @x[%i].1; %c = load @x[%i].2
		store @z[%i].0, %c; store @z[%i].1, %b; store @z[%i].2, %a`},
	{"four fields of six", "@x: buf<{u32, u32, f32, u32, u32, u32; 24}> ro | @z: buf<{u32, u32, u32, u32, f32, u32; 24}> rw", "", `%a = load @x[%i].0; %b = load @x[%i].1; %c = load @x[%i].2; %d = load @x[%i].3
		%e = load @x[%p].1; %f = load @x[%p].2; %g = load @x[%p].3; %h = load @x[%p].4; %k = add.u32 %d, %h; %l = xor.u32 %a, %e; %n = copysign.f32 %c, %f
		store @z[%i].1, %k; store @z[%i].2, %l; store @z[%i].3, %b; store @z[%i].4, %n`},
	{"four fields anywhere, under a mask", "@x: buf<{u32, u32, i32, u32, u32; 20}> ro | @z: buf<{u32, u32, u32, u32, u32; 20}> rw", "", `%w = load @x[%i].4; %is = lt.u32 %w, 2147483648_u32
		if %is { %a = load @x[%p].0; %b = load @x[%p].1; %c = load @x[%p].2; %d = load @x[%p].3; %f = bitcast.u32.i32 %c
		store @z[%p].1, %f; store @z[%p].2, %d; store @z[%p].3, %a; store @z[%p].4, %b }`},
	{"two wide fields", "@x: buf<{u64, f64; 16}> ro | @z: buf<{u32, u64 @8, u64, u64; 32}> rw | @w: buf<{u64, u64; 16}> rw", "", `%a = load @x[%i].0; %b = load @x[%i].1; %c = bitcast.u64.f64 %b; %d = load @x[%p].0; %e = load @x[%p].1; %f = bitcast.u64.f64 %e
		store @z[%i].1, %c; store @z[%i].2, %a; store @z[%i].3, %f; %s = add.u64 %d, %f; store @w[%p].0, %s; store @w[%p].1, %d`},
	{"two wide fields anywhere, under a mask", "@x: buf<{i64, u64, u64; 24}> ro | @y: buf<u32> ro | @z: buf<{u64, u64; 16}> rw | @w: buf<{u64, u64; 16}> rw", "", `%d = load @y[%i]; %j = shr.u32 %d, 27_u32; %odd = and.u32 %d, 1_u32; %is = eq.u32 %odd, 0_u32
		if %is { %a = load @x[%j].0; %b = load @x[%j].1; %c = bitcast.u64.i64 %a; %k = shr.u32 %d, 25_u32; store @z[%k].0, %b; store @z[%k].1, %c }
		if %is { } else { %e = load @x[%i].1; %f = load @x[%i].2; store @w[%i].0, %f; store @w[%i].1, %e }`},
	{"records anywhere, under a mask, for others outside", "@x: buf<u32> ro | @y: buf<u32> ro | @z: buf<u32> rw", "", `%d = load @y[%i]; %j = shr.u32 %d, 27_u32; %is = lt.u32 %j, 13_u32
		if %is { %v = load.v4 @x[%j]; %a = elem %v, #0; %b = elem %v, #3; %s = sub.u32 %a, %b; store @z[%i], %s }`},
	{"a field before a row with a number of its own", "@x: buf<{u32, u32, u32, u32; 16}> ro | @z: buf<{u32, u32, u32, u32; 16}> rw", "", `%never = eq.u32 %i, 4294967295_u32
		%a = load @x[%i].0; trap %never, 0_u64, #99; %b = load @x[%i].1; store @z[%i].0, %a; trap %never, 0_u64, #99; store @z[%i].1, %b`},
	{"records anywhere", "@x: buf<{u64, u32; 16}> ro | @y: buf<u32> ro | @z: buf<{u64, u32; 16}> rw", "", `%d = load @y[%i]; %j = and.u32 %d, 63_u32; %a = load @x[%j].0; %b = load @x[%j].1
		store @z[%p].0, %a; store @z[%p].1, %b`},
	{"a record for all lanes", "@x: buf<{u16, u32 @4, u64 @8; 24}> ro | @z: buf<u64> rw", "", `%g = group.x; %a = load @x[%g].0; %b = load @x[%g].1; %c = load @x[%g].2
		%wa = cvt.u64.u32 %a; %wb = cvt.u64.u32 %b; %s = add.u64 %wa, %wb; %t = add.u64 %s, %c; store @z[%i], %t`},
	{"narrow fields", "@x: buf<{i8, u16 @2, i16 @4; 6}> ro | @z: buf<{u16, i16, i8; 6}> rw", "", `%a = load @x[%i].0; %b = load @x[%p].1; %c = load @x[%p].2; store @z[%i].2, %a; store @z[%p].0, %b; store @z[%i].1, %c`},
	{"fields under a mask", "@x: buf<{u32, u32; 8}> ro | @z: buf<{u32, u32; 8}> rw", "", `%a = load @x[%p].0; %b = load @x[%i].1; %is = lt.u32 %a, %b
		if %is { store @z[%i].0, %a; store @z[%p].1, %b }`},
	{"an atomic in records", "@z: buf<{u32, u64 @8; 16}> rw", "", `%w = cvt.u64.u32 %i; atomic_add.relaxed.dev @z[%p].0, %i; atomic_add.relaxed.dev @z[%p].1, %w`},
	{"a record that all lanes change", "@x: buf<{u32, u64 @8; 16}> ro | @z: buf<{u32, u64 @8; 16}> rw | @y: buf<u64> rw", "", `atomic_or.relaxed.dev @z[3_u32].0, %i; %g = groups.x; store @z[2_u32].0, %g; %v = atomic_load.relaxed.dev @x[1_u32].1
		%w = cvt.u64.u32 %i; atomic_max.relaxed.dev @z[2_u32].1, %w; store @y[%i], %v`},
	{"bits that are set and others under a mask", "@x: buf<u32> ro | @z: buf<u32> rw | @w: buf<u64> rw", "", `%d = load @x[%i]; %s = and.u32 %d, 31_u32; %bit = shl.u32 1_u32, %s; %j = shr.u32 %d, 29_u32; %long = cvt.u64.u32 %d
		atomic_or.relaxed.dev @z[%j], %bit; %odd = and.u32 %d, 32_u32; %is = eq.u32 %odd, 0_u32
		if %is { %k = xor.u32 %j, 9_u32; atomic_or.relaxed.dev @z[%k], %d; atomic_sub.relaxed.dev @z[16_u32], %d; atomic_xor.acqrel.dev @w[%j], %long; atomic_or.seqcst.dev @w[8_u32], %long; atomic_and.relaxed.dev @z[17_u32], %d }`},
	{"atomics that change few elements", "@x: buf<u32> ro | @z: buf<u32> rw | @w: buf<u64> rw | @s: buf<i32> rw | @l: buf<i64> rw", "", `%d = load @x[%i]; %j = shr.u32 %d, 28_u32; %k = add.u32 %j, 16_u32; %long = cvt.u64.u32 %d
		%sd = bitcast.i32.u32 %d; %sl = cvt.i64.i32 %sd; atomic_min.relaxed.dev @z[%j], %d; atomic_max.relaxed.dev @z[%k], %d; atomic_min.relaxed.dev @s[%j], %sd; atomic_max.relaxed.dev @l[%j], %sl
		%odd = and.u32 %d, 32_u32; %is = eq.u32 %odd, 0_u32
		if %is { %m = add.u32 %j, 32_u32; atomic_or.relaxed.dev @w[%j], %long; atomic_and.relaxed.dev @w[%k], %long; atomic_min.relaxed.dev @w[%m], %long; atomic_max.relaxed.dev @s[%k], %sd; atomic_min.relaxed.dev @l[%k], %sl; atomic_and.relaxed.dev @z[%m], %d; atomic_or.relaxed.dev @z[%d], %d }`},
	{"rows under a mask", "@x: buf<u32> ro | @y: buf<u64> ro | @z: buf<u32> rw | @w: buf<u64> rw", "", `%a = load @x[%i]; %b = load @y[%i]; %odd = and.u32 %a, 1_u32; %is = eq.u32 %odd, 0_u32
		if %is { %c = add.u32 %a, 7_u32; store @z[%i], %c; %d = add.u64 %b, 7_u64; store @w[%i], %d }`},
	{"pixels", "@x: buf<u8> ro | @z: buf<u8> rw", "", `%v = load.v4 @x[%i]; %a = elem %v, #0; %b = elem %v, #1; %c = elem %v, #2; %d = elem %v, #3
		%r = vec %d, %c, %b, %a; store.v4 @z[%i], %r`},
	{"signed bytes and pairs", "@x: buf<i8> ro | @y: buf<i16> ro | @z: buf<i16> rw | @w: buf<i8> rw", "", `%v = load.v4 @x[%p]; %q = load.v2 @y[%i]
		%a = elem %v, #0; %d = elem %v, #3; %m = elem %q, #0; %n = elem %q, #1; %s = vec %d, %n; store.v2 @z[%i], %s
		%t = vec %d, %a, %a, %d; store.v4 @w[%p], %t; %k = add.u32 %i, 128_u32; %u = vec %m, %a; store.v2 @z[%k], %u`},
	{"pixels under a mask", "@x: buf<u8> ro | @z: buf<u8> rw", "", `%v = load.v4 @x[%p]; %a = elem %v, #0; %is = lt.u32 %a, 128_u32
		if %is { store.v4 @z[%i], %v }`},
	{"rows of halves and bytes", "@x: buf<f16> ro | @y: buf<i8> ro | @z: buf<f16> rw | @w: buf<i8> rw", "", `%a = load @x[%i]; store @z[%i], %a; %b = load @y[%p]; store @w[%i], %b; %k = add.u32 %p, 128_u32; store @z[%k], %a`},
	{"rows of bytes under a mask", "@x: buf<u8> ro | @z: buf<i16> rw | @w: buf<u8> rw", "", `%a = load @x[%i]; %is = lt.u32 %a, 128_u32; %h = bitcast.i32.u32 %a
		if %is { store @z[%i], %h; store @w[%i], %a }`},
}

// Buffers end where a page does and the next one is not there, so what reads or writes behind the last element fails. To
// the left of the first there is none either, for buffers of whole pages.
func TestAccessesGiveTheInterpretersBits(t *testing.T) {
	needs.MachineCode(t, native.Available())
	rng := rand.New(rand.NewPCG(5, 6))
	bytes := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	no, one := false, native.RunOptions{Polls: 1, Workers: 1}
	for _, k := range append(accessKernels, localKernels...) {
		t.Run(k.name, func(t *testing.T) {
			source := "vyre 1\nkernel @accesses workgroup(61) {\nparam " + strings.ReplaceAll(k.params, " | ", "\nparam ") + "\n" + k.local +
				"\n%i = global.x\n%p = xor.u32 %i, 5_u32\n" + strings.ReplaceAll(k.body, "; ", "\n") + "\n}"
			ps, err := text.Parse("test", source)
			if err != nil {
				t.Fatalf("%v\n%s", err, source)
			}
			for _, n := range []int{0, 1, 7, 64, 96, 97, 1024, 1500, 4096} {
				l := conform.Launch{Grid: [3]uint32{2, 1, 1}}
				for i := range ps[0].Params() {
					size := ps[0].Params()[i].Bytes()
					l.Args = append(l.Args, conform.Arg{Data: bytes(n / size * size)})
				}
				compare(t, ps[0], l, forced{run: one, place: atPageEnd}, forced{code: native.Options{Registers: 3, Alone: &no}, run: one}, forced{code: native.Options{Vectors: 4}, run: one, place: atPageEnd})
			}
		})
	}
}

// localKernels use local arrays: at indices that all lanes share and such that they do not, under masks and outside.
var localKernels = []struct{ name, params, local, body string }{
	{"a local array anywhere", "@x: buf<u32> ro | @z: buf<u32> rw", "local @l: u32[9]", `loop ^f (%k: u32 = 0_u32) { %in = lt.u32 %k, 9_u32; if %in { } else { break ^f }; store @l[%k], %k; %m = add.u32 %k, 1_u32; continue ^f (%m) }
		%d = load @x[%i]; %j = and.u32 %d, 15_u32; %e = shr.u32 %d, 28_u32; store @l[%j], %d; %v = load @l[%e]; store @z[%i], %v
		%lost = load @l[%d]; %o = add.u32 %i, 128_u32; store @z[%o], %lost`},
	{"a wide local array under masks", "@x: buf<u64> ro | @z: buf<u64> rw", "local @l: u64[7]", `loop ^f (%k: u32 = 0_u32) { %in = lt.u32 %k, 7_u32; if %in { } else { break ^f }; %w = cvt.u64.u32 %k; store @l[%k], %w; %m = add.u32 %k, 1_u32; continue ^f (%m) }
		%d = load @x[%i]; %j = and.u64 %d, 7_u64; %odd = shr.u64 %d, 63_u32; %is = eq.u64 %odd, 0_u64
		if %is { store @l[%j], %d; store @l[3_u32], %d }
		%e = shr.u64 %d, 61_u32; %v = load @l[%e]; %t = load @l[3_u32]; %s = xor.u64 %v, %t; store @z[%i], %s`},
	{"vectors in a local array", "@x: buf<u32> ro | @z: buf<u32> rw", "local @l: u32[10]", `%d = load @x[%i]; %e = not.u32 %d; %v = vec %d, %e, %e, %d; %zero = vec 0_u32, 0_u32, 0_u32, 0_u32
		store.v4 @l[0_u32], %zero; store.v4 @l[1_u32], %zero; store.v4 @l[2_u32], %zero
		%is = lt.u32 %d, 2147483648_u32; if %is { store.v4 @l[1_u32], %v }; store.v4 @l[2_u32], %v
		%a = load.v4 @l[1_u32]; %a1 = elem %a, #1; %j = and.u32 %d, 15_u32; %b = load @l[%j]; %s = add.u32 %a1, %b; store @z[%i], %s
		%y = load.v4 @l[2_u32]; %y0 = elem %y, #0; %y3 = elem %y, #3; %q = sub.u32 %y0, %y3; %o = add.u32 %i, 128_u32; store @z[%o], %q`},
}
