package cuda

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
)

// pinned is host memory that the GPU reaches. Go's heap knows nothing of it.
type pinned struct {
	at   unsafe.Pointer
	size int64 // a size class
}

// bytes returns the first n bytes.
func (p pinned) bytes(n int64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p.at), n)
}

const hostFlags = cu.HostPortable | cu.HostDeviceMap

// staging hands out pinned memory and keeps what is given back: obtaining it takes the driver
// longer than most runs.
type staging struct {
	dev      *Device
	mu       sync.Mutex
	idle     []pinned // oldest first
	idleSize int64
}

// idleStaging bounds what is kept.
const idleStaging = 128 << 20

// get returns at least n bytes. The context is current.
func (s *staging) get(n int64) (pinned, error) {
	if n == 0 {
		return pinned{}, nil
	}
	size := classOf(max(n, 4096))
	s.mu.Lock()
	for i := len(s.idle) - 1; i >= 0; i-- {
		if p := s.idle[i]; p.size >= size && p.size-size <= p.size/8 {
			s.idle = slices.Delete(s.idle, i, i+1)
			s.idleSize -= p.size
			s.mu.Unlock()
			return p, nil
		}
	}
	s.mu.Unlock()
	at, err := s.dev.drv.MemHostAlloc(size, hostFlags)
	if err != nil {
		return pinned{}, err
	}
	s.dev.Gauge(driver.PinnedBytes, size)
	return pinned{at, size}, nil
}

// put gives memory back. The context is current.
func (s *staging) put(p pinned) error {
	if p.size == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, p)
	s.idleSize += p.size
	return s.shrink(idleStaging)
}

func (s *staging) shrink(keep int64) error {
	for s.idleSize > keep {
		p := s.idle[0]
		s.idle = slices.Delete(s.idle, 0, 1)
		s.idleSize -= p.size
		s.dev.Gauge(driver.PinnedBytes, -p.size)
		if err := s.dev.drv.MemFreeHost(p.at); err != nil {
			return err
		}
	}
	return nil
}

// abandon writes memory off that work which did not end may still touch.
func (s *staging) abandon(p pinned) { s.dev.Gauge(driver.PinnedBytes, -p.size) }

// drop frees everything that is kept; a lost context has freed it.
func (s *staging) drop(note func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dev.lost.Load() != nil {
		s.dev.Gauge(driver.PinnedBytes, -s.idleSize)
		s.idle, s.idleSize = nil, 0
	}
	for s.idleSize > 0 {
		note(s.shrink(0))
	}
}

// AllocHost returns pinned memory.
func (d *Device) AllocHost(bytes int64) (*driver.HostMemory, error) {
	m, err := d.allocHost(bytes)
	if err != nil {
		return nil, d.Fail(err)
	}
	return m, nil
}

func (d *Device) allocHost(bytes int64) (*driver.HostMemory, error) {
	const op = "alloc host"
	if bytes < 0 {
		return nil, &driver.Error{Op: op, Device: d.Name(), Kind: driver.InvalidArgument, Msg: fmt.Sprintf("size is %d bytes", bytes)}
	}
	if err := d.open(op, ""); err != nil {
		return nil, err
	}
	defer d.shut()
	p, err := d.staging.get(bytes)
	if err != nil {
		return nil, d.hostError(op, bytes, err)
	}
	m, err := d.NewHostMemory(p.bytes(bytes), "", func() { d.staging.free(p) })
	if err == nil {
		return m, nil
	}
	if back := d.staging.put(p); back != nil {
		return nil, d.errorOf(op, "", back)
	}
	return nil, err
}

// free is put for who has no context current and no error to give; the device counts those.
func (s *staging) free(p pinned) {
	d := s.dev
	d.life.RLock()
	defer d.life.RUnlock()
	if d.gone || d.lost.Load() != nil {
		s.abandon(p)
		return
	}
	err := d.enter("close", "")
	if err == nil {
		defer d.leave()
	} else {
		_ = d.Fail(err)
	}
	if err := s.put(p); err != nil {
		_ = d.Fail(d.errorOf("close", "", err))
	}
}

// Pin makes the caller's memory such memory, until Close.
func (d *Device) Pin(b []byte) (*driver.HostMemory, error) {
	m, err := d.pin(b)
	if err != nil {
		return nil, d.Fail(err)
	}
	return m, nil
}

func (d *Device) pin(b []byte) (*driver.HostMemory, error) {
	if err := d.open("pin", ""); err != nil {
		return nil, err
	}
	defer d.shut()
	if len(b) == 0 {
		return d.NewHostMemory(b, "", func() {})
	}
	size, at := int64(len(b)), unsafe.Pointer(unsafe.SliceData(b))
	// The driver pins whole pages, once. Bytes on a page that is pinned already, for their
	// neighbours, are host memory like any other to the contract, and go through staging.
	err := d.drv.MemHostRegister(at, size, hostFlags)
	registered := err == nil
	if err != nil && !errors.Is(err, alreadyRegistered) {
		return nil, d.hostError("pin", size, err)
	}
	d.Gauge(driver.PinnedBytes, size)
	m, err := d.NewHostMemory(b, "", func() {
		d.Gauge(driver.PinnedBytes, -size)
		if registered {
			d.unpin(at)
		}
	})
	if err == nil {
		return m, nil
	}
	d.Gauge(driver.PinnedBytes, -size)
	if registered {
		if back := d.drv.MemHostUnregister(at); back != nil {
			return nil, d.errorOf("pin", "", back)
		}
	}
	return nil, err
}

// alreadyRegistered is the driver's answer for a page that is pinned.
const alreadyRegistered = cu.Result(712)

// unpin gives the caller's memory back. A lost context has done so.
func (d *Device) unpin(at unsafe.Pointer) {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.gone || d.lost.Load() != nil {
		return
	}
	err := d.enter("close", "")
	if err == nil {
		defer d.leave()
		if err = d.drv.MemHostUnregister(at); err != nil {
			err = d.errorOf("close", "", err)
		}
	}
	if err != nil {
		_ = d.Fail(err) // Close of host memory has no error to give; the device counts it
	}
}

// hostError explains why host memory could not be pinned.
func (d *Device) hostError(op string, bytes int64, err error) *driver.Error {
	e := d.errorOf(op, "", err)
	if e.Kind == driver.OutOfMemory {
		e.Requested, e.Msg, e.Fix = bytes, fmt.Sprintf("the system pins no further %d bytes", bytes), "pin less, or raise the limit of locked memory"
	}
	return e
}
