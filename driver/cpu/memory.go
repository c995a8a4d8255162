package cpu

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

// align is the alignment of every buffer, more than any program asks for.
const align = 64

// buffer is Go memory.
type buffer struct {
	driver.Leaf
	dev      *Device
	mem      []byte // nil once it was closed
	at       uint64 // where mem is or was
	size     int64
	reserved int64
	history  history
	ended    func() // of a borrowed buffer: its owner has it back
}

// Alloc returns a buffer. Its contents are undefined, even if they look like zero.
func (d *Device) Alloc(bytes int64, o driver.AllocOptions) (driver.Buffer, error) {
	d.Count(metric.AllocRequests, 1)
	b, err := d.alloc(bytes, o.Label)
	if errors.Is(err, driver.OutOfMemory) && bytes <= d.limit {
		d.Reclaim()
		d.Count(metric.OOMRetries, 1)
		b, err = d.alloc(bytes, o.Label)
	}
	d.Allocated(o.Label, bytes, err)
	if err != nil {
		return nil, d.Fail(err)
	}
	return b, nil
}

func (d *Device) alloc(bytes int64, label string) (*buffer, error) {
	if bytes < 0 {
		return nil, &driver.Error{Op: "alloc", Label: label, Device: Name, Kind: driver.InvalidArgument, Msg: fmt.Sprintf("size is %d bytes", bytes)}
	}
	b := &buffer{dev: d, size: bytes}
	if err := d.reserve(b, label); err != nil {
		return nil, err
	}
	if bytes > 0 {
		raw := make([]byte, bytes+align-1)
		start := uintptr(unsafe.Pointer(unsafe.SliceData(raw))) // Go's heap does not move
		skip := -start % align
		b.at = uint64(start + skip)
		d.memory.mu.Lock() // Borrow looks at what others have
		b.mem = raw[skip : int64(skip)+bytes : int64(skip)+bytes]
		d.memory.mu.Unlock()
	}
	if err := b.Init(d.Core, b, label, b.free); err != nil {
		d.release(b)
		return nil, err
	}
	return b, nil
}

// reserve charges the device for b, or says why it cannot.
func (d *Device) reserve(b *buffer, label string) error {
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	if left := d.limit - d.memory.reserved; b.size > left {
		return &driver.Error{Op: "alloc", Label: label, Device: Name, Kind: driver.OutOfMemory, Requested: b.size, Available: left,
			Msg: fmt.Sprintf("requested %d bytes, %d available%s", b.size, left, d.largest()), Fix: "close buffers or split the work"}
	}
	b.reserved = min((b.size+align-1)&^(align-1), d.limit-d.memory.reserved)
	d.memory.reserved += b.reserved
	d.memory.open[b] = struct{}{}
	d.Gauge(metric.Buffers, 1)
	d.Gauge(metric.LiveBytes, b.size)
	d.Gauge(metric.ReservedBytes, b.reserved)
	d.take(b.reserved)
	return nil
}

func (d *Device) release(b *buffer) {
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	b.mem = nil
	d.memory.reserved -= b.reserved
	delete(d.memory.open, b)
	d.Gauge(metric.Buffers, -1)
	d.Gauge(metric.LiveBytes, -b.size)
	d.Gauge(metric.ReservedBytes, -b.reserved)
	d.take(-b.reserved)
}

// take enters bytes obtained from the system.
func (d *Device) take(bytes int64) {
	d.High(metric.PeakBytes, d.Gauge(metric.DriverBytes, bytes))
}

// largest names the buffers that hold most, for an error.
func (d *Device) largest() string {
	const shown = 5
	var all []*buffer
	for b := range d.memory.open {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *buffer) int {
		return cmp.Or(cmp.Compare(b.reserved, a.reserved), cmp.Compare(a.ID(), b.ID()))
	})
	var names []string
	for _, b := range all[:min(len(all), shown)] {
		names = append(names, fmt.Sprintf("%s %d", cmp.Or(b.Label(), "unnamed"), b.reserved))
	}
	if names == nil {
		return ""
	}
	return "; largest: " + strings.Join(names, ", ")
}

