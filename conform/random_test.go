package conform_test

import (
	"testing"

	"github.com/govyre/vyre/conform"
	"github.com/govyre/vyre/ir"
)

func TestRandomProgramsReadBackFromText(t *testing.T) {
	for seed := range uint64(2000) {
		p := conform.Random(seed).Program
		q, err := ir.Parse("random", p.Text())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Text())
		}
		if q[0].Digest() != p.Digest() {
			t.Fatalf("seed %d: the digest changed\n%s", seed, p.Text())
		}
	}
}

func TestEqualSeedsGiveEqualPrograms(t *testing.T) {
	for seed := range uint64(50) {
		a, b := conform.Random(seed), conform.Random(seed)
		if a.Program.Digest() != b.Program.Digest() {
			t.Errorf("seed %d gave two programs", seed)
		}
		if c := conform.FromChoices(a.Choices()); c.Program.Digest() != a.Program.Digest() {
			t.Errorf("seed %d: its choices give another program", seed)
		}
	}
}
