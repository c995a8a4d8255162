package gpu_test

import (
	"fmt"
	"regexp"

	"github.com/govyre/vyre/gpu"
)

// Saxpy is a kernel: an ordinary function whose first parameter is a Thread.
//
//vyre:kernel workgroup=64
func Saxpy(t gpu.Thread, a float32, x, y []float32) {
	i := t.Global().X
	if i >= uint32(len(y)) {
		return
	}
	y[i] = a*x[i] + y[i]
}

func Example() {
	x := []float32{1, 2, 3, 4}
	y := []float32{10, 20, 30, 40}
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 64}}, func(t gpu.Thread) {
		Saxpy(t, 2, x, y)
	})
	fmt.Println(y)
	// Output: [12 24 36 48]
}

// A group shares an array; the barrier separates writing it from reading it.
func ExampleShared() {
	out := make([]uint32, 8)
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 2}, Group: gpu.Vec3{X: 4}}, func(t gpu.Thread) {
		s := gpu.Shared[uint32](t, 4)
		l := t.Local().X
		s[l] = t.Global().X
		t.Barrier()
		out[t.Global().X] = s[3-l]
	})
	fmt.Println(out)
	// Output: [3 2 1 0 7 6 5 4]
}

// A barrier that some invocations skip ends Run with the counts and positions.
func ExampleRun_misuse() {
	defer func() {
		fmt.Println(regexp.MustCompile(`at \S*/(\w+\.go):\d+`).ReplaceAllString(fmt.Sprint(recover()), "at $1:…"))
	}()
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 32}}, func(t gpu.Thread) {
		if t.Lane() == 0 {
			return
		}
		t.Barrier()
	})
	// Output:
	// gpu: group (0,0,0): its invocations do not all reach the same barrier or subgroup op:
	// 	1 of 32 returned, first local (0,0,0)
	// 	31 of 32 wait in Barrier at example_test.go:…, first local (1,0,0)
}

// One launch, any number of rounds: all groups run at once, and the vote that every
// grid barrier can take tells them when nothing changes any more. Here each invocation
// learns the least number in a ring by asking a neighbour.
func ExampleThread_GridBarrierAny() {
	ring := []uint32{7, 4, 9, 2, 8, 6, 5, 3}
	g := gpu.Grid{Groups: gpu.Vec3{X: 2}, Group: gpu.Vec3{X: 4}, Cooperative: true}
	gpu.Run(g, func(t gpu.Thread) {
		i := t.Global().X
		for {
			left := ring[(i+7)%8]
			t.GridBarrier()
			changed := left < ring[i]
			ring[i] = min(ring[i], left)
			if !t.GridBarrierAny(changed) {
				return
			}
		}
	})
	fmt.Println(ring)
	// Output: [2 2 2 2 2 2 2 2]
}

// The lanes of a warp compute together without shared memory.
func ExampleScanAdd() {
	out := make([]int, 6)
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: 6}}, func(t gpu.Thread) {
		out[t.Lane()] = gpu.ScanAdd(t, int(t.Lane())+1)
	})
	fmt.Println(out)
	// Output: [1 3 6 10 15 21]
}

// The k-th invocation to arrive gets the k-th place.
func ExampleAtomicAdd() {
	data := []uint32{5, 12, 7, 20, 1, 30, 2, 40}
	kept, n := make([]uint32, len(data)), make([]uint32, 1)
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 2}, Group: gpu.Vec3{X: 4}}, func(t gpu.Thread) {
		if v := data[t.Global().X]; v >= 10 {
			kept[gpu.AtomicAdd(&n[0], 1)] = v
		}
	})
	fmt.Println(n[0], kept[0]+kept[1]+kept[2]+kept[3])
	// Output: 4 102
}

// At reads zero beyond the end, as a device does; x[i] panics natively.
func ExampleAt() {
	x := []float32{1, 2, 4}
	fmt.Println(gpu.At(x, -1), gpu.At(x, 2), gpu.At(x, 3))
	// Output: 0 4 0
}

func ExampleFloat16() {
	a, b := gpu.ToFloat16(0.1), gpu.ToFloat16(0.2)
	fmt.Println(a.Add(b).Float32(), a.Less(b))
	// Output: 0.2998047 true
}
