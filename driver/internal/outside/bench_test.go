package outside_test

import (
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
)

const measured = `
//vyre:kernel workgroup=256
func Saxpy(t gpu.Thread, a float32, x, y []float32) {
	i := t.Global().X
	if i < uint32(len(x)) && i < uint32(len(y)) {
		y[i] = a*x[i] + y[i]
	}
}

//vyre:kernel workgroup=256
func Gather(t gpu.Thread, a float32, x, y []float32) {
	i := t.Global().X
	if i < uint32(len(y)) {
		y[i] = a * x[i*7&0xFFFFF]
	}
}

//vyre:kernel workgroup=256
func Product(t gpu.Thread, a float32, x, y []float32) {
	i := t.Global().X
	s := float32(0)
	for k := range uint32(256) {
		s += x[i&^255+k] * x[k<<8+i&255]
	}
	y[i] = a * s
}
`

// BenchmarkMemcheck is what checks cost: where the kernel compares its indices, where it does for one of two, and where it does not.
func BenchmarkMemcheck(b *testing.B) {
	const n = 1 << 20
	for _, name := range []string{"Saxpy", "Gather", "Product"} {
		for _, debug := range []string{"off", "memcheck"} {
			rounds := 20
			if name == "Product" {
				rounds = 1
			}
			b.Run(name+"/"+debug, func(b *testing.B) {
				d, err := cpu.Open(cpu.Options{OpenOptions: driver.OpenOptions{Debug: debug}})
				if err != nil {
					b.Fatal(err)
				}
				defer d.Close()
				k := compiled(b, d, measured, name)
				s := d.NewSequence(name)
				x, y := s.Scratch(4*n), s.Scratch(4*n)
				s.Fill(driver.All(x), 1, 4)
				s.Fill(driver.All(y), 1, 4)
				s.Repeat(rounds, func() { s.Launch(k, driver.Groups(n/256), driver.F32(2), driver.All(x), driver.All(y)) })
				b.SetBytes(int64(rounds) * 8 * n)
				for b.Loop() {
					if _, err := s.Run(ctx); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
