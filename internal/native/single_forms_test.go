package native_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// asWritten parses a program, which no pass goes over.
func asWritten(t *testing.T, source string) *ir.Program {
	t.Helper()
	ps, err := text.Parse("test", "vyre 1\n"+source)
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

// alone makes code for one invocation at a time.
func alone(t *testing.T, p *ir.Program) *native.Kernel {
	t.Helper()
	needs.MachineCode(t, native.Available())
	yes := true
	k, err := native.New(p, native.Options{Single: &yes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// forms are bodies over x and y, of ten and of six elements, and how many accesses compare their index: not what a guard has compared.
var forms = []struct {
	name, body string
	compared   int
}{
	{"behind a return", `%n = len @x
		%out = le.u32 %n, %i
		if %out { return }
		%v = load @x[%i]
		store @y[0_u32], %v`, 1}, // that of y
	{"in the other arm", `%n = len @x
		%in = lt.u32 %i, %n
		if %in {
			%v = load @x[%i]
			store @y[0_u32], %v
		} else {
			%w = load @x[%i]
			store @y[1_u32], %w
		}`, 3},
	{"after an arm that ends", `%n = len @x
		%in = lt.u32 %i, %n
		if %in { } else { return }
		%v = load @x[%i]
		store @y[2_u32], %v`, 1},
	{"after an arm that goes on", `%n = len @x
		%in = lt.u32 %i, %n
		if %in { store @y[3_u32], %i }
		%v = load @x[%i]
		store @y[4_u32], %v`, 3},
	{"of 64 bits", `%n = len @x
		%wide = cvt.u64.u32 %i
		%long = cvt.u64.u32 %n
		%out = le.u64 %long, %wide
		if %out { return }
		%v = load @x[%wide]
		store @y[0_u32], %v`, 1},
	{"or equal", `%n = len @x
		%out = lt.u32 %n, %i
		if %out { return }
		%v = load @x[%i]
		store @y[0_u32], %v`, 2},
	{"of another object", `%n = len @x
		%out = le.u32 %n, %i
		if %out { return }
		%v = load @y[%i]
		store @x[%i], %v`, 1},
	{"with a sign", `%n = len @x
		%s = bitcast.i32.u32 %i
		%m = bitcast.i32.u32 %n
		%less = sub.i32 %s, 20_i32
		%out = le.i32 %m, %less
		if %out { return }
		%v = load @x[%less]
		store @y[0_u32], %v`, 2},
	{"at the head of a loop", `%n = len @x
		%sum = loop ^l (%k: u32 = %i, %s: u32 = 0_u32) -> (u32) {
			%end = le.u32 %n, %k
			if %end { break ^l (%s) }
			%v = load @x[%k]
			%t = add.u32 %s, %v
			%m = add.u32 %k, 1_u32
			continue ^l (%m, %t)
		}
		store @y[%i], %sum`, 1},
	{"in an arm that leaves the loop", `%n = len @x
		%sum = loop ^l (%k: u32 = %i) -> (u32) {
			%in = lt.u32 %k, %n
			if %in {
				%v = load @x[%k]
				%odd = and.u32 %v, 1_u32
				%is = eq.u32 %odd, 1_u32
				if %is { break ^l (%v) }
				%w = xor.u32 %v, %k
				store @y[%k], %w
			} else {
				%far = load @x[%k]
				break ^l (%far)
			}
			%m = add.u32 %k, 3_u32
			continue ^l (%m)
		}
		store @y[%i], %sum`, 3},
}

// What is known of an index changes no result, inside or outside, and spares comparisons.
func TestIndicesBehindGuards(t *testing.T) {
	for _, c := range forms {
		t.Run(c.name, func(t *testing.T) {
			p := asWritten(t, "kernel @k workgroup(1) {\n param @x: buf<u32> rw\n param @y: buf<u32> rw\n%i = global.x\n"+c.body+"\n}")
			launch := func() *launch.Launch {
				in := &launch.Launch{Grid: [3]uint32{24, 1, 1}}
				for _, n := range []int{10, 6} {
					mem := aligned(make([]byte, 4*n))
					for i := range mem {
						mem[i] = byte(37*i + n)
					}
					in.Args = append(in.Args, launch.Arg{Mem: mem})
				}
				return in
			}
			by, err := interp.Prepare(p)
			if err != nil {
				t.Fatal(err)
			}
			want, got := launch(), launch()
			if _, err := by.Run(context.Background(), *want, interp.Options{Workers: 1}); err != nil {
				t.Fatal(err)
			}
			if _, err := alone(t, p).Run(context.Background(), got, native.RunOptions{Workers: 1}); err != nil {
				t.Fatal(err)
			}
			for i := range want.Args {
				if !bytes.Equal(got.Args[i].Mem, want.Args[i].Mem) {
					t.Errorf("buffer %d has %x, want %x", i, got.Args[i].Mem, want.Args[i].Mem)
				}
			}
			if n := compared(t, p); n != c.compared {
				t.Errorf("%d indices are compared, want %d", n, c.compared)
			}
		})
	}
}

// compared counts the comparisons of accesses.
func compared(t *testing.T, p *ir.Program) (n int) {
	t.Helper()
	l, err := native.ListSingle(p, "amd64.avx2")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range l.Lines {
		if in.Op == "cmp" && in.Row != ir.NoRow && p.Op(in.Row).Info().Imm == ir.ImmObject {
			n++
		}
	}
	return n
}

// Rounds are counted in a register, which no rule for vectors loses that is used on the way.
func TestRoundsOfOneInvocation(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":      "",
		"a root":       "%a = load @x[0_u32]\n%f = cvt.f32.i64 %a\n%r = sqrt.f32 %f\nstore @y[0_u32], %r",
		"a division":   "%a = load @x[0_u32]\n%b = load @x[1_u32]\n%q = div.i64 %a, %b\nstore @z[0_u32], %q",
		"an exchange":  "atomic_add.relaxed.dev @z[0_u32], 3_i64",
		"a conversion": "%a = load @x[0_u32]\n%f = cvt.f32.i64 %a\nstore @y[0_u32], %f",
	} {
		t.Run(name, func(t *testing.T) {
			p := asWritten(t, fmt.Sprintf("kernel @endless workgroup(8) {\n param @x: buf<i64> ro\n param @y: buf<f32> wo\n param @z: buf<i64> rw\n loop ^l () {\n %s\n continue ^l }\n unreachable\n}", body))
			k := alone(t, p)
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			in := &launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: aligned(make([]byte, 16))}, {Mem: aligned(make([]byte, 16))}, {Mem: aligned(make([]byte, 16))}}}
			var canceled *launch.CanceledError
			if _, err := k.Run(ctx, in, native.RunOptions{}); !errors.As(err, &canceled) {
				t.Errorf("got %v", err)
			}
			l, err := native.ListSingle(p, "amd64.avx2")
			if err != nil {
				t.Fatal(err)
			}
			if l.Lanes != 1 {
				t.Errorf("code is for %d invocations", l.Lanes)
			}
			for _, in := range l.Lines {
				if in.Op == "sub" && strings.Contains(in.Args, "[rdi+0x8]") {
					t.Errorf("rounds are counted in memory: %s %s", in.Op, in.Args)
				}
			}
		})
	}
}

