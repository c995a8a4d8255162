package machine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/internal/matrix"
)

// The address space. Global memory starts high, so that small integers are no addresses; shared and
// local memory have windows in it for generic addresses. Within their own space, shared and local
// addresses have 32 bits and do not start at 0 either.
const (
	globalBase   = 0x7000_0000_0000
	globalEnd    = 0x8000_0000_0000
	sharedWindow = 1 << 48
	localWindow  = sharedWindow + 1<<32
	windowBytes  = 1 << 32
	sharedBase   = 1024
	localBase    = 256
	maxDevices   = 16
	deviceSpan   = (globalEnd - globalBase) / maxDevices
	// allocAlign is what every address that Alloc returns is a multiple of, and guardBytes how far apart
	// allocations are at least.
	allocAlign = 512
	guardBytes = 512
)

// maxFreed bounds how many allocations are remembered after they were freed.
const maxFreed = 4096

// Memory is the global memory of one device. It knows of every byte whether it is allocated and whether
// anything was ever written there. It is not safe for concurrent use.
type Memory struct {
	list  []*allocation // ascending addresses; freed ones stay for a while
	freed int
	next  uint64
	end   uint64
	live  int64
	maps  int // of the host's memory
	// changes grows with everything that may let a waiting kernel go on: stores to any space, barriers that
	// are complete, time that was read, memory of the host that was looked at.
	changes uint64
	idle    idle

	Matrix matrix.Generation // of the device's units for matrices; 0 stands for that of sm_90
}

// allocation is a range of addresses.
type allocation struct {
	base    uint64
	data    []byte
	written []byte // 1 for every byte that has been written; nil once all have
	marks   []byte // what written lies in
	unknown int    // bytes not yet written
	label   string
	size    int64 // what accesses may reach, of
	whole   int64 // what is allocated
	freed   bool
	host    bool // the bytes are the host's
	coming  bool // counts as freed until it is there
}

// NewMemory returns memory without any allocation.
func NewMemory() *Memory { return NewMemoryOf(0) }

// NewMemoryOf is NewMemory for one of several devices, whose addresses differ.
func NewMemoryOf(device int) *Memory {
	base := uint64(globalBase) + uint64(device%maxDevices)*deviceSpan
	return &Memory{next: base, end: base + deviceSpan}
}

// Live is how many bytes are allocated.
func (m *Memory) Live() int64 { return m.live }

// Allocations is how many allocations are live.
func (m *Memory) Allocations() int { return len(m.list) - m.freed - m.maps }

// Alloc allocates n bytes, whose contents are undefined. The label names them in reports. Addresses are
// never used twice.
func (m *Memory) Alloc(n int64, label string) (uint64, error) {
	if n <= 0 || m.next >= m.end || uint64(n) > m.end-m.next {
		return 0, fmt.Errorf("an allocation of %d bytes is not possible", n)
	}
	marks := make([]byte, n)
	a := &allocation{base: m.next, data: make([]byte, n), written: marks, marks: marks, unknown: int(n), label: label, size: n, whole: n}
	m.next = (m.next + uint64(n) + guardBytes + allocAlign - 1) &^ (allocAlign - 1)
	m.list = append(m.list, a)
	m.live += n
	return a.base, nil
}

// Reserve is Alloc for memory that nobody may use before Commit.
func (m *Memory) Reserve(n int64, label string) (uint64, error) {
	addr, err := m.Alloc(n, label)
	if err == nil {
		a := m.list[len(m.list)-1]
		a.freed, a.coming = true, true
	}
	return addr, err
}

// Commit ends the wait for what starts at addr.
func (m *Memory) Commit(addr uint64) {
	if a := m.find(addr); a != nil && a.coming {
		a.freed, a.coming = false, false
	}
}

