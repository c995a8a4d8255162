package cuda_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/cusim"
)

// idle is a driver whose graphs do nothing, and are changed in no time.
type idle struct{ *cusim.Driver }

func (idle) GraphLaunch(cu.GraphExec, cu.Stream) error { return nil }

func (idle) GraphExecKernelNodeSetParams(cu.GraphExec, cu.GraphNode, *cu.Launch) error { return nil }

// BenchmarkGraphStart replays graphs on a GPU that takes no time: what is left is the host's work, which is to be
// the same however many nodes there are.
func BenchmarkGraphStart(b *testing.B) {
	for _, c := range []struct {
		name string
		set  func(st *driver.Step, i uint32) error
	}{
		{"unchanged", func(*driver.Step, uint32) error { return nil }},
		{"an argument set", func(st *driver.Step, i uint32) error { return st.SetArg(0, driver.U32(i)) }},
		{"a domain set", func(st *driver.Step, i uint32) error { return st.SetDomain(uint64(i)) }},
	} {
		for _, nodes := range []int{1, 100, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/nodes=%d", c.name, nodes), func(b *testing.B) {
				d, err := cuda.Open(cuda.Options{Driver: idle{cusim.New(eager)}})
				if err != nil {
					b.Fatal(err)
				}
				defer d.Close()
				k, err := d.Compile(ctx, parse(b, `vyre 1
kernel @nothing workgroup(32) {
  param %n: u32
}`), driver.Options{})
				if err != nil {
					b.Fatal(err)
				}
				s := d.NewSequence("bench")
				s.NoDeviceTime()
				var st *driver.Step
				for range nodes {
					st = s.Launch(k, driver.Groups(1), driver.U32(0))
				}
				g, err := s.Capture(driver.CaptureOptions{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for i := uint32(0); b.Loop(); i++ {
					if err := c.set(st, i); err != nil {
						b.Fatal(err)
					}
					p, err := g.Start(ctx)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := p.Wait(ctx); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
