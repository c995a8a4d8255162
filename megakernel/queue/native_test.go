package queue_test

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/queue"
)

// work is that of the tests' kernels, which is compiled from text.
type work struct{ offsets, targets, seen []uint32 }

func (w work) Check(it queue.Item) (most, reason uint32) {
	v := it.Args[0]
	if it.Op != 7 || v+1 >= uint32(len(w.offsets)) {
		return 0, 1
	}
	return w.offsets[v+1] - w.offsets[v], 0
}

func (w work) Do(t gpu.Thread, it queue.Item) uint32 {
	gpu.AtomicAdd(&w.seen[it.Args[0]], 1)
	most, _ := w.Check(it)
	return most
}

func (w work) Child(t gpu.Thread, it queue.Item, k uint32) queue.Item {
	return item(w.targets[w.offsets[it.Args[0]]+k])
}

// TestQueueRunsNatively is for the race detector, which sees how items are handed over as Go does.
func TestQueueRunsNatively(t *testing.T) {
	g := draw(21, 200, 3)
	want, items := g.paths([]uint32{0, 1})
	const capacity, groups = 512, 3
	r := queue.Ring{Sequence: make([]uint64, capacity), Items: make([]queue.Item, capacity), Control: make([]uint64, queue.ControlWords), Deferred: make([]queue.Item, 32*groups)}
	for k := range r.Sequence {
		r.Sequence[k] = uint64(k)
	}
	for k := range 2 {
		r.Items[k], r.Sequence[k] = item(uint32(k)), uint64(k+1)
	}
	r.Control[16], r.Control[32], r.Control[48], r.Control[64] = 2, capacity-2, 2, 2 // tail, free, ready, live
	r.Control[160], r.Control[176] = queue.NoQuota, uint64(g.most)
	w := work{g.offsets, g.targets, make([]uint32, len(want))}
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: groups}, Group: gpu.Vec3{X: 32}, Cooperative: true}, func(th gpu.Thread) {
		queue.Run(th, w, r)
	})
	if !slices.Equal(w.seen, want) {
		t.Errorf("items were done %v times, want %v", w.seen, want)
	}
	if c := r.Control; c[0] != items || c[16] != items || c[128] != items || c[64] != 0 || c[32] != capacity || c[48] != 0 {
		t.Errorf("head %d, tail %d, done %d, want %d; live %d, free %d, ready %d", c[0], c[16], c[128], items, c[64], c[32], c[48])
	}
}
