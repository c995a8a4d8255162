package timeline

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
)

// Streams hands out streams. They stay until the device closes: the buffers that runs have
// touched refer to them.
type Streams struct {
	// Most is how many there are before several users share one: maxStreams, or less.
	Most int

	gpu   *primary.Context
	pool  *pinned.Pool
	mu    sync.Mutex
	all   []*Stream
	idle  []*Stream     // without users
	words pinned.Memory // wordBytes for each; nothing without the store
	at    cu.Ptr        // where the GPU finds them

	hits, misses uint64
}

// NewStreams returns the streams of a context, of which there are none.
func NewStreams(gpu *primary.Context, pool *pinned.Pool) *Streams {
	return &Streams{Most: maxStreams, gpu: gpu, pool: pool}
}

// maxStreams is how many there are before several users share one.
const maxStreams = 128

// wordBytes keeps two words out of one cache line.
const wordBytes = 64

// Open finds out whether a stream can tell the host that it got somewhere, by trying. Without
// that, events do; so what fails here is no reason not to open the device, unless it is lost, or
// the store may still come: the words are pinned memory that others get next.
func (p *Streams) Open() error {
	d := p.gpu
	if !d.Driver.Has(cu.MemOp) {
		return nil
	}
	if err := d.Enter("open", d.Name()); err != nil {
		return err
	}
	defer d.Leave()
	words, err := p.pool.Get(maxStreams * wordBytes)
	if err == nil {
		p.words = words
		p.at, err = d.Driver.MemHostGetDevicePointer(words.At)
	}
	settled := true
	if err == nil {
		settled, err = p.try()
	}
	if err != nil {
		if e := d.ErrorOf("open", d.Name(), err); e.Sticky || !settled {
			return e
		}
	}
	if d.Caps.StreamFlag {
		return nil
	}
	for _, s := range p.all {
		s.word, s.wordAt = nil, 0
	}
	words, p.words = p.words, pinned.Memory{}
	if err := p.pool.Put(words); err != nil {
		return d.ErrorOf("open", d.Name(), err)
	}
	return nil
}

// try ends a run of nothing, and looks whether the host sees that. It reports whether the store has
// been waited for, or was never enqueued.
func (p *Streams) try() (settled bool, err error) {
	s, err := p.Get()
	if err != nil {
		return true, err
	}
	defer p.Put(s)
	value, err := s.Begin(context.Background(), nil)
	if err == nil {
		err = s.Finish(value, false, false)
	}
	settled = true
	if err == nil {
		err = p.gpu.Driver.StreamSynchronize(s.Handle)
		settled = err == nil
	}
	p.gpu.Caps.StreamFlag = err == nil && flagged(value, s.word, &s.issued)
	s.End(value)
	return settled, err
}

// Get returns a stream. The context is current.
func (p *Streams) Get() (*Stream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		s.users = 1
		p.hits++
		return s, nil
	}
	p.misses++
	if len(p.all) < p.Most {
		s, err := p.make()
		if err != nil {
			return nil, err
		}
		s.users = 1
		return s, nil
	}
	least := p.all[0]
	for _, s := range p.all {
		if s.users < least.users {
			least = s
		}
	}
	least.users++
	return least, nil
}

// make creates a stream. The caller has the lock.
func (p *Streams) make() (*Stream, error) {
	drv, s := p.gpu.Driver, &Stream{gpu: p.gpu}
	if d, ok := drv.(cu.Idle); ok {
		s.idle = d.IdleBetweenCalls()
	}
	var err error
	if s.Handle, err = drv.StreamCreate(cu.StreamNonBlocking); err != nil {
		return nil, err
	}
	if s.mark, err = drv.EventCreate(cu.EventBlockingSync | cu.EventDisableTiming); err != nil {
		_ = drv.StreamDestroy(s.Handle) // the first error is the one to report
		return nil, err
	}
	if p.words.Size > 0 {
		offset := len(p.all) * wordBytes
		s.word = (*uint32)(unsafe.Add(p.words.At, offset)) // aligned, and outside Go's heap: the GPU stores there
		s.wordAt = p.at + cu.Ptr(offset)
		atomic.StoreUint32(s.word, 0)
	}
	p.all = append(p.all, s)
	return s, nil
}

// Put gives a stream back. Runs of others may still be on it.
func (p *Streams) Put(s *Stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.users--; s.users == 0 {
		p.idle = append(p.idle, s)
	}
}

// Cache says how many are without a user.
func (p *Streams) Cache() driver.Cache {
	p.mu.Lock()
	defer p.mu.Unlock()
	return driver.Cache{Name: "streams", Entries: len(p.idle), Limit: int64(p.Most), Hits: p.hits, Misses: p.misses}
}

// Drop destroys all streams; a lost context has done so.
func (p *Streams) Drop(note func(error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gpu.Lost() {
		for _, s := range p.all {
			note(p.gpu.Driver.EventDestroy(s.mark))
			note(p.gpu.Driver.StreamDestroy(s.Handle))
		}
		note(p.pool.Put(p.words))
	} else {
		p.pool.Abandon(p.words)
	}
	p.all, p.idle, p.words = nil, nil, pinned.Memory{}
}
