package cpu_test

import (
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
)

const nothing = `
kernel @nothing workgroup(32) {
  param %n: u32
}`

// What a run costs besides its work: a goroutine, and the interpreter's own set-up.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name     string
		launches int
	}{{"empty", 0}, {"launch", 1}, {"launch100", 100}} {
		b.Run(c.name, func(b *testing.B) {
			d, err := cpu.Open(cpu.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			p, err := d.Compile(ctx, parse(b, nothing), driver.Options{})
			if err != nil {
				b.Fatal(err)
			}
			s := d.NewSequence("bench")
			for range c.launches {
				s.Launch(p, driver.Groups(1), driver.U32(1))
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Run(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSetArg(b *testing.B) {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	k, err := d.Compile(ctx, parse(b, nothing), driver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := d.NewSequence("bench")
	st := s.Launch(k, driver.Groups(1), driver.U32(1))
	if err := s.Prepare(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for n := uint32(0); b.Loop(); n++ {
		if err := st.SetArg(0, driver.U32(n)); err != nil {
			b.Fatal(err)
		}
	}
}

// A replay of 4 KiB in and out whose result the graph remembers.
func BenchmarkRememberedReplay(b *testing.B) {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	k, err := d.Compile(ctx, parse(b, `
kernel @double workgroup(256) {
  param @x: buf<u32> ro
  param @y: buf<u32> wo
  %i = global.x
  %v = load @x[%i]
  %w = add.u32 %v, %v
  store @y[%i], %w
}`), driver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := d.NewSequence("bench")
	x, y := s.Scratch(4096), s.Scratch(4096)
	in := s.Upload(driver.All(x), make([]byte, 4096), driver.IfChanged)
	s.Launch(k, driver.Groups(4), driver.All(x), driver.All(y))
	s.Read(driver.All(y), make([]byte, 4096))
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if err := g.Memoize(4, 1<<20); err != nil {
		b.Fatal(err)
	}
	if _, err := g.Run(ctx); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(in.Bytes())))
	b.ReportAllocs()
	for b.Loop() {
		if res, err := g.Run(ctx); err != nil || !res.Memoized {
			b.Fatal(res.Memoized, err)
		}
	}
}