// Watch says that of the allocation at addr the first n bytes are in use now, under a name, and with contents
// that are undefined. What lies after them is out of bounds until it is said otherwise; with n = 0 all of it.
func (m *Memory) Watch(addr uint64, n int64, label string) error {
	a := m.find(addr)
	if a == nil || a.base != addr || a.freed || a.host || n < 0 || n > a.whole {
		return fmt.Errorf("%d bytes at %#x are no part of an allocation that starts there", n, addr)
	}
	a.size, a.label, a.data = n, label, a.data[:n]
	a.written, a.unknown = a.marks[:n], int(n)
	clear(a.written)
	return nil
}

// Map gives memory of the host an address. It counts as written, and not as allocated.
func (m *Memory) Map(data []byte, label string) (uint64, error) {
	n := len(data)
	if n == 0 || m.next >= m.end || uint64(n) > m.end-m.next {
		return 0, fmt.Errorf("a mapping of %d bytes is not possible", n)
	}
	a := &allocation{base: m.next, data: data, label: label, size: int64(n), whole: int64(n), host: true}
	m.next = (m.next + uint64(n) + guardBytes + allocAlign - 1) &^ (allocAlign - 1)
	m.list = append(m.list, a)
	m.maps++
	return a.base, nil
}

// Allocation returns the allocation, or mapping of the host's memory, that an address lies in: all of it, whatever is in use.
func (m *Memory) Allocation(addr uint64) (base uint64, bytes int64, host, ok bool) {
	a := m.find(addr)
	if a == nil || a.freed && !a.coming || addr-a.base >= uint64(a.whole) {
		return 0, 0, false, false
	}
	return a.base, a.whole, a.host, true
}

// Free ends the allocation or mapping that starts at addr.
func (m *Memory) Free(addr uint64) error {
	a := m.find(addr)
	switch {
	case a == nil || a.base != addr:
		return fmt.Errorf("%#x is not the start of an allocation", addr)
	case a.coming:
		a.coming = false
	case a.freed:
		return fmt.Errorf("%s was freed before", a)
	}
	a.freed, a.data, a.written, a.marks = true, nil, nil, nil
	if a.host {
		m.maps--
	} else {
		m.live -= a.whole
	}
	m.freed++
	if m.freed > maxFreed {
		m.forget()
	}
	return nil
}

// forget drops the older half of the freed allocations.
func (m *Memory) forget() {
	keep := m.list[:0]
	drop := m.freed / 2
	for _, a := range m.list {
		if a.freed && drop > 0 {
			drop--
			m.freed--
			continue
		}
		keep = append(keep, a)
	}
	clear(m.list[len(keep):])
	m.list = keep
}

// find returns the last allocation that starts at or before addr, nil if there is none.
func (m *Memory) find(addr uint64) *allocation {
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].base > addr })
	if i == 0 {
		return nil
	}
	return m.list[i-1]
}

// holds reports whether [addr, addr+n) lies in a.
func (a *allocation) holds(addr uint64, n int) bool {
	return addr-a.base < uint64(a.size) && addr-a.base+uint64(n) <= uint64(a.size)
}

func (a *allocation) String() string {
	name := "an allocation"
	if a.label != "" {
		name = fmt.Sprintf("%q", a.label)
	}
	return fmt.Sprintf("%s, %d bytes at %#x", name, a.size, a.base)
}

// around says where the n bytes at addr lie, for a report on them being out of bounds.
func (m *Memory) around(addr uint64, n int) string {
	a := m.find(addr)
	switch {
	case a == nil:
		return "no allocation is near"
	case a.coming && a.holds(addr, 1):
		return fmt.Sprintf("it lies in memory that its stream has not allocated yet: %s", a)
	case a.freed && a.holds(addr, 1):
		return fmt.Sprintf("it lies in memory that was freed: %s", a)
	case a.holds(addr, 1):
		return fmt.Sprintf("the last %d of its %d bytes lie after %s", addr+uint64(n)-a.base-uint64(a.size), n, a)
	}
	if a.size == 0 && addr-a.base < uint64(a.whole) {
		return fmt.Sprintf("it lies in %d bytes at %#x that nobody uses now", a.whole, a.base)
	}
	return fmt.Sprintf("it lies %d bytes after the end of %s", addr-a.base-uint64(a.size), a)
}

