package cusim

import (
	"unsafe"

	"github.com/govyre/vyre/driver/cuda/cu"
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
	return v.memory - v.mem.Live(), v.memory, d.leave(call)
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
	case n > v.memory-v.mem.Live():
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
	if v.mem.Free(uint64(p)) != nil {
		return failed(call, invalidValue)
	}
	return d.leave(call)
}

// pageBytes is the unit in which host memory is pinned.
const pageBytes = 4096

// MemHostAlloc returns pinned host memory, which starts on a page.
func (d *Driver) MemHostAlloc(n int64, _ uint32) (unsafe.Pointer, error) {
	const call = "cuMemHostAlloc"
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.bound(call); err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, failed(call, invalidValue)
	}
	if n > d.config.Memory {
		return nil, failed(call, cu.OutOfMemory)
	}
	raw := make([]byte, n+pageBytes)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(raw))) % pageBytes
	mem := raw[skip:][:n:n]
	if err := d.leave(call); err != nil {
		return nil, err
	}
	// The map keeps the memory alive; the heap does not move it.
	p := unsafe.Pointer(unsafe.SliceData(mem))
	d.hosts[p] = mem
	return p, nil
}

// MemFreeHost frees pinned memory when all work has ended.
func (d *Driver) MemFreeHost(p unsafe.Pointer) error {
	const call = "cuMemFreeHost"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err != nil {
		return err
	}
	if d.hosts[p] == nil {
		return failed(call, invalidValue)
	}
	v.drain()
	delete(d.hosts, p)
	return d.leave(call)
}

// MemHostRegister pins the caller's memory. A page is pinned once.
func (d *Driver) MemHostRegister(p unsafe.Pointer, n int64, _ uint32) error {
	const call = "cuMemHostRegister_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.bound(call); err != nil {
		return err
	}
	if p == nil || n <= 0 {
		return failed(call, invalidValue)
	}
	pages := func(p unsafe.Pointer, n int64) (from, to uintptr) {
		return uintptr(p) / pageBytes, (uintptr(p) + uintptr(n) - 1) / pageBytes
	}
	from, to := pages(p, n)
	for q, m := range d.pins {
		if f, t := pages(q, m); from <= t && f <= to {
			return failed(call, alreadyRegistered)
		}
	}
	if err := d.leave(call); err != nil {
		return err
	}
	d.pins[p] = n
	return nil
}

// MemHostUnregister ends that.
func (d *Driver) MemHostUnregister(p unsafe.Pointer) error {
	const call = "cuMemHostUnregister"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err != nil {
		return err
	}
	if _, ok := d.pins[p]; !ok {
		return failed(call, notRegistered)
	}
	v.drain()
	delete(d.pins, p)
	return d.leave(call)
}

// pinned reports whether n bytes at p are pinned: copies then take them when they run.
func (d *Driver) pinned(p unsafe.Pointer, n int64) bool {
	at := uintptr(p)
	for q, mem := range d.hosts {
		if at-uintptr(q) <= uintptr(len(mem)) && at+uintptr(n)-uintptr(q) <= uintptr(len(mem)) {
			return true
		}
	}
	for q, m := range d.pins {
		if at-uintptr(q) <= uintptr(m) && at+uintptr(n)-uintptr(q) <= uintptr(m) {
			return true
		}
	}
	return false
}
