package exec

import (
	_ "embed"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
)

// loopText is a module with the kernel that decides whether a loop in a graph goes on. It calls a
// function that the driver brings along when it loads text.
//
//go:embed loop.ptx
var loopText string

const loopEntry = "vy_loop"

// decision is one launch of it.
type decision struct {
	value  cu.Conditional // to set
	record cu.Ptr         // a control record
	flag   cu.Ptr         // 0 in a loop that only counts
	next   uint64         // rounds that have ended since the last decision: 0 before the loop, then 1
}

// decide plans that launch. The driver copies the values while the node is added, and until then the launch keeps them.
func (b *nodes) decide(x decision, t touches) error {
	f, err := b.r.x.loops.get(loopEntry)
	if err != nil {
		return err
	}
	l := &cu.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1},
		Params: pointers(unsafe.Pointer(&x.value), unsafe.Pointer(&x.record), unsafe.Pointer(&x.flag), unsafe.Pointer(&x.next))}
	b.plan(t, func(deps []cu.GraphNode) (cu.GraphNode, error) {
		return b.r.x.GPU.Driver.GraphAddKernelNode(b.to, deps, l)
	})
	return nil
}
