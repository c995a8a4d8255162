package opt_test

import (
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/opt"
)

// A quotient that is the same in a warp stays a division where control relies on that.
func TestRunKeepsQuotientsThatAreUniform(t *testing.T) {
	const seed = 12666 // divides such an index, beside barriers
	for _, level := range []compile.Level{compile.O0, compile.O1, compile.O2} {
		if _, _, err := opt.Run(conform.Random(seed).Program, opt.Options{Passes: compile.Choice{Level: level}, Check: true}); err != nil {
			t.Errorf("level %v: %v", level, err)
		}
	}
}
