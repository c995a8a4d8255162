package interp

import (
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/ir"
)

// Elements are read and written in place by one load or store of their width, at the
// address that span and index give. Every caller has compared the index with the
// span's length, and the launch has checked that buffers start at a multiple of the
// element's alignment; that is all the safety there is, and why the unsafe code is kept here.
//
// Plain accesses are hidden from Go's race detector. A program whose invocations race
// is still defined, element by element, and reporting it is the work of this package's
// own detector; Go's would blame the interpreter for it.

// gather loads one element a lane and returns the lanes whose index is out of bounds,
// which get nothing: their index may lie in d itself.
//
//go:norace
func gather[T uint8 | uint16 | uint32 | uint64](d, idx *lanes, s *span, order []uint8, signed bool) (missed uint32) {
	for _, l := range order {
		l &= 31
		i := idx[l]
		if signed {
			i = uint64(int64(int32(i)))
		}
		if i >= s.len {
			missed |= 1 << l
			continue
		}
		d[l] = uint64(*(*T)(unsafe.Add(s.base, uintptr(l)*s.stride+uintptr(i)*s.step)))
	}
	return missed
}

// scatter stores one element a lane and returns the lanes whose index is out of
// bounds, which store nothing.
//
//go:norace
func scatter[T uint8 | uint16 | uint32 | uint64](v, idx *lanes, s *span, order []uint8, signed bool) (missed uint32) {
	for _, l := range order {
		l &= 31
		i := idx[l]
		if signed {
			i = uint64(int64(int32(i)))
		}
		if i >= s.len {
			missed |= 1 << l
			continue
		}
		*(*T)(unsafe.Add(s.base, uintptr(l)*s.stride+uintptr(i)*s.step)) = T(v[l])
	}
	return missed
}

// cell returns the address of element i, in lane's copy if the object is local.
func (s *span) cell(lane int, i uint64) unsafe.Pointer {
	at := uintptr(lane)*s.stride + uintptr(i)*s.step
	if s.run > 0 {
		at += uintptr(i/s.run) * s.gap
	}
	return unsafe.Add(s.base, at)
}

// load reads the raw bits of element i.
//
//go:norace
func (s *span) load(lane int, i uint64, size uintptr) uint64 {
	p := s.cell(lane, i)
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// store writes the low bits of v to element i.
//
//go:norace
func (s *span) store(lane int, i uint64, size uintptr, v uint64) {
	p := s.cell(lane, i)
	switch size {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

// update replaces element i by what f makes of it, at once as seen by every goroutine,
// and returns what was there. Only 32- and 64-bit elements have atomics.
func (s *span) update(i uint64, size uintptr, f func(old uint64) (new uint64, write bool)) uint64 {
	p := s.cell(0, i)
	for {
		if size == 4 {
			c := (*uint32)(p)
			old := atomic.LoadUint32(c)
			if v, write := f(uint64(old)); !write || atomic.CompareAndSwapUint32(c, old, uint32(v)) {
				return uint64(old)
			}
			continue
		}
		c := (*uint64)(p)
		old := atomic.LoadUint64(c)
		if v, write := f(old); !write || atomic.CompareAndSwapUint64(c, old, v) {
			return old
		}
	}
}

// value turns the raw bits of an element of type t into those of its value type.
func value(t ir.Type, raw uint64) uint64 {
	switch t {
	case ir.Bool:
		if raw != 0 {
			return 1
		}
		return 0
	case ir.I8:
		return uint64(uint32(int32(int8(raw))))
	case ir.I16:
		return uint64(uint32(int32(int16(raw))))
	}
	return raw
}
