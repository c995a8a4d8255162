package cusim

import (
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
)

// MemGetInfo returns what is free and what there is.
func (d *Driver) MemGetInfo() (free, total int64, err error) {
	const call = "cuMemGetInfo_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err != nil {
		return 0, 0, err
	}
	return v.memory - v.taken(), v.memory, d.leave(call)
}

// MemAlloc allocates device memory, whose contents are undefined.
func (d *Driver) MemAlloc(n int64) (cu.Ptr, error) {
	const call = "cuMemAlloc_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	switch {
	case err != nil:
		return 0, err
	case n <= 0:
		return 0, failed(call, invalidValue)
	case n > v.memory-v.taken():
		return 0, failed(call, cu.OutOfMemory)
	}
	p, err := v.mem.Alloc(n, "")
	if err != nil {
		return 0, failed(call, cu.OutOfMemory)
	}
	if err := d.leave(call); err != nil {
		_ = v.mem.Free(p) // just allocated
		return 0, err
	}
	return cu.Ptr(p), nil
}

// MemFree waits for the device and frees an allocation.
func (d *Driver) MemFree(p cu.Ptr) error {
	const call = "cuMemFree_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err != nil {
		return err
	}
	v.drain()
	if err := v.broken(call); err != nil {
		return err
	}
	free := func() error { return v.mem.Free(uint64(p)) }
	if v.pooled[p] != nil {
		free = func() error { return v.giveBack(p) }
	}
	if free() != nil {
		return failed(call, invalidValue)
	}
	return d.leave(call)
}

// Watch narrows the bounds of an allocation to what is in use, and names it.
func (d *Driver) Watch(p cu.Ptr, bytes int64, label string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, v := range d.devices {
		if v.mem.Watch(uint64(p), bytes, label) == nil {
			return // addresses of devices differ
		}
	}
}

// PointerGetAttributes says which allocation an address lies in, of whichever device, or of the host where it is pinned. Memory of a
// pool is of no context.
func (d *Driver) PointerGetAttributes(p cu.Ptr) (cu.Pointee, error) {
	const call = "cuPointerGetAttributes"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.Pointer) {
		return cu.Pointee{}, failed(call, cu.NotSupported)
	}
	if _, err := d.bound(call); err != nil {
		return cu.Pointee{}, err
	}
	return d.pointee(p), d.leave(call)
}

func (d *Driver) pointee(p cu.Ptr) cu.Pointee {
	for i, v := range d.devices {
		base, bytes, host, ok := v.mem.Allocation(uint64(p))
		if !ok {
			continue
		}
		found := cu.Pointee{Memory: cu.DeviceMemory, Device: cu.Device(i), Context: v.ctx, Base: cu.Ptr(base), Bytes: bytes}
		if host {
			found.Memory = cu.HostMemory
		} else if v.pooled[cu.Ptr(base)] != nil {
			found.Context = 0
		}
		return found
	}
	for _, all := range []map[unsafe.Pointer]*hostRange{d.hosts, d.pins} {
		for at, r := range all {
			if off := uint64(p) - uint64(uintptr(at)); off < uint64(len(r.mem)) {
				return cu.Pointee{Memory: cu.HostMemory, Base: cu.Ptr(uintptr(at)), Bytes: int64(len(r.mem))}
			}
		}
	}
	return cu.Pointee{Device: -2} // as the driver says of what it does not know
}
