package cuda

import (
	"slices"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/freelist"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
)

// block is device memory obtained from the driver.
type block struct {
	at   cu.Ptr
	size int64 // a size class
}

// memory hands out blocks, keeps those given back, and knows the open buffers. Its lock is
// held during no call of the driver.
type memory struct {
	dev       *Device
	limit     int64 // bytes that may be reserved or idle; 0 leaves it to the driver
	idleLimit int64
	source    source

	mu      sync.Mutex
	ledger  ledger
	left    int64 // bytes written off
	shelf   freelist.List[cu.Ptr, timeline.Run]
	awaited int // of the shelf, as the gauge has it
	open    map[*buffer]struct{}
	// sentinel is what kernels get for a buffer of no bytes: an address that is one.
	sentinel block
}

// idleLimit bounds the idle bytes of a device where OpenOptions does not say.
func idleLimit(total int64) int64 {
	const least, most = 64 << 20, 4 << 30
	return min(max(total/32, least), most)
}

func (m *memory) init(d *Device, o driver.OpenOptions) {
	m.dev, m.limit, m.idleLimit, m.open = d, o.MemoryLimit, o.IdleLimit, map[*buffer]struct{}{}
	m.source.dev, m.ledger.counters = d, &d.Counters
	if m.idleLimit <= 0 {
		m.idleLimit = idleLimit(d.gpu.Caps.TotalMemory)
	}
	m.shelf.Reset()
}

// get returns a block of at least n > 0 bytes, for work on a stream, or anywhere without one. If
// there is none, release may make others give back what they can spare; it is called with
// nothing held. The context is current.
func (m *memory) get(n int64, u use, on *timeline.Stream, release func() error) (block, error) {
	size := freelist.ClassOf(n)
	if b, ok := m.reuse(size, u, on); ok {
		return b, nil
	}
	if err := m.dev.deferred.Sweep(); err != nil {
		return block{}, err
	}
	b, short, err := m.obtain(size, u)
	if !short {
		return b, err
	}
	return m.makeRoom(n, u, err, release)
}

// reuse takes a block off the shelf.
func (m *memory) reuse(size int64, u use, on *timeline.Stream) (block, bool) {
	m.ask()
	m.mu.Lock()
	defer m.unlock()
	at, got, ok := m.shelf.Take(size, func(uses []timeline.Run) bool { return follows(on, uses) })
	if !ok {
		return block{}, false
	}
	m.ledger.move(idle, u, got)
	m.dev.Count(driver.AllocReused, 1)
	m.dev.watch(block{at, got}, got, "")
	return block{at, got}, true
}

// follows reports whether work on the stream comes after all the runs.
func follows(on *timeline.Stream, uses []timeline.Run) bool {
	return on != nil && !slices.ContainsFunc(uses, func(u timeline.Run) bool { return u.Stream != on })
}

// unlock tells how many blocks wait for runs, which whoever looks at the free list may change.
func (m *memory) unlock() {
	now := m.shelf.Awaited()
	m.dev.Gauge(driver.Quarantined, int64(now-m.awaited))
	m.awaited = now
	m.mu.Unlock()
}

// watch tells a driver that checks accesses what of a block is in use, and as what. Not with
// memcheck, which looks at all of it.
func (d *Device) watch(b block, bytes int64, label string) {
	if d.memcheck.on {
		return
	}
	if w, ok := d.gpu.Driver.(cu.Watcher); ok && b.size > 0 {
		w.Watch(b.at, bytes, label)
	}
}

// ask finds out whether runs that blocks wait for have ended.
func (m *memory) ask() {
	m.mu.Lock()
	uses := m.shelf.Users()
	m.mu.Unlock()
	if uses == nil {
		return
	}
	for _, u := range uses {
		u.Ask()
	}
	m.mu.Lock()
	m.shelf.Refresh()
	m.unlock()
}

// reclaim makes others give back what they can spare. The caller has nothing that they wait for.
func (d *Device) reclaim() error {
	d.Reclaim()
	return nil
}

