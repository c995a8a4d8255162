package exact_test

import (
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// The op table says what an op is, the table of functions what it computes: an op in one of them only is a mistake.
func TestEveryPureOpHasItsFunction(t *testing.T) {
	for _, op := range ir.Ops() {
		in := op.Info()
		// Lanes of vectors are moved, not computed, and the values of a subgroup are no operands.
		want := in.Attr&ir.Pure != 0 && in.Attr&ir.Convergent == 0 && in.Args > 0 && in.Imm != ir.ImmLane
		if got := exact.Of(op) != nil; got != want {
			t.Errorf("%v has a function: %v, want %v", op, got, want)
		}
		if got, want := exact.RecipeOf(op) != nil, in.Attr&ir.Expanded != 0; got != want {
			t.Errorf("%v has a recipe: %v, want %v", op, got, want)
		}
	}
}
