package native_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// A shuffle by a constant is moves between registers of its own, for each constant: all of them, in whole warps, short
// ones, and groups of less than a vector.
func TestShufflesByConstants(t *testing.T) {
	all := []uint32{1 << 31, 1<<32 - 1, 1<<32 - 8}
	for n := range uint32(35) {
		all = append(all, n)
	}
	for _, typ := range []ir.Type{ir.U32, ir.U64} {
		for _, op := range []ir.Op{ir.OpShuffle, ir.OpShuffleXor, ir.OpShuffleUp, ir.OpShuffleDown} {
			for _, size := range []int{1, 7, 8, 20, 31, 32, 33, 60, 72, 96} {
				t.Run(fmt.Sprintf("%s.%s/%d", op, typ, size), func(t *testing.T) {
					shuffleByConstants(t, op, typ, size, all)
					if op == ir.OpShuffleXor { // within vectors, which then run alone
						shuffleByConstants(t, op, typ, size, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 32})
					}
				})
			}
		}
	}
}

func shuffleByConstants(t *testing.T, op ir.Op, typ ir.Type, size int, by []uint32) {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel @moved workgroup(%d) {\nparam @x: buf<%s> ro\nparam @out: buf<%s> wo\n%%i = global.x\n%%v = load @x[%%i]\n", size, typ, typ)
	for i, n := range by {
		fmt.Fprintf(&b, "%%s%d = %s.%s %%v, %d_u32\n%%o%d = add.u32 %%i, %d_u32\nstore @out[%%o%d], %%s%d\n", i, op, typ, n, i, i*size, i, i)
	}
	b.WriteString("}")
	k := kernelOf(t, b.String())
	width := typ.Size()
	in := &launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: aligned(make([]byte, width*size))}, {Mem: aligned(make([]byte, width*size*len(by)))}}}
	word := func(mem []byte, i int) uint64 {
		if width == 4 {
			return uint64(binary.LittleEndian.Uint32(mem[4*i:]))
		}
		return binary.LittleEndian.Uint64(mem[8*i:])
	}
	for i := range in.Args[0].Mem {
		in.Args[0].Mem[i] = byte(i*37 + 1)
	}
	if _, err := k.Run(context.Background(), in, native.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	for i, n := range by {
		for first := 0; first < size; first += 32 {
			lanes := min(32, size-first)
			var v, which exact.Lanes
			for l := range lanes {
				v[l], which[l] = word(in.Args[0].Mem, first+l), uint64(n)
			}
			want := exact.Shuffle(op, &v, &which, lanes, exact.ReadLane)
			for l := range lanes {
				if got := word(in.Args[1].Mem, i*size+first+l); got != want[l] {
					t.Fatalf("by %d, invocation %d: got %#x, want %#x", n, first+l, got, want[l])
				}
			}
		}
	}
}

// late is a kernel whose vectors come to where they meet after loops of their own length, again and again.
const late = `vyre 1
kernel @late workgroup(72) {
	param @x: buf<u32> ro
	param @out: buf<u32> wo
	%i = global.x
	%v = load @x[%i]
	%sum = loop ^rounds (%k: u32 = 0_u32, %s: u32 = %v) -> (u32) {
		%over = eq.u32 %k, 5_u32
		if %over { break ^rounds (%s) }
		%turn = add.u32 %i, %k
		%n = and.u32 %turn, 31_u32
		%mixed = loop ^spin (%j: u32 = 0_u32, %m: u32 = %s) -> (u32) {
			%more = lt.u32 %j, %n
			if %more {
			} else {
				break ^spin (%m)
			}
			%p = mul.u32 %m, 1664525_u32
			%q = add.u32 %p, %j
			%next = add.u32 %j, 1_u32
			continue ^spin (%next, %q)
		}
		%r = scan.add.u32 %mixed
		%odd = and.u32 %r, 1_u32
		%is = ne.u32 %odd, 0_u32
		%b = ballot %is
		%t = shuffle.u32 %r, %b
		barrier.warp
		%u = match.u32 %odd
		%f = xor.u32 %t, %u
		%w = xor.u32 %f, %r
		%kk = add.u32 %k, 1_u32
		continue ^rounds (%kk, %w)
	}
	store @out[%i], %sum
}`

