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