// slice returns the bytes [addr, addr+n) of a live allocation.
func (m *Memory) slice(addr uint64, n int) (*allocation, int, error) {
	a := m.find(addr)
	if a == nil || a.freed || !a.holds(addr, n) {
		return nil, 0, fmt.Errorf("%d bytes at %#x: %s", n, addr, m.around(addr, n))
	}
	return a, int(addr - a.base), nil
}

// Write copies b to addr.
func (m *Memory) Write(addr uint64, b []byte) error {
	m.changes++
	if len(b) == 0 {
		return nil
	}
	a, off, err := m.slice(addr, len(b))
	if err != nil {
		return err
	}
	copy(a.data[off:], b)
	a.mark(off, len(b))
	return nil
}

// Store32 writes one word. The host may look at memory of its own at the same time, with an atomic load.
func (m *Memory) Store32(addr uint64, v uint32) error {
	m.changes++
	a, off, err := m.slice(addr, 4)
	if err != nil {
		return err
	}
	if word := unsafe.Pointer(&a.data[off]); a.host && uintptr(word)%4 == 0 {
		atomic.StoreUint32((*uint32)(word), v) // in the byte order of every host that has the driver
	} else {
		binary.LittleEndian.PutUint32(a.data[off:], v)
	}
	a.mark(off, 4)
	return nil
}

// Read copies from addr to b. Bytes that nothing wrote are whatever they are.
func (m *Memory) Read(addr uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	a, off, err := m.slice(addr, len(b))
	if err == nil {
		copy(b, a.data[off:])
	}
	return err
}

// Unwritten is how many of the n bytes at addr nothing wrote, and which is the first of them.
func (m *Memory) Unwritten(addr uint64, n int) (first, count int) {
	a, off, err := m.slice(addr, n)
	if err != nil || a.written == nil {
		return 0, 0
	}
	for i := n - 1; i >= 0; i-- {
		if a.written[off+i] == 0 {
			first = i
			count++
		}
	}
	return first, count
}

// Copy copies n bytes. What nothing wrote at the source counts as not written at the destination.
func (m *Memory) Copy(dst, src uint64, n int) error {
	m.changes++
	if n == 0 {
		return nil
	}
	a, from, err := m.slice(src, n)
	if err != nil {
		return err
	}
	b, to, err := m.slice(dst, n)
	if err != nil {
		return err
	}
	copy(b.data[to:to+n], a.data[from:from+n])
	if a.written == nil {
		b.mark(to, n)
		return nil
	}
	for i := range n {
		if a.written[from+i] != 0 {
			b.mark(to+i, 1)
		}
	}
	return nil
}

// Fill writes a pattern of 1, 2, 4 or 8 bytes n times.
func (m *Memory) Fill(addr uint64, pattern []byte, n int) error {
	m.changes++
	if n == 0 {
		return nil
	}
	a, off, err := m.slice(addr, n*len(pattern))
	if err != nil {
		return err
	}
	Repeat(a.data[off:][:n*len(pattern)], pattern)
	a.mark(off, n*len(pattern))
	return nil
}

// Repeat fills memory with a pattern, by copies of what is there already.
func Repeat(mem, pattern []byte) {
	for done := copy(mem, pattern); done < len(mem); {
		done += copy(mem[done:], mem[:done])
	}
}

// Holds reports whether n bytes at addr lie in one live allocation, or one that is to come.
func (m *Memory) Holds(addr uint64, n int64) bool {
	a := m.find(addr)
	return a != nil && (!a.freed || a.coming) && addr-a.base <= uint64(a.size) && uint64(n) <= uint64(a.size)-(addr-a.base)
}

// mark notes that [off, off+n) was written.
func (a *allocation) mark(off, n int) {
	if a.written == nil {
		return
	}
	w := a.written[off : off+n]
	if fresh := bytes.Count(w, []byte{0}); fresh > 0 {
		a.unknown -= fresh
		Repeat(w, []byte{1})
	}
	if a.unknown == 0 {
		a.written = nil
	}
}
