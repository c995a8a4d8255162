package native_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/ir"
)

// Arms that end by leaving the loop around them, and from which other exits go round again: what lives around the loop lives in
// them, so they are no code behind it. What the loop reads in each round is computed before it, and the arms compute enough to
// take the registers of what they do not read.
var wayBack = []struct{ name, loop string }{
	{"a continue", `
		%big = lt.u32 40_u32, %s
		if %big {
			` + mixing + `
			%odd = and.u32 %s, 1_u32
			%is = eq.u32 %odd, 1_u32
			if %is { continue ^l (%n, %b5) }
			break ^l (%b5)
		}
		%c = add.u32 %s, %d
		continue ^l (%n, %c)`},
	{"a break of a block in the loop", `
		%c = block ^b -> (u32) {
			%big = lt.u32 40_u32, %s
			if %big {
				` + mixing + `
				%odd = and.u32 %s, 1_u32
				%is = eq.u32 %odd, 1_u32
				if %is { break ^b (%b5) }
				break ^l (%b5)
			}
			%e = add.u32 %s, %d
			break ^b (%e)
		}
		continue ^l (%n, %c)`},
	{"a continue in a loop of the arm", `
		%big = lt.u32 40_u32, %s
		if %big {
			loop ^m (%t: u32 = %s, %p: u32 = 0_u32) {
				` + mixing + `
				%odd = and.u32 %t, 1_u32
				%is = eq.u32 %odd, 1_u32
				if %is { continue ^l (%n, %b5) }
				%past = le.u32 3_u32, %p
				if %past { break ^m }
				%half = shr.u32 %t, 1_u32
				%q = add.u32 %p, 1_u32
				continue ^m (%half, %q)
			}
			break ^l (%d)
		}
		%c = add.u32 %s, %d
		continue ^l (%n, %c)`},
	{"arms in an arm", `
		%big = lt.u32 40_u32, %s
		if %big {
			%odd = and.u32 %s, 1_u32
			%is = eq.u32 %odd, 1_u32
			if %is {
				` + mixing + `
				%four = and.u32 %s, 4_u32
				%no = eq.u32 %four, 0_u32
				if %no { continue ^l (%n, %b5) }
				break ^l (%b5)
			}
			break ^l (%d)
		}
		%c = add.u32 %s, %d
		continue ^l (%n, %c)`},
}

// mixing makes values of which as many live at a time as there are registers for.
const mixing = `%b0 = mul.u32 %s, 3_u32
	%b1 = xor.u32 %b0, 21_u32
	%b2 = shr.u32 %b1, 2_u32
	%x0 = add.u32 %b0, %b1
	%x1 = xor.u32 %x0, %b2
	%x2 = sub.u32 %x1, %b1
	%b3 = mul.u32 %x2, %b2
	%b4 = xor.u32 %b3, %x0
	%b5 = and.u32 %b4, 63_u32`

func TestArmsThatMayGoRoundAgain(t *testing.T) {
	for _, c := range wayBack {
		t.Run(c.name, func(t *testing.T) {
			p := asWritten(t, `kernel @k workgroup(8) {
				param @y: buf<u32> rw
				%i = global.x
				%two = add.u32 %i, %i
				%d = add.u32 %two, 7_u32
				%out = loop ^l (%k: u32 = 0_u32, %s: u32 = %i) -> (u32) {
					%end = le.u32 12_u32, %k
					if %end { break ^l (%s) }
					%n = add.u32 %k, 1_u32
					`+c.loop+`
				}
				%sum = add.u32 %out, %two
				store @y[%i], %sum
			}`)
			by, err := interp.Prepare(p)
			if err != nil {
				t.Fatal(err)
			}
			launch := func() *launch.Launch {
				return &launch.Launch{Grid: [3]uint32{8, 1, 1}, Args: []launch.Arg{{Mem: aligned(make([]byte, 4*64))}}}
			}
			want := launch()
			if _, err := by.Run(context.Background(), *want, interp.Options{Workers: 1}); err != nil {
				t.Fatal(err)
			}
			for _, polls := range []int{0, 1} {
				got := launch()
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				_, err := alone(t, p).Run(ctx, got, native.RunOptions{Workers: 1, Polls: polls})
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Args[0].Mem, want.Args[0].Mem) {
					t.Errorf("y is %x, want %x", got.Args[0].Mem, want.Args[0].Mem)
				}
			}
		})
	}
}

// Of one invocation, what a loop hands on to its next round keeps its register where addresses and lengths would take it: a walk
// through records waits for each number of a place.
func TestRoundsKeepTheirRegisters(t *testing.T) {
	p := asWritten(t, `kernel @walk workgroup(8) {
		param @nodes: buf<{f32, f32, f32, f32, f32, u32, u32; 28}> ro
		param @y: buf<f32> wo
		local @stack: u32[64]
		%i = global.x
		store @stack[0_u32], %i
		%r = loop ^l (%depth: i64 = 1_i64, %s: f32 = 0_f32) -> (f32) {
			%end = le.i64 %depth, 0_i64
			if %end { break ^l (%s) }
			%top = add.i64 %depth, -1_i64
			%at = cvt.u32.i64 %top
			%n = load @stack[%at]
			%a = load @nodes[%n].0
			%b = load @nodes[%n].1
			%c = load @nodes[%n].2
			%d = load @nodes[%n].3
			%e = load @nodes[%n].4
			%f = load @nodes[%n].5
			%g = load @nodes[%n].6
			%k1 = mul.f32 %a, %b
			%k2 = add.f32 %k1, %c
			%k3 = mul.f32 %k2, %d
			%k4 = add.f32 %k3, %e
			%t = add.f32 %s, %k4
			%leaf = lt.u32 %g, 1_u32
			if %leaf { continue ^l (%top, %t) }
			%m = loop ^k (%j: u32 = 0_u32, %to: i64 = %top) -> (i64) {
				%done = le.u32 %g, %j
				if %done { break ^k (%to) }
				%child = add.u32 %f, %j
				%slot = cvt.u32.i64 %to
				store @stack[%slot], %child
				%over = add.i64 %to, 1_i64
				%more = add.u32 %j, 1_u32
				continue ^k (%more, %over)
			}
			continue ^l (%m, %t)
		}
		store @y[%i], %r
	}`)
	l, err := native.ListSingle(p, "amd64.avx2")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range l.Lines {
		if in.Row != ir.NoRow && (p.Type(in.Row) == ir.I64 || p.Op(in.Row) == ir.OpIf) && strings.Contains(in.Args, "[rsi+") {
			t.Errorf("%s is in memory: %s %s", p.Op(in.Row), in.Op, in.Args)
		}
	}
}
