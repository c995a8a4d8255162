package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
)

// block is device memory obtained from the driver.
type block struct {
	at   cu.Ptr
	size int64 // a size class
}

// memory hands out blocks, keeps those given back, and knows the open buffers. Whatever is
// given back has no work in flight on it, so it serves anyone at once.
type memory struct {
	dev       *Device
	limit     int64 // bytes that may be obtained; 0 leaves it to the driver
	idleLimit int64

	mu       sync.Mutex
	obtained int64
	idle     []block // oldest first
	idleSize int64
	open     map[*buffer]struct{}
	// sentinel is what kernels get for a buffer of no bytes: an address that is one.
	sentinel block
}

func (m *memory) init(d *Device, limit int64) {
	m.dev, m.limit, m.open = d, limit, map[*buffer]struct{}{}
	const least, most = 64 << 20, 4 << 30
	m.idleLimit = min(max(d.caps.TotalMemory/32, least), most)
}

// get returns a block of at least n > 0 bytes, charged to the gauge. The context is current.
func (m *memory) get(n int64, gauge driver.Metric) (block, error) {
	size := classOf(n)
	m.mu.Lock()
	defer m.mu.Unlock()
	if b, ok := m.reuse(size); ok {
		m.dev.Gauge(gauge, b.size)
		return b, nil
	}
	if m.limit > 0 && m.obtained+size > m.limit {
		if err := m.shrink(max(0, m.limit-size-(m.obtained-m.idleSize))); err != nil {
			return block{}, err
		}
		if m.obtained+size > m.limit {
			return block{}, m.exhausted(n, m.limit-m.obtained)
		}
	}
	at, err := m.dev.drv.MemAlloc(size)
	if errors.Is(err, cu.OutOfMemory) && len(m.idle) > 0 {
		if err := m.shrink(0); err != nil {
			return block{}, err
		}
		at, err = m.dev.drv.MemAlloc(size)
	}
	if errors.Is(err, cu.OutOfMemory) {
		free, _, infoErr := m.dev.drv.MemGetInfo()
		if infoErr != nil {
			free = 0 // unknown; the failed call is what matters
		}
		e := m.exhausted(n, free)
		e.Code, e.CodeName, e.Call, e.Err = int32(cu.OutOfMemory), cu.OutOfMemory.String(), err.(*cu.CallError).Call, err
		return block{}, e
	}
	if err != nil {
		return block{}, err
	}
	m.account(size)
	m.dev.Gauge(gauge, size)
	return block{at, size}, nil
}

// reuse takes the idle block that fits best and wastes at most an eighth of itself.
func (m *memory) reuse(size int64) (block, bool) {
	best := -1
	for i, b := range m.idle {
		if b.size >= size && b.size-size <= b.size/8 && (best < 0 || b.size <= m.idle[best].size) {
			best = i
		}
	}
	if best < 0 {
		return block{}, false
	}
	b := m.idle[best]
	m.idle = slices.Delete(m.idle, best, best+1)
	m.rest(-b.size)
	return b, true
}

// put gives a block back. The context is current.
func (m *memory) put(b block, gauge driver.Metric) error {
	if b.size == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dev.Gauge(gauge, -b.size)
	m.idle = append(m.idle, b)
	m.rest(b.size)
	if m.idleSize > m.idleLimit {
		return m.shrink(m.idleLimit)
	}
	return nil
}

// shrink gives idle blocks back to the driver, oldest first, until keep bytes are left.
func (m *memory) shrink(keep int64) error {
	for m.idleSize > keep {
		b := m.idle[0]
		m.idle = slices.Delete(m.idle, 0, 1)
		m.rest(-b.size)
		m.account(-b.size)
		if err := m.dev.drv.MemFree(b.at); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) trim(keep int64) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.idleSize
	err := m.shrink(max(keep, 0))
	return before - m.idleSize, err
}

// abandon writes a block off: work that did not end may still touch it. It goes with the
// context.
func (m *memory) abandon(b block, gauge driver.Metric) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dev.Gauge(gauge, -b.size)
	m.account(-b.size)
}

// none returns the address that stands for a range of no bytes. The context is current.
func (m *memory) none() (cu.Ptr, error) {
	m.mu.Lock()
	at := m.sentinel.at
	m.mu.Unlock()
	if at != 0 {
		return at, nil
	}
	b, err := m.get(1, driver.InternalBytes)
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	if m.sentinel.at == 0 {
		m.sentinel, b = b, block{}
	}
	at = m.sentinel.at
	m.mu.Unlock()
	return at, m.put(b, driver.InternalBytes)
}

// drop frees everything that is kept.
func (m *memory) drop(note func(error)) {
	if m.dev.lost.Load() == nil {
		note(m.put(m.sentinel, driver.InternalBytes))
		m.mu.Lock()
		defer m.mu.Unlock()
		for m.idleSize > 0 {
			note(m.shrink(0))
		}
		return
	}
	m.abandon(m.sentinel, driver.InternalBytes)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.account(-m.idleSize)
	m.rest(-m.idleSize)
	m.idle = nil
}

func (m *memory) account(n int64) {
	m.obtained += n
	m.dev.High(driver.PeakBytes, m.dev.Gauge(driver.DriverBytes, n))
}

func (m *memory) rest(n int64) {
	m.idleSize += n
	m.dev.Gauge(driver.IdleBytes, n)
}

// exhausted is the error of an allocation that cannot be had.
func (m *memory) exhausted(n, available int64) *driver.Error {
	available = max(available, 0)
	return &driver.Error{Kind: driver.OutOfMemory, Requested: n, Available: available,
		Msg: fmt.Sprintf("requested %d bytes, %d available%s", n, available, m.largest()), Fix: "close buffers or split the work"}
}

// largest names the buffers that hold most.
func (m *memory) largest() string {
	const shown = 5
	var all []*buffer
	for b := range m.open {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *buffer) int {
		return cmp.Or(cmp.Compare(b.mem.size, a.mem.size), cmp.Compare(a.ID(), b.ID()))
	})
	var names []string
	for _, b := range all[:min(len(all), shown)] {
		names = append(names, fmt.Sprintf("%s %d", cmp.Or(b.Label(), "unnamed"), b.mem.size))
	}
	if names == nil {
		return ""
	}
	return "; largest: " + strings.Join(names, ", ")
}

// memoryError completes an error of get or put.
func (d *Device) memoryError(op, label string, err error) *driver.Error {
	if e, ok := err.(*driver.Error); ok {
		e.Op, e.Label, e.Device = op, label, d.Name()
		return e
	}
	return d.errorOf(op, label, err)
}
