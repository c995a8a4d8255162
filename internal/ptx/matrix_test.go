package ptx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/ptx"
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
