package cusim

import (
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// hostRange is pinned memory of the host.
type hostRange struct {
	mem    []byte
	mapped bool               // has device addresses
	at     map[*device]uint64 // those that somebody asked for
}

func newHostRange(mem []byte, flags uint32) *hostRange {
	return &hostRange{mem: mem, mapped: flags&cu.HostDeviceMap != 0, at: make(map[*device]uint64)}
}

// holds reports whether n bytes at p lie in r.
func (r *hostRange) holds(p unsafe.Pointer, n int64) bool {
	off := uintptr(p) - uintptr(unsafe.Pointer(unsafe.SliceData(r.mem)))
	return off <= uintptr(len(r.mem)) && uintptr(n) <= uintptr(len(r.mem))-off
}

// end takes the device addresses away, when all work has ended.
func (d *Driver) end(r *hostRange) {
	for _, v := range d.devices {
		v.drain()
	}
	for v, addr := range r.at {
		_ = v.mem.Free(addr) // a broken context has taken it already
	}
}

// pageBytes is the unit in which host memory is pinned.
const pageBytes = 4096

// stale is what pinned memory holds at first: a driver gives out what it took back, as it is.
const stale = 0xA5

// MemHostAlloc returns pinned host memory, which starts on a page.
func (d *Driver) MemHostAlloc(n int64, flags uint32) (unsafe.Pointer, error) {
	const call = "cuMemHostAlloc"
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.bound(call); err != nil {
		return nil, err
	}
	if n <= 0 || flags&^(cu.HostPortable|cu.HostDeviceMap) != 0 {
		return nil, failed(call, invalidValue)
	}
	if n > d.config.Memory {
		return nil, failed(call, cu.OutOfMemory)
	}
	raw := make([]byte, n+pageBytes)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(raw))) % pageBytes
	mem := raw[skip:][:n:n]
	machine.Repeat(mem, []byte{stale})
	if err := d.leave(call); err != nil {
		return nil, err
	}
	// The map keeps the memory alive; the heap does not move it.
	p := unsafe.Pointer(unsafe.SliceData(mem))
	d.hosts[p] = newHostRange(mem, flags)
	return p, nil
}

// MemFreeHost frees pinned memory when all work has ended.
func (d *Driver) MemFreeHost(p unsafe.Pointer) error {
	const call = "cuMemFreeHost"
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.bound(call); err != nil {
		return err
	}
	r := d.hosts[p]
	if r == nil {
		return failed(call, invalidValue)
	}
	d.end(r)
	delete(d.hosts, p)
	return d.leave(call)
}

// MemHostGetDevicePointer returns the device address of pinned memory. The address is another one than the
// host's, so that nobody takes one for the other.
func (d *Driver) MemHostGetDevicePointer(p unsafe.Pointer) (cu.Ptr, error) {
	const call = "cuMemHostGetDevicePointer_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, err := d.bound(call)
	if err != nil {
		return 0, err
	}
	r := d.hostAt(p, 1)
	if r == nil || !r.mapped {
		return 0, failed(call, invalidValue)
	}
	base, known := r.at[v]
	if !known {
		if base, err = v.mem.Map(r.mem, "memory of the host"); err != nil {
			return 0, failed(call, cu.OutOfMemory)
		}
		r.at[v] = base
	}
	off := uintptr(p) - uintptr(unsafe.Pointer(unsafe.SliceData(r.mem)))
	return cu.Ptr(base + uint64(off)), d.leave(call)
}

// MemHostRegister pins the caller's memory. A page is pinned once.
func (d *Driver) MemHostRegister(p unsafe.Pointer, n int64, flags uint32) error {
	const call = "cuMemHostRegister_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.bound(call); err != nil {
		return err
	}
	if p == nil || n <= 0 || flags&^(cu.HostPortable|cu.HostDeviceMap) != 0 {
		return failed(call, invalidValue)
	}
	pages := func(p unsafe.Pointer, n int64) (from, to uintptr) {
		return uintptr(p) / pageBytes, (uintptr(p) + uintptr(n) - 1) / pageBytes
	}
	from, to := pages(p, n)
	for q, r := range d.pins {
		if f, t := pages(q, int64(len(r.mem))); from <= t && f <= to {
			return failed(call, alreadyRegistered)
		}
	}
	if err := d.leave(call); err != nil {
		return err
	}
	d.pins[p] = newHostRange(unsafe.Slice((*byte)(p), n), flags) // the caller's, who keeps it until it is unregistered
	return nil
}

// MemHostUnregister ends that.
func (d *Driver) MemHostUnregister(p unsafe.Pointer) error {
	const call = "cuMemHostUnregister"
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.bound(call); err != nil {
		return err
	}
	r := d.pins[p]
	if r == nil {
		return failed(call, notRegistered)
	}
	d.end(r)
	delete(d.pins, p)
	return d.leave(call)
}

// hostAt is the pinned memory that holds n bytes at p, nil if none does: copies take it when they run.
func (d *Driver) hostAt(p unsafe.Pointer, n int64) *hostRange {
	for _, r := range d.hosts {
		if r.holds(p, n) {
			return r
		}
	}
	for _, r := range d.pins {
		if r.holds(p, n) {
			return r
		}
	}
	return nil
}

// mapped reports whether the device reaches pinned memory by itself.
func (d *Driver) mapped(mem []byte) bool {
	r := d.hostAt(unsafe.Pointer(unsafe.SliceData(mem)), int64(len(mem)))
	return r != nil && r.mapped
}

func (d *Driver) pinned(p unsafe.Pointer, n int64) bool { return d.hostAt(p, n) != nil }
