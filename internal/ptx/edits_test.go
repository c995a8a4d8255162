package ptx_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/internal/ptx"
)

// TestEditsAreMadeInPlace holds edits to a list that is written anew.
func TestEditsAreMadeInPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n, next := rng.IntN(12), 100
		some := func(most int) (list []int) {
			for range rng.IntN(most + 1) {
				list = append(list, next)
				next++
			}
			return list
		}
		head, before, gone := some(3), map[int][]int{}, map[int]bool{}
		want := slices.Clone(head)
		for i := range n {
			if rng.IntN(3) == 0 {
				before[i] = some(4)
			}
			gone[i] = rng.IntN(4) == 0
			if want = append(want, before[i]...); !gone[i] {
				want = append(want, i)
			}
		}
		if got := ptx.Edited(n, head, before, gone); !slices.Equal(got, want) {
			t.Fatalf("of %d with %v in front of %v, without %v: got %v, want %v", n, before, head, gone, got, want)
		}
	}
}
