package prim_test

import (
	"io"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/prim"
)

// What a primitive is made for is in its errors, not in its code: one for another length is made of the same kernels.
func TestAnotherLengthCompilesNothing(t *testing.T) {
	for _, name := range devices() {
		d := open(t, name)
		if strings.HasPrefix(name, "cpu") {
			continue // there code is shared whatever it is called
		}
		loaded := func() uint64 { return d.Stats().Get(metric.CompilesFresh) + d.Stats().Get(metric.CompilesDisk) }
		for what, made := range map[string]func(max int) (io.Closer, error){
			"scan":   func(max int) (io.Closer, error) { return prim.NewScan[uint64](ctx, d, prim.Sum, max) },
			"sort":   func(max int) (io.Closer, error) { return prim.NewSort[uint16](ctx, d, max, prim.SortOptions{To: 8}) },
			"by key": func(max int) (io.Closer, error) { return prim.NewReduceByKey[uint8, uint32](ctx, d, prim.Sum, max) },
			"runs":   func(max int) (io.Closer, error) { return prim.NewRunLengths[uint8, uint32](ctx, d, max) },
		} {
			closeAll(t, must(made(10000))(t))
			before := loaded()
			if closeAll(t, must(made(20000))(t)); loaded() != before || before == 0 {
				t.Errorf("%s, %s: %d kernels were compiled or found on disk, and %d more for another length", name, what, before, loaded()-before)
			}
		}
	}
}
