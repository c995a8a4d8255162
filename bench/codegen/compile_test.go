package codegen_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// BenchmarkCompile takes sealed programs to PTX: two of the suite, and ones of 10,000 values in which nothing
// is dead, constant or computed twice.
func BenchmarkCompile(b *testing.B) {
	kernels, err := codegen.Kernels()
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"Saxpy", "SGEMM", "SHA256"} {
		benchmarkCompile(b, name, kernels[name].Program)
	}
	for _, shape := range []struct {
		name  string
		build func(*testing.B, int) *ir.Program
	}{{"straight", straight}, {"branches", branches}, {"accesses", accesses}, {"rounds", rounds}} {
		benchmarkCompile(b, shape.name, shape.build(b, 10_000))
	}
}

func benchmarkCompile(b *testing.B, name string, p *ir.Program) {
	b.Run(fmt.Sprintf("%s/%d", name, p.Rows()), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := codegen.Compile(p, sm90); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// straight is a chain of integer and float arithmetic in which each value needs the one before.
func straight(b *testing.B, rows int) *ir.Program {
	c := build.New("straight", build.Workgroup(256))
	y := c.Buffer("y", ir.U32, ir.RW)
	v := c.Global(0)
	for i := 0; i < rows/8; i++ {
		f := c.Fma(c.Bitcast(ir.F32, v), c.Bitcast(ir.F32, c.U32(uint32(i)*0x9E3779B9)), c.F32(1.5))
		v = c.Add(c.Xor(c.Bitcast(ir.U32, f), v), c.U32(uint32(i)))
	}
	c.Store(y, c.Global(0), v)
	return sealed(b, c)
}

// branches is arithmetic under conditions, with loops.
func branches(b *testing.B, rows int) *ir.Program {
	c := build.New("branches", build.Workgroup(256))
	y := c.Buffer("y", ir.U32, ir.RW)
	v := c.Var(c.Global(0))
	for i := 0; i < rows/20; i++ {
		c.IfElse(c.Lt(v.Get(), c.U32(uint32(i)*0x9E3779B9)), func() {
			v.Set(c.Mul(v.Get(), c.U32(uint32(2*i+3))))
		}, func() {
			c.For(c.U32(0), v.Get(), c.U32(uint32(i+1)), func(k build.Value, _ build.Label) {
				v.Set(c.Xor(v.Get(), c.Add(k, c.U32(uint32(i)))))
			})
		})
	}
	c.Store(y, c.Global(0), v.Get())
	return sealed(b, c)
}

// accesses is loads and stores at computed places of several buffers.
func accesses(b *testing.B, rows int) *ir.Program {
	c := build.New("accesses", build.Workgroup(256))
	var in []ir.Object
	for i := range 8 {
		in = append(in, c.Buffer(fmt.Sprintf("x%d", i), ir.U32, ir.RO))
	}
	y := c.Buffer("y", ir.U32, ir.RW)
	v := c.Global(0)
	for i := 0; i < rows/7; i++ {
		at := c.Add(c.Global(0), c.U32(uint32(i)))
		v = c.Xor(v, c.Load(in[i%8], at))
		c.Store(y, c.Xor(v, c.U32(uint32(i))), v)
	}
	return sealed(b, c)
}

// rounds is loops that the passes write out: they come to more than twice the rows, in which every pass finds something.
func rounds(b *testing.B, rows int) *ir.Program {
	c := build.New("rounds", build.Workgroup(256))
	x, y := c.Buffer("x", ir.U32, ir.RO), c.Buffer("y", ir.U32, ir.RW)
	v := c.Var(c.Global(0))
	for i := 0; i < rows/30; i++ {
		c.If(c.Lt(v.Get(), c.Len(x)), func() {
			c.For(c.U32(0), v.Get(), c.U32(uint32(i%5+1)), func(k build.Value, _ build.Label) {
				at := c.Cvt(ir.U32, c.Add(c.Cvt(ir.I64, k), c.I64(int64(i))))
				v.Set(c.Xor(c.Load(x, at), c.Rem(v.Get(), c.U32(16))))
				c.Store(y, v.Get(), k)
				c.Store(y, v.Get(), c.Add(k, c.U32(1)))
			})
		})
	}
	c.Store(y, c.Global(0), v.Get())
	return sealed(b, c)
}

func sealed(b *testing.B, c *build.Builder) *ir.Program {
	p, err := c.Program()
	if err != nil {
		b.Fatal(err)
	}
	return p
}
