package driver

import (
	"fmt"
	"strconv"
	"unsafe"
)

// Buffer is device memory. A device's buffers embed a Leaf. A type that embeds a Buffer stands for
// it; any other is refused.
type Buffer interface {
	Device() Device
	ID() uint64      // identifies the buffer within the process, for good
	Len() int64      // bytes asked for
	Reserved() int64 // bytes charged
	Label() string
	// Address returns where the buffer is, in the device's own terms. What is written there
	// without vyre needs an Input.Touch.
	Address() (uint64, error)
	// Close frees the buffer. It answers Busy while a prepared sequence refers to it.
	Close() error

	leaf() *Leaf
}

// Range is a part of a buffer, in bytes.
type Range struct {
	Buffer   Buffer
	Off, Len int64
	Elem     *Element // what is there; nil says nothing
}

// All returns the whole of b.
func All(b Buffer) Range {
	if b == nil {
		return Range{}
	}
	r := Range{Buffer: b}.owned()
	if _, ok := own(r.Buffer); ok {
		r.Len = r.Buffer.Len()
	}
	return r
}

// Part returns bytes [off, off+n) of b.
func Part(b Buffer, off, n int64) Range { return Range{Buffer: b, Off: off, Len: n} }

// End returns the offset after the last byte.
func (r Range) End() int64 { return r.Off + r.Len }

// Overlaps reports whether the two have a byte in common.
func (r Range) Overlaps(o Range) bool {
	return r.Buffer == o.Buffer && r.Off < o.End() && o.Off < r.End() && r.Len > 0 && o.Len > 0
}

// covers reports whether every byte of o is in r.
func (r Range) covers(o Range) bool {
	return r.Buffer == o.Buffer && r.Off <= o.Off && o.End() <= r.End()
}

// String returns the range as name[from:to).
func (r Range) String() string {
	if r.Buffer == nil {
		return fmt.Sprintf("nil[%d:%d)", r.Off, r.End())
	}
	name := r.Buffer.Label()
	if name == "" {
		name = nameOf(r.Buffer)
	}
	return fmt.Sprintf("%s[%d:%d)", name, r.Off, r.End())
}

// nameOf is what messages call a buffer: by its label, or where there is none, as in package vyre, by its number.
func nameOf(b Buffer) string {
	if label := b.Label(); label != "" {
		return strconv.Quote(label)
	}
	return fmt.Sprintf("buffer %d", b.ID())
}

// HostMemory is host memory that the device reaches directly: an upload from it, or a read
// into it, needs no copy on the way. Its bytes belong to a run from Start until Wait.
type HostMemory struct {
	Leaf
	bytes    []byte
	indirect bool
}

// NewHostMemory enters b with the device; release runs when it is closed.
func (c *Core) NewHostMemory(b []byte, label string, release func()) (*HostMemory, error) {
	m := &HostMemory{bytes: b}
	if len(b) > 0 {
		if err := c.hosts.add(m); err != nil {
			return nil, err
		}
	}
	err := m.Init(c, m, label, func() {
		c.hosts.remove(m)
		release()
	})
	if err != nil {
		c.hosts.remove(m)
		return nil, err
	}
	return m, nil
}

// Direct reports whether the device reaches the memory without staging.
func (m *HostMemory) Direct() bool { return !m.indirect }

// Indirect makes Direct false. Devices call it, before anybody has the memory, if they could
// not pin it.
func (m *HostMemory) Indirect() { m.indirect = true }

// Bytes returns the memory.
func (m *HostMemory) Bytes() []byte { return m.bytes }

// base and end are addresses, compared as numbers only; m.bytes keeps the memory reachable.
func (m *HostMemory) base() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m.bytes))) }
func (m *HostMemory) end() uintptr  { return m.base() + uintptr(len(m.bytes)) }
