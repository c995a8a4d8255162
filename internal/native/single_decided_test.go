package native_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
)

// decided are bodies over text x and results y, both of u8, with how many tests of a bool and conditional moves their code has.
// %i is the invocation, %n the length of x.
var decided = []struct {
	name, body  string
	tests, cmov int
	moves       int // between registers; 0: not counted
}{
	{"two results of an if", `%v = load @x[%i]
		%big = lt.u32 99_u32, %v
		%found, %at = if %big -> (bool, u32) {
			%odd = and.u32 %v, 1_u32
			%is = eq.u32 %odd, 1_u32
			%w = add.u32 %v, 3_u32
			yield %is, %w
		} else {
			store @y[%i], 9_u32
			yield false, 7_u32
		}
		if %found {
			store @y[%i], %at
		} else {
			%k = add.u32 %i, 8_u32
			store @y[%k], %at
		}`, 0, 0, 0},
	{"a bool that is read again", `%v = load @x[%i]
		%big = lt.u32 99_u32, %v
		%found = if %big -> (bool) {
			store @y[%i], %v
			yield true
		} else {
			%odd = and.u32 %v, 1_u32
			%is = eq.u32 %odd, 1_u32
			yield %is
		}
		if %found { store @y[%i], 5_u32 }
		%k = add.u32 %i, 16_u32
		%m = select.u32 %found, 1_u32, 2_u32
		store @y[%k], %m`, 1, 2, 0}, // the choice, and the bool that it goes by
	{"an if that leaves a loop", `%sum = loop ^l (%k: u32 = %i, %s: u32 = 0_u32) -> (u32) {
			%end = le.u32 %n, %k
			if %end { break ^l (%s) }
			%v = load @x[%k]
			%stop = block ^b -> (bool) {
				%zero = lt.u32 %v, 40_u32
				if %zero { break ^b (true) }
				store @y[%k], %v
				%odd = and.u32 %v, 3_u32
				%is = eq.u32 %odd, 0_u32
				break ^b (%is)
			}
			if %stop { break ^l (%v) }
			%t = add.u32 %s, %v
			%m = add.u32 %k, 1_u32
			continue ^l (%m, %t)
		}
		store @y[%i], %sum`, 0, 0, 0},
	{"a place moved on by what is there, and by what is elsewhere", `%a, %b = loop ^l (%r: u32 = 0_u32, %at: u32 = %i, %to: u32 = 0_u32) -> (u32, u32) {
			%end = le.u32 6_u32, %r
			if %end { break ^l (%at, %to) }
			%v = load @x[%at]
			%big = lt.u32 60_u32, %v
			%next = add.u32 %at, 1_u32
			%moved = select.u32 %big, %next, %at
			%u = load @x[%r]
			%odd = and.u32 %u, 1_u32
			%is = eq.u32 %odd, 1_u32
			%more = add.u32 %to, 1_u32
			%kept = select.u32 %is, %more, %to
			%r1 = add.u32 %r, 1_u32
			continue ^l (%r1, %moved, %kept)
		}
		%s = shl.u32 %b, 4_u32
		%q = add.u32 %a, %s
		store @y[%i], %q`, 0, 1, 0},
	{"results handed on", `%v = load @x[%i]
		%out, %how = block ^b -> (u32, u32) {
			%big = lt.u32 99_u32, %v
			%p, %q = if %big -> (u32, u32) {
				%odd = and.u32 %v, 1_u32
				%is = eq.u32 %odd, 1_u32
				%e, %f = if %is -> (u32, u32) {
					store @y[%i], 3_u32
					%g = add.u32 %v, 1_u32
					yield %g, %v
				} else {
					break ^b (1_u32, 2_u32)
				}
				yield %f, %e
			} else {
				%h = mul.u32 %v, 3_u32
				yield %v, %h
			}
			break ^b (%q, %p)
		}
		%z = xor.u32 %out, %how
		store @y[%i], %z`, 0, 0, 10},
	{"choices between a bool and a constant", `%v = load @x[%i]
		%p = lt.u32 90_u32, %v
		%odd = and.u32 %v, 3_u32
		%q = eq.u32 %odd, 1_u32
		%both = select.bool %p, %q, false
		%less = select.bool %p, %q, true
		%only = select.bool %p, false, %q
		%some = select.bool %p, true, %q
		%r1 = if %both -> (u32) { yield 1_u32 } else { yield 8_u32 }
		%r2 = if %less -> (u32) { yield 2_u32 } else { yield 16_u32 }
		%r3 = if %only -> (u32) { yield 4_u32 } else { yield 32_u32 }
		%r4 = if %some -> (u32) { yield 64_u32 } else { yield 128_u32 }
		%s1 = add.u32 %r1, %r2
		%s2 = add.u32 %r3, %r4
		%s3 = add.u32 %s1, %s2
		store @y[%i], %s3`, 0, 0, 0},
	{"lower halves", `%v = load @x[%i]
		%w = cvt.u64.u32 %v
		%a = mul.u64 %w, 1234567890123_u64
		%b = cvt.u32.u64 %a
		%c = mul.u32 %b, %v
		%d = xor.u32 %b, %c
		%s = shr.u32 %b, 9_u32
		%m = max.u32 %s, %d
		%e = add.u32 %m, %b
		store @y[%i], %e`, 0, 1, 7},
}

// Exits that go to what they decide, and choices that are jumps, change no result.
func TestDecisionsOfOneInvocation(t *testing.T) {
	for _, c := range decided {
		t.Run(c.name, func(t *testing.T) {
			p := asWritten(t, "kernel @k workgroup(8) {\n param @x: buf<u8> ro\n param @y: buf<u8> rw\n%i = global.x\n%n = len @x\n"+c.body+"\n}")
			run := func() *launch.Launch {
				in := &launch.Launch{Grid: [3]uint32{6, 1, 1}}
				for range 2 {
					mem := aligned(make([]byte, 50))
					for i := range mem {
						mem[i] = byte(i * i * 37 >> 2)
					}
					in.Args = append(in.Args, launch.Arg{Mem: mem})
				}
				return in
			}
			by, err := interp.Prepare(p)
			if err != nil {
				t.Fatal(err)
			}
			want := run()
			if _, err := by.Run(context.Background(), *want, interp.Options{Workers: 1}); err != nil {
				t.Fatal(err)
			}
			for _, polls := range []int{0, 1} {
				got := run()
				if _, err := alone(t, p).Run(context.Background(), got, native.RunOptions{Workers: 1, Polls: polls}); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Args[1].Mem, want.Args[1].Mem) {
					t.Errorf("y is %x, want %x", got.Args[1].Mem, want.Args[1].Mem)
				}
			}
			l, err := native.ListSingle(p, "amd64.avx2")
			if err != nil {
				t.Fatal(err)
			}
			ops := map[string]int{}
			for _, in := range l.Lines {
				if len(in.Op) > 4 && in.Op[:4] == "cmov" {
					ops["cmov"]++
				}
				if in.Op == "mov" && !strings.Contains(in.Args, "[") {
					ops["moves"]++
				}
				ops[in.Op]++
			}
			if n := ops["moves"]; c.moves > 0 && n != c.moves {
				t.Errorf("%d moves between registers, want %d", n, c.moves)
			}
			if ops["test"] != c.tests || ops["cmov"] != c.cmov {
				t.Errorf("%d tests of a bool and %d conditional moves, want %d and %d", ops["test"], ops["cmov"], c.tests, c.cmov)
			}
		})
	}
}
