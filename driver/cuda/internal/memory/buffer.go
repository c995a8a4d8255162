package memory

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// Buffer is device memory that the user has.
type Buffer struct {
	driver.Leaf
	heap    *Heap
	mem     Block
	size    int64
	hazards timeline.Hazards
	foreign *foreign // of a borrowed buffer, which has no mem
}

// Alloc returns a buffer. Its contents are undefined.
func (m *Heap) Alloc(bytes int64, label string) (*Buffer, error) {
	d := m.gpu
	if bytes < 0 {
		return nil, &driver.Error{Op: "alloc", Label: label, Device: d.Name(), Kind: driver.InvalidArgument, Msg: fmt.Sprintf("size is %d bytes", bytes)}
	}
	if bytes > d.Caps.MaxBuffer {
		e := m.tooLarge(bytes)
		e.Op, e.Label, e.Device = "alloc", label, d.Name()
		return nil, e
	}
	if err := d.Hold("alloc", label); err != nil {
		return nil, err
	}
	opened := true
	defer func() {
		if opened {
			d.LetGo()
		}
	}()
	b := &Buffer{heap: m, size: bytes}
	if bytes > 0 {
		mem, err := m.get(bytes+2*m.check.guard(), reserved, nil, func() error {
			// Whoever closes something now may find Close of the device waiting.
			d.LetGo()
			d.Reclaim()
			err := d.Hold("alloc", label)
			opened = err == nil
			return err
		})
		if err != nil {
			return nil, d.Complete("alloc", label, err)
		}
		b.mem = mem
		if err := m.check.poison(mem.At, mem.Size); err != nil {
			e := d.Complete("alloc", label, err)
			if back := m.put(mem, reserved, nil); back != nil {
				_ = d.Fail(d.Complete("alloc", label, back)) // the first error is the one to report
			}
			return nil, e
		}
	}
	if err := b.Init(d.Core, b, label, b.free); err != nil {
		if back := m.put(b.mem, reserved, nil); back != nil {
			return nil, d.Complete("alloc", label, back)
		}
		return nil, err
	}
	b.enter()
	m.check.watch(b.mem, bytes, label)
	return b, nil
}

func (b *Buffer) enter() {
	m := b.heap
	m.mu.Lock()
	m.open[b] = struct{}{}
	m.mu.Unlock()
	m.gpu.Gauge(metric.Buffers, 1)
	m.gpu.Gauge(metric.LiveBytes, b.size)
}

func (b *Buffer) leave() {
	m := b.heap
	m.mu.Lock()
	delete(m.open, b)
	m.mu.Unlock()
	m.gpu.Gauge(metric.Buffers, -1)
	m.gpu.Gauge(metric.LiveBytes, -b.size)
}

// free gives the memory back. A run of a sequence that was given up may still touch it.
func (b *Buffer) free() {
	if b.foreign != nil {
		b.giveUp()
		return
	}
	m := b.heap
	b.leave()
	if b.mem.Size > 0 {
		m.gpu.Closing(b.Label(), func() error {
			return errors.Join(b.hazards.EndTurns(), m.put(b.mem, reserved, b.hazards.Unfinished()))
		}, func() { m.abandon(b.mem, reserved) })
	}
}

// Hazards returns what the buffer knows of the runs that touch it.
func (b *Buffer) Hazards() *timeline.Hazards { return &b.hazards }

// Device returns the device of the buffer.
func (b *Buffer) Device() driver.Device { return b.heap.owner }

// Len returns the bytes asked for.
func (b *Buffer) Len() int64 { return b.size }

// Reserved returns the bytes charged.
func (b *Buffer) Reserved() int64 { return b.mem.Size }

// Address returns where the buffer is in device memory; 0 for a buffer of no bytes.
func (b *Buffer) Address() (uint64, error) {
	if err := b.Alive("address"); err != nil {
		return 0, b.heap.gpu.Fail(err)
	}
	return uint64(b.at()), nil
}

// at returns where the buffer's bytes are.
func (b *Buffer) at() cu.Ptr {
	if b.foreign != nil {
		return b.foreign.at
	}
	if b.mem.Size == 0 {
		return 0
	}
	return b.mem.At + cu.Ptr(b.heap.check.guard())
}

// AddressOf returns where a range of one of the device's buffers is.
func AddressOf(r driver.Range) cu.Ptr { return r.Buffer.(*Buffer).at() + cu.Ptr(r.Off) }
