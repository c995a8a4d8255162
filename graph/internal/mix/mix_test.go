package mix_test

import (
	"testing"

	"github.com/govyre/vyre/graph/internal/mix"
)

func TestDraw(t *testing.T) {
	for _, c := range []struct{ seed, i, k, want uint64 }{
		{1, 0, 0, 0x5e41ab087439611e}, {1, 0, 1, 0xf18d6ce93d6cf1ee}, {7, 3, 2, 0x6e16c90d880f8d4e},
	} {
		if got := mix.Draw(c.seed, c.i, c.k); got != c.want {
			t.Errorf("draw(%d, %d, %d) = %#x, want %#x", c.seed, c.i, c.k, got, c.want)
		}
	}
}
