package native_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// manySums is a loop whose rounds add to so many sums what several rows of shared memory give: more than there are registers for.
func manySums(sums, rows int) string {
	var b strings.Builder
	var first, args, outs []string
	for i := range sums * 4 {
		first = append(first, fmt.Sprintf("%%c%d: f32 = 0_f32", i))
		outs = append(outs, "f32")
	}
	fmt.Fprintf(&b, "%%a = load @x[%%i]\nstore @as[%%l], %%a\n%%b = load @y[%%i]\nstore @bs[%%l], %%b\n%%l2 = add.u32 %%l, 64_u32\nstore @bs[%%l2], %%a\nbarrier.wg\n")
	fmt.Fprintf(&b, "%s = loop ^k (%%k: u32 = 0_u32, %s) -> (%s) {\n%%end = le.u32 %%n, %%k\nif %%end { break ^k (%s) }\n", names("r", sums*4), strings.Join(first, ", "), strings.Join(outs, ", "), names("c", sums*4))
	now := func(q, i int) string {
		if q == 0 {
			return fmt.Sprintf("%%c%d", i)
		}
		return fmt.Sprintf("%%s%d_%d", q-1, i)
	}
	for q := range rows {
		for j := range 4 {
			fmt.Fprintf(&b, "%%j%d_%d = add.u32 %%lx, %d_u32\n%%w%d_%d = load @bs[%%j%d_%d]\n", q, j, q*8+j*3, q, j, q, j)
		}
		for i := range sums {
			fmt.Fprintf(&b, "%%h%d_%d = add.u32 %%ly, %d_u32\n%%v%d_%d = load @as[%%h%d_%d]\n", q, i, q*6+i, q, i, q, i)
			for j := range 4 {
				fmt.Fprintf(&b, "%%s%d_%d = fma.f32 %%v%d_%d, %%w%d_%d, %s\n", q, i*4+j, q, i, q, j, now(q, i*4+j))
			}
		}
	}
	for i := range sums * 4 {
		args = append(args, now(rows, i))
	}
	fmt.Fprintf(&b, "barrier.wg\n%%m = add.u32 %%k, 1_u32\ncontinue ^k (%%m, %s)\n}\n", strings.Join(args, ", "))
	for i := range sums * 4 {
		fmt.Fprintf(&b, "%%o%d = add.u32 %%i, %d_u32\nstore @z[%%o%d], %%r%d\n", i, i*128, i, i)
	}
	return b.String()
}

func names(prefix string, n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%%%s%d", prefix, i))
	}
	return strings.Join(out, ", ")
}

