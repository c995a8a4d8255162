package ptx_test

import (
	"regexp"
	"testing"

	"github.com/govyre/vyre/internal/ptx"
)

// TestEmitAvoidsWhatTheAssemblerGetsWrong: the shapes of docs/design/assembler-errors.md are written in other words, and
// what stands next to them is written as ever.
func TestEmitAvoidsWhatTheAssemblerGetsWrong(t *testing.T) {
	const head = `kernel @k workgroup(32) {
  param @f: buf<f32> rw
  param @d: buf<f64> rw
  param @h: buf<i16> rw
  param @b: buf<i8> rw
  param @u: buf<u32> rw
  param @q: buf<u64> rw
  %i = local.x
  %x = load @f[%i]
  %xd = load @d[%i]
  %a = load @u[%i]
  %j = add.u32 %i, 32_u32
  %b = load @u[%j]
  %v = load @q[%i]
`
	rows := []struct {
		name, program string
		has, hasNot   string // patterns of its text
	}{
		{"maximum with −0", "%r = max.f32 %x, -0_f32\nstore @f[%i], %r", `setp\.ltu\.f32`, `setp\.ge\.f32`},
		{"minimum with −0", "%r = min.f32 %x, -0_f32\nstore @f[%i], %r", `setp\.geu\.f32`, `setp\.lt\.f32`},

		{"sign of a byte of a", "%p = prmt %a, %b, 0x18_u32\nstore @u[%i], %p", `prmt\.b32 .*, 17500;`, `prmt\.b32 .*, 24;`},
		{"sign of a byte of b", "%p = prmt %a, %b, 0x3c_u32\nstore @u[%i], %p", `prmt\.b32 .*, 60;`, ""},
		{"signs of both", "%p = prmt %a, %b, 0xc8_u32\nstore @u[%i], %p", `prmt\.b32 .*, (\d+);\n\tprmt\.b32`, `prmt\.b32 .*, 200;`},
		{"bytes", "%p = prmt %a, %b, 0x7351_u32\nstore @u[%i], %p", `prmt\.b32 .*, 29521;`, ""},

		{"at most 1, at least 0", "%m = min.f32 %x, 1_f32\n%r = max.f32 %m, 0_f32\nstore @f[%i], %r", `max\.f32 .*, 0fBF800000`, `min\.f32`},
		{"at most 1 by a choice", "%c = lt.f32 %x, 1_f32\n%m = select.f32 %c, %x, 1_f32\n%r = max.f32 %m, 0_f32\nstore @f[%i], %r",
			`max\.f32 .*, 0fBF800000`, `selp`},
		{"at least 0 later", "%m = min.f64 1_f64, %xd\n%n = neg.f64 %m\n%o = neg.f64 %n\n%p = max.f64 %o, -2_f64\n%r = max.f64 %p, 0_f64\nstore @d[%i], %r",
			`max\.f64 .*, 0dBFF0000000000000`, `min\.f64`},
		{"at least 0, at most 1", "%m = max.f32 %x, 0_f32\n%r = min.f32 %m, 1_f32\nstore @f[%i], %r", `min\.f32`, `neg`},
		{"at most 2, at least 0", "%m = min.f32 %x, 2_f32\n%r = max.f32 %m, 0_f32\nstore @f[%i], %r", `min\.f32`, `neg`},

		{"at most 3, at least 0, at most 1", "%m = min.f32 %x, 3_f32\n%n = max.f32 %m, 0_f32\n%r = min.f32 %n, 1_f32\nstore @f[%i], %r",
			`max\.f32 .*, 0fC0400000`, `0f40400000`},
		{"at most 0.5, at least 0, at most 1", "%m = min.f32 %x, 0.5_f32\n%n = max.f32 %m, 0_f32\n%r = min.f32 %n, 1_f32\nstore @f[%i], %r",
			`min\.f32 .*, 0f3F000000`, `neg`},
		{"at most 1, at least −1 by a choice, at least 0", "%m = min.f32 %x, 1_f32\n%c = lt.f32 -1_f32, %m\n%s = select.f32 %c, %m, -1_f32\n%r = max.f32 %s, 0_f32\nstore @f[%i], %r",
			`max\.f32 .*, 0fBF800000`, `min\.f32`},
		{"at most 1, at least 0, NaNs kept", "%m = min.f64 %xd, 1_f64\n%r = maxp.f64 %m, -0_f64\nstore @d[%i], %r", `max\.f64 .*, 0dBFF0000000000000`, `min\.f64`},

		{"signed byte as unsigned", "%e = cvt.i32.u32 %a\n%g = bfe.i32 %e, #8, #8\n%h = cvt.u32.i32 %g\n%r = cvt.f32.u32 %h\nstore @f[%i], %r", `prmt\.b32 %r\d+, 0, %r\d+, 56789;`, `bfe`},
		{"signed byte", "%e = cvt.i32.u32 %a\n%g = bfe.i32 %e, #8, #8\n%r = cvt.f32.i32 %g\nstore @f[%i], %r", `bfe`, `prmt`},
		{"upper byte of a word", "%g = bfe.u32 %a, #24, #8\n%r = cvt.f32.u32 %g\nstore @f[%i], %r", `bfe`, `prmt`},
		{"upper half of a half", "%h = load @h[%i]\n%g = bfe.i32 %h, #16, #16\n%r = cvt.f32.i32 %g\nstore @f[%i], %r", `prmt\.b32 %r\d+, 0, %r\d+, 65398;`, `bfe`},
		{"lower byte of a half", "%h = load @h[%i]\n%g = bfe.i32 %h, #8, #8\n%r = cvt.f32.i32 %g\nstore @f[%i], %r", `bfe`, `prmt`},

		{"signed bytes of a vector as unsigned", "%g = load.v4 @b[0_u32]\n%m = elem %g, #1\n%n = cvt.u32.i32 %m\n%r = cvt.f32.u32 %n\nstore @f[%i], %r", `prmt\.b32 %r\d+, 0, %r\d+, 52420;`, ""},
		{"signed bytes of a vector", "%g = load.v4 @b[0_u32]\n%m = elem %g, #1\n%r = cvt.f32.i32 %m\nstore @f[%i], %r", `v4\.s8`, `prmt`},

		{"bits of a bool as a float", "%c = lt.f32 %x, 2_f32\n%g = cvt.u32.bool %c\n%m = bitcast.f32.u32 %g\n%r = cvt.u32.f32 %m\nstore @u[%i], %r", `xor\.b32`, ""},

		{"greatest of three", "%c = cvt.i32.u32 %a\n%e = neg.i32 %c\n%n = cvt.u32.i32 %e\n%m = max.u32 %b, %n\n%r = max.u32 %m, %i\nstore @u[%i], %r", `not\.b32`, ""},
		{"greatest of two", "%n = sub.u32 0_u32, %a\n%m = max.u32 %b, %n\n%r = min.u32 %m, %i\nstore @u[%i], %r", "", `not\.b32`},

		{"2147483647 twice", "%p = mul.u64 %v, 2147483647_u64\n%s = add.u64 %p, 5_u64\n%r = mul.u64 %s, 2147483647_u64\nstore @q[%i], %r",
			`mul\.lo\.u64 .*(?s:.*)xor\.b32(?s:.*)mul\.lo\.u64 .*, 2147483647`, `xor\.b32(?s:.*)xor\.b32`},
		{"2147483646 and one", "%p = mul.u64 %v, 2147483646_u64\n%s = add.u64 %p, %v\n%t = sub.u64 5_u64, %s\n%w = mul.u64 %t, 2147483646_u64\n%r = add.u64 %w, %t\nstore @q[%i], %r",
			`xor\.b32`, ""},
		{"5 times 858993459, negated", "%p = mul.u64 %v, 5_u64\n%s = sub.u64 7_u64, %p\n%r = mul.u64 %s, 858993459_u64\nstore @q[%i], %r",
			`xor\.b32(?s:.*)mul\.lo\.u64 .*, 858993459`, ""},
		{"3 times 5", "%p = mul.u64 %v, 3_u64\n%s = add.u64 %p, 5_u64\n%r = mul.u64 %s, 5_u64\nstore @q[%i], %r", `mul\.lo\.u64`, `xor\.b32`},
		{"twice as far as 2147483647 gets", "%p = mul.u64 %v, 2147483647_u64\n%s = sub.u64 %v, %p\n%t = mul.u64 %s, 2147483647_u64\n%r = sub.u64 5_u64, %t\nstore @q[%i], %r",
			`sub\.s64(?s:.*)xor\.b32(?s:.*)mul\.lo\.u64`, `xor\.b32(?s:.*)xor\.b32`},
		{"factors that add up to one", "%m = mul.u64 %v, 2147483647_u64\n%n = add.u64 %m, 3_u64\n%p = mul.u64 %v, 486847129_u64\n%s = add.u64 %n, %p\n%t = mul.u64 %v, 1660636521_u64\n%w = add.u64 %t, 9_u64\n%r = add.u64 %s, %w\nstore @q[%i], %r",
			`xor\.b32`, ""},
		{"a part of a factor", "%p = mul.u64 %v, 1431655765_u64\n%s = add.u64 %p, 131070_u64\n%t = mul.u64 %s, 1431655765_u64\n%w = sub.u64 12287_u64, %t\n%r = mul.u64 %w, 12884901891_u64\nstore @q[%i], %r",
			`xor\.b32(?s:.*)mul\.lo\.u64 .*, 12884901891`, ""},
		{"a generator of numbers", "%m = mul.u64 %v, 6364136223846793005_u64\n%n = add.u64 %m, 1442695040888963407_u64\n%p = mul.u64 %n, 6364136223846793005_u64\n%s = add.u64 %p, 1442695040888963407_u64\nstore @q[%i], %s",
			`mul\.lo\.u64`, `xor\.b32`},
		{"a low word hidden twice", "%s0 = add.u64 %v, 0xffffffff60000000_u64\n%p0 = mul.u64 %s0, 4177920_u64\n%t0 = add.u64 %p0, %s0\n%m0 = and.u64 %t0, 0x1fe000000000000_u64\n%s1 = add.u64 %m0, 0xffffffff60000000_u64\n%p1 = mul.u64 %s1, 4177920_u64\n%t1 = add.u64 %p1, %s1\n%m1 = and.u64 %t1, 0x1fe000000000000_u64\n%s2 = add.u64 %m1, 0xffffffff60000000_u64\n%p2 = mul.u64 %s2, 4177920_u64\n%t2 = add.u64 %p2, %s2\n%m2 = and.u64 %t2, 0x1fe000000000000_u64\nstore @q[%i], %m2",
			`xor\.b32 (?s:.*)and\.b32 .*, 4294967294;\n\txor\.b32`, `4294967293`},
		{"the same sum by two ways", "%m = mul.u64 %v, 24_u64\n%n = add.u64 %m, 3_u64\n%p = mul.u64 %n, 8_u64\n%s = mul.u64 %v, 192_u64\n%t = add.u64 %s, 7_u64\n%r = xor.u64 %p, %t\nstore @q[%i], %r",
			`mul\.lo\.u64`, `xor\.b32`},

		{"bound of a number with a sign", "%s = abs.f32 %x\n%n = neg.f32 %s\n%m = max.f32 %n, 0_f32\n%o = abs.f32 %m\n%r = neg.f32 %o\nstore @f[%i], %r",
			`and\.b32 .*, 2147483647;\n\txor\.b32`, ""},
		{"magnitude", "%c = bitcast.i32.u32 %a\n%m = abs.i32 %c\n%n = neg.i32 %m\n%r = bitcast.u32.i32 %n\nstore @u[%i], %r", `shr\.s32 (?s:.*)xor\.b32 (?s:.*)sub\.s32`, `abs`},
		{"magnitude of a shift, added to what makes a turn", "%w = bitcast.i64.u64 %v\n%l = shl.i64 %w, 28_u32\n%s = shr.i64 %w, 36_u32\n%m = abs.i64 %s\n%t = add.i64 %l, %m\n%r = bitcast.u64.i64 %t\nstore @q[%i], %r",
			`shr\.s32 .*, 4;`, `shr\.s64 .*, 36`},
		{"sign of a negation", "%w = bitcast.i64.u64 %v\n%n = neg.i64 %w\n%p = lt.i64 %n, 0_i64\n%r = select.u32 %p, 1_u32, %a\nstore @u[%i], %r", `setp\.lt\.s32 .*, 0;`, `setp\.lt\.s64`},
		{"no sign of a negation", "%w = bitcast.i64.u64 %v\n%n = neg.i64 %w\n%p = le.i64 0_i64, %n\n%r = select.u32 %p, 1_u32, %a\nstore @u[%i], %r", `setp\.le\.s32 .*, 0, `, `setp\.le\.s64`},

		{"shift of a negative number", "%n = or.u32 %a, 0x80000000_u32\n%c = bitcast.i32.u32 %n\n%s = shr.i32 %c, 1_u32\n%p = lt.i32 %s, -100_i32\n%r = select.u32 %p, 1_u32, %a\nstore @u[%i], %r",
			`xor\.b32 (?s:.*)shr\.s32 .*, 1;`, ""},
		{"shift of a number that may be negative", "%n = or.u32 %a, 0x40000000_u32\n%c = bitcast.i32.u32 %n\n%s = shr.i32 %c, 1_u32\n%p = lt.i32 %s, -100_i32\n%r = select.u32 %p, 1_u32, %a\nstore @u[%i], %r",
			`shr\.s32 .*, 1;`, `xor`},
		{"shift by 31 of 64 bits", "%r = shl.u64 %v, 31_u32\nstore @q[%i], %r", `shf\.l\.wrap\.b32 .*, 31;`, `shl\.b64`},
		{"shift by 30 of 64 bits", "%r = shl.u64 %v, 30_u32\nstore @q[%i], %r", `shl\.b64 .*, 30;`, ""},
		{"bits at the top of 64", "%n = not.u64 %v\n%r = bfi.u64 5_u64, %n, #40, #24\nstore @q[%i], %r", `bfi\.b32 .*, 8, 24;`, `bfi\.b64`},
		{"a half at the top of 64 bits", "%r = bfi.u64 5_u64, %v, #48, #16\nstore @q[%i], %r", `prmt\.b32`, `bfi`},
		{"bits below the top of 64", "%n = not.u64 %v\n%r = bfi.u64 5_u64, %n, #40, #23\nstore @q[%i], %r", `bfi\.b64`, ""},
		{"a pair of halves", "%c = cvt.i32.u32 %a\n%e = cvt.i32.u32 %b\n%w = vec %c, %e\nstore.v2 @h[0_u32], %w", `prmt\.b32 .*, 21520;\n(?s:.*)st\.global\.u32`, `st\.global\.v2`},

		{"bound of any number", "%m = max.f32 %x, 0_f32\n%r = neg.f32 %m\nstore @f[%i], %r", `neg\.f32`, `xor`},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			m, err := emit(parse(t, head+r.program+"\n}"), ptx.Target{SM: 90})
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(r.has).MatchString(m.Text) {
				t.Errorf("got\n%s\nwant %s in it", m.Text, r.has)
			}
			if r.hasNot != "" && regexp.MustCompile(r.hasNot).MatchString(m.Text) {
				t.Errorf("got\n%s\nwant no %s in it", m.Text, r.hasNot)
			}
		})
	}
}
