package compact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel/compact"
	"github.com/govyre/vyre/prim"
)

// BenchmarkOneInAThousand finds the items of which 1 in 1,000 is flagged, as a list and by a selection. The selection's
// count and places stay on the device.
func BenchmarkOneInAThousand(b *testing.B) {
	for _, name := range strings.Split(*deviceFlag, ",") {
		dev, err := driver.Open(name, driver.OpenOptions{})
		if err != nil {
			b.Fatal(err)
		}
		defer dev.Close()
		for _, n := range []int{1 << 12, 1 << 16, 1 << 22} {
			if name == "cuda-sim" && n > 1<<16 {
				continue // minutes
			}
			flags := make([]uint32, n)
			for i := 0; i < n; i += 1000 {
				flags[i] = 1
			}
			by, err := vyre.Upload(b.Context(), dev, flags)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/list/%d", name, n), func(b *testing.B) {
				res := compact.New(dev, compact.Options{})
				defer res.Close()
				if _, err := compact.AddItems(res, by); err != nil {
					b.Fatal(err)
				}
				timed(b, func() error { return res.Run(b.Context()) })
			})
			b.Run(fmt.Sprintf("%s/selection/%d", name, n), func(b *testing.B) {
				p, err := prim.NewSelectIndices[uint32, uint32](b.Context(), dev, n)
				if err != nil {
					b.Fatal(err)
				}
				defer p.Close()
				places, err1 := vyre.Alloc[uint32](dev, n)
				count, err2 := vyre.Alloc[uint64](dev, 1)
				if err1 != nil || err2 != nil {
					b.Fatal(err1, err2)
				}
				defer places.Close()
				defer count.Close()
				seq := dev.NewSequence("selection")
				defer seq.Close()
				p.Record(seq, prim.N(n), by, places, count)
				timed(b, func() error { _, err := seq.Run(b.Context()); return err })
			})
			if err := by.Close(); err != nil {
				b.Error(err)
			}
		}
	}
}

// timed measures a run after the first.
func timed(b *testing.B, run func() error) {
	b.Helper()
	if err := run(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := run(); err != nil {
			b.Fatal(err)
		}
	}
}
