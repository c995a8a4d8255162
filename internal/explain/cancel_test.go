package explain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/explain"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/testing/underway"
)

// TestExplainingCanBeCancelled at each column that would be made.
func TestExplainingCanBeCancelled(t *testing.T) {
	in := explain.Input{Program: conform.Random(3).Program, Target: ptx.Target{SM: 90}}
	counting, cancel := underway.Counting()
	defer cancel()
	if _, err := explain.New(counting, in); err != nil {
		t.Fatal(err)
	}
	all := counting.Times()
	if all < 20 {
		t.Errorf("%d looks at the context", all)
	}
	for at := 1; at < all; at += 5 {
		ctx, cancel := underway.At(at, 0)
		page, err := explain.New(ctx, in)
		cancel()
		if page != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at look %d of %d: %v", at, all, err)
		}
	}
}
