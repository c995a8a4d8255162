package cuda_test

import (
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
)

// BenchmarkCompileAgain compiles a program whose module is loaded.
func BenchmarkCompileAgain(b *testing.B) {
	d, err := cuda.Open(cuda.Options{Driver: hopper()})
	if err != nil {
		b.Fatal(err)
	}
	p := parse(b, countDown)
	first, err := d.Compile(ctx, p, driver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		k, err := d.Compile(ctx, p, driver.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := k.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if err := first.Close(); err != nil {
		b.Fatal(err)
	}
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
}
