package opt_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir"
)

// A program of twice the rows may cost a pass 2.2 times the work, whatever its shape.
func TestPassesAreLinear(t *testing.T) {
	for _, s := range shape.All {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var last []compile.Stats
			sizes := []int{6250, 12500, 25000}
			if long.Enabled() {
				sizes = []int{12500, 25000, 50000, 100000}
			}
			for _, n := range sizes {
				_, rep, err := opt.Run(program(t, s, n), opt.Options{Passes: compile.Choice{Level: compile.O3}})
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range rep.Passes {
					if last != nil && float64(p.Visits) > 2.2*float64(last[i].Visits) {
						t.Errorf("%s, run %d: %d rows cost %d visits, half as many %d", p.Pass, i, n, p.Visits, last[i].Visits)
					}
				}
				last = rep.Passes
			}
		})
	}
}

func program(t testing.TB, s shape.Shape, n int) *ir.Program {
	t.Helper()
	p, err := s.Build(n).Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The budget is 10,000 rows through verifier and optimiser in well under 50 ms on one core;
// the verifier's part shows in BenchmarkSeal of package verify.
func BenchmarkRun(b *testing.B) {
	for _, s := range shape.All {
		for _, level := range []compile.Level{compile.O1, compile.O2, compile.O3} {
			b.Run(fmt.Sprintf("%s/10000/O%d", s.Name, level-compile.O0), func(b *testing.B) {
				p := program(b, s, 10000)
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := opt.Run(p, opt.Options{Passes: compile.Choice{Level: level}}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Rows()), "ns/row")
			})
		}
	}
}
