package interp_test

import (
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// BenchmarkPrepare decodes a program of about 100,000 rows: loops in a row, nested
// three deep, with carried values.
func BenchmarkPrepare(b *testing.B) {
	w := build.New("large", build.Workgroup(64))
	out := w.Buffer("out", ir.U32, ir.RW)
	sum := w.Var(w.U32(0))
	var nest func(depth int)
	nest = func(depth int) {
		w.For(w.U32(0), w.U32(3), w.U32(1), func(i build.Value, _ build.Label) {
			for range 8 {
				sum.Set(w.Add(sum.Get(), w.Mul(i, i)))
			}
			if depth > 0 {
				nest(depth - 1)
			}
		})
	}
	for range 1200 {
		nest(2)
	}
	w.Store(out, w.Global(0), sum.Get())
	p, err := w.Program()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := interp.Prepare(p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.Rows())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}
