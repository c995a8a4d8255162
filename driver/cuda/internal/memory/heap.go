package memory

import (
	"slices"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/freelist"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// Block is device memory obtained from the driver.
type Block struct {
	At   cu.Ptr
	Size int64 // a size class
}

// Heap hands out blocks, keeps those given back, and knows the open buffers.
type Heap struct {
	gpu       *primary.Context
	owner     driver.Device // that buffers say they are of
	deferred  *timeline.Deferred
	limit     int64 // bytes that may be reserved or idle; 0 leaves it to the driver
	idleLimit int64
	source    *source
	check     checker

	mu      sync.Mutex
	ledger  ledger
	left    int64 // bytes written off
	free    freelist.List[cu.Ptr, timeline.Run]
	awaited int // of free, as the gauge has it
	open    map[*Buffer]struct{}
	parted  []parted // borrowed and given back, where a run may still use it
	// sentinel is what kernels get for a buffer of no bytes: an address that is one.
	sentinel Block
}

// idleLimit bounds the idle bytes of a device where OpenOptions does not say.
func idleLimit(total int64) int64 {
	const least, most = 64 << 20, 4 << 30
	return min(max(total/32, least), most)
}

// NewHeap returns the heap of a context, with nothing obtained. Pool is for what looks at memory, deferred
// for what is released before memory is called short.
func NewHeap(gpu *primary.Context, owner driver.Device, pool *pinned.Pool, deferred *timeline.Deferred, o driver.OpenOptions) *Heap {
	m := &Heap{gpu: gpu, owner: owner, deferred: deferred, limit: o.MemoryLimit, idleLimit: o.IdleLimit, source: newSource(gpu),
		check: checker{gpu: gpu, pool: pool, on: gpu.Debug().Memcheck}, ledger: ledger{counters: &gpu.Counters, blocks: map[cu.Ptr]int64{}}, open: map[*Buffer]struct{}{}}
	if m.idleLimit <= 0 {
		m.idleLimit = idleLimit(gpu.Caps.TotalMemory)
	}
	m.free.Reset()
	return m
}

// Get returns memory of at least n bytes for the device's own use, on a stream.
func (m *Heap) Get(n int64, on *timeline.Stream) (Block, error) {
	return m.get(n, internal, on, func() error {
		m.gpu.Reclaim()
		return nil
	})
}

// Put gives such memory back, which nothing uses. The context is current.
func (m *Heap) Put(b Block) error { return m.put(b, internal, nil) }

// Abandon writes such memory off, which goes with the context.
func (m *Heap) Abandon(b Block) { m.abandon(b, internal) }

// get returns a block of at least n > 0 bytes, for work on a stream, or anywhere without one. If
// there is none, release may make others give back what they can spare; it is called with
// nothing held. The context is current.
func (m *Heap) get(n int64, u use, on *timeline.Stream, release func() error) (Block, error) {
	size := freelist.ClassOf(n)
	if b, ok := m.reuse(size, u, on); ok {
		return b, nil
	}
	if err := m.deferred.Sweep(); err != nil {
		return Block{}, err
	}
	m.sweepParted()
	b, short, err := m.obtain(size, u)
	if !short {
		return b, err
	}
	return m.makeRoom(n, u, err, release)
}

// reuse takes a block off the free list.
func (m *Heap) reuse(size int64, u use, on *timeline.Stream) (Block, bool) {
	m.ask()
	m.mu.Lock()
	defer m.unlock()
	at, got, ok := m.free.Take(size, func(uses []timeline.Run) bool { return follows(on, uses) })
	if !ok {
		return Block{}, false
	}
	m.ledger.move(idle, u, got)
	m.gpu.Count(metric.AllocReused, 1)
	m.check.watch(Block{at, got}, got, "")
	return Block{at, got}, true
}

// follows reports whether work on the stream comes after all the runs.
func follows(on *timeline.Stream, uses []timeline.Run) bool {
	return on != nil && !slices.ContainsFunc(uses, func(u timeline.Run) bool { return u.Stream != on })
}

// unlock tells how many blocks wait for runs, which whoever looks at the free list may change.
func (m *Heap) unlock() {
	now := m.free.Awaited()
	m.gpu.Gauge(metric.DeferredBlocks, int64(now-m.awaited))
	m.awaited = now
	m.mu.Unlock()
}

// ask finds out whether runs that blocks wait for have ended.
func (m *Heap) ask() {
	m.mu.Lock()
	uses := m.free.Users()
	m.mu.Unlock()
	if uses == nil {
		return
	}
	for _, u := range uses {
		u.Ask()
	}
	m.mu.Lock()
	m.free.Refresh()
	m.unlock()
}

// obtain gets a block from the driver. If memory is short, the error is nil when that is by
// the limit, and else the driver's.
func (m *Heap) obtain(size int64, u use) (b Block, short bool, err error) {
	m.mu.Lock()
	l := &m.ledger
	if u == reserved && m.limit > 0 && l.bytes[reserved]+l.bytes[idle]+l.pending+size > m.limit {
		m.mu.Unlock()
		return Block{}, true, nil
	}
	l.pending += size
	m.mu.Unlock()

	at, err := m.source.obtain(size)

	m.mu.Lock()
	defer m.mu.Unlock()
	l.pending -= size
	if err != nil {
		return Block{}, isShort(err), err
	}
	m.gpu.Count(metric.DriverAllocs, 1)
	l.blocks[at] = size
	l.move(outside, u, size)
	return Block{at, size}, false, nil
}

// put gives a block back, which runs may still touch. The context is current.
func (m *Heap) put(b Block, u use, uses []timeline.Run) error {
	if b.Size == 0 {
		return nil
	}
	if len(uses) == 0 {
		if err := m.check.poison(b.At, b.Size); err != nil {
			m.abandon(b, u)
			return err
		}
	}
	m.mu.Lock()
	m.ledger.move(u, idle, b.Size)
	m.free.Put(b.At, b.Size, uses)
	if len(uses) == 0 {
		m.check.watch(b, 0, "")
	}
	over := m.free.Bytes() > m.idleLimit
	m.unlock()
	if !over {
		return nil
	}
	_, err := m.shrink(m.idleLimit, m.quick)
	return err
}

// quick reports whether a block may be freed now: frees that wait for the device are left for a time when nothing runs.
func (m *Heap) quick(at cu.Ptr, _ int64) bool {
	return m.gpu.Now(metric.RunsInFlight) == 0 || !m.source.direct.has(at)
}

// shrink gives idle blocks back to the driver, the least recently used first, until keep
// bytes are left. Only those go that allowed allows, if it is there. It returns the bytes that went.
func (m *Heap) shrink(keep int64, allowed func(at cu.Ptr, size int64) bool) (freed int64, err error) {
	m.ask()
	for {
		m.mu.Lock()
		if m.free.Bytes() <= keep {
			m.unlock()
			return freed, nil
		}
		at, size, _, found := m.free.TakeOldest(allowed)
		if !found {
			m.unlock()
			return freed, nil
		}
		m.ledger.move(idle, outside, size)
		delete(m.ledger.blocks, at)
		m.unlock()
		freed += size
		m.gpu.Count(metric.DriverFrees, 1)
		if err := m.source.giveBack(at); err != nil {
			return freed, err
		}
	}
}

// Trim gives back what is idle beyond keep bytes, and what the driver keeps for later.
func (m *Heap) Trim(keep int64) (int64, error) {
	if err := m.deferred.Sweep(); err != nil {
		return 0, err
	}
	m.sweepParted()
	freed, err := m.shrink(max(keep, 0), nil)
	if err == nil {
		err = m.source.settle()
	}
	if err != nil {
		return freed, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return freed, m.ledger.check()
}

// Cache says what is idle.
func (m *Heap) Cache() driver.Cache {
	m.mu.Lock()
	defer m.mu.Unlock()
	return driver.Cache{Name: "memory", Entries: m.free.Len(), Bytes: m.free.Bytes(), Limit: m.idleLimit}
}

// abandon writes a block off that goes with the context.
func (m *Heap) abandon(b Block, u use) {
	if b.Size == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left += b.Size
	m.ledger.move(u, outside, b.Size)
}

// None returns the address that stands for a range of no bytes. The context is current.
func (m *Heap) None() (cu.Ptr, error) {
	m.mu.Lock()
	at := m.sentinel.At
	m.mu.Unlock()
	if at != 0 {
		return at, nil
	}
	b, err := m.get(1, internal, nil, nil)
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	if m.sentinel.At == 0 {
		m.sentinel, b = b, Block{}
	}
	at = m.sentinel.At
	m.mu.Unlock()
	return at, m.put(b, internal, nil)
}

// Drop frees everything that is kept, and returns the bytes that were left behind because a
// run may still touch them. A lost context has freed everything.
func (m *Heap) Drop(note func(error)) (left int64) {
	alive := !m.gpu.Lost()
	if alive {
		note(m.put(m.sentinel, internal, nil))
		for before := int64(-1); !m.gpu.Lost() && m.free.Bytes() != before; {
			// A block whose freeing failed is gone; the others get their try.
			before = m.free.Bytes()
			_, err := m.shrink(0, nil)
			note(err)
		}
	} else {
		m.abandon(m.sentinel, internal)
	}
	m.check.drop(note)
	m.source.drop(note)
	m.mu.Lock()
	left = m.left + m.free.Bytes()
	m.ledger.move(idle, outside, m.free.Bytes())
	m.left = 0
	m.free.Reset()
	note(m.ledger.check())
	m.unlock()
	if m.gpu.Lost() {
		return 0
	}
	return left
}
