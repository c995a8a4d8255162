package gpu_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// ns/invocation is the time of one op divided by the invocations that took part in it.
func BenchmarkBarrier(b *testing.B) {
	for _, size := range []uint32{32, 256, 1024} {
		b.Run(fmt.Sprintf("Group/%d", size), func(b *testing.B) {
			perOp(b, gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: size}}, func(t gpu.Thread) { t.Barrier() })
		})
	}
	b.Run("Grid/8x256", func(b *testing.B) {
		perOp(b, gpu.Grid{Groups: gpu.Vec3{X: 8}, Group: gpu.Vec3{X: 256}, Cooperative: true}, func(t gpu.Thread) { t.GridBarrier() })
	})
	b.Run("Warp/256", func(b *testing.B) {
		perOp(b, gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 256}}, func(t gpu.Thread) { t.WarpBarrier() })
	})
	b.Run("Reduce/256", func(b *testing.B) {
		perOp(b, gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 256}}, func(t gpu.Thread) { gpu.ReduceAdd(t, t.Lane()) })
	})
}

func perOp(b *testing.B, g gpu.Grid, op func(t gpu.Thread)) {
	b.ReportAllocs()
	n := b.N
	gpu.Run(g, func(t gpu.Thread) {
		for range n {
			op(t)
		}
	})
	all := float64(n) * float64(g.Groups.X*g.Group.X)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/all, "ns/invocation")
}

func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	groups := uint32(max(b.N/256, 1))
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: groups}, Group: gpu.Vec3{X: 256}}, func(t gpu.Thread) {})
}

func BenchmarkAtomicAdd(b *testing.B) {
	x := make([]uint32, 1)
	for b.Loop() {
		gpu.AtomicAdd(&x[0], 1)
	}
}

func BenchmarkAtomicLoad(b *testing.B) {
	x := make([]uint32, 1)
	for b.Loop() {
		gpu.AtomicLoad(&x[0])
	}
}
