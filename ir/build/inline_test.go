package build_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
)

// wave is a program that ends early, with a message, a hint and ids.
func wave(t *testing.T) *ir.Program {
	t.Helper()
	b := build.New("wave", build.Workgroup(32))
	b.At(ir.Pos{File: "wave.go", Line: 3})
	n := b.Scalar("n", ir.U32)
	x := b.Buffer("x", ir.U32, ir.RW)
	i := b.Global(0)
	b.If(b.Ge(i, n), func() { b.Return() })
	b.At(ir.Pos{File: "wave.go", Line: 4})
	v := b.Load(x, i)
	b.Hint(ir.Stream)
	b.Trap(b.Eq(v, b.U32(7)), b.U64(1), 5, "seven")
	b.Store(x, i, b.Add(v, b.Group(0)))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestInlineGivesArgumentsObjectsAndIDs(t *testing.T) {
	b := build.New("fused", build.Workgroup(32))
	first, second := b.Buffer("first", ir.U32, ir.RW), b.Buffer("second", ir.U32, ir.RW)
	w := wave(t)
	ids := func(r ir.Row, _ [3]build.Value) (build.Value, bool) {
		op := w.Op(r)
		return b.U32(40 + uint32(op-ir.OpLocal)), op == ir.OpGroup || op == ir.OpGlobal
	}
	b.At(ir.Pos{File: "plan", Line: 1})
	b.Inline(w, build.Inlining{Scalars: []build.Value{b.U32(100)}, Objects: []ir.Object{first}})
	b.Inline(w, build.Inlining{Scalars: []build.Value{b.Len(second)}, Objects: []ir.Object{second}, Replace: ids})
	b.Store(second, b.U32(0), b.U32(1))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	const want = `vyre 1

kernel @fused workgroup(32) {
  param @first: buf<u32> rw
  param @second: buf<u32> rw
  block ^0 {
    %0 = global.x
    %1 = le.u32 100_u32, %0
    if %1 { break ^0 }
    %2 = load.stream @first[%0]
    %3 = eq.u32 %2, 7_u32
    trap %3, 1_u64, #5
    %4 = group.x
    %5 = add.u32 %2, %4
    store @first[%0], %5
    break ^0
  }
  %6 = len @second
  block ^1 {
    %7 = le.u32 %6, 43_u32
    if %7 { break ^1 }
    %8 = load.stream @second[43_u32]
    %9 = eq.u32 %8, 7_u32
    trap %9, 1_u64, #5
    %10 = add.u32 %8, 41_u32
    store @second[43_u32], %10
    break ^1
  }
  store @second[0_u32], 1_u32
}
`
	if got := text.Of(p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	traps := 0
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpTrap {
			continue
		}
		traps++
		pos := p.Pos(r)
		if p.Message(r) != "seven" || pos.String() != "wave.go:4" || pos.Call == nil || pos.Call.String() != "plan:1" {
			t.Errorf("trap %q at %v", p.Message(r), pos)
		}
	}
	if traps != 2 {
		t.Errorf("%d traps, want 2", traps)
	}
}

func TestInlinedTablesComeAlongOnce(t *testing.T) {
	b := build.New("look", build.Workgroup(32))
	b.Store(b.Buffer("y", ir.U32, ir.RW), b.Lane(), b.Load(b.Table("t", ir.U32, []uint64{3, 1, 2}), b.Lane()))
	look, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	b = build.New("both", build.Workgroup(32))
	y := b.Buffer("y", ir.U32, ir.RW)
	b.Inline(look, build.Inlining{Objects: []ir.Object{y}})
	s := b.SharedArray("s", ir.U32, 32)
	b.Inline(look, build.Inlining{Objects: []ir.Object{s}})
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	if a := p.Arrays(); len(a) != 2 || a[0].Name != "s" || a[1].Name != "t" || a[1].Table != look.Arrays()[0].Table {
		t.Errorf("arrays %v", a)
	}
}

// run runs one workgroup of a program with one buffer.
func run(t *testing.T, p *ir.Program, words []uint32) []uint32 {
	t.Helper()
	k, err := interp.Prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	mem := make([]byte, 4*len(words))
	for i, v := range words {
		binary.LittleEndian.PutUint32(mem[4*i:], v)
	}
	if _, err := k.Run(t.Context(), launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: mem}}}, interp.Options{}); err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, len(words))
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(mem[4*i:])
	}
	return out
}

