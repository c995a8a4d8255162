package driver

import (
	"slices"
	"strconv"
	"sync"
	"unsafe"
)

// hosts finds the host memory of a device by its address.
type hosts struct {
	device string // for messages

	mu   sync.RWMutex
	list []*HostMemory // ascending by address, disjoint
	lent []*lent       // by others to the device, disjoint
}

// add enters m; it fails if its bytes are part of another host memory.
func (h *hosts) add(m *HostMemory) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := h.after(m.base())
	if i > 0 && h.list[i-1].end() > m.base() || i < len(h.list) && h.list[i].base() < m.end() {
		return &Error{Op: "pin", Device: h.device, Kind: InvalidArgument, Msg: "the bytes overlap host memory that is pinned already",
			Fix: "pin an allocation once and slice it"}
	}
	if o := h.meets(uint64(m.base()), uint64(m.end())); o != nil {
		return &Error{Op: "pin", Device: h.device, Kind: InvalidArgument, Msg: "the bytes are a part of what was borrowed as " + strconv.Quote(o.label), Fix: "use that buffer"}
	}
	h.list = slices.Insert(h.list, i, m)
	return nil
}

func (h *hosts) remove(m *HostMemory) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = slices.DeleteFunc(h.list, func(o *HostMemory) bool { return o == m })
}

// of returns the host memory that holds all of b, or nil.
func (h *hosts) of(b []byte) *HostMemory {
	if len(b) == 0 {
		return nil
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) // compared as a number only
	if i := h.after(at); i > 0 && at+uintptr(len(b)) <= h.list[i-1].end() {
		return h.list[i-1]
	}
	return nil
}

// shareBytes reports whether the two have a byte in common.
func shareBytes(a, b []byte) bool {
	from, to := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b))) // compared as numbers only
	return len(a) > 0 && len(b) > 0 && from < to+uintptr(len(b)) && to < from+uintptr(len(a))
}

// after returns the index of the first host memory that starts beyond at.
func (h *hosts) after(at uintptr) int {
	lo, hi := 0, len(h.list)
	for lo < hi {
		if mid := (lo + hi) / 2; h.list[mid].base() <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
