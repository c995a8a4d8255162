package block_test

import (
	"fmt"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/block"
)

// multiple chooses what a number divides.
type multiple struct{ of uint32 }

func (m multiple) Chosen(v uint32) bool { return v%m.of == 0 }

// Multiples leaves the elements that a number divides in out.
//
//vyre:kernel workgroup=256
func Multiples(t gpu.Thread, of uint32, x, out, count []uint32, state []uint64) {
	part, local := gpu.Shared[uint32](t, block.Warps), gpu.Shared[uint16](t, block.SelectTile)
	block.SelectIf(t, multiple{of}, x, uint64(len(x)), out, count, state, part, local)
}

// A kernel with a predicate of its own. gpu.Run calls it natively; vyre gen makes its launcher.
func ExampleSelectIf() {
	x := make([]uint32, 10000)
	for i := range x {
		x[i] = uint32(i)
	}
	out, count := make([]uint32, len(x)), make([]uint32, 1)
	state := make([]uint64, block.StateLen(uint64(len(x)), 4)) // zeros
	grid := gpu.Grid{Groups: gpu.Vec3{X: 2}, Group: gpu.Vec3{X: block.Threads}}
	gpu.Run(grid, func(t gpu.Thread) { Multiples(t, 1234, x, out, count, state) })
	fmt.Println(out[:count[0]])
	// Output: [0 1234 2468 3702 4936 6170 7404 8638 9872]
}
