package ptx

import (
	"slices"
	"testing"
)

// TestEqualComparisonsArePaired: a comparison that is made again is held against the nearest equal one that is on every way
// to it and that the assembler may merge it with, be there others between them.
func TestEqualComparisonsArePaired(t *testing.T) {
	// Block 0 branches to 2, around 1; 3 is behind both, and branches to 5, around 4.
	const least = 2 // as many are alive at each branch as fit, but for room
	for _, k := range []struct {
		name string
		at   []int // the blocks that compare, in order
		room [6]int
		want []differing
	}{
		{"all fit", []int{0, 1, 3}, [6]int{1, 1, 1, 1, 1, 1}, nil},
		{"siblings share a result", []int{0, 1, 2, 3}, [6]int{1, 0, 0, 0, 0, 0}, nil},
		{"an arm's comparison is no way past", []int{0, 1, 3}, [6]int{0, 0, 0, 1, 0, 0}, []differing{{1, 1}, {2, 1}}},
		{"behind one that differs the first is next", []int{0, 3, 5}, [6]int{0, 0, 0, 0, 0, 0}, []differing{{1, 1}, {2, 2}}},
		{"those that differ may be merged", []int{0, 3, 5}, [6]int{0, 0, 0, 1, 0, 0}, []differing{{1, 1}, {2, 1}}},
		{"in the block of one that differs", []int{0, 3, 3}, [6]int{0, 0, 0, 0, 0, 0}, []differing{{1, 1}, {2, 1}}},
	} {
		t.Run(k.name, func(t *testing.T) {
			a := &ranges{next: 100}
			for b := range 6 {
				a.blocks = append(a.blocks, block{alive: least - k.room[b]})
			}
			for _, b := range []int{0, 3} {
				a.blocks[b].guard = makeReg(classP, 1)
			}
			for _, way := range [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}, {4, 5}} {
				to := &a.blocks[way[1]]
				to.from = &blockList{way[0], to.from}
			}
			for i, b := range k.at {
				a.made = append(a.made, madeAt{inst: i, block: b})
			}
			if got := a.apart(least); !slices.Equal(got, k.want) {
				t.Errorf("to differ are %v, want %v", got, k.want)
			}
		})
	}
}
