package gpu_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// histogram counts the bytes of data in a shared array a group, then adds the groups up.
func histogram(t gpu.Thread, data []uint8, bins []uint32) {
	part := gpu.Shared[uint32](t, 256)
	l := t.Local().X
	part[l] = 0
	t.Barrier()
	for i := t.Global().X; i < uint32(len(data)); i += t.Groups().X * 256 {
		gpu.AtomicAdd(&part[data[i]], 1)
	}
	t.Barrier()
	gpu.AtomicAdd(&bins[l], part[l])
}

func TestHistogram(t *testing.T) {
	data, want := make([]uint8, 10_000), make([]uint32, 256)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = uint8(rng.IntN(16) * rng.IntN(16))
		want[data[i]]++
	}
	bins := make([]uint32, 256)
	gpu.Run(grid(5, 256), func(t gpu.Thread) { histogram(t, data, bins) })
	if !slices.Equal(bins, want) {
		t.Errorf("got %v, want %v", bins, want)
	}
}

// prefixSum replaces x by its inclusive prefix sum; one group covers it.
func prefixSum[T gpu.Number](t gpu.Thread, x []T) {
	sums := gpu.Shared[T](t, 32)
	l := t.LocalIndex()
	v := gpu.ScanAdd(t, gpu.At(x, l))
	if t.Lane() == 31 {
		sums[t.Warp()] = v
	}
	t.Barrier()
	before := gpu.ExclusiveScanAdd(t, sums[t.Lane()]) // every warp computes them for itself
	gpu.Put(x, l, v+gpu.Shuffle(t, before, t.Warp()))
}

func TestPrefixSum(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 500, 512} {
		x, want, sum := make([]int64, n), make([]int64, n), int64(0)
		for i := range x {
			x[i] = int64(i*i%97) - 40
			sum += x[i]
			want[i] = sum
		}
		gpu.Run(grid(1, 512), func(t gpu.Thread) { prefixSum(t, x) })
		if !slices.Equal(x, want) {
			t.Errorf("of %d: got %v, want %v", n, x, want)
		}
	}
}

const tile = 16

// transpose writes the transpose of the w×h matrix in to out, a tile a group.
func transpose(t gpu.Thread, w, h uint32, in, out []float32) {
	block := gpu.Shared[float32](t, tile*(tile+1))
	l, g := t.Local(), t.Group()
	if x, y := g.X*tile+l.X, g.Y*tile+l.Y; x < w && y < h {
		block[l.Y*(tile+1)+l.X] = in[y*w+x]
	}
	t.Barrier()
	if x, y := g.Y*tile+l.X, g.X*tile+l.Y; x < h && y < w {
		out[y*h+x] = block[l.X*(tile+1)+l.Y]
	}
}

func TestTranspose(t *testing.T) {
	const w, h = 45, 23
	in, out := make([]float32, w*h), make([]float32, w*h)
	for i := range in {
		in[i] = float32(i)
	}
	g := gpu.Grid{Groups: gpu.Vec3{X: (w + tile - 1) / tile, Y: (h + tile - 1) / tile}, Group: gpu.Vec3{X: tile, Y: tile}}
	gpu.Run(g, func(t gpu.Thread) { transpose(t, w, h, in, out) })
	for y := range h {
		for x := range w {
			if out[x*h+y] != in[y*w+x] {
				t.Fatalf("(%d,%d): got %v, want %v", x, y, out[x*h+y], in[y*w+x])
			}
		}
	}
}

// sum adds the elements of x to total.
func sum(t gpu.Thread, x []uint32, total []uint64) {
	part := gpu.SharedRest[uint64](t) // one cell an invocation
	l, n := t.Local().X, t.GroupSize().X
	for i := t.Global().X; i < uint32(len(x)); i += t.Groups().X * n {
		part[l] += uint64(x[i])
	}
	for d := n / 2; d > 0; d /= 2 {
		t.Barrier()
		if l < d {
			part[l] += part[l+d]
		}
	}
	if l == 0 {
		gpu.AtomicAdd(&total[0], part[0])
	}
}

func TestSum(t *testing.T) {
	x, want := make([]uint32, 5000), uint64(0)
	for i := range x {
		x[i] = uint32(i) * 0x9E3779B9
		want += uint64(x[i])
	}
	g, total := grid(3, 128), make([]uint64, 1)
	g.SharedRest = 128
	gpu.Run(g, func(t gpu.Thread) { sum(t, x, total) })
	if total[0] != want {
		t.Errorf("got %d, want %d", total[0], want)
	}
}

// life plays the Game of Life on a w×h torus in one launch, until nothing changes or
// rounds are over. a holds the first generation; the last is in a or b by the parity of
// the rounds played, which it counts in played.
func life(t gpu.Thread, w, h, rounds uint32, a, b []bool, played []uint32) {
	first := t.Global().X
	stride := t.Groups().X * t.GroupSize().X
	for round := range rounds {
		changed := false
		for i := first; i < w*h; i += stride {
			x, y, n := i%w, i/w, 0
			for dy := range uint32(3) {
				for dx := range uint32(3) {
					if (dx != 1 || dy != 1) && a[(y+h+dy-1)%h*w+(x+w+dx-1)%w] {
						n++
					}
				}
			}
			b[i] = n == 3 || n == 2 && a[i]
			changed = changed || b[i] != a[i]
		}
		if first == 0 {
			played[0] = round + 1
		}
		if !t.GridBarrierAny(changed) {
			return
		}
		a, b = b, a
	}
}

func TestGameOfLife(t *testing.T) {
	const w, h = 24, 20
	board := make([]bool, w*h)
	for _, p := range [][2]int{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}} { // a glider
		board[p[1]*w+p[0]] = true
	}
	a, b, played := slices.Clone(board), make([]bool, w*h), make([]uint32, 1)
	g := cooperative(4, 32)
	gpu.Run(g, func(t gpu.Thread) { life(t, w, h, 40, a, b, played) })
	for i := range board { // ten cells along the diagonal in 40 rounds
		if x, y := (i%w+10)%w, (i/w+10)%h; a[y*w+x] != board[i] {
			t.Fatalf("cell (%d,%d) is %v", x, y, a[y*w+x])
		}
	}
	if played[0] != 40 {
		t.Errorf("played %d rounds, want 40", played[0])
	}

	block := make([]bool, w*h) // four cells that never change
	block[0], block[1], block[w], block[w+1] = true, true, true, true
	gpu.Run(g, func(t gpu.Thread) { life(t, w, h, 40, block, b, played) })
	if played[0] != 1 {
		t.Errorf("a still life played %d rounds, want 1", played[0])
	}
}

// Thousands of grid barriers in a loop keep locals and shared memory.
func TestGridBarriersInALoop(t *testing.T) {
	const rounds = 500
	cells, wrong := make([]uint32, 3*64), make([]uint32, 1)
	gpu.Run(cooperative(3, 64), func(t gpu.Thread) {
		mine := gpu.Shared[uint32](t, 64)
		i, l := uint32(t.GlobalIndex()), t.LocalIndex()
		seen := uint32(0)
		for round := range uint32(rounds) {
			cells[i] = round + i
			mine[l] = round
			t.GridBarrier()
			k := (i + 65) % uint32(len(cells))
			if cells[k] != round+k || mine[63-l] != round || seen != round {
				gpu.AtomicAdd(&wrong[0], 1)
			}
			seen++
			t.GridBarrier()
		}
	})
	if wrong[0] != 0 {
		t.Errorf("%d wrong", wrong[0])
	}
}
