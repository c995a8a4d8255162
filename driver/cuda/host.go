package cuda

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
)

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
	if err := d.gpu.Hold(op, ""); err != nil {
		return nil, err
	}
	defer d.gpu.LetGo()
	p, err := d.staging.get(bytes)
	if err != nil {
		return nil, d.hostError(op, bytes, err)
	}
	clear(p.bytes(bytes)) // what it had before is of some run, perhaps of another device
	m, err := d.NewHostMemory(p.bytes(bytes), "", func() { d.staging.free(p) })
	if err == nil {
		return m, nil
	}
	if back := d.staging.put(p); back != nil {
		return nil, d.gpu.ErrorOf(op, "", back)
	}
	return nil, err
}

// free is put for who has no context current.
func (s *staging) free(p pinned) {
	s.dev.gpu.Closing("", func() error { return s.put(p) }, func() { s.abandon(p) })
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
	if err := d.gpu.Hold("pin", ""); err != nil {
		return nil, err
	}
	defer d.gpu.LetGo()
	if len(b) == 0 {
		return d.NewHostMemory(b, "", func() {})
	}
	size, at := int64(len(b)), unsafe.Pointer(unsafe.SliceData(b))
	// The driver pins whole pages, once. Bytes on a page that is pinned already, for their
	// neighbours, are host memory like any other to the contract, and go through staging.
	err := d.gpu.Driver.MemHostRegister(at, size, hostFlags)
	registered := err == nil
	if err != nil && !errors.Is(err, alreadyRegistered) {
		return nil, d.hostError("pin", size, err)
	}
	d.Gauge(driver.PinnedBytes, size)
	m, err := d.NewHostMemory(b, "", func() {
		d.Gauge(driver.PinnedBytes, -size)
		if registered {
			d.unpin(at)
			pins.Delete(at)
		}
	})
	if err == nil {
		if registered {
			pins.Store(at, b)
		} else {
			m.Indirect()
		}
		return m, nil
	}
	d.Gauge(driver.PinnedBytes, -size)
	if registered {
		if back := d.gpu.Driver.MemHostUnregister(at); back != nil {
			return nil, d.gpu.ErrorOf("pin", "", back)
		}
	}
	return nil, err
}

// pins keeps memory that the GPU may copy from and to, whoever else has forgotten it.
var pins sync.Map // by address

// alreadyRegistered is the driver's answer for a page that is pinned.
const alreadyRegistered = cu.Result(712)

// unpin gives the caller's memory back. A lost context has done so.
func (d *Device) unpin(at unsafe.Pointer) {
	d.gpu.Closing("", func() error { return d.gpu.Driver.MemHostUnregister(at) }, func() {})
}

// hostError explains why host memory could not be pinned.
func (d *Device) hostError(op string, bytes int64, err error) *driver.Error {
	e := d.gpu.ErrorOf(op, "", err)
	if e.Kind == driver.OutOfMemory {
		e.Requested, e.Msg, e.Fix = bytes, fmt.Sprintf("the system pins no further %d bytes", bytes), "pin less, or raise the limit of locked memory"
	}
	return e
}
