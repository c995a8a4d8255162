package cpu_test

import (
	"context"
	"errors"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestAnotherGroupSizeChangesNoResult: every conformance case whose program driver.Resize takes gives what is expected in
// groups of other sizes too, over as many invocations. This is the search for ways to tell the group that Resize misses.
//
//ci:race !AnotherGroupSize
func TestAnotherGroupSizeChangesNoResult(t *testing.T) {
	d, err := cpu.Open(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	resized, i := 0, 0
	for c := range conform.Cases("") {
		// A check may look at the group of a trap or a trace.
		if c.Host != nil || c.Program == nil || c.Check != nil || c.Refused != "" || c.AtOnce > 1 || c.Reports != nil {
			continue
		}
		g, w := c.Launch.Grid, c.Program.Workgroup()
		if g[1] > 1 || g[2] > 1 || w[1] > 1 || w[2] > 1 {
			continue
		}
		if i++; i%long.Count(11, 1, 1) != 0 {
			continue
		}
		all := g[0] * w[0]
		for _, size := range []uint32{1, w[0] / 2, 2 * w[0], all} {
			if size == 0 || size > 1024 || all%size != 0 || size == w[0] {
				continue
			}
			p, err := driver.Resize(c.Program, [3]uint32{size, 1, 1})
			if err != nil {
				break // it says that it can tell
			}
			other := *c
			other.Program, other.Launch.Grid = p, [3]uint32{all / size, 1, 1}
			if err := conform.Try(context.Background(), conform.On(d), &other); err != nil && !errors.Is(err, conform.ErrSkipped) {
				t.Errorf("%s, of groups of %d in groups of %d: %v", c, w[0], size, err)
			}
			resized++
		}
	}
	if resized < 50 {
		t.Errorf("%d cases were tried in another size", resized)
	}
}
