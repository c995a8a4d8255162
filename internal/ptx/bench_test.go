package ptx_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// straight is a program of about n rows without control.
func straight(n int) *ir.Program {
	b := build.New("straight", build.Workgroup(256))
	x := b.Buffer("x", ir.F32, ir.RW)
	i := b.Global(0)
	v := b.Load(x, i)
	for k := range n {
		switch k % 4 {
		case 0:
			v = b.Mul(v, b.F32(float32(k)))
		case 1:
			v = b.Add(v, b.Load(x, b.Add(i, b.U32(uint32(k)))))
		default:
			v = b.Min(b.Sub(v, b.F32(1)), v)
		}
	}
	b.Store(x, i, v)
	return sealed(b)
}

// nested is a program of loops within loops, so deep, side by side, so many.
func nested(deep, many int) *ir.Program {
	b := build.New("nested", build.Workgroup(256))
	x := b.Buffer("x", ir.U32, ir.RW)
	i := b.Global(0)
	var nest func(d int)
	nest = func(d int) {
		b.For(b.U32(0), b.Load(x, i), b.U32(1), func(k build.Value, _ build.Label) {
			b.Store(x, k, b.Add(i, k))
			if d > 1 {
				nest(d - 1)
			}
		})
	}
	for range many {
		nest(deep)
	}
	return sealed(b)
}

func sealed(b *build.Builder) *ir.Program {
	p, err := b.Program()
	if err != nil {
		panic(err)
	}
	return p
}

// BenchmarkEmit is the time from a sealed program to text.
func BenchmarkEmit(b *testing.B) {
	for _, p := range []*ir.Program{straight(7000), nested(8, 120)} {
		b.Run(fmt.Sprintf("%s-%d-rows", p.Name(), p.Rows()), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := emit(p, ptx.Target{SM: 90}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
