package driver

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/govyre/vyre/internal/identity"
	"github.com/govyre/vyre/internal/metric"
)

// PoolOptions adjusts a pool. The zero value is fine.
type PoolOptions struct {
	Budget       int64 // bytes that may be idle; 0 is 1/32 of the device's memory
	StaticBudget int64 // bytes of static sets that may be kept; 0 is the same
	// TrustDigest takes equal digests of payloads for equal payloads. Without it a host copy is
	// kept beside each set, and compared.
	TrustDigest bool
}

// Pool serves work that asks for the same sizes, or the same constant bytes, again and again.
// It is safe for use from any goroutine. To the device an idle buffer of a pool is in use; it
// is given back when memory runs short.
type Pool struct {
	dev  Device
	core *Core
	o    PoolOptions

	mu     sync.Mutex
	closed bool
	out    map[uint64]*Leaf   // of buffers given out, by ID
	idle   map[int64][]Buffer // by length, the oldest first
	bytes  int64              // idle

	statics statics
}

// NewPool returns a pool of a device's memory; devices call it.
func NewPool(d Device, o PoolOptions) *Pool {
	share := d.Caps().TotalMemory / 32
	o.Budget, o.StaticBudget = cmp.Or(o.Budget, share), cmp.Or(o.StaticBudget, share)
	p := &Pool{dev: d, core: d.core(), o: o, out: map[uint64]*Leaf{}, idle: map[int64][]Buffer{}}
	p.statics = statics{pool: p, entries: map[[32]byte][]*staticEntry{}, key: staticKey}
	p.closed = !p.core.enterPool(p)
	return p
}

func staticKey(domain uint64, payloads [][]byte) [32]byte {
	return identity.Key("vyre.static.v1", domain, 0, payloads...)
}

// absent returns nil, or the error of a pool that is nil or that no device made.
func (p *Pool) absent(op string) error {
	if p != nil && p.core != nil {
		return nil
	}
	return &Error{Op: op, Kind: InvalidArgument, Msg: "the pool is nil, or was not made by a device", Fix: "make one with NewPool"}
}

func (p *Pool) refuse(op, label string, kind Kind, fix, format string, args ...any) error {
	return p.core.Fail(&Error{Op: op, Label: label, Device: p.core.name, Kind: kind, Msg: fmt.Sprintf(format, args...), Fix: fix})
}

// Get returns an idle buffer of exactly n bytes, or allocates one. Its contents are undefined.
func (p *Pool) Get(n int64) (Buffer, error) {
	if err := p.absent("get"); err != nil {
		return nil, err
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, p.refuse("get", "", Closed, "", "pool was closed")
	}
	for list := p.idle[n]; len(list) > 0; list = p.idle[n] {
		b := list[len(list)-1]
		p.idle[n] = list[:len(list)-1]
		p.bytes -= n
		if closed, _ := b.leaf().state(); closed {
			continue // by who had put it back
		}
		p.out[b.ID()] = b.leaf()
		p.mu.Unlock()
		p.core.Count(metric.PoolHits, 1)
		return b, nil
	}
	p.mu.Unlock()
	// Memory that runs short may be taken from this pool, so nothing is held.
	p.core.Count(metric.PoolMisses, 1)
	b, err := p.dev.Alloc(n, AllocOptions{Label: "pool"})
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out[b.ID()] = b.leaf()
	return b, nil
}

// GetAll returns one buffer a size, or none.
func (p *Pool) GetAll(sizes ...int64) ([]Buffer, error) {
	var all []Buffer
	for _, n := range sizes {
		b, err := p.Get(n)
		if err != nil {
			for _, done := range all {
				// Nobody else has seen it, so it is not refused.
				_ = p.Put(done)
			}
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// Put gives a buffer back that Get returned. It answers Busy while a prepared sequence refers
// to the buffer.
func (p *Pool) Put(b Buffer) error {
	if err := p.absent("put"); err != nil {
		return err
	}
	if b == nil {
		return p.refuse("put", "", InvalidArgument, "", "the buffer is nil")
	}
	b, ok := own(b)
	if !ok {
		return p.refuse("put", "", InvalidArgument, "pass what Get returned", "%s", foreign(b, "buffer"))
	}
	p.mu.Lock()
	if _, ours := p.out[b.ID()]; !ours {
		p.mu.Unlock()
		return p.refuse("put", b.Label(), InvalidArgument, "", "the buffer is not from this pool, or was put back already")
	}
	closed, holders := b.leaf().state()
	if holders != "" {
		p.mu.Unlock()
		return p.refuse("put", b.Label(), Busy, "close what holds it first", "buffer is held by %s", holders)
	}
	delete(p.out, b.ID())
	var drop []Buffer
	switch n := b.Len(); {
	case closed:
	case p.closed || n > p.o.Budget:
		drop = append(drop, b)
	default:
		for p.bytes+n > p.o.Budget {
			drop = append(drop, p.evict())
		}
		p.idle[n] = append(p.idle[n], b)
		p.bytes += n
	}
	p.mu.Unlock()
	return p.free(drop)
}

// evict takes away an idle buffer: the oldest of the largest ones. The lock is held.
func (p *Pool) evict() Buffer {
	largest := int64(-1)
	for n, list := range p.idle {
		if len(list) > 0 {
			largest = max(largest, n)
		}
	}
	list := p.idle[largest]
	b := list[0]
	p.idle[largest] = slices.Delete(list, 0, 1)
	p.bytes -= largest
	p.core.Count(metric.PoolEvictions, 1)
	return b
}

// free closes buffers that nobody has, and returns the first error.
func (p *Pool) free(all []Buffer) error {
	var first error
	for _, b := range all {
		if err := b.Close(); first == nil {
			first = err
		}
	}
	return first
}

// takeIdle takes all idle buffers. The lock is held.
func (p *Pool) takeIdle() []Buffer {
	var all []Buffer
	for _, list := range p.idle {
		all = append(all, list...)
	}
	p.idle, p.bytes = map[int64][]Buffer{}, 0
	return all
}

// reclaim gives back what nobody refers to. Statics that are being made are left alone.
func (p *Pool) reclaim() {
	p.mu.Lock()
	idle := p.takeIdle()
	p.mu.Unlock()
	// Nobody refers to the buffers, so closing them is not refused.
	_ = p.free(idle)
	p.statics.reclaim()
}

// Close frees everything. It answers Busy while buffers or static sets are out. Closing again
// does nothing.
func (p *Pool) Close() error {
	if err := p.absent("close"); err != nil {
		return err
	}
	p.statics.mu.Lock()
	defer p.statics.mu.Unlock()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	for id, l := range p.out {
		if closed, _ := l.state(); closed {
			delete(p.out, id) // by its user, which is allowed
		}
	}
	if n, m := len(p.out), p.statics.refs; n+m > 0 {
		p.mu.Unlock()
		return p.refuse("close", "pool", Busy, "put and release them first", "%d buffers and %d static sets are out", n, m)
	}
	p.closed = true
	idle := p.takeIdle()
	p.mu.Unlock()
	p.core.leavePool(p)
	err := p.free(idle)
	if e := p.statics.drop(); err == nil {
		err = e
	}
	return err
}

// revoke closes the pool because its device closes, which has closed the buffers.
func (p *Pool) revoke() {
	p.statics.mu.Lock()
	defer p.statics.mu.Unlock()
	p.mu.Lock()
	p.closed = true
	p.idle, p.bytes = map[int64][]Buffer{}, 0
	p.mu.Unlock()
	p.statics.forget()
}
