package gpu_test

import (
	"math"
	"slices"
	"testing"

	"github.com/govyre/vyre/gpu"
)

func TestAtAndPutStayInBounds(t *testing.T) {
	x := []int16{10, 20, 30, 40}
	parent := []int16{1, 2, 3}
	for _, c := range []struct {
		name string
		got  int16
		want int16
	}{
		{"first", gpu.At(x, 0), 10},
		{"last", gpu.At(x, uint8(3)), 40},
		{"length", gpu.At(x, 4), 0},
		{"minus one", gpu.At(x, -1), 0},
		{"least int8", gpu.At(x, int8(math.MinInt8)), 0},
		{"least int64", gpu.At(x, int64(math.MinInt64)), 0},
		{"2³² + 1", gpu.At(x, uint64(1<<32+1)), 0},
		{"all ones", gpu.At(x, uint64(math.MaxUint64)), 0},
		{"empty", gpu.At([]int16{}, 0), 0},
		{"within the capacity of a view", gpu.At(parent[:2], 2), 0},
	} {
		if c.got != c.want {
			t.Errorf("At %s: %d, want %d", c.name, c.got, c.want)
		}
	}
	gpu.Put(x, uint32(2), 7)
	gpu.Put(x, 4, 8)
	gpu.Put(x, -1, 8)
	gpu.Put(x, uint64(1<<63), 8)
	gpu.Put(parent[:2], 2, 8)
	gpu.Prefetch(x, -1)
	if !slices.Equal(x, []int16{10, 20, 7, 40}) || !slices.Equal(parent, []int16{1, 2, 3}) {
		t.Errorf("after Put: %v, %v", x, parent)
	}
}
