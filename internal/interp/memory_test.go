package interp_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
)

func TestElementsWidenOnLoadAndNarrowOnStore(t *testing.T) {
	cases := []struct {
		elem  string
		bytes []byte
		value string // type of the value
		want  uint64 // what the load gives
		store []byte // what storing that value plus one leaves; for bool: its inverse
	}{
		{"i8", []byte{0xFE}, "i32", 0xFFFF_FFFE, []byte{0xFF}},
		{"u8", []byte{0xFF}, "u32", 0xFF, []byte{0}},
		{"i16", []byte{0xFE, 0xFF}, "i32", 0xFFFF_FFFE, []byte{0xFF, 0xFF}},
		{"u16", []byte{0xFF, 0xFF}, "u32", 0xFFFF, []byte{0, 0}},
		{"i32", []byte{0xFF, 0xFF, 0xFF, 0x7F}, "i32", 0x7FFF_FFFF, []byte{0, 0, 0, 0x80}},
		{"u64", []byte{1, 2, 3, 4, 5, 6, 7, 8}, "u64", 0x0807060504030201, []byte{2, 2, 3, 4, 5, 6, 7, 8}},
		{"bool", []byte{0x40}, "bool", 1, []byte{0}},
		{"bool", []byte{0}, "bool", 0, []byte{1}},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s %x", c.elem, c.bytes), func(t *testing.T) {
			next := "%w = add." + c.value + " %v, 1_" + c.value
			wide := "%x = bitcast.u64." + c.value + " %v"
			switch c.value {
			case "i32":
				wide = "%y = bitcast.u32.i32 %v\n%x = cvt.u64.u32 %y"
			case "u32", "bool":
				wide = "%x = cvt.u64." + c.value + " %v"
			case "u64":
				wide = "%x = add.u64 %v, 0_u64"
			}
			if c.value == "bool" {
				next = "%w = not.bool %v"
			}
			k := prepare(t, `kernel @k workgroup(1) {
				param @b: buf<`+c.elem+`> rw
				param @out: buf<u64> wo
				%v = load @b[0_u32]
				`+wide+`
				store @out[0_u32], %x
				`+next+`
				store @b[0_u32], %w
			}`)
			for _, o := range []interp.Options{{}, {Detect: interp.Everything}} {
				mem, out := append([]byte(nil), c.bytes...), make([]byte, 8)
				run(t, k, 1, o, launch.Arg{Mem: mem}, launch.Arg{Mem: out})
				if got := binary.LittleEndian.Uint64(out); got != c.want {
					t.Errorf("loads %#x, want %#x", got, c.want)
				}
				if string(mem) != string(c.store) {
					t.Errorf("stores % x, want % x", mem, c.store)
				}
			}
		})
	}
}

// TestAccessesOutOfBoundsGiveZeroAndChangeNothing uses each index on a buffer of four
// words that hold 1, 2, 3, 4.
func TestAccessesOutOfBoundsGiveZeroAndChangeNothing(t *testing.T) {
	cases := []struct{ typ, index string }{
		{"u32", "4_u32"}, {"u32", "4294967295_u32"}, {"i32", "-1_i32"}, {"i32", "4_i32"},
		{"i64", "-1_i64"}, {"i64", "4294967296_i64"}, {"i64", "-9223372036854775808_i64"},
		{"u64", "4294967296_u64"}, {"u64", "18446744073709551615_u64"}, {"u64", "4611686018427387904_u64"},
	}
	ops := []struct{ name, text string }{
		{"load", "%r = load @b[%i]"},
		{"store", "store @b[%i], 9_u32\n%r = add.u32 0_u32, 0_u32"},
		{"atomic_add", "%r = atomic_add.relaxed.dev @b[%i], 9_u32"},
		{"atomic_cas", "%r = atomic_cas.acqrel.dev @b[%i], 0_u32, 9_u32"},
		{"load.v2", "%v = load.v2 @b[%i]\n%r = elem %v, #1"},
		{"store.v4", "%v = vec 9_u32, 9_u32, 9_u32, 9_u32\nstore.v4 @b[%i], %v\n%r = add.u32 0_u32, 0_u32"},
		{"prefetch", "prefetch @b[%i]\n%r = add.u32 0_u32, 0_u32"},
	}
	for _, op := range ops {
		for _, c := range cases {
			t.Run(op.name+" "+c.index, func(t *testing.T) {
				// The index comes through an op that the verifier cannot look through.
				k := prepare(t, `kernel @k workgroup(1) {
					param @b: buf<u32> rw
					param @out: buf<u32> wo
					param %zero: `+c.typ+`
					%i = add.`+c.typ+` %zero, `+c.index+`
					`+op.text+`
					store @out[0_u32], %r
				}`)
				for _, o := range []interp.Options{{}, {Detect: interp.Everything}} {
					b, out := u32s(1, 2, 3, 4), u32s(77)
					res := run(t, k, 1, o, b, out, scalar(0))
					wantWords(t, "buffer", b, 1, 2, 3, 4)
					wantWords(t, "result", out, 0)
					if counts := !strings.HasPrefix(op.name, "prefetch"); counts != (res.OutOfBounds > 0) {
						t.Errorf("%d elements counted out of bounds", res.OutOfBounds)
					}
				}
			})
		}
	}
}

