package memory

import (
	"errors"
	"sync"

	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// Alignment is what the driver promises of an allocation.
const Alignment = 256

// poolKeeps is what the driver's pool keeps of freed memory when a wait ends; the rest goes back
// to the system.
const poolKeeps = 64 << 20

// source is where device memory comes from and goes back to: a pool of the driver's, whose
// allocations and frees are work of a stream of their own, or the allocator of the context,
// whose frees wait for all work of the device.
type source struct {
	gpu *primary.Context

	mu     sync.Mutex // for making and measuring
	pool   cu.MemPool
	stream cu.Stream
	slack  int64 // as the gauge has it
}

// try finds out whether the driver's pool is of use, by obtaining a block and describing a fill of it
// to a graph: drivers of early CUDA 12 refuse that where the memory is a pool's. Without a pool memory
// comes from the context's allocator, so what fails here is no reason not to open the device, unless
// it is lost. A device without memory to spare tells nothing.
func (s *source) try() error {
	d := s.gpu
	if !d.Caps.MemPools {
		return nil
	}
	if err := d.Enter("open", d.Name()); err != nil {
		return err
	}
	defer d.Leave()
	at, err := s.obtain(Alignment)
	if err == nil {
		err = errors.Join(s.describe(at), s.giveBack(at))
	}
	if err == nil || isShort(err) {
		return nil
	}
	if e := d.ErrorOf("open", d.Name(), err); e.Sticky {
		return e
	}
	d.Say("no memory from a pool: %v", err)
	var first error
	s.drop(func(err error) {
		if err != nil && first == nil {
			first = d.ErrorOf("open", d.Name(), err)
		}
	})
	d.Caps.MemPools = false
	return first
}

// describe adds a fill of a block to a graph that nobody launches.
func (s *source) describe(at cu.Ptr) error {
	drv := s.gpu.Driver
	if !s.gpu.Caps.Graphs {
		return nil
	}
	g, err := drv.GraphCreate()
	if err != nil {
		return err
	}
	_, err = drv.GraphAddMemsetNode(g, nil, &cu.Fill{Dst: at, Width: 4, N: Alignment / 4, Context: s.gpu.Handle})
	return errors.Join(err, drv.GraphDestroy(g))
}

// open makes the pool when the first block is obtained. The context is current.
func (s *source) open() (cu.MemPool, cu.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pool != 0 {
		return s.pool, s.stream, nil
	}
	drv := s.gpu.Driver
	var err error
	if s.stream == 0 {
		if s.stream, err = drv.StreamCreate(cu.StreamNonBlocking); err != nil {
			return 0, 0, err
		}
	}
	pool, err := drv.MemPoolCreate(s.gpu.Device)
	if err != nil {
		return 0, 0, err
	}
	if err := drv.MemPoolSetAttribute(pool, cu.PoolReleaseThreshold, poolKeeps); err != nil {
		_ = drv.MemPoolDestroy(pool) // the first error is the one to report
		return 0, 0, err
	}
	s.pool = pool
	return s.pool, s.stream, nil
}

func (s *source) get() (cu.MemPool, cu.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pool, s.stream
}

// obtain returns size bytes that nothing uses. The context is current.
func (s *source) obtain(size int64) (cu.Ptr, error) {
	drv := s.gpu.Driver
	if !s.gpu.Caps.MemPools {
		return drv.MemAlloc(size)
	}
	pool, stream, err := s.open()
	if err != nil {
		return 0, err
	}
	at, err := drv.MemAllocFromPoolAsync(size, pool, stream)
	if err != nil {
		return 0, err
	}
	// Whatever stream uses the memory first, it is there.
	if err := drv.StreamSynchronize(stream); err != nil {
		if s.gpu.ErrorOf("alloc", "", err).Sticky {
			return 0, err
		}
		_ = drv.MemFreeAsync(at, stream) // the first error is the one to report
		return 0, err
	}
	return at, nil
}

// giveBack frees memory that nothing uses. The context is current.
func (s *source) giveBack(at cu.Ptr) error {
	if !s.gpu.Caps.MemPools {
		return s.gpu.Driver.MemFree(at)
	}
	_, stream := s.get()
	return s.gpu.Driver.MemFreeAsync(at, stream)
}

// flush ends what giveBack began. The context is current.
func (s *source) flush() error {
	pool, stream := s.get()
	if pool == 0 {
		return nil
	}
	return s.gpu.Driver.StreamSynchronize(stream)
}

// settle ends what giveBack began, and lets the driver keep nothing for later.
func (s *source) settle() error {
	pool, _ := s.get()
	if pool == 0 {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.gpu.Driver.MemPoolTrimTo(pool, 0)
}

// drop ends the pool. A lost context has done so.
func (s *source) drop(note func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	drv := s.gpu.Driver
	if !s.gpu.Lost() {
		if s.pool != 0 {
			note(drv.StreamSynchronize(s.stream))
			note(drv.MemPoolDestroy(s.pool))
		}
		if s.stream != 0 {
			note(drv.StreamDestroy(s.stream))
		}
	}
	s.pool, s.stream = 0, 0
	s.gpu.Gauge(metric.PoolSlackBytes, -s.slack)
	s.slack = 0
}

// measure brings the gauge of what the driver keeps up to date. It is nobody's memory, so it is
// not in the books.
func (s *source) measure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pool == 0 {
		return
	}
	has, err := s.gpu.Driver.MemPoolGetAttribute(s.pool, cu.PoolReserved)
	if err != nil {
		return // the gauge stays as it was
	}
	used, err := s.gpu.Driver.MemPoolGetAttribute(s.pool, cu.PoolUsed)
	if err != nil {
		return
	}
	now := int64(has) - int64(used)
	s.gpu.Gauge(metric.PoolSlackBytes, now-s.slack)
	s.slack = now
}

// Measure brings gauges up to date that only the driver knows.
func (m *Heap) Measure() {
	if m.gpu.Keep(true) {
		if !m.gpu.Lost() {
			m.source.measure()
		}
		m.gpu.Unkeep()
	}
}
