package ir_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/ir"
)

// shapes are the five programs, of about n rows, over which the work of every stage
// must stay linear.
var shapes = []struct {
	name  string
	build func(n int) *ir.Builder
}{
	{"long block", func(n int) *ir.Builder {
		b := ir.New("block")
		out := b.Buffer("out", ir.U32, ir.WO)
		v := b.Global(0)
		for i := range n {
			v = b.Add(v, b.U32(uint32(i%100)))
		}
		b.Store(out, b.U32(0), v)
		return b
	}},
	{"deep nests", func(n int) *ir.Builder {
		b := ir.New("nests")
		out := b.Buffer("out", ir.U32, ir.WO)
		v := b.Var(b.Global(0))
		var nest func(depth int)
		nest = func(depth int) {
			if depth == 0 {
				v.Set(b.Add(v.Get(), b.U32(1)))
				return
			}
			b.If(b.Lt(v.Get(), b.U32(uint32(depth))), func() { nest(depth - 1) })
		}
		for range n / (200 * 5) {
			nest(200)
		}
		b.Store(out, b.U32(0), v.Get())
		return b
	}},
	{"variables over loops", func(n int) *ir.Builder {
		b := ir.New("vars")
		out := b.Buffer("out", ir.U32, ir.WO)
		const vars = 40
		vs := make([]*ir.Var, vars)
		for i := range vs {
			vs[i] = b.Var(b.U32(uint32(i)))
		}
		for l := range n / 60 {
			b.Loop(nil, func(lab ir.Label, _ []ir.Value) {
				b.If(b.Lt(b.U32(9), vs[l%vars].Get()), func() { b.Break(lab) })
				for k := range 10 {
					v := vs[(l*7+k)%vars]
					v.Set(b.Add(v.Get(), vs[(l+k)%vars].Get()))
				}
			})
		}
		for i, v := range vs {
			b.Store(out, b.U32(uint32(i)), v.Get())
		}
		return b
	}},
	{"switch", func(n int) *ir.Builder {
		b := ir.New("switch")
		out := b.Buffer("out", ir.U32, ir.WO)
		x, v := b.Global(0), b.Var(b.U32(0))
		b.Block(func(l ir.Label) {
			for i := range n / 6 {
				b.If(b.Eq(x, b.U32(uint32(i))), func() {
					v.Set(b.Add(x, b.U32(uint32(i+1))))
					b.Break(l)
				})
			}
		})
		b.Store(out, b.U32(0), v.Get())
		return b
	}},
	{"barriers in a loop", func(n int) *ir.Builder {
		b := ir.New("barriers")
		out := b.Buffer("out", ir.U32, ir.RW)
		v := b.Var(b.U32(0))
		b.Loop(nil, func(l ir.Label, _ []ir.Value) {
			b.If(b.Lt(b.U32(100), v.Get()), func() { b.Break(l) })
			for range n / 4 {
				b.Store(out, b.Global(0), b.Load(out, b.U32(0)))
				b.Barrier()
			}
			v.Set(b.Add(v.Get(), b.U32(1)))
		})
		return b
	}},
}

func TestBuildingAndSealingIsLinear(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			last := 0
			for _, n := range []int{12500, 25000, 50000} {
				b := s.build(n)
				c := b.Code()
				visits := ir.BuilderVisits(b) + ir.CanonicalVisits(c)
				if last > 0 && float64(visits) > 2.2*float64(last) {
					t.Errorf("%d rows cost %d visits, half as many %d", c.Rows(), visits, last)
				}
				last = visits
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, s := range shapes {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				rows = s.build(10000).Code().Rows()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		})
	}
}

func BenchmarkSeal(b *testing.B) {
	for _, s := range shapes {
		for _, n := range []int{10000, 100000} {
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				c := s.build(n).Code()
				rows := c.Rows()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Clone().Seal(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				b.SetBytes(int64(rows * 31))
			})
		}
	}
}
