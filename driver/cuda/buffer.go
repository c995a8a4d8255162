package cuda

import (
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
)

// buffer is device memory that the user has.
type buffer struct {
	driver.Leaf
	dev     *Device
	mem     block
	size    int64
	hazards timeline.Hazards
}

// Alloc returns a buffer. Its contents are undefined.
func (d *Device) Alloc(bytes int64, o driver.AllocOptions) (driver.Buffer, error) {
	d.Count(driver.AllocRequests, 1)
	b, err := d.alloc(bytes, o.Label)
	d.Allocated(o.Label, bytes, err)
	if err != nil {
		return nil, d.Fail(err)
	}
	return b, nil
}

func (d *Device) alloc(bytes int64, label string) (*buffer, error) {
	if bytes < 0 {
		return nil, &driver.Error{Op: "alloc", Label: label, Device: d.Name(), Kind: driver.InvalidArgument, Msg: fmt.Sprintf("size is %d bytes", bytes)}
	}
	if bytes > d.gpu.Caps.MaxBuffer {
		e := d.memory.tooLarge(bytes)
		e.Op, e.Label, e.Device = "alloc", label, d.Name()
		return nil, e
	}
	if err := d.gpu.Hold("alloc", label); err != nil {
		return nil, err
	}
	opened := true
	defer func() {
		if opened {
			d.gpu.LetGo()
		}
	}()
	b := &buffer{dev: d, size: bytes}
	if bytes > 0 {
		mem, err := d.memory.get(bytes+2*d.memcheck.guard(), reserved, nil, func() error {
			// Whoever closes something now may find Close of the device waiting.
			d.gpu.LetGo()
			d.Reclaim()
			err := d.gpu.Hold("alloc", label)
			opened = err == nil
			return err
		})
		if err != nil {
			return nil, d.gpu.Complete("alloc", label, err)
		}
		b.mem = mem
		if err := d.memcheck.poison(mem.at, mem.size); err != nil {
			e := d.gpu.Complete("alloc", label, err)
			if back := d.memory.put(mem, reserved, nil); back != nil {
				_ = d.Fail(d.gpu.Complete("alloc", label, back)) // the first error is the one to report
			}
			return nil, e
		}
	}
	if err := b.Init(d.Core, b, label, b.free); err != nil {
		if back := d.memory.put(b.mem, reserved, nil); back != nil {
			return nil, d.gpu.Complete("alloc", label, back)
		}
		return nil, err
	}
	d.memory.enter(b)
	d.watch(b.mem, bytes, label)
	return b, nil
}

func (m *memory) enter(b *buffer) {
	m.mu.Lock()
	m.open[b] = struct{}{}
	m.mu.Unlock()
	m.dev.Gauge(driver.Buffers, 1)
	m.dev.Gauge(driver.LiveBytes, b.size)
}

func (m *memory) leave(b *buffer) {
	m.mu.Lock()
	delete(m.open, b)
	m.mu.Unlock()
	m.dev.Gauge(driver.Buffers, -1)
	m.dev.Gauge(driver.LiveBytes, -b.size)
}

// free gives the memory back. A run of a sequence that was given up may still touch it.
func (b *buffer) free() {
	d := b.dev
	d.memory.leave(b)
	if b.mem.size == 0 {
		return
	}
	d.gpu.Closing(b.Label(), func() error { return d.memory.put(b.mem, reserved, b.hazards.Unfinished()) },
		func() { d.memory.abandon(b.mem, reserved) })
}

// Hazards returns what the buffer knows of the runs that touch it.
func (b *buffer) Hazards() *timeline.Hazards { return &b.hazards }

// Device returns the device of the buffer.
func (b *buffer) Device() driver.Device { return b.dev }

// Len returns the bytes asked for.
func (b *buffer) Len() int64 { return b.size }

// Reserved returns the bytes charged.
func (b *buffer) Reserved() int64 { return b.mem.size }

// Address returns where the buffer is in device memory; 0 for a buffer of no bytes.
func (b *buffer) Address() (uint64, error) {
	if err := b.Alive("address"); err != nil {
		return 0, b.dev.Fail(err)
	}
	return uint64(b.at()), nil
}

// at returns where the buffer's bytes are.
func (b *buffer) at() cu.Ptr {
	if b.mem.size == 0 {
		return 0
	}
	return b.mem.at + cu.Ptr(b.dev.memcheck.guard())
}

// addressOf returns where a range of one of the device's buffers is.
func addressOf(r driver.Range) cu.Ptr { return r.Buffer.(*buffer).at() + cu.Ptr(r.Off) }
