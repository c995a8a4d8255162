package freelist

import "testing"

func TestSizesAreRoundedToClasses(t *testing.T) {
	for _, c := range [][2]int64{{0, 0}, {1, 512}, {512, 512}, {513, 1024}, {4096, 4096}, {4097, 4608}, {8193, 9216}, {100_000, 106_496},
		{1 << 20, 1_048_576}, {1<<20 + 1, 1_179_648}, {1 << 24, 16_777_216}, {1<<24 + 1, 18_874_368}, {1_181_116_006, 1_182_793_728}, {100_000_000_000, 100_000_595_968}} {
		if got := ClassOf(c[0]); got != c[1] {
			t.Errorf("class of %d is %d, want %d", c[0], got, c[1])
		}
	}
}