// Of one invocation, a word more of a sum is one instruction that takes the flag, on each kind of processor, whatever stands
// between its words in the program; and both halves of a product are one multiplication on amd64, as is the upper one of signed numbers.
func TestCarriesAreFlags(t *testing.T) {
	p := asWritten(t, `kernel @sums workgroup(32) {
		param @x: buf<u64> ro
		param @y: buf<u64> wo
		%a = load @x[0_u32]
		%b = load @x[1_u32]
		%lo = mul.u64 %a, %b
		%hi = mulhi.u64 %a, %b
		%s0 = add.u64 %a, %lo
		%c0 = carry.u64 %a, %lo, 0_u64
		%d0 = sub.u64 %a, %b
		%e0 = borrow.u64 %a, %b, 0_u64
		%t1 = add.u64 %b, %hi
		%s1 = add.u64 %c0, %t1
		%c1 = carry.u64 %b, %hi, %c0
		%u1 = sub.u64 %b, %a
		%d1 = sub.u64 %u1, %e0
		%top = add.u64 %a, %c1
		%p = cvt.i64.u64 %a
		%q = cvt.i64.u64 %d1
		%ph = mulhi.i64 %p, %q
		%uh = cvt.u64.i64 %ph
		store @y[0_u32], %s0
		store @y[1_u32], %s1
		store @y[2_u32], %top
		store @y[3_u32], %d0
		store @y[4_u32], %d1
		store @y[5_u32], %uh
	}`)
	for target, want := range map[string]map[string]int{
		"amd64.avx2": {"adc": 2, "sbb": 1, "mul": 1, "imul": 1, "sar": 0, "neg": 0}, "arm64.neon": {"adcs": 2, "sbcs": 1, "mul": 2, "umulh": 1, "smulh": 1, "asr": 0, "neg": 0},
	} {
		l, err := native.ListSingle(p, target)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, line := range l.Lines {
			got[line.Op]++
		}
		for op, n := range want {
			if got[op] != n {
				t.Errorf("%s: %d times %s, want %d", target, got[op], op, n)
			}
		}
	}
}
