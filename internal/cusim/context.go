package cusim

import (
	"maps"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
	"github.com/govyre/vyre/internal/matrix"
)

// DevicePrimaryCtxRetain makes the context, or takes it once more.
func (d *Driver) DevicePrimaryCtxRetain(dev cu.Device) (cu.Context, error) {
	const call = "cuDevicePrimaryCtxRetain"
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.initialized(call); err != nil {
		return 0, err
	}
	if dev < 0 || int(dev) >= len(d.devices) {
		return 0, failed(call, invalidDevice)
	}
	v := d.devices[dev]
	if v.lasts != nil {
		return 0, &cu.FaultError{CallError: cu.CallError{Call: call, Result: resultOf(v.lasts)}, Cause: v.lasts}
	}
	if v.ctx == 0 {
		v.ctx = cu.Context(d.handle())
		v.legacy = &stream{dev: v}
	}
	v.retains++
	if err := d.leave(call); err != nil {
		d.drop(v)
		return 0, err
	}
	return v.ctx, nil
}

// DevicePrimaryCtxRelease gives the context back. The last one ends it.
func (d *Driver) DevicePrimaryCtxRelease(dev cu.Device) error {
	const call = "cuDevicePrimaryCtxRelease_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.initialized(call); err != nil {
		return err
	}
	if dev < 0 || int(dev) >= len(d.devices) {
		return failed(call, invalidDevice)
	}
	v := d.devices[dev]
	if v.retains == 0 {
		return failed(call, invalidContext)
	}
	d.drop(v)
	return d.leave(call)
}

func (d *Driver) drop(v *device) {
	if v.retains--; v.retains == 0 {
		d.wipe(v)
		v.ctx = 0
	}
}

// DevicePrimaryCtxReset ends everything in the context, whoever holds it.
func (d *Driver) DevicePrimaryCtxReset(dev cu.Device) error {
	const call = "cuDevicePrimaryCtxReset_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.device(call, dev)
	if err != nil {
		return err
	}
	d.wipe(v)
	return nil
}

// wipe ends the work of a context. One that is broken takes its objects with it; those of a working one
// stay, for Left to list.
func (d *Driver) wipe(v *device) {
	for _, s := range v.order {
		s.work = nil
	}
	v.order = nil
	if v.sticky == nil {
		return
	}
	if !d.config.Recovers {
		v.lasts = v.sticky
	}
	v.sticky = nil
	v.mem = memoryOf(v.model, v.ordinal)
	maps.DeleteFunc(d.streams, func(_ cu.Stream, s *stream) bool { return s.dev == v })
	maps.DeleteFunc(d.events, func(_ cu.Event, e *event) bool { return e.dev == v })
	for h, m := range d.modules {
		if m.dev == v {
			d.forget(h, m)
		}
	}
	v.pools, v.pooled = nil, make(map[cu.Ptr]*pooled)
	maps.DeleteFunc(d.links, func(_ cu.LinkState, l *link) bool { return l.dev == v })
	maps.DeleteFunc(d.pools, func(_ cu.MemPool, p *pool) bool { return p.dev == v })
	maps.DeleteFunc(d.graphs, func(_ cu.Graph, g *graph) bool { return g.dev == v })
	maps.DeleteFunc(d.nodes, func(_ cu.GraphNode, n *node) bool { return n.graph.dev == v })
	maps.DeleteFunc(d.execs, func(_ cu.GraphExec, x *executable) bool { return x.dev == v })
	if len(d.devices) == 1 || d.idle() {
		clear(d.hosts)
		clear(d.pins)
	}
}

// idle reports whether no device has a working context.
func (d *Driver) idle() bool {
	for _, v := range d.devices {
		if v.ctx != 0 && v.retains > 0 {
			return false
		}
	}
	return true
}

// CtxSetCurrent binds a context to the thread; 0 binds none.
func (d *Driver) CtxSetCurrent(c cu.Context) error {
	const call = "cuCtxSetCurrent"
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.initialized(call); err != nil {
		return err
	}
	if v := d.bearer(c); v == nil && c != 0 {
		return failed(call, invalidContext)
	} else if v != nil {
		if err := v.broken(call); err != nil {
			return err
		}
	}
	d.current[threadID()] = c
	return d.leave(call)
}

// Current returns the context of the calling thread, 0 if it has none.
func (d *Driver) Current() cu.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current[threadID()]
}

// CtxPushCurrent binds a context to the thread and keeps the one before.
func (d *Driver) CtxPushCurrent(c cu.Context) error {
	const call = "cuCtxPushCurrent_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.initialized(call); err != nil {
		return err
	}
	v := d.bearer(c)
	if v == nil {
		return failed(call, invalidContext)
	}
	if err := v.broken(call); err != nil {
		return err
	}
	t := threadID()
	d.pushed[t] = append(d.pushed[t], d.current[t])
	d.current[t] = c
	return d.leave(call)
}

// CtxPopCurrent takes the thread's context off and binds the one before.
func (d *Driver) CtxPopCurrent() (cu.Context, error) {
	const call = "cuCtxPopCurrent_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.initialized(call); err != nil {
		return 0, err
	}
	t := threadID()
	c := d.current[t]
	if c == 0 {
		return 0, failed(call, invalidContext)
	}
	d.current[t] = 0
	if n := len(d.pushed[t]); n > 0 {
		d.current[t], d.pushed[t] = d.pushed[t][n-1], d.pushed[t][:n-1]
	}
	return c, d.leave(call)
}

// memoryOf is the memory of a device, without any allocation.
func memoryOf(m Model, ordinal int) *machine.Memory {
	mem := machine.NewMemoryOf(ordinal)
	mem.Matrix = matrix.GenerationOf(m.Major, m.Minor)
	return mem
}
