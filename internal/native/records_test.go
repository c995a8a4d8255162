package native_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// recordKernels move records of four in ways that may, or may not, leave them as they lie in memory; packed is how many
// loads and stores do.
var recordKernels = []struct {
	name   string
	packed int
	body   string
}{
	{"all elements alike", 3, `%p = load.v4 @x[%i]; %q = load.v4 @y[%i]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%q0 = elem %q, #0; %q1 = elem %q, #1; %q2 = elem %q, #2; %q3 = elem %q, #3
		%r0 = mul.u32 %p0, %n; %r1 = mul.u32 %p1, %n; %r2 = mul.u32 %p2, %n; %r3 = mul.u32 %p3, %n
		%s0 = sub.u32 %r0, %q0; %s1 = sub.u32 %r1, %q1; %s2 = sub.u32 %r2, %q2; %s3 = sub.u32 %r3, %q3
		%v = vec %s0, %s1, %s2, %s3; store.v4 @z[%i], %v`},
	{"operands change places", 0, `%p = load.v4 @x[%i]; %q = load.v4 @y[%i]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%q0 = elem %q, #0; %q1 = elem %q, #1; %q2 = elem %q, #2; %q3 = elem %q, #3
		%s0 = sub.u32 %p0, %q0; %s1 = sub.u32 %q1, %p1; %s2 = sub.u32 %p2, %q2; %s3 = sub.u32 %p3, %q3
		%v = vec %s0, %s1, %s2, %s3; store.v4 @z[%i], %v`},
	{"elements change places", 0, `%p = load.v4 @x[%i]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%v = vec %p1, %p0, %p2, %p3; store.v4 @z[%i], %v`},
	{"elements meet", 0, `%p = load.v4 @x[%i]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%s0 = add.u32 %p0, %p1; %s1 = add.u32 %p1, %p1; %s2 = add.u32 %p2, %p1; %s3 = add.u32 %p3, %p1
		%v = vec %s0, %s1, %s2, %s3; store.v4 @z[%i], %v`},
	{"one is constant", 0, `%p = load.v4 @x[%i]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2
		%v = vec %p0, %p1, %p2, 7_u32; store.v4 @z[%i], %v`},
	{"constants differ", 0, `%p = load.v4 @x[%i]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%s0 = add.u32 %p0, 5_u32; %s1 = add.u32 %p1, 6_u32; %s2 = add.u32 %p2, 7_u32; %s3 = add.u32 %p3, 8_u32
		%v = vec %s0, %s1, %s2, %s3; store.v4 @z[%i], %v`},
	{"a lane's number joins", 0, `%p = load.v4 @x[%i]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%s0 = add.u32 %p0, %i; %s1 = add.u32 %p1, %i; %s2 = add.u32 %p2, %i; %s3 = add.u32 %p3, %i
		%v = vec %s0, %s1, %s2, %s3; store.v4 @z[%i], %v`},
	{"an element is looked at", 0, `%p = load.v4 @x[%i]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%s0 = add.u32 %p0, %n; %s1 = add.u32 %p1, %n; %s2 = add.u32 %p2, %n; %s3 = add.u32 %p3, %n
		%v = vec %s0, %s1, %s2, %s3; store.v4 @z[%i], %v
		%odd = lt.u32 %s2, 2147483648_u32
		if %odd { store @y[%i], %n }`},
	{"all the same", 1, `%v = vec %n, %n, %n, %n; store.v4 @z[%i], %v`},
	{"a copy to two places", 3, `%p = load.v4 @x[%i]; store.v4 @z[%i], %p
		%j = add.u32 %i, 16_u32; store.v4 @y[%j], %p`},
	{"choices", 3, `%p = load.v4 @x[%i]; %q = load.v4 @y[%i]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%q0 = elem %q, #0; %q1 = elem %q, #1; %q2 = elem %q, #2; %q3 = elem %q, #3
		%c0 = lt.u32 %p0, %q0; %c1 = lt.u32 %p1, %q1; %c2 = lt.u32 %p2, %q2; %c3 = lt.u32 %p3, %q3
		%s0 = select.u32 %c0, %n, %q0; %s1 = select.u32 %c1, %n, %q1; %s2 = select.u32 %c2, %n, %q2; %s3 = select.u32 %c3, %n, %q3
		%v = vec %s0, %s1, %s2, %s3; store.v4 @z[%i], %v`},
	{"sums in a loop of all lanes", 6, `%a, %b, %c, %d = loop ^l (%k: u32 = 0_u32, %s: u32 = 0_u32, %t: u32 = 0_u32, %u: u32 = 0_u32, %w: u32 = 0_u32) -> (u32, u32, u32, u32) {
			%more = lt.u32 %k, %n
			if %more { } else { break ^l (%s, %t, %u, %w) }
			%m = mul.u32 %k, 3_u32; %j = add.u32 %i, %m; %p = load.v4 @x[%j]
			%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
			%s2 = add.u32 %s, %p0; %t2 = add.u32 %t, %p1; %u2 = add.u32 %u, %p2; %w2 = add.u32 %w, %p3
			%next = add.u32 %k, 1_u32
			continue ^l (%next, %s2, %t2, %u2, %w2)
		}
		%v = vec %a, %b, %c, %d; store.v4 @z[%i], %v`},
	{"sums in a loop that lanes leave", 0, `%a, %b, %c, %d = loop ^l (%k: u32 = 0_u32, %s: u32 = 0_u32, %t: u32 = 0_u32, %u: u32 = 0_u32, %w: u32 = 0_u32) -> (u32, u32, u32, u32) {
			%few = and.u32 %i, 3_u32; %more = lt.u32 %k, %few
			if %more { } else { break ^l (%s, %t, %u, %w) }
			%p = load.v4 @x[%i]
			%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
			%s2 = add.u32 %s, %p0; %t2 = add.u32 %t, %p1; %u2 = add.u32 %u, %p2; %w2 = add.u32 %w, %p3
			%next = add.u32 %k, 1_u32
			continue ^l (%next, %s2, %t2, %u2, %w2)
		}
		%v = vec %a, %b, %c, %d; store.v4 @z[%i], %v`},
	{"records anywhere", 2, `%e = load @y[%i]; %j = rem.u32 %e, 61_u32; %p = load.v4 @x[%j]; store.v4 @z[%j], %p`},
	{"records anywhere, elements apart", 0, `%e = load @y[%i]; %j = rem.u32 %e, 61_u32; %p = load.v4 @x[%j]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%v = vec %p3, %p2, %p1, %p0; store.v4 @z[%j], %v`},
	{"row and column", 2, `%l = local.x; %row = shr.u32 %l, 4_u32; %column = and.u32 %l, 15_u32; %g = group.x; %h = shl.u32 %g, 6_u32
		%m = mul.u32 %row, 16_u32; %a = add.u32 %m, %h; %j = add.u32 %a, %column; %p = load.v4 @x[%j]; store.v4 @z[%j], %p`},
	{"a row each", 2, `%l = local.x; %row = shr.u32 %l, 3_u32; %p = load.v4 @x[%row]
		%p0 = elem %p, #0; %p1 = elem %p, #1; %p2 = elem %p, #2; %p3 = elem %p, #3
		%q = load.v4 @y[%i]; store.v4 @z[%i], %q; %s = add.u32 %p0, %p3; %j = add.u32 %i, 512_u32; store @z[%j], %s`},
	{"a record for all lanes", 2, `%l = local.x; %row = shr.u32 %l, 3_u32; %p = load.v4 @x[%i]; store.v4 @z[%row], %p`},
}