// Whichever vector of a warp comes last does the work for all, also when the others have stopped for other reasons.
func TestVectorsOfAWarpComeInAnyOrder(t *testing.T) {
	needs.MachineCode(t, native.Available())
	ps, err := text.Parse("test", late)
	if err != nil {
		t.Fatal(err)
	}
	const n = 72 * 3
	data := make([]byte, 4*n)
	for i := range data {
		data[i] = byte(i * i)
	}
	launch := conform.Launch{Grid: [3]uint32{3, 1, 1}, Args: []conform.Arg{{Data: data}, {Data: make([]byte, 4*n)}}}
	want, err := forced{name: "as it is"}.Run(context.Background(), ps[0], launch)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := conform.Interp(interp.Options{}).Run(context.Background(), ps[0], launch)
	if err != nil {
		t.Fatal(err)
	}
	if string(want.Buffers[1]) != string(reference.Buffers[1]) {
		t.Fatal("other bits than the interpreter's")
	}
	for polls := 1; polls < 60; polls++ {
		got, err := forced{code: native.Options{Registers: 2 + polls%11}, run: native.RunOptions{Polls: polls}}.Run(context.Background(), ps[0], launch)
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Buffers[1]) != string(want.Buffers[1]) {
			t.Errorf("a turn of %d rounds gives other bits", polls)
		}
	}
}

// A launch that ends while vectors wait for one leaves frames that the next one can use.
func TestWarpsMeetAfterALaunchThatWasCanceled(t *testing.T) {
	k := kernelOf(t, `kernel @stuck workgroup(32) {
		param %stuck: u32
		param @x: buf<u32> rw
		%i = global.x
		%last = eq.u32 %i, 31_u32
		%n = select.u32 %last, %stuck, 0_u32
		loop ^spin () {
			%go = eq.u32 %n, 0_u32
			if %go { break ^spin }
			continue ^spin
		}
		%s = reduce.add.u32 %i
		store @x[%i], %s
	}`)
	in := &launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Bits: 1}, {Mem: aligned(make([]byte, 4*32))}}}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	var canceled *launch.CanceledError
	if _, err := k.Run(ctx, in, native.RunOptions{}); !errors.As(err, &canceled) {
		t.Fatalf("got %v", err)
	}
	in.Args[0].Bits = 0
	if _, err := k.Run(context.Background(), in, native.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range 32 {
		if got := binary.LittleEndian.Uint32(in.Args[1].Mem[4*i:]); got != 31*32/2 {
			t.Errorf("invocation %d has the sum %d", i, got)
		}
	}
}

// What all lanes get of one is the same in all: a branch by it is a jump, and needs no masks. Also in lanes that do not
// exist, which the branch looks at.
func TestBroadcastsAreUniform(t *testing.T) {
	source := `vyre 1
	kernel @broadcast workgroup(%d) {
		param @x: buf<u32> ro
		param @from: buf<u32> ro
		param @out: buf<u32> rw
		%%i = global.x
		%%v = load @x[%%i]
		%%a = shuffle.u32 %%v, 3_u32
		%%l = load @from[0_u32]
		%%b = shuffle.u32 %%v, %%l
		%%none = shuffle.u32 %%v, 32_u32
		%%c = add.u32 %%a, %%b
		%%d = add.u32 %%c, %%none
		%%is = eq.u32 %%d, 13_u32
		if %%is {
			store @out[%%i], %%d
		} else {
			store @out[%%i], %%i
		}
	}`
	ps, err := text.Parse("test", fmt.Sprintf(source, 64))
	if err != nil {
		t.Fatal(err)
	}
	l, err := native.List(ps[0], "amd64.avx2")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range l.Lines {
		if line.Op == "vpmaskmovd" {
			t.Errorf("a store has a mask: %s %s", line.Op, line.Args)
		}
	}
	k := kernelOf(t, strings.TrimPrefix(fmt.Sprintf(source, 37), "vyre 1"))
	for _, from := range []uint32{4, 5, 36} { // of the second warp, the last two do not exist
		in := &launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: aligned(make([]byte, 4*37))}, {Mem: aligned(make([]byte, 4))}, {Mem: aligned(make([]byte, 4*37))}}}
		for i := range uint32(37) {
			binary.LittleEndian.PutUint32(in.Args[0].Mem[4*i:], i%32+i/32*3) // 3 + 4 + 3 + 3 = 13 in the second warp
		}
		binary.LittleEndian.PutUint32(in.Args[1].Mem, from)
		if _, err := k.Run(context.Background(), in, native.RunOptions{}); err != nil {
			t.Fatal(err)
		}
		for i := range uint32(37) {
			want := i
			if from == 4 && i >= 32 {
				want = 13
			}
			if got := binary.LittleEndian.Uint32(in.Args[2].Mem[4*i:]); got != want {
				t.Errorf("from lane %d, invocation %d: got %d, want %d", from, i, got, want)
			}
		}
	}
}