// plainKernels have loads that are known to be inside, and what else has to do with the order within a block. A workgroup is
// 8 × 8.
var plainKernels = []struct {
	name, body string
	inside     int // accesses that the passes prove, at least
}{
	{"sixteen sums", manySums(4, 5), 20},
	{"twenty-four sums", manySums(6, 3), 20},
	{"an index whose first part is negative", `%a = load @x[%i]; store @as[%l], %a; barrier.wg; %sx = bitcast.i32.u32 %lx; %sy = bitcast.i32.u32 %ly; %d = sub.i32 %sx, %sy
		%j = add.i32 %d, 7_i32; %u = load @as[%j]; %k = add.i32 %d, 9_i32; %v = load @as[%k]; %e = sub.i32 3_i32, %sy; %m = add.i32 %e, 5_i32; %w = load @as[%m]; %q = add.i32 %e, 6_i32; %p = load @as[%q]
		%s = add.f32 %u, %v; %t = mul.f32 %w, %p; %o = sub.f32 %s, %t; store @z[%i], %o; %y1 = add.i32 %d, 8_i32; store @bs[%l], 0_f32; barrier.wg; %df = cvt.f32.i32 %d; store @bs[%y1], %df; barrier.wg; %h = load @bs[%l]; %i2 = add.u32 %i, 128_u32; store @z[%i2], %h`, 4},
	{"a row that is read again after it is written", `%a = load @x[%i]; store @as[%l], %a; barrier.wg; %u = load @as[%lx]; barrier.wg; store @as[%l], 2_f32; barrier.wg; %v = load @as[%lx]; %s = fma.f32 %u, %v, %a; %t = sub.f32 %v, %u; %q = mul.f32 %s, %t; store @z[%i], %q`, 3},
	{"an index from where it points", `%z = bitcast.f32.u32 %lx; store @as[%l], %z; barrier.wg
		%r = loop ^k (%k: u32 = 0_u32, %at: u32 = %ly) -> (u32) { %end = le.u32 %n, %k; if %end { break ^k (%at) }
			%v = load @as[%at]; %w = bitcast.u32.f32 %v; %x7 = and.u32 %w, 7_u32; %t = mul.u32 %x7, 9_u32; %to = and.u32 %t, 63_u32; %m = add.u32 %k, 1_u32; continue ^k (%m, %to) }
		%f = cvt.f32.u32 %r; store @z[%i], %f`, 1},
	{"shuffles of what is there already", `%a = load @x[%i]; %b = load @y[%i]; %ua = bitcast.u32.f32 %a; %wide = cvt.u64.u32 %ua; %big = mul.u64 %wide, 4294967311_u64
		%s0 = shuffle_up.f32 %a, 1_u32; %s1 = shuffle_down.f32 %b, 1_u32; %sum = add.f32 %s0, %s1; %s2 = shuffle_xor.f32 %a, 17_u32; %s3 = shuffle.f32 %b, 13_u32; %s4 = shuffle_down.u64 %big, 5_u32; %s5 = shuffle_up.u64 %big, 24_u32
		%s6 = shuffle_up.f32 %sum, 3_u32; %s7 = shuffle_xor.f32 %b, 2_u32; %s8 = shuffle.u64 %big, 31_u32
		%t0 = add.f32 %sum, %s2; %t1 = mul.f32 %t0, %s3; %t2 = sub.f32 %t1, %s6; %t3 = add.f32 %t2, %s7; store @z[%i], %t3
		%v0 = xor.u64 %s4, %s5; %v1 = add.u64 %v0, %s8; %lo = cvt.u32.u64 %v1; %f = cvt.f32.u32 %lo; %i2 = add.u32 %i, 128_u32; store @z[%i2], %f`, 0},
	{"both halves of products", `%a = load @x[%i]; %b = load @y[%i]; %ua = bitcast.u32.f32 %a; %ub = bitcast.u32.f32 %b; %wa = cvt.u64.u32 %ua; %wb = cvt.u64.u32 %ub; %p = mul.u64 %wa, 11400714819323198485_u64; %q = mul.u64 %wb, 14029467366897019727_u64
		%hi = mulhi.u64 %p, %q; %lo = mul.u64 %p, %q; %less = lt.u64 %hi, %lo; %s = select.u64 %less, %hi, %lo; %not = not.u64 %s; %and = and.u64 %not, %p; %same = mulhi.u64 %and, %q; %d = sub.u64 %same, %hi
		%le = le.u64 %d, %p; %c = select.u64 %le, %d, %p; %w = cvt.u32.u64 %c; %f = cvt.f32.u32 %w; store @z[%i], %f`, 0},
}

// Blocks in another order, divided, with loads as operands and with what is there already, give the interpreter's bits.
func TestOrderWithinABlockChangesNothing(t *testing.T) {
	needs.MachineCode(t, native.Available())
	no, one := false, native.RunOptions{Polls: 1, Workers: 1}
	for _, k := range plainKernels {
		t.Run(k.name, func(t *testing.T) {
			source := "vyre 1\nkernel @plain workgroup(8, 8) {\nparam %n: u32\nparam @x: buf<f32> ro\nparam @y: buf<f32> ro\nparam @z: buf<f32> rw\nshared @as: f32[64]\nshared @bs: f32[128]\n" +
				"%lx = local.x\n%ly = local.y\n%l8 = shl.u32 %ly, 3_u32\n%l = add.u32 %l8, %lx\n%g = group.x\n%g64 = shl.u32 %g, 6_u32\n%i = add.u32 %g64, %l\n" + strings.ReplaceAll(k.body, "; ", "\n") + "\n}"
			ps, err := text.Parse("test", source)
			if err != nil {
				t.Fatalf("%v\n%s", err, source)
			}
			p := ps[0]
			q, _, err := opt.Run(p, opt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			inside := 0
			for r := range ir.Row(q.Rows()) {
				if q.Flags(r).InBounds() {
					inside++
				}
			}
			if inside < k.inside {
				t.Errorf("%d accesses are proven to be inside, want %d at least", inside, k.inside)
			}
			for _, n := range []uint32{0, 1, 3} {
				for _, elements := range []int{0, 100, 4000} {
					l := conform.Launch{Grid: [3]uint32{2, 1, 1}, Args: []conform.Arg{{Bits: uint64(n)}}}
					for b := range 3 {
						data := make([]byte, 4*elements)
						for i := range data {
							data[i] = byte(i*37 + b*11)
							if i%4 == 3 {
								data[i] = 0x3F // floats of around 1
							}
						}
						l.Args = append(l.Args, conform.Arg{Data: data})
					}
					for _, target := range native.HostTargets() {
						compare(t, p, l, forced{code: native.Options{Target: target}, run: one, place: atPageEnd}, forced{code: native.Options{Target: target, Registers: 3}, run: one},
							forced{code: native.Options{Target: target, Registers: 9}}, forced{code: native.Options{Target: target, Alone: &no, Registers: 5}, run: one})
					}
				}
			}
		})
	}
}
