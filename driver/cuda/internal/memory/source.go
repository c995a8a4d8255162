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

// The first blocks come from the context's allocator while they are small and few. A pool's first allocation takes the driver
// 8 to 13 ms, measured on an H200, the allocator's 0.1: a short program never waits for a pool.
const (
	firstBlock = 256 << 10 // at most, each
	firstBytes = 2 << 20   // at most, together
)

// source is where device memory comes from and goes back to: a pool of the driver's, whose
// allocations and frees are work of a stream of their own, or the allocator of the context,
// whose frees wait for all work of the device.
type source struct {
	gpu *primary.Context

	mu     sync.Mutex // for making and measuring
	pool   cu.MemPool
	tried  bool // and found to be of use
	none   bool // the driver has no useful pool
	stream cu.Stream
	slack  int64 // as the gauge has it

	direct direct
}

// direct are the blocks of the context's allocator. Its lock is held during no call of the driver.
type direct struct {
	mu     sync.Mutex
	blocks map[cu.Ptr]int64
	bytes  int64 // of these, and of those that are being obtained
}

// first reports whether a block is one of the first small ones, and counts it if so.
func (d *direct) first(size int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if size > firstBlock || d.bytes+size > firstBytes {
		return false
	}
	d.bytes += size
	return true
}

// count counts a block that has to come from there.
func (d *direct) count(size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bytes += size
}

func (d *direct) has(at cu.Ptr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, is := d.blocks[at]
	return is
}

// take forgets a block, and reports whether it was there.
func (d *direct) take(at cu.Ptr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	size, is := d.blocks[at]
	delete(d.blocks, at)
	d.bytes -= size
	return is
}

// put enters a block of so many bytes, which are counted; 0 is none.
func (d *direct) put(at cu.Ptr, size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at == 0 {
		d.bytes -= size
		return
	}
	d.blocks[at] = size
}

// newSource returns a source with nothing obtained.
func newSource(gpu *primary.Context) *source {
	return &source{gpu: gpu, none: !gpu.Caps.MemPools, direct: direct{blocks: map[cu.Ptr]int64{}}}
}

// try finds out whether the driver's pool is of use, by obtaining a block and describing a fill of it
// to a graph: drivers of early CUDA 12 refuse that where the memory is a pool's. Without a pool memory
// comes from the context's allocator, so a failure here is not an error, unless the device is lost or has no memory to spare,
// which tells nothing. The lock is held and the context current.
func (s *source) try() error {
	err := s.open()
	if err == nil {
		var at cu.Ptr
		if at, err = s.pooled(Alignment, s.pool, s.stream); err == nil {
			err = errors.Join(s.describe(at), s.gpu.Driver.MemFreeAsync(at, s.stream))
		}
	}
	if err == nil {
		s.tried = true
		return nil
	}
	if isShort(err) || s.gpu.ErrorOf("alloc", "", err).Sticky {
		return err
	}
	s.gpu.Say("no memory from a pool: %v", err)
	s.none = true
	var first error
	s.end(func(err error) {
		if err != nil && first == nil {
			first = err
		}
	})
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

// open makes the pool, once. The lock is held and the context current.
func (s *source) open() error {
	if s.pool != 0 {
		return nil
	}
	drv := s.gpu.Driver
	var err error
	if s.stream == 0 {
		if s.stream, err = drv.StreamCreate(cu.StreamNonBlocking); err != nil {
			return err
		}
	}
	pool, err := drv.MemPoolCreate(s.gpu.Device)
	if err != nil {
		return err
	}
	if err := drv.MemPoolSetAttribute(pool, cu.PoolReleaseThreshold, poolKeeps); err != nil {
		_ = drv.MemPoolDestroy(pool) // the first error is the one to report
		return err
	}
	s.pool = pool
	return nil
}

func (s *source) get() (cu.MemPool, cu.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pool, s.stream
}

// obtain returns size bytes that nothing uses. The context is current.
func (s *source) obtain(size int64) (cu.Ptr, error) {
	s.mu.Lock()
	first := s.pool == 0 && s.direct.first(size)
	if !s.none && !s.tried && !first {
		if err := s.try(); err != nil {
			s.mu.Unlock()
			return 0, err
		}
	}
	none, pool, stream := s.none, s.pool, s.stream
	s.mu.Unlock()
	if !none && !first {
		return s.pooled(size, pool, stream)
	}
	if !first {
		s.direct.count(size)
	}
	at, err := s.gpu.Driver.MemAlloc(size)
	if err != nil {
		at = 0
	}
	s.direct.put(at, size)
	return at, err
}

// pooled obtains a block of the pool.
func (s *source) pooled(size int64, pool cu.MemPool, stream cu.Stream) (cu.Ptr, error) {
	drv := s.gpu.Driver
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
	if s.direct.take(at) {
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
	s.end(note)
}

// end is drop. The lock is held.
func (s *source) end(note func(error)) {
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
