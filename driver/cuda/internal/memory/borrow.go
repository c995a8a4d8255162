package memory

import (
	"fmt"
	"slices"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cu"
)

// foreign is what a buffer has of memory that another library owns.
type foreign struct {
	at    cu.Ptr
	ended func() // called once nothing of ours uses the memory
}

// parted is memory that a buffer was closed of while runs were under way that had been given up.
type parted struct {
	runs  []timeline.Run
	ended func()
}

// Borrow returns a buffer of memory that another library owns. None of it is in the ledger.
func (m *Heap) Borrow(f driver.Foreign, ended func()) (*Buffer, error) {
	d := m.gpu
	if err := d.Hold("borrow", f.Label); err != nil {
		return nil, err
	}
	defer d.LetGo()
	m.sweepParted()
	b := &Buffer{heap: m, size: f.Bytes, foreign: &foreign{cu.Ptr(f.Address), ended}}
	err := m.borrowable(f)
	if err == nil {
		err = b.share(f)
	}
	if err != nil {
		return nil, d.Complete("borrow", f.Label, err)
	}
	if err := b.Init(d.Core, b, f.Label, b.free); err != nil {
		if back := b.hazards.EndTurns(); back != nil {
			return nil, d.Complete("borrow", f.Label, back)
		}
		return nil, err
	}
	return b, nil
}

// share orders the runs over the buffer with the work of another library. The context is current.
func (b *Buffer) share(f driver.Foreign) error {
	if f.Turns == (driver.Turns{}) {
		return nil
	}
	_, err := b.hazards.Share(b.heap.gpu, f.Label, f.Turns)
	return err
}

// Share orders the runs over a buffer of the heap with the work of another library, until end is called.
func (m *Heap) Share(b *Buffer, t driver.Turns) (end func(), err error) {
	if t == (driver.Turns{}) {
		return func() {}, nil
	}
	d := m.gpu
	if err := d.Hold("lend", b.Label()); err != nil {
		return nil, err
	}
	defer d.LetGo()
	turn, err := b.hazards.Share(d, b.Label(), t)
	if err != nil {
		return nil, d.Complete("lend", b.Label(), err)
	}
	return func() { d.Closing(b.Label(), turn.End, func() {}) }, nil
}

// borrowable says why memory cannot be borrowed, as far as the driver knows. The context is current.
func (m *Heap) borrowable(f driver.Foreign) error {
	if f.Bytes == 0 {
		return nil
	}
	no := func(fix, format string, args ...any) error {
		return &driver.Error{Kind: driver.InvalidArgument, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	at, end := cu.Ptr(f.Address), cu.Ptr(f.Address)+cu.Ptr(f.Bytes)
	if own, ok := m.within(at, end); ok {
		return no("use the buffer that has it", "%d bytes at %#x share memory with %d bytes at %#x, which are the device's own", f.Bytes, f.Address, own.Size, uint64(own.At))
	}
	if !m.gpu.Driver.Has(cu.Pointer) {
		return nil
	}
	p, err := m.gpu.Driver.PointerGetAttributes(at)
	switch {
	case err != nil:
		return err
	case p.Memory == cu.HostMemory:
		return no("upload from it, or pass memory of the device", "%#x is memory of the host", f.Address)
	case p.Memory != cu.DeviceMemory:
		return no("borrow memory before its owner frees it", "%#x is no memory that the driver knows: it was freed, or never allocated on a device", f.Address)
	case p.Device != m.gpu.Device:
		return no("borrow it on the device that has it", "%#x is memory of GPU %d of the driver, the device is GPU %d", f.Address, p.Device, m.gpu.Device)
	case p.Context != 0 && p.Context != m.gpu.Handle:
		return no("have the other library use the primary context", "%#x was allocated in another context than the primary one of the device", f.Address)
	case end > p.Base+cu.Ptr(p.Bytes):
		return no("borrow what is there", "%d bytes are wanted at %#x, where %d are allocated", f.Bytes, f.Address, p.Base+cu.Ptr(p.Bytes)-at)
	}
	return nil
}

// within returns a block of the heap that shares memory with [at, end).
func (m *Heap) within(at, end cu.Ptr) (Block, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for base, size := range m.ledger.blocks {
		if base < end && at < base+cu.Ptr(size) {
			return Block{base, size}, true
		}
	}
	return Block{}, false
}

// giveUp ends a borrowed buffer: its owner has its memory back once no run is under way that uses it.
func (b *Buffer) giveUp() {
	m := b.heap
	p := parted{b.hazards.Unfinished(), b.foreign.ended}
	m.gpu.Closing(b.Label(), b.hazards.EndTurns, func() { p.runs = nil }) // what ran in a lost context does not run
	if m.gpu.Lost() || len(p.runs) == 0 {
		p.ended()
		return
	}
	m.mu.Lock()
	m.parted = append(m.parted, p)
	m.mu.Unlock()
}

// sweepParted tells owners of memory that the runs are over which were under way when its buffer was closed. The context is current.
func (m *Heap) sweepParted() {
	m.mu.Lock()
	all := m.parted
	m.parted = nil
	m.mu.Unlock()
	left := slices.DeleteFunc(all, func(p parted) bool {
		over := !slices.ContainsFunc(p.runs, func(r timeline.Run) bool { return !r.Ask() })
		if over {
			p.ended()
		}
		return over
	})
	m.mu.Lock()
	m.parted = append(m.parted, left...)
	m.mu.Unlock()
}

// kept has what owners lent for runs that had not ended when their device was closed: the memory has to stay.
var kept struct {
	sync.Mutex
	all []parted
}

// Part tells owners, as the device closes, that it uses their memory no more. What runs may still touch stays reachable for good.
func (m *Heap) Part() {
	if m.gpu.Enter("close", "") == nil {
		m.sweepParted()
		m.gpu.Leave()
	}
	m.mu.Lock()
	left := m.parted
	m.parted = nil
	m.mu.Unlock()
	for _, p := range left {
		if m.gpu.Lost() {
			p.ended()
			continue
		}
		kept.Lock()
		kept.all = append(kept.all, p)
		kept.Unlock()
	}
}
