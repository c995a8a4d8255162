package plan

import (
	"context"
	"errors"
	"sync"

	"github.com/govyre/vyre/driver"
)

// DefaultCapacity is how many entries a cache keeps where nothing else is asked.
const DefaultCapacity = 256

// Cache keeps what was built for a key, the most recently used of it. Goroutines that want one key at the same time
// share one build, and nobody holds a lock meanwhile. It may be used from any goroutine.
type Cache[V any] struct {
	mu       sync.Mutex
	capacity int
	drop     func(V)
	entries  map[Key]*Entry[V]
	recent   Entry[V] // ring of what is built: next is the newest, prev the oldest
	stats    CacheStats
}

// CacheStats says how a cache was used.
type CacheStats struct {
	Hits, Misses, Evictions uint64
	Entries                 int    // that are built
	Bytes                   uint64 // of them
}

// Entry is one value of a cache, in use until it is released.
type Entry[V any] struct {
	value V
	bytes uint64
	key   Key
	cache *Cache[V]

	// Guarded by the cache's lock.
	prev, next *Entry[V]
	users      int

	done      chan struct{} // closed when value, bytes, err and abandoned are final
	err       error
	abandoned bool // whoever built it gave up; another may try
}

// NewCache returns a cache of so many entries; with 0 it keeps what is in use and nothing else. Drop, unless nil, is
// called once for each value that is evicted, when nobody uses it and no lock is held.
func NewCache[V any](capacity int, drop func(V)) *Cache[V] {
	c := &Cache[V]{capacity: max(capacity, 0), drop: drop, entries: make(map[Key]*Entry[V])}
	c.recent.prev, c.recent.next = &c.recent, &c.recent
	return c
}

// Get returns the entry of a key, which build makes if there is none: the value, and the bytes that it is counted as.
// Whoever gets an entry releases it. A value that is in use is not evicted, so a cache may hold more than its capacity
// for a while. A context that ends while another goroutine builds ends the wait, not the build; if the builder's own
// context ends, another caller that waits builds in its place. What build returns as an error goes to all who wait for
// it, and is not kept.
func (c *Cache[V]) Get(ctx context.Context, key Key, build func() (V, uint64, error)) (*Entry[V], error) {
	for {
		e, mine := c.enter(key)
		if mine {
			return c.build(ctx, e, build)
		}
		select {
		case <-e.done:
		default:
			if err := c.wait(ctx, e); err != nil {
				return nil, err
			}
		}
		switch {
		case e.err == nil:
			c.hit(e)
			return e, nil
		case !e.abandoned:
			return nil, e.err
		}
	}
}

// enter returns the entry of a key with one user more, and whether the caller has to build it.
func (c *Cache[V]) enter(key Key) (e *Entry[V], mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e = c.entries[key]; e != nil {
		e.users++
		return e, false
	}
	c.stats.Misses++
	e = &Entry[V]{key: key, cache: c, users: 1, done: make(chan struct{})}
	c.entries[key] = e
	return e, true
}

func (c *Cache[V]) wait(ctx context.Context, e *Entry[V]) error {
	select {
	case <-e.done:
		return nil
	case <-ctx.Done():
		e.Release()
		return &driver.Error{Op: "plan cache", Kind: driver.Canceled, Msg: "another caller is building the plan", Err: ctx.Err()}
	}
}

func (c *Cache[V]) hit(e *Entry[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Hits++
	e.unlink()
	c.front(e)
}

// build fills an entry that nobody else builds.
func (c *Cache[V]) build(ctx context.Context, e *Entry[V], build func() (V, uint64, error)) (*Entry[V], error) {
	e.err, e.abandoned = errPanicked, true // stands if build panics
	defer c.finish(e)
	e.value, e.bytes, e.err = build()
	if e.abandoned = e.err != nil && ctx.Err() != nil; e.err != nil {
		return nil, e.err
	}
	return e, nil
}

var errPanicked = errors.New("building panicked")

// finish makes an entry known to those who wait for it, or forgets it.
func (c *Cache[V]) finish(e *Entry[V]) {
	c.mu.Lock()
	if e.err != nil {
		delete(c.entries, e.key)
	} else {
		c.front(e)
		c.stats.Entries++
		c.stats.Bytes += e.bytes
	}
	close(e.done)
	evicted := c.trim()
	c.mu.Unlock()
	c.dropAll(evicted)
}

// Value returns what was built. It may be used until the entry is released.
func (e *Entry[V]) Value() V { return e.value }

// Release ends one use of the entry: it is called once for each Get.
func (e *Entry[V]) Release() {
	c := e.cache
	c.mu.Lock()
	e.users--
	evicted := c.trim()
	c.mu.Unlock()
	c.dropAll(evicted)
}

// Close evicts everything, and what is in use once that is released.
func (c *Cache[V]) Close() {
	c.mu.Lock()
	c.capacity = 0
	evicted := c.trim()
	c.mu.Unlock()
	c.dropAll(evicted)
}

// Stats returns how the cache was used so far.
func (c *Cache[V]) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// trim takes out the oldest entries that nobody uses while there are too many, and returns them chained by next.
func (c *Cache[V]) trim() (evicted *Entry[V]) {
	for e := c.recent.prev; e != &c.recent && c.stats.Entries > c.capacity; {
		newer := e.prev
		if e.users == 0 {
			e.unlink()
			delete(c.entries, e.key)
			c.stats.Entries--
			c.stats.Bytes -= e.bytes
			c.stats.Evictions++
			e.next, evicted = evicted, e
		}
		e = newer
	}
	return evicted
}

func (c *Cache[V]) dropAll(evicted *Entry[V]) {
	for ; evicted != nil && c.drop != nil; evicted = evicted.next {
		c.drop(evicted.value)
	}
}

// front makes e the newest.
func (c *Cache[V]) front(e *Entry[V]) {
	e.prev, e.next = &c.recent, c.recent.next
	e.prev.next, e.next.prev = e, e
}

func (e *Entry[V]) unlink() { e.prev.next, e.next.prev = e.next, e.prev }
