package conform_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/testing/long"
)

// Of random programs those that are called deterministic leave equal bytes under many schedules.
func TestDeterministicProgramsLeaveEqualBytes(t *testing.T) {
	orders, claimed := long.Count(4, 100, 100), 0
	first := long.Seed(t, 0)
	for seed := first; seed < first+uint64(long.Count(200, 2_000, 20_000)); seed++ {
		r := conform.Random(seed)
		if !r.Program.Traits().Deterministic || r.Launch.Grid[1] > 1 || r.Launch.Grid[2] > 1 {
			continue
		}
		claimed++
		var want conform.Outcome
		for n := range orders {
			o := interp.Options{Schedule: interp.Seeded(uint64(n))}
			if n == 0 {
				o = interp.Options{Schedule: interp.Reversed}
			}
			got, err := conform.Interp(o).Run(context.Background(), r.Program, r.Launch)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if n == 0 {
				want = got
			}
			if got.Trap != nil || want.Trap != nil {
				break // the launch may have ended anywhere
			}
			for i := range want.Buffers {
				if !bytes.Equal(got.Buffers[i], want.Buffers[i]) {
					t.Fatalf("seed %d, %s: buffer %d differs:\n%s", seed, o.Schedule, i, r.Describe())
				}
			}
		}
	}
	if t.Logf("%d programs are called deterministic", claimed); claimed == 0 {
		t.Error("none is called deterministic")
	}
}
