package cuda

import (
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
	slab *slab // that it is a piece of, if it is small
}

// bytes returns the first n bytes.
func (p pinned) bytes(n int64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p.at), n)
}

// slab is pinned memory that is cut into pieces. When all of them are back it is cut anew.
type slab struct {
	at  unsafe.Pointer
	cut int64 // bytes cut off
	out int   // pieces in use
}

const (
	hostFlags  = cu.HostPortable | cu.HostDeviceMap
	slabBytes  = 1 << 20
	pieceBytes = 64 << 10 // from here on a block is no piece of a slab
	leastPiece = 4096
	// idleStaging bounds what is kept.
	idleStaging = 128 << 20
)

// staging hands out pinned memory and keeps what is given back: obtaining it takes the driver
// longer than most runs. Its lock is held during no call of the driver.
type staging struct {
	dev *Device

	mu    sync.Mutex
	shelf shelf[pinned]
	slabs []*slab // those with pieces in use; the last one is cut
	empty []*slab
	idle  int64 // bytes of empty slabs, and on the shelf but for pieces
	left  int64 // bytes written off
}

func (s *staging) init(d *Device) {
	s.dev = d
	s.shelf.init(&d.Counters)
}

// get returns at least n bytes. The context is current.
func (s *staging) get(n int64) (pinned, error) {
	if n == 0 {
		return pinned{}, nil
	}
	size := classOf(max(n, leastPiece))
	s.mu.Lock()
	p, ok := s.reuse(size)
	s.mu.Unlock()
	if ok {
		return p, nil
	}
	if size >= pieceBytes {
		at, err := s.obtain(size)
		return pinned{at: at, size: size}, err
	}
	at, err := s.obtain(slabBytes)
	if err != nil {
		return pinned{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slabs = append(s.slabs, &slab{at: at})
	return s.piece(size), nil
}

func (s *staging) obtain(size int64) (unsafe.Pointer, error) {
	at, err := s.dev.gpu.Driver.MemHostAlloc(size, hostFlags)
	if err == nil {
		s.dev.Gauge(driver.PinnedBytes, size)
	}
	return at, err
}

// reuse finds memory that is there. The lock is held.
func (s *staging) reuse(size int64) (pinned, bool) {
	if p, _, ok := s.shelf.take(size, nil); ok {
		if p.slab == nil {
			s.rest(-p.size)
		} else {
			p.slab.out++
		}
		return p, true
	}
	if size >= pieceBytes {
		return pinned{}, false
	}
	if n := len(s.slabs); n > 0 && s.slabs[n-1].cut+size <= slabBytes {
		return s.piece(size), true
	}
	if n := len(s.empty); n > 0 {
		s.slabs, s.empty = append(s.slabs, s.empty[n-1]), s.empty[:n-1]
		s.rest(-slabBytes)
		return s.piece(size), true
	}
	return pinned{}, false
}

// piece cuts a block off the last slab.
func (s *staging) piece(size int64) pinned {
	b := s.slabs[len(s.slabs)-1]
	p := pinned{unsafe.Add(b.at, b.cut), size, b}
	b.cut += size
	b.out++
	return p
}

// rest enters that idle memory became more.
func (s *staging) rest(n int64) {
	s.idle += n
	s.dev.Gauge(driver.PinnedIdleBytes, n)
}

// put gives memory back that nothing uses. The context is current.
func (s *staging) put(p pinned) error {
	if p.size == 0 {
		return nil
	}
	s.mu.Lock()
	s.keep(p)
	s.mu.Unlock()
	return s.shrink(idleStaging)
}

// keep puts memory on the shelf that nothing uses. The lock is held.
func (s *staging) keep(p pinned) {
	s.shelf.put(p, p.size, nil)
	if p.slab == nil {
		s.rest(p.size)
		return
	}
	if p.slab.out--; p.slab.out > 0 {
		return
	}
	// Nobody has a piece of the slab, so all of them are on the shelf.
	for n := s.shelf.ages.older; n != &s.shelf.ages; {
		next := n.older
		if n.block.slab == p.slab {
			s.shelf.remove(n)
		}
		n = next
	}
	p.slab.cut = 0
	s.slabs = slices.DeleteFunc(s.slabs, func(b *slab) bool { return b == p.slab })
	s.empty = append(s.empty, p.slab)
	s.rest(slabBytes)
}

// shrink gives idle memory back to the driver until keep bytes are left: empty slabs, then
// blocks, the least recently used first.
func (s *staging) shrink(keep int64) error {
	for {
		s.mu.Lock()
		at, size := s.spare(keep)
		s.mu.Unlock()
		if at == nil {
			return nil
		}
		s.dev.Gauge(driver.PinnedBytes, -size)
		if err := s.dev.gpu.Driver.MemFreeHost(at); err != nil {
			return err
		}
	}
}

// spare takes away what shrink gives back next.
func (s *staging) spare(keep int64) (at unsafe.Pointer, size int64) {
	if s.idle <= keep {
		return nil, 0
	}
	if n := len(s.empty); n > 0 {
		at, size, s.empty = s.empty[n-1].at, slabBytes, s.empty[:n-1]
	} else {
		p, _ := s.shelf.remove(s.shelf.oldest(func(n *shelfNode[pinned]) bool { return n.block.slab == nil }))
		at, size = p.at, p.size
	}
	s.rest(-size)
	return at, size
}

// abandon writes memory off that goes with the context.
func (s *staging) abandon(p pinned) {
	if p.size == 0 || p.slab != nil { // a slab with a piece in use is written off as a whole
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left += p.size
	s.dev.Gauge(driver.PinnedBytes, -p.size)
}

// drop frees everything that is kept, and returns the bytes that were left behind because a
// run may still touch them. A lost context has freed everything.
func (s *staging) drop(note func(error)) (left int64) {
	for before := int64(-1); !s.dev.gpu.Lost() && s.idle != before; {
		before = s.idle // what could not be freed is gone; the rest gets its try
		note(s.shrink(0))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	inUse := int64(len(s.slabs)) * slabBytes
	s.dev.Gauge(driver.PinnedBytes, -inUse-s.idle)
	s.rest(-s.idle)
	left = s.left + inUse
	s.slabs, s.empty, s.left = nil, nil, 0
	s.shelf.init(&s.dev.Counters)
	if s.dev.gpu.Lost() {
		return 0
	}
	return left
}
