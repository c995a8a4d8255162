package opt

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Over the shapes, before the first pass and after each: control stops where step does, but for rows that neither have
// regions nor end one, and every row that touches or orders memory is listed.
func TestStructureAndMemoryAreSeenWithoutTheRest(t *testing.T) {
	for _, s := range append(slices.Clone(shape.All), shape.Shape{Name: "loops written out", Build: writtenOut}) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			p, err := s.Build(2000).Program()
			if err != nil {
				t.Fatal(err)
			}
			w := open(p)
			w.stats = &compile.Stats{}
			checkWalks(t, w, "open")
			for _, r := range compile.Table() {
				if r.Group != compile.Text && r.Level != compile.Named {
					functions[r.Pass](w)
					w.legalise()
					checkWalks(t, w, r.Name)
				}
			}
		})
	}
}

// writtenOut is loops of which the passes copy the accesses, and put others in their place.
func writtenOut(n int) *build.Builder {
	b := build.New("out")
	x, y := b.Buffer("x", ir.U32, ir.RO), b.Buffer("y", ir.U32, ir.RW)
	a := b.LocalArray("a", ir.U32, 4)
	for i := range n / 50 {
		b.For(b.U32(0), b.U32(4), b.U32(1), func(k build.Value, _ build.Label) {
			b.Store(a, k, b.Load(x, b.Add(b.Global(0), k)))
		})
		b.Store(y, b.Add(b.Global(0), b.U32(uint32(i))), b.Load(a, b.And(b.Global(0), b.U32(3))))
	}
	return b
}

func checkWalks(t *testing.T, w *work, after string) {
	t.Helper()
	type stop struct {
		row ir.Row
		at  event
	}
	var all, some []stop
	for it := w.rows(); it.step(); {
		in := w.info(it.row)
		if it.at != atRow || in.Owns > 0 || w.next[it.row] == ir.NoRow {
			all = append(all, stop{it.row, it.at})
		}
		if it.at == atRow && in.Attr&(ir.Reads|ir.Writes|ir.Atomic|ir.Barrier|ir.Fence) != 0 && (in.Imm != ir.ImmObject || in.Args > 0) && !slices.Contains(w.memory, it.row) {
			t.Fatalf("after %s: row %d, %s, is not listed", after, it.row, in.Name)
		}
	}
	for it := w.rows(); it.control(); {
		some = append(some, stop{it.row, it.at})
	}
	if !slices.Equal(all, some) {
		t.Fatalf("after %s: control stops at %d places, step at %d of that kind", after, len(some), len(all))
	}
}