// obtain gets a block from the driver. If memory is short, the error is nil when that is by
// the limit, and else the driver's.
func (m *memory) obtain(size int64, u use) (b block, short bool, err error) {
	m.mu.Lock()
	l := &m.ledger
	if u == reserved && m.limit > 0 && l.bytes[reserved]+l.bytes[idle]+l.pending+size > m.limit {
		m.mu.Unlock()
		return block{}, true, nil
	}
	l.pending += size
	m.mu.Unlock()

	at, err := m.source.obtain(size)

	m.mu.Lock()
	defer m.mu.Unlock()
	l.pending -= size
	if err != nil {
		return block{}, isShort(err), err
	}
	m.dev.Count(driver.DriverAllocs, 1)
	l.move(outside, u, size)
	return block{at, size}, false, nil
}

// put gives a block back, which runs may still touch. The context is current.
func (m *memory) put(b block, u use, uses []timeline.Run) error {
	if b.size == 0 {
		return nil
	}
	if len(uses) == 0 {
		if err := m.dev.memcheck.poison(b.at, b.size); err != nil {
			m.abandon(b, u)
			return err
		}
	}
	m.mu.Lock()
	m.ledger.move(u, idle, b.size)
	m.shelf.Put(b.at, b.size, uses)
	if len(uses) == 0 {
		m.dev.watch(b, 0, "")
	}
	over := m.shelf.Bytes() > m.idleLimit
	m.unlock()
	// Freeing that waits for the device is left for a time when nothing runs.
	if !over || m.source.stalls() && m.dev.Now(driver.RunsInFlight) > 0 {
		return nil
	}
	_, err := m.shrink(m.idleLimit, nil)
	return err
}

// shrink gives idle blocks back to the driver, the least recently used first, until keep
// bytes are left. Only those that ok allows go. It returns the bytes that went.
func (m *memory) shrink(keep int64, ok func(size int64) bool) (freed int64, err error) {
	m.ask()
	var allowed func(cu.Ptr, int64) bool
	if ok != nil {
		allowed = func(_ cu.Ptr, size int64) bool { return ok(size) }
	}
	for {
		m.mu.Lock()
		if m.shelf.Bytes() <= keep {
			m.unlock()
			return freed, nil
		}
		at, size, _, found := m.shelf.TakeOldest(allowed)
		if !found {
			m.unlock()
			return freed, nil
		}
		m.ledger.move(idle, outside, size)
		m.unlock()
		freed += size
		m.dev.Count(driver.DriverFrees, 1)
		if err := m.source.giveBack(at); err != nil {
			return freed, err
		}
	}
}

// trim gives back what is idle beyond keep bytes, and what the driver keeps for later.
func (m *memory) trim(keep int64) (int64, error) {
	if err := m.dev.deferred.Sweep(); err != nil {
		return 0, err
	}
	freed, err := m.shrink(max(keep, 0), nil)
	if err == nil {
		err = m.source.settle()
	}
	if err == nil {
		err = m.check()
	}
	return freed, err
}

func (m *memory) check() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ledger.check()
}

// abandon writes a block off that goes with the context.
func (m *memory) abandon(b block, u use) {
	if b.size == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left += b.size
	m.ledger.move(u, outside, b.size)
}

// none returns the address that stands for a range of no bytes. The context is current.
func (m *memory) none() (cu.Ptr, error) {
	m.mu.Lock()
	at := m.sentinel.at
	m.mu.Unlock()
	if at != 0 {
		return at, nil
	}
	b, err := m.get(1, internal, nil, nil)
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	if m.sentinel.at == 0 {
		m.sentinel, b = b, block{}
	}
	at = m.sentinel.at
	m.mu.Unlock()
	return at, m.put(b, internal, nil)
}

// drop frees everything that is kept, and returns the bytes that were left behind because a
// run may still touch them. A lost context has freed everything.
func (m *memory) drop(note func(error)) (left int64) {
	alive := !m.dev.gpu.Lost()
	if alive {
		note(m.put(m.sentinel, internal, nil))
		for before := int64(-1); !m.dev.gpu.Lost() && m.shelf.Bytes() != before; {
			// A block whose freeing failed is gone; the others get their try.
			before = m.shelf.Bytes()
			_, err := m.shrink(0, nil)
			note(err)
		}
	} else {
		m.abandon(m.sentinel, internal)
	}
	m.dev.memcheck.drop(note)
	m.source.drop(note)
	m.mu.Lock()
	left = m.left + m.shelf.Bytes()
	m.ledger.move(idle, outside, m.shelf.Bytes())
	m.left = 0
	m.shelf.Reset()
	note(m.ledger.check())
	m.unlock()
	if m.dev.gpu.Lost() {
		return 0
	}
	return left
}