// However records are moved, what comes out is the interpreter's: in whole vectors, short ones, and such that end outside,
// with all registers and with few.
func TestRecordsAreMovedRightly(t *testing.T) {
	needs.MachineCode(t, native.Available())
	rng := rand.New(rand.NewPCG(3, 4))
	words := func(n int) []byte {
		b := make([]byte, 0, 4*n)
		for range n {
			b = binary.LittleEndian.AppendUint32(b, rng.Uint32())
		}
		return b
	}
	no, one := false, native.RunOptions{Polls: 1, Workers: 1} // some kernels store twice to a place
	for _, k := range recordKernels {
		t.Run(k.name, func(t *testing.T) {
			source := "vyre 1\nkernel @records workgroup(64) {\nparam %n: u32\nparam @x: buf<u32> ro\nparam @y: buf<u32> rw\nparam @z: buf<u32> rw\n%i = global.x\n" + strings.ReplaceAll(k.body, "; ", "\n") + "\n}"
			ps, err := text.Parse("test", source)
			if err != nil {
				t.Fatal(err)
			}
			q, _, err := opt.Run(ps[0], opt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if n := native.Packed(q); n != k.packed {
				t.Errorf("%d loads and stores move records as they lie, want %d\n%s", n, k.packed, text.Of(q))
			}
			for _, n := range []int{0, 1, 4, 61, 128, 509, 512, 700} {
				l := conform.Launch{Grid: [3]uint32{2, 1, 1}, Args: []conform.Arg{{Bits: 3}, {Data: words(n)}, {Data: words(n)}, {Data: words(n)}}}
				compare(t, ps[0], l, forced{run: one}, forced{code: native.Options{Registers: 3, Alone: &no}, run: one})
			}
		})
	}
}

// compare runs a launch on the interpreter and on others, and compares what is in the buffers then.
func compare(t *testing.T, p *ir.Program, l conform.Launch, others ...forced) {
	t.Helper()
	// One worker, since some kernels store to a place from several groups: what comes last is there then.
	want, err := conform.Interp(interp.Options{Workers: 1}).Run(context.Background(), p, l)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range others {
		got, err := f.Run(context.Background(), p, l)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Buffers {
			if !bytes.Equal(got.Buffers[i], want.Buffers[i]) {
				t.Fatalf("%d words, %+v: buffer %d is\n%x, the interpreter has\n%x", len(l.Args[1].Data)/4, f.code, i, got.Buffers[i], want.Buffers[i])
			}
		}
	}
}