func (b *buffer) free() {
	if b.ended != nil {
		b.mem = nil
		b.ended() // a sequence has waited for its runs
		return
	}
	b.dev.release(b)
}

// Borrow returns a buffer of memory of the process. It is for driver.Borrow.
func (d *Device) Borrow(f driver.Foreign, ended func()) (driver.Buffer, error) {
	if f.Turns != (driver.Turns{}) {
		return nil, noTurns("borrow", f.Label)
	}
	b := &buffer{dev: d, size: f.Bytes, ended: ended}
	if f.Bytes > 0 {
		if o := d.within(f.Address, f.Address+uint64(f.Bytes)); o != nil {
			return nil, &driver.Error{Op: "borrow", Label: f.Label, Device: Name, Kind: driver.InvalidArgument,
				Msg: fmt.Sprintf("%d bytes at %#x share memory with buffer %q of the device", f.Bytes, f.Address, o.Label()), Fix: "use that buffer"}
		}
		b.mem, b.at = memoryAt(f.Address, f.Bytes), f.Address
	}
	if err := b.Init(d.Core, b, f.Label, b.free); err != nil {
		return nil, err
	}
	return b, nil
}

// Share has nothing to do: without Turns, the caller of runs orders them. It is for driver.Lend.
func (d *Device) Share(b driver.Buffer, t driver.Turns) (end func(), err error) {
	if t != (driver.Turns{}) {
		return nil, noTurns("lend", b.Label())
	}
	return func() {}, nil
}

func noTurns(op, label string) error {
	return &driver.Error{Op: op, Label: label, Device: Name, Kind: driver.Unsupported, Msg: "the device knows no streams and events of other libraries",
		Fix: "leave Turns empty, end the owner's work before Start and begin it after Wait"}
}

// within returns a buffer of the device that has memory in [from, to).
func (d *Device) within(from, to uint64) *buffer {
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	for b := range d.memory.open {
		if b.mem != nil && b.at < to && from < b.at+uint64(len(b.mem)) {
			return b
		}
	}
	return nil
}

// memoryAt returns memory that others own. The driver's user says that it is there, and keeps it.
func memoryAt(at uint64, n int64) []byte {
	where := uintptr(at)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&where)), n)
}

// Device returns the device of the buffer.
func (b *buffer) Device() driver.Device { return b.dev }

// Len returns the bytes asked for.
func (b *buffer) Len() int64 { return b.size }

// Reserved returns the bytes charged.
func (b *buffer) Reserved() int64 { return b.reserved }

// Address returns where the memory is in this process; 0 for a buffer of no bytes. The
// number keeps nothing alive: it is good until Close.
func (b *buffer) Address() (uint64, error) {
	if err := b.Alive("address"); err != nil {
		return 0, b.dev.Fail(err)
	}
	return b.at, nil
}

// bytes returns the memory of a range of one of the device's buffers.
func bytes(r driver.Range) []byte {
	return r.Buffer.(*buffer).mem[r.Off:r.End():r.End()]
}

// AllocHost returns ordinary memory: the device reaches all of it.
func (d *Device) AllocHost(bytes int64) (*driver.HostMemory, error) {
	if bytes < 0 || bytes > d.caps.MaxBuffer {
		return nil, d.Fail(&driver.Error{Op: "alloc host", Device: Name, Kind: driver.InvalidArgument, Msg: fmt.Sprintf("size is %d bytes", bytes)})
	}
	return d.Pin(make([]byte, bytes))
}

// Pin enters the caller's memory as host memory; nothing has to be done to it.
func (d *Device) Pin(b []byte) (*driver.HostMemory, error) {
	size := int64(len(b))
	d.Gauge(metric.PinnedBytes, size)
	m, err := d.NewHostMemory(b, "", func() { d.Gauge(metric.PinnedBytes, -size) })
	if err != nil {
		d.Gauge(metric.PinnedBytes, -size)
		return nil, d.Fail(err)
	}
	return m, nil
}