// TestInlinedViewIsAPart runs a program on views of a buffer: what is outside of one is out of bounds.
func TestInlinedViewIsAPart(t *testing.T) {
	b := build.New("part", build.Workgroup(32))
	x, y := b.Buffer("x", ir.U32, ir.RW), b.Buffer("y", ir.U32, ir.RW)
	b.Store(x, b.Lane(), b.Load(y, b.Sub(b.Cvt(ir.I32, b.Lane()), b.I32(1))))
	b.Barrier()
	b.StoreVec(x, b.U32(1), b.LoadVec(y, b.U32(0), 2))
	b.Store(x, b.U32(4), b.Len(y))
	part, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	b = build.New("views", build.Workgroup(32))
	all := b.Buffer("all", ir.U32, ir.RW)
	b.Inline(part, build.Inlining{Objects: []ir.Object{all, all}, Views: map[int]build.View{
		0: {Base: b.U32(8), Len: b.U32(6)}, 1: {Base: b.U32(2), Len: b.U32(3)}}})
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	words := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 90, 90, 90, 90, 90, 90, 90, 90}
	got := run(t, p, words)
	// Element 0 of y is word 2; -1 and 3 and more are out of its bounds, 6 and more out of x's.
	want := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 2, 3, 3, 0, 90, 90}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestInlineRefusesWhatDoesNotFit(t *testing.T) {
	w := wave(t)
	for _, c := range []struct {
		name, want string
		in         func(*build.Builder, ir.Object) build.Inlining
	}{
		{"no scalar", "inlined wave has 0 scalars, needs 1 scalar [VY006]", func(b *build.Builder, o ir.Object) build.Inlining {
			return build.Inlining{Objects: []ir.Object{o}}
		}},
		{"another scalar", "scalar n of inlined wave is f32; it takes u32 [VY101]", func(b *build.Builder, o ir.Object) build.Inlining {
			return build.Inlining{Scalars: []build.Value{b.F32(1)}, Objects: []ir.Object{o}}
		}},
		{"no object", "inlined wave has 0 objects, needs 1 object [VY006]", func(b *build.Builder, o ir.Object) build.Inlining {
			return build.Inlining{Scalars: []build.Value{b.U32(1)}}
		}},
		{"another element", "@x of inlined wave has elements of u32, the one given for it of f32 [VY201]", func(b *build.Builder, o ir.Object) build.Inlining {
			return build.Inlining{Scalars: []build.Value{b.U32(1)}, Objects: []ir.Object{b.SharedArray("s", ir.F32, 4)}}
		}},
		{"unknown object", "9 was not declared [VY201]", func(b *build.Builder, o ir.Object) build.Inlining {
			return build.Inlining{Scalars: []build.Value{b.U32(1)}, Objects: []ir.Object{9}}
		}},
		{"another id", "what replaces global of inlined wave is f32; it takes u32 [VY101]", func(b *build.Builder, o ir.Object) build.Inlining {
			return build.Inlining{Scalars: []build.Value{b.U32(1)}, Objects: []ir.Object{o},
				Replace: func(r ir.Row, _ [3]build.Value) (build.Value, bool) { return b.F32(1), w.Op(r) == ir.OpGlobal }}
		}},
		{"a view by u64", "the view of @x of inlined wave is u64 and u32; it takes u32 [VY101]", func(b *build.Builder, o ir.Object) build.Inlining {
			return build.Inlining{Scalars: []build.Value{b.U32(1)}, Objects: []ir.Object{o}, Views: map[int]build.View{0: {Base: b.U64(1), Len: b.U32(1)}}}
		}},
		{"a view of nothing", "view 1 of inlined wave has 1 object, needs an object to be a view of [VY006]", func(b *build.Builder, o ir.Object) build.Inlining {
			return build.Inlining{Scalars: []build.Value{b.U32(1)}, Objects: []ir.Object{o}, Views: map[int]build.View{1: {Base: b.U32(1), Len: b.U32(1)}}}
		}},
		{"object left over", "@x of inlined wave is not given, and load was not replaced [VY201]", func(b *build.Builder, o ir.Object) build.Inlining {
			return build.Inlining{Scalars: []build.Value{b.U32(1)}, Objects: []ir.Object{build.NoObject},
				Replace: func(ir.Row, [3]build.Value) (build.Value, bool) { return 0, false }}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := build.New("k", build.Workgroup(32))
			o := b.Buffer("x", ir.U32, ir.RW)
			b.Inline(w, c.in(b, o))
			if _, err := b.Program(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
