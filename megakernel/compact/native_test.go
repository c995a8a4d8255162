package compact

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// TestKernelsRunNatively is for the race detector.
func TestKernelsRunNatively(t *testing.T) {
	const n, most = 700, 100
	severity, records, want := make([]uint32, n), make([]uint32, 2*n), []uint32{}
	for i := range uint32(n) {
		records[2*i], records[2*i+1] = i, ^i
		if i%3 == 0 {
			severity[i] = 1 << (i % 7)
			if len(want) < 2*most {
				want = append(want, i, ^i)
			}
		}
	}
	grid := gpu.Grid{Groups: gpu.Vec3{X: 3}, Group: gpu.Vec3{X: threads}, Cooperative: true}
	sums, head, counters, front := make([]uint32, 3), make([]uint32, headWords), make([]uint32, severities), make([]uint32, len(want))
	gpu.Run(grid, func(th gpu.Thread) {
		reports(th, n, 2, 0, most, 50, severity, records, sums, head, counters, front)
	})
	if wantHead := []uint32{25, 234, 209, 200}; !slices.Equal(head, wantHead) {
		t.Errorf("head is %v, want %v", head, wantHead)
	}
	if !slices.Equal(front, want) {
		t.Errorf("records are %v, want %v", front, want)
	}
	if counters[6] != 34 || counters[7] != 0 {
		t.Errorf("counters are %v", counters)
	}
}
