package opt_test

import (
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestWhatKeepsNoCheckIsInBoundsToTheEnd: passes behind the last proof move accesses and drop marks that hold no longer; a
// program of which no check is named has none in the end, either.
func TestWhatKeepsNoCheckIsInBoundsToTheEnd(t *testing.T) {
	first := long.Seed(t, 1)
	free := 0
	for i := range uint64(long.Count(40, 1000, 30_000)) {
		for _, random := range []func(uint64) *conform.RandomProgram{conform.Random, conform.RandomShapes, conform.RandomGo, conform.RandomBranches} {
			p := random(first + i).Program
			kept, err := opt.BoundsChecks(p)
			if err != nil {
				t.Fatal(err)
			}
			_, rep, err := opt.Run(p, opt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(kept) > 0 {
				continue
			}
			free++
			if rep.After.InBounds != rep.After.Accesses {
				t.Errorf("program %d of %s: %d of %d accesses are in bounds in the end, and no check is named", first+i, p.Name(), rep.After.InBounds, rep.After.Accesses)
			}
		}
	}
	if free == 0 {
		t.Error("every program has a check")
	}
	t.Logf("%d programs without a check", free)
}
