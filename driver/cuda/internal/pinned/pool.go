// Package pinned has the host memory that the GPU reaches: what transfers and reports pass through, and
// what users have for theirs.
//
//	in:  sizes; memory of the user to be pinned
//	out: pinned memory, obtained from the driver or given back before
//
// Every byte obtained from the driver is in use, idle, or written off because a run that did not end may
// still touch it. The pool's lock is held during no call of the driver.
package pinned

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/freelist"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// Memory is host memory that the GPU reaches. Go's heap knows nothing of it.
type Memory struct {
	At   unsafe.Pointer
	Size int64 // a size class
	slab *slab // that it is a piece of, if it is small
}

// Bytes returns the first n bytes.
func (p Memory) Bytes(n int64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p.At), n)
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

// Pool hands out pinned memory and keeps what is given back: obtaining it takes the driver
// longer than most runs.
type Pool struct {
	gpu *primary.Context

	mu    sync.Mutex
	free  freelist.List[Memory, nobody]
	slabs []*slab // those with pieces in use; the last one is cut
	empty []*slab
	idle  int64 // bytes of empty slabs, and on the free list but for pieces
	whole int   // blocks on the free list but for pieces
	left  int64 // bytes written off

	hits, misses, evictions uint64
}

// nobody uses memory that was given back.
type nobody struct{}

func (nobody) Ended() bool { return true }

// NewPool returns a pool of a context.
func NewPool(gpu *primary.Context) *Pool {
	s := &Pool{gpu: gpu}
	s.free.Reset()
	return s
}

// Get returns at least n bytes. The context is current.
func (s *Pool) Get(n int64) (Memory, error) {
	if n == 0 {
		return Memory{}, nil
	}
	size := freelist.ClassOf(max(n, leastPiece))
	s.mu.Lock()
	p, ok := s.reuse(size)
	if ok {
		s.hits++
	} else {
		s.misses++
	}
	s.mu.Unlock()
	if ok {
		return p, nil
	}
	if size >= pieceBytes {
		at, err := s.obtain(size)
		if err != nil {
			return Memory{}, err
		}
		return Memory{At: at, Size: size}, nil
	}
	at, err := s.obtain(slabBytes)
	if err != nil {
		return Memory{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slabs = append(s.slabs, &slab{at: at})
	return s.piece(size), nil
}

func (s *Pool) obtain(size int64) (unsafe.Pointer, error) {
	at, err := s.gpu.Driver.MemHostAlloc(size, hostFlags)
	if err == nil {
		s.gpu.Gauge(metric.PinnedBytes, size)
	}
	return at, err
}

// reuse finds memory that is there. The lock is held.
func (s *Pool) reuse(size int64) (Memory, bool) {
	if p, _, ok := s.free.Take(size, nil); ok {
		if p.slab == nil {
			s.whole--
			s.rest(-p.Size)
		} else {
			p.slab.out++
		}
		return p, true
	}
	if size >= pieceBytes {
		return Memory{}, false
	}
	if n := len(s.slabs); n > 0 && s.slabs[n-1].cut+size <= slabBytes {
		return s.piece(size), true
	}
	if n := len(s.empty); n > 0 {
		s.slabs, s.empty = append(s.slabs, s.empty[n-1]), s.empty[:n-1]
		s.rest(-slabBytes)
		return s.piece(size), true
	}
	return Memory{}, false
}

// piece cuts a block off the last slab.
func (s *Pool) piece(size int64) Memory {
	b := s.slabs[len(s.slabs)-1]
	p := Memory{unsafe.Add(b.at, b.cut), size, b}
	b.cut += size
	b.out++
	return p
}

// rest enters that idle memory became more.
func (s *Pool) rest(n int64) {
	s.idle += n
	s.gpu.Gauge(metric.PinnedIdleBytes, n)
}

// Put gives memory back that nothing uses. The context is current.
func (s *Pool) Put(p Memory) error {
	if p.Size == 0 {
		return nil
	}
	s.mu.Lock()
	s.keep(p)
	s.mu.Unlock()
	return s.shrink(idleStaging)
}

// keep puts memory on the free list. The lock is held.
func (s *Pool) keep(p Memory) {
	s.free.Put(p, p.Size, nil)
	if p.slab == nil {
		s.whole++
		s.rest(p.Size)
		return
	}
	if p.slab.out--; p.slab.out > 0 {
		return
	}
	// Nobody has a piece of the slab, so all of them are on the free list.
	s.free.DeleteFunc(func(o Memory) bool { return o.slab == p.slab })
	p.slab.cut = 0
	s.slabs = slices.DeleteFunc(s.slabs, func(b *slab) bool { return b == p.slab })
	s.empty = append(s.empty, p.slab)
	s.rest(slabBytes)
}

// shrink gives idle memory back to the driver until keep bytes are left: empty slabs, then
// blocks, the least recently used first.
func (s *Pool) shrink(keep int64) error {
	for {
		s.mu.Lock()
		at, size := s.spare(keep)
		s.mu.Unlock()
		if at == nil {
			return nil
		}
		s.gpu.Gauge(metric.PinnedBytes, -size)
		if err := s.gpu.Driver.MemFreeHost(at); err != nil {
			return err
		}
	}
}

// spare takes away what shrink gives back next.
func (s *Pool) spare(keep int64) (at unsafe.Pointer, size int64) {
	if s.idle <= keep {
		return nil, 0
	}
	if n := len(s.empty); n > 0 {
		at, size, s.empty = s.empty[n-1].at, slabBytes, s.empty[:n-1]
	} else {
		p, _, _, _ := s.free.TakeOldest(func(p Memory, _ int64) bool { return p.slab == nil })
		at, size = p.At, p.Size
		s.whole--
	}
	s.evictions++
	s.rest(-size)
	return at, size
}

// Cache says what is idle: empty slabs, and blocks that are no pieces of one.
func (s *Pool) Cache() driver.Cache {
	s.mu.Lock()
	defer s.mu.Unlock()
	return driver.Cache{Name: "staging", Entries: len(s.empty) + s.whole, Bytes: s.idle, Limit: idleStaging, Hits: s.hits, Misses: s.misses, Evictions: s.evictions}
}

// Flush gives idle memory back. The context is current.
func (s *Pool) Flush() error { return s.shrink(0) }

// Abandon writes memory off that goes with the context.
func (s *Pool) Abandon(p Memory) {
	if p.Size == 0 || p.slab != nil { // a slab with a piece in use is written off as a whole
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left += p.Size
	s.gpu.Gauge(metric.PinnedBytes, -p.Size)
}

// Drop frees everything that is kept, and returns the bytes that were left behind because a
// run may still touch them. A lost context has freed everything.
func (s *Pool) Drop(note func(error)) (left int64) {
	for before := int64(-1); !s.gpu.Lost() && s.idle != before; {
		before = s.idle // what could not be freed is gone; the rest gets its try
		note(s.shrink(0))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	inUse := int64(len(s.slabs)) * slabBytes
	s.gpu.Gauge(metric.PinnedBytes, -inUse-s.idle)
	s.rest(-s.idle)
	left = s.left + inUse
	s.slabs, s.empty, s.left, s.whole = nil, nil, 0, 0
	s.free.Reset()
	if s.gpu.Lost() {
		return 0
	}
	return left
}
