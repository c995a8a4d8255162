package facts

import (
	"testing"

	"github.com/govyre/vyre/gpu"
)

// TestKernelsRunNatively is for the race detector: a round from all nodes of a star whose rays lead back.
func TestKernelsRunNatively(t *testing.T) {
	const n = 64
	starts, targets := make([]uint32, n), []uint32{}
	for v := range uint32(n) {
		starts[v] = uint32(len(targets))
		if v == 0 {
			for to := uint32(1); to < n; to++ {
				targets = append(targets, to)
			}
		} else {
			targets = append(targets, 0)
		}
	}
	kinds := make([]uint32, len(targets))
	visited, nodes, lengths, peak, weight, looked := make([]uint32, n/32), make([]uint32, n), []uint32{2, 0, 0}, []uint32{2}, []uint32{0}, []uint32{0}
	nodes[0], nodes[1], visited[0] = 0, 1, 3
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 2}, Group: gpu.Vec3{X: 1}}, func(th gpu.Thread) {
		spread(th, 0, uint32(len(targets)), 0, starts, targets, kinds, visited, nodes, lengths, peak, weight, looked)
	})
	if visited[0] != ^uint32(0) || visited[1] != ^uint32(0) || lengths[1] != n-2 || peak[0] != n || weight[0] != n-2 || looked[0] != n {
		t.Errorf("visited %x, lengths %v, peak %d, weight %d, looked at %d", visited, lengths, peak, weight, looked)
	}
	for i := uint32(2); i < n; i++ {
		if nodes[i] == 0 {
			t.Errorf("place %d was left empty", i)
		}
	}
}
