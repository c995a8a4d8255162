package memory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/freelist"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

func isShort(err error) bool { return errors.Is(err, cu.OutOfMemory) }

// makeRoom gets a block when memory is short, which cause says if the driver found so. What
// is dropped first is what serves the fewest: idle blocks that would have to be split, then
// all of them and whatever else can be spared.
func (m *Heap) makeRoom(n int64, u use, cause error, release func() error) (Block, error) {
	size := freelist.ClassOf(n)
	again := func() (Block, bool, error) {
		m.gpu.Count(metric.OOMRetries, 1)
		return m.obtain(size, u)
	}
	dropped, err := m.shrink(0, func(_ cu.Ptr, s int64) bool { return s >= size })
	if err != nil {
		return Block{}, err
	}
	if dropped > 0 {
		m.gpu.Count(metric.Trims, 1)
		if err := m.source.flush(); err != nil {
			return Block{}, err
		}
		b, short, err := again()
		if !short {
			return b, err
		}
		cause = err
	}
	if release != nil {
		if err := release(); err != nil {
			return Block{}, err
		}
	}
	if dropped, err = m.shrink(0, nil); err != nil {
		return Block{}, err
	}
	if dropped > 0 {
		m.gpu.Count(metric.Trims, 1)
	}
	if err := m.source.settle(); err != nil {
		return Block{}, err
	}
	b, short, err := again()
	if !short {
		return b, err
	}
	if err != nil {
		cause = err
	}
	return Block{}, m.short(n, cause)
}

// short is the error of an allocation that cannot be had, by the limit or by the driver.
func (m *Heap) short(n int64, cause error) *driver.Error {
	available := int64(-1)
	if cause != nil {
		if free, _, err := m.gpu.Driver.MemGetInfo(); err == nil {
			available = free // of the idle bytes, those that could be freed are in it
		} // else unknown; the failed call is what matters
	}
	m.mu.Lock()
	l := &m.ledger
	if cause == nil {
		available = m.limit - l.bytes[reserved] - l.bytes[idle]
	}
	e := m.exhausted(n, available)
	m.mu.Unlock()
	var call *cu.CallError
	if errors.As(cause, &call) {
		e.Code, e.CodeName, e.Call, e.Err = int32(call.Result), call.Result.String(), call.Call, cause
	}
	return e
}

// Room returns how many bytes open buffers could have beside what they have now. The context is current.
func (m *Heap) Room() (int64, error) {
	free, _, err := m.gpu.Driver.MemGetInfo()
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	room := free + m.ledger.bytes[idle] // idle blocks are given up when memory is short
	if m.limit > 0 {
		room = min(room, m.limit-m.ledger.bytes[reserved])
	}
	return max(room, 0), nil
}

// tooLarge is the error for a size that no device memory can hold.
func (m *Heap) tooLarge(n int64) *driver.Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	most := m.gpu.Caps.MaxBuffer
	if m.limit > 0 {
		most = min(most, m.limit)
	}
	return m.exhausted(n, most-m.ledger.obtained)
}

// exhausted is the error with its numbers. The lock is held.
func (m *Heap) exhausted(n, available int64) *driver.Error {
	available = max(available, 0)
	return &driver.Error{Kind: driver.OutOfMemory, Requested: n, Available: available,
		Msg: fmt.Sprintf("requested %d bytes, %d available%s", n, available, largest(m.open)), Fix: "close buffers or split the work"}
}

// largest names the buffers that hold most.
func largest(open map[*Buffer]struct{}) string {
	const shown = 5
	var all []*Buffer
	for b := range open {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *Buffer) int {
		return cmp.Or(cmp.Compare(b.mem.Size, a.mem.Size), cmp.Compare(a.ID(), b.ID()))
	})
	var names []string
	for _, b := range all[:min(len(all), shown)] {
		names = append(names, fmt.Sprintf("%s %d", cmp.Or(b.Label(), "unnamed"), b.mem.Size))
	}
	if names == nil {
		return ""
	}
	return "; largest: " + strings.Join(names, ", ")
}
