package ptx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Each form assembles for each target that has it, by its units or by other instructions, and is refused for the others by
// what the target lacks.
func TestProductsAssembleOrAreRefused(t *testing.T) {
	ptxas := needs.PTXAS(t)
	for _, target := range []ptx.Target{{SM: 70}, {SM: 75}, {SM: 80}, {SM: 86}, {SM: 90}} {
		have := strings.Fields(matrix.Offered(target.SM))
		var ps []*ir.Program
		for _, s := range productSamples() {
			f, p := matrix.FormOf(s.op), s.p
			_, err := ptx.Compile(p, target, ptx.Options{})
			var lacks ir.Diags
			switch offered := strings.Contains(fmt.Sprint(have), f.String()); {
			case offered && err != nil:
				t.Errorf("%s for %v: %v", f, target, err)
			case !offered && (!errors.As(err, &lacks) || lacks[0].Code != "VY508" || !strings.Contains(err.Error(), "it exists from sm_")):
				t.Errorf("%s for %v: %v, want VY508", f, target, err)
			case offered:
				ps = append(ps, p)
			}
		}
		for _, p := range ps {
			m, err := ptx.Compile(p, target, ptx.Options{Passes: compile.Choice{Level: compile.O0}})
			if err != nil {
				t.Fatal(err)
			}
			if log, err := assemble(t.Context(), t, ptxas, m); err != nil {
				t.Errorf("%v: %s\n%s", target, log, m.Text)
			}
		}
	}
}

// Operands in shared memory are loaded at once where their lines surely begin at multiples of 16 bytes, of forms that have tiles
// of them, and nowhere else.
func TestOperandsAreLoadedAtOnce(t *testing.T) {
	ptxas := needs.PTXAS(t)
	every := long.Every(5, 1)
	n := 0
	for c := range conform.Cases("mat-tiles/") {
		form := c.Form
		for _, target := range []ptx.Target{{SM: 70}, {SM: 75}, {SM: 80}, {SM: 90}} {
			m, err := ptx.Compile(c.Program, target, ptx.Options{})
			if err != nil {
				continue // the target lacks the form
			}
			want, turned := 2, 0 // two steps, of operands along k
			switch {
			case target.SM < 75 || form == matrix.F64:
				want = 0
			case form.Bits() == 16:
				want, turned = 4, 2
			}
			if all, trans := strings.Count(m.Text, "ldmatrix."), strings.Count(m.Text, ".trans."); all != want || trans != turned {
				t.Errorf("%s for %v: %d loads of tiles, %d turned; want %d, %d", c, target, all, trans, want, turned)
			}
			if n++; n%every != 0 {
				continue
			}
			if log, err := assemble(t.Context(), t, ptxas, m); err != nil {
				t.Errorf("%s for %v: %s", c, target, log)
			}
		}
	}
	if n < 40 {
		t.Errorf("%d texts", n)
	}
}

// Loads of four tiles stay apart if a store is between them, if lanes reach them on different paths, or if a tile is not at the same
// distance as the others.
func TestOtherOperandsAreLoadedOneByOne(t *testing.T) {
	for _, c := range []struct {
		name            string
		written, parted bool
		fourth          uint32
		want            int
	}{{"together", false, false, 96, 1}, {"written", true, false, 96, 0}, {"parted", false, true, 96, 0}, {"apart", false, false, 100, 0}} {
		p := sampleOf("tiles", matrix.BF16.Op(), 64, func(b *build.Builder) (build.Value, bool) {
			in, near := b.Buffer("in", ir.U32, ir.RO), b.SharedArray("near", ir.U32, 256)
			for i := range uint32(4) {
				b.Store(near, b.Add(b.Local(0), b.U32(64*i)), b.Load(in, b.Local(0)))
			}
			b.Barrier()
			at := b.Add(b.Mul(b.Shr(b.Lane(), b.U32(2)), b.U32(4)), b.And(b.Lane(), b.U32(3)))
			words := make([]build.Value, 4)
			load := func() {
				for i := range words {
					if words[i] = b.Load(near, b.Add(at, b.U32([]uint32{0, 32, 64, c.fourth}[i]))); c.written {
						b.Store(near, b.Add(b.Local(0), b.U32(192)), words[i])
					}
				}
			}
			if load(); c.parted {
				words = b.Choose(b.Lt(b.Lane(), b.U32(7)), func() []build.Value { load(); return words },
					func() []build.Value { return []build.Value{at, at, at, at} })
			}
			zero := b.F32(0)
			return b.Elem(b.Op(matrix.BF16.Op(), b.Vec(words...), b.Vec(at, at), b.Vec(zero, zero, zero, zero)), 0), true
		}).p
		m, err := ptx.Compile(p, ptx.Target{SM: 80}, ptx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(m.Text, "ldmatrix"); n != c.want {
			t.Errorf("%s: %d loads of tiles, want %d:\n%s", c.name, n, c.want, m.Text)
		}
	}
}

// mma.sync wants all lanes of the warp to come together: a branch before it may have parted them.
func TestPartedLanesMeetBeforeAProduct(t *testing.T) {
	for _, parted := range []bool{false, true} {
		p := sampleOf("parted", matrix.BF16.Op(), 64, func(b *build.Builder) (build.Value, bool) {
			n, x := b.Buffer("n", ir.U32, ir.RW), b.Scalar("x", ir.U32)
			if parted {
				b.For(b.U32(0), b.Lane(), b.U32(1), func(i build.Value, _ build.Label) { b.AtomicAdd(n, i, x, ir.Relaxed, ir.Device) })
			}
			zero := b.F32(0)
			return b.Elem(b.Op(matrix.BF16.Op(), b.Vec(x, x, x, x), b.Vec(x, x), b.Vec(zero, zero, zero, zero)), 0), true
		}).p
		m, err := ptx.Compile(p, ptx.Target{SM: 80}, ptx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if meets := strings.Contains(m.Text, "bar.warp.sync"); meets != parted {
			t.Errorf("parted %t:\n%s", parted, m.Text)
		}
		if strings.Count(m.Text, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32") != 1 {
			t.Errorf("no product, or another one:\n%s", m.Text)
		}
	}
}
