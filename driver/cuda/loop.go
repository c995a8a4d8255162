package cuda

import (
	_ "embed"
	"fmt"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/driver/cuda/cu"
)

// loopText is a module with the kernel that decides whether a loop in a graph goes on. It calls a
// function that the driver brings along when it loads text, so it is neither linked nor cached.
//
//go:embed loop.ptx
var loopText string

const loopEntry = "vy_loop"

// loopTarget is the latest architecture that the version of the text knows. Later ones run text for
// earlier ones.
const loopTarget = 75

// loops holds that kernel, from its first use until the device closes.
type loops struct {
	dev      *Device
	mu       sync.Mutex
	module   cu.Module
	function cu.Function
}

// decision is one launch of it.
type decision struct {
	value  cu.Conditional // to set
	record cu.Ptr         // a control record
	flag   cu.Ptr         // 0 in a loop that only counts
	next   uint64         // rounds that have ended since the last decision: 0 before the loop, then 1
}

// launch describes it. The driver copies the values while the node is added, which is before
// anything here is collected.
func (p *loops) launch(x decision) (*cu.Launch, error) {
	f, err := p.get()
	if err != nil {
		return nil, err
	}
	values := &[4]uint64{uint64(x.value), uint64(x.record), uint64(x.flag), x.next}
	ptrs := new([5]unsafe.Pointer)
	for i := range values {
		ptrs[i] = unsafe.Pointer(&values[i])
	}
	return &cu.Launch{Function: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Params: &ptrs[0]}, nil
}

// get returns the kernel. The context is current.
func (p *loops) get() (cu.Function, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.function != 0 {
		return p.function, nil
	}
	drv := p.dev.drv
	var jit cu.JIT
	m, err := drv.ModuleLoadDataEx(fmt.Appendf(nil, loopText+"\x00", min(p.dev.target.SM, loopTarget)), &jit)
	if err != nil {
		return 0, err
	}
	f, err := drv.ModuleGetFunction(m, loopEntry)
	if err != nil {
		_ = drv.ModuleUnload(m) // the first error is the one to report
		return 0, err
	}
	p.module, p.function = m, f
	return f, nil
}

// drop unloads it; a lost context has done so.
func (p *loops) drop(note func(error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.module != 0 && p.dev.lost.Load() == nil {
		note(p.dev.drv.ModuleUnload(p.module))
	}
	p.module, p.function = 0, 0
}
