package canonical_test

import (
	"testing"

	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir/internal/canonical"
)

func TestRewriteIsLinear(t *testing.T) {
	for _, s := range shape.All {
		t.Run(s.Name, func(t *testing.T) {
			last := 0
			for _, n := range []int{12500, 25000, 50000} {
				c := s.Build(n).Code()
				visits := canonical.Visits(c)
				if last > 0 && float64(visits) > 2.2*float64(last) {
					t.Errorf("%d rows cost %d visits, half as many %d", c.Rows(), visits, last)
				}
				last = visits
			}
		})
	}
}
