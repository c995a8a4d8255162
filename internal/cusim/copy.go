package cusim

import (
	"encoding/binary"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
)

// place is what every call that enqueues begins with: the context's device and the stream.
func (d *Driver) place(call string, h cu.Stream) (*device, *stream, error) {
	v, err := d.bound(call)
	if err != nil {
		return nil, nil, err
	}
	s, err := d.at(v, call, h)
	return v, s, err
}

// MemcpyHtoDAsync copies to the device. Memory that is not pinned is taken now.
func (d *Driver) MemcpyHtoDAsync(dst cu.Ptr, src unsafe.Pointer, n int64, h cu.Stream) error {
	const call = "cuMemcpyHtoDAsync_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, s, err := d.place(call, h)
	if err != nil {
		return err
	}
	if n < 0 || n > 0 && (src == nil || !v.mem.Holds(uint64(dst), n)) {
		return failed(call, invalidValue)
	}
	if n > 0 {
		host := unsafe.Slice((*byte)(src), n) // the caller's, who keeps it until the copy has ended
		if !d.pinned(src, n) {
			host = append([]byte(nil), host...)
		}
		s.push(work{kind: upload, dst: dst, host: host, n: n})
	}
	return d.leave(call)
}

// MemcpyDtoHAsync copies from the device. Memory that is not pinned is written before the call returns.
func (d *Driver) MemcpyDtoHAsync(dst unsafe.Pointer, src cu.Ptr, n int64, h cu.Stream) error {
	const call = "cuMemcpyDtoHAsync_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, s, err := d.place(call, h)
	if err != nil {
		return err
	}
	if n < 0 || n > 0 && (dst == nil || !v.mem.Holds(uint64(src), n)) {
		return failed(call, invalidValue)
	}
	if n > 0 {
		s.push(work{kind: download, src: src, host: unsafe.Slice((*byte)(dst), n), n: n})
		if !d.pinned(dst, n) {
			v.finish(s)
			if err := v.broken(call); err != nil {
				return err
			}
		}
	}
	return d.leave(call)
}

// MemcpyDtoDAsync copies within the device.
func (d *Driver) MemcpyDtoDAsync(dst, src cu.Ptr, n int64, h cu.Stream) error {
	const call = "cuMemcpyDtoDAsync_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	v, s, err := d.place(call, h)
	if err != nil {
		return err
	}
	if n < 0 || n > 0 && (!v.mem.Holds(uint64(dst), n) || !v.mem.Holds(uint64(src), n)) {
		return failed(call, invalidValue)
	}
	if n > 0 {
		s.push(work{kind: move, dst: dst, src: src, n: n})
	}
	return d.leave(call)
}

// MemsetD8Async stores a byte n times.
func (d *Driver) MemsetD8Async(dst cu.Ptr, v uint8, n int64, h cu.Stream) error {
	return d.memset("cuMemsetD8Async", dst, uint32(v), 1, n, h)
}

// MemsetD16Async stores two bytes n times.
func (d *Driver) MemsetD16Async(dst cu.Ptr, v uint16, n int64, h cu.Stream) error {
	return d.memset("cuMemsetD16Async", dst, uint32(v), 2, n, h)
}

// MemsetD32Async stores four bytes n times.
func (d *Driver) MemsetD32Async(dst cu.Ptr, v uint32, n int64, h cu.Stream) error {
	return d.memset("cuMemsetD32Async", dst, v, 4, n, h)
}

func (d *Driver) memset(call string, dst cu.Ptr, value uint32, width int, n int64, h cu.Stream) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	v, s, err := d.place(call, h)
	if err != nil {
		return err
	}
	if uint64(dst)%uint64(width) != 0 || n < 0 {
		return failed(call, invalidValue)
	}
	if n > 0 {
		if !v.mem.Holds(uint64(dst), n*int64(width)) {
			return failed(call, invalidValue)
		}
		w := work{kind: fill, dst: dst, n: n, width: width}
		binary.LittleEndian.PutUint32(w.word[:], value)
		s.push(w)
	}
	return d.leave(call)
}
