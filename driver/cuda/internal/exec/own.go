package exec

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
)

// own is a module of the package itself, from its first use until the device closes. It is loaded as
// text, neither linked nor cached: it is small, and may call functions that the driver brings along.
type own struct {
	gpu       *primary.Context
	sm        int    // of the device's target
	text      string // with a place for the number of the architecture
	carries   bool   // its kernels only take bytes from one place to another
	mu        sync.Mutex
	module    cu.Module
	functions map[string]cu.Function
}

// ownTarget is the latest architecture that the version of the texts knows. Later ones run text for
// earlier ones.
const ownTarget = 75

// get returns a kernel. The context is current.
func (o *own) get(entry string) (cu.Function, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if f, ok := o.functions[entry]; ok {
		return f, nil
	}
	drv := o.gpu.Driver
	if o.module == 0 {
		var jit cu.JIT
		m, err := drv.ModuleLoadDataEx(fmt.Appendf(nil, o.text+"\x00", min(o.sm, ownTarget)), &jit)
		if err != nil {
			return 0, err
		}
		if w, ok := drv.(cu.Watcher); ok && o.carries {
			w.Carries(m)
		}
		o.module, o.functions = m, map[string]cu.Function{}
	}
	f, err := drv.ModuleGetFunction(o.module, entry)
	if err != nil {
		return 0, err
	}
	o.functions[entry] = f
	return f, nil
}

// drop unloads it; a lost context has done so.
func (o *own) drop(note func(error)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.module != 0 && !o.gpu.Lost() {
		note(o.gpu.Driver.ModuleUnload(o.module))
	}
	o.module, o.functions = 0, nil
}

// pointers returns the addresses of values, as a launch wants its parameters.
func pointers(values ...unsafe.Pointer) *unsafe.Pointer { return &values[0] }