func TestVectorsObeyBoundsByElement(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(4) {
		param @b: buf<u32> rw
		param @out: buf<u32> wo
		%l = local.x
		%v = load.v4 @b[%l]
		store.v4 @out[%l], %v
		%x = vec 90_u32, 91_u32, 92_u32, 93_u32
		%one = eq.u32 %l, 1_u32
		if %one { store.v4 @b[%l], %x }
	}`)
	b, out := u32s(1, 2, 3, 4, 5, 6), u32s(make([]uint32, 16)...)
	res := run(t, k, 1, interp.Options{}, b, out)
	wantWords(t, "loaded", out, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	wantWords(t, "stored", b, 1, 2, 3, 4, 90, 91)
	if res.OutOfBounds != 2+8+2 {
		t.Errorf("%d elements out of bounds, want 12", res.OutOfBounds)
	}
}

func TestNarrowVectorsExtendEachElement(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(1) {
		param @b: buf<i8> ro
		param @out: buf<i32> wo
		%v = load.v4 @b[1_u32]
		store.v4 @out[0_u32], %v
	}`)
	out := u32s(9, 9, 9, 9)
	run(t, k, 1, interp.Options{}, launch.Arg{Mem: []byte{1, 2, 3, 4, 0x80, 0x7F, 0xFF, 0}}, out)
	wantWords(t, "loaded", out, 0xFFFF_FF80, 0x7F, 0xFFFF_FFFF, 0)
}

func TestEmptyBuffersAreLegal(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(32) {
		param @b: buf<u32> rw
		param @out: buf<u32> rw
		%g = global.x
		%n = len @b
		%v = load @b[%g]
		%w = add.u32 %v, %n
		store @b[%g], 1_u32
		atomic_add.relaxed.dev @out[0_u32], %w
	}`)
	out := u32s(5)
	run(t, k, 2, interp.Options{}, launch.Arg{}, out)
	wantWords(t, "sum", out, 5)
}

func TestLocalArraysBelongToOneInvocation(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(40) {
		param @out: buf<u32> wo
		local @t: u16[3]
		%l = local.x
		store @t[0_u32], %l
		%x = add.u32 %l, 65536_u32
		store @t[1_u32], %x
		%a = load @t[0_u32]
		%b = load @t[1_u32]
		%m = mul.u32 %a, 1000_u32
		%r = add.u32 %m, %b
		store @out[%l], %r
	}`)
	for _, s := range schedules {
		out := u32s(make([]uint32, 40)...)
		run(t, k, 1, interp.Options{Schedule: s, Detect: interp.Everything}, out)
		want := make([]uint32, 40)
		for l := range want {
			want[l] = uint32(l) * 1001
		}
		wantWords(t, s.String(), out, want...)
	}
}

func TestSharedArraysBelongToOneGroup(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(32) {
		param @out: buf<u32> wo
		shared @s: u32[32]
		shared @last: u32[?]
		%l = local.x
		%g = global.x
		%n = len @last
		store @s[%l], %g
		store @last[%l], %n
		barrier.wg
		%o = xor.u32 %l, 31_u32
		%a = load @s[%o]
		%b = load @last[%o]
		%m = mul.u32 %b, 1000_u32
		%r = add.u32 %a, %m
		store @out[%g], %r
	}`)
	for _, s := range schedules {
		for _, rest := range []int{0, 5, 40} {
			out := u32s(make([]uint32, 64)...)
			launched(t, k, launch.Launch{Grid: [3]uint32{2, 1, 1}, Args: []launch.Arg{out}, Rest: rest}, interp.Options{Schedule: s})
			want := make([]uint32, 64)
			for g := range want {
				o := uint32(g%32) ^ 31
				if want[g] = uint32(g&^31) + o; o < uint32(rest) {
					want[g] += uint32(rest) * 1000
				}
			}
			wantWords(t, fmt.Sprintf("%s, %d elements", s, rest), out, want...)
		}
	}
}

func TestUndefinedMemoryHoldsSeededPoison(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(64) {
		param @out: buf<u32> wo
		shared @s: u32[1]
		local @t: u32[1]
		%g = global.x
		%a = load @s[0_u32]
		%b = load @t[0_u32]
		%i = mul.u32 %g, 2_u32
		%j = add.u32 %i, 1_u32
		store @out[%i], %a
		store @out[%j], %b
	}`)
	poison := func(seed uint64) []uint32 {
		out := u32s(make([]uint32, 128)...)
		run(t, k, 1, interp.Options{Poison: seed}, out)
		w := words(out)
		for l := range 64 {
			if w[2*l] != w[0] {
				t.Fatalf("lane %d reads %#x from the shared cell where lane 0 reads %#x", l, w[2*l], w[0])
			}
		}
		return w
	}
	a, b, c := poison(1), poison(1), poison(2)
	if a[0] != b[0] || a[1] != b[1] {
		t.Error("one seed gives two poisons")
	}
	if a[0] == c[0] && a[1] == c[1] {
		t.Error("two seeds give one poison")
	}
}

func TestPlainAccessesThatRaceStayAtOneElement(t *testing.T) {
	k := prepare(t, `kernel @k workgroup(256) {
		param @b: buf<u32> rw
		%g = global.x
		%i = and.u32 %g, 7_u32
		%v = mul.u32 %i, 65537_u32
		loop ^l (%n: u32 = 0_u32) {
			%end = le.u32 50_u32, %n
			if %end { break ^l }
			store @b[%i], %v
			%n1 = add.u32 %n, 1_u32
			continue ^l (%n1)
		}
	}`)
	b := u32s(make([]uint32, 8)...)
	run(t, k, 16, interp.Options{Workers: 4}, b)
	wantWords(t, "equal stores", b, 0, 65537, 2*65537, 3*65537, 4*65537, 5*65537, 6*65537, 7*65537)
}
