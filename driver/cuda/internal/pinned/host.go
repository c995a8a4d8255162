package pinned

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// maxHost is more than a process can address, and far from where sizes of classes overflow.
const maxHost = 1 << 56

// AllocHost returns pinned memory for the user.
func (s *Pool) AllocHost(bytes int64) (*driver.HostMemory, error) {
	const op = "alloc host"
	if bytes < 0 || bytes > maxHost {
		return nil, &driver.Error{Op: op, Device: s.gpu.Name(), Kind: driver.InvalidArgument, Msg: fmt.Sprintf("size is %d bytes", bytes)}
	}
	if err := s.gpu.Hold(op, ""); err != nil {
		return nil, err
	}
	defer s.gpu.LetGo()
	p, err := s.Get(bytes)
	if err != nil {
		return nil, s.Error(op, bytes, err)
	}
	clear(p.Bytes(bytes)) // what it had before is of some run, perhaps of another device
	m, err := s.gpu.NewHostMemory(p.Bytes(bytes), "", func() {
		s.gpu.Closing("", func() error { return s.Put(p) }, func() { s.Abandon(p) })
	})
	if err == nil {
		return m, nil
	}
	if back := s.Put(p); back != nil {
		return nil, s.gpu.ErrorOf(op, "", back)
	}
	return nil, err
}

// Pin makes the caller's memory such memory, until Close.
func (s *Pool) Pin(b []byte) (*driver.HostMemory, error) {
	if err := s.gpu.Hold("pin", ""); err != nil {
		return nil, err
	}
	defer s.gpu.LetGo()
	if len(b) == 0 {
		return s.gpu.NewHostMemory(b, "", func() {})
	}
	size, at := int64(len(b)), unsafe.Pointer(unsafe.SliceData(b))
	// The driver pins whole pages, once. Bytes on a page that is pinned already, for their
	// neighbours, are host memory like any other to the contract, and go through staging.
	err := s.gpu.Driver.MemHostRegister(at, size, hostFlags)
	registered := err == nil
	if err != nil && !errors.Is(err, alreadyRegistered) {
		return nil, s.Error("pin", size, err)
	}
	s.gpu.Gauge(metric.PinnedBytes, size)
	m, err := s.gpu.NewHostMemory(b, "", func() {
		s.gpu.Gauge(metric.PinnedBytes, -size)
		if registered {
			s.gpu.Closing("", func() error { return s.gpu.Driver.MemHostUnregister(at) }, func() {})
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
	s.gpu.Gauge(metric.PinnedBytes, -size)
	if registered {
		if back := s.gpu.Driver.MemHostUnregister(at); back != nil {
			return nil, s.gpu.ErrorOf("pin", "", back)
		}
	}
	return nil, err
}

// pins keeps memory that the GPU may copy from and to, whoever else has forgotten it.
var pins sync.Map // by address

// alreadyRegistered is the driver's answer for a page that is pinned.
const alreadyRegistered = cu.Result(712)

// Error explains why host memory could not be pinned.
func (s *Pool) Error(op string, bytes int64, err error) *driver.Error {
	e := s.gpu.ErrorOf(op, "", err)
	if e.Kind == driver.OutOfMemory {
		e.Requested, e.Msg, e.Fix = bytes, fmt.Sprintf("the system pins no further %d bytes", bytes), "pin less, or raise the limit of locked memory"
	}
	return e
}
