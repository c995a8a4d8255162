package driver

import (
	"slices"
	"sync/atomic"

	"github.com/govyre/vyre/internal/metric"
)

// Cache says what a device keeps of one kind for later, and how often that has helped since the device was opened.
type Cache struct {
	// Name is kernels, images (of kernels, on disk), shapes (idle sequences of Dispatch), pools (idle buffers of pools), statics
	// (static sets of pools), memory (idle device memory), staging (idle pinned memory), streams (without a user), or tuning (group sizes).
	Name                    string
	Entries                 int
	Bytes                   int64 // 0 where they are not counted
	Limit                   int64 // of the bytes, or of the entries where no bytes are counted; 0 without one
	Hits, Misses, Evictions uint64
}

// cacheNames are the names in order.
var cacheNames = []string{"kernels", "images", "shapes", "pools", "statics", "memory", "staging", "streams", "tuning"}

// cacheUse counts how one helps.
type cacheUse struct{ hits, misses, evictions atomic.Uint64 }

func (u *cacheUse) into(c *Cache) {
	c.Hits, c.Misses, c.Evictions = u.hits.Load(), u.misses.Load(), u.evictions.Load()
}

func (u *cacheUse) ask(hit bool) {
	if hit {
		u.hits.Add(1)
	} else {
		u.misses.Add(1)
	}
}

// AllCaches returns the caches of a device, one of each name: those that the device has itself, and those that all devices share. What a
// device does not have is empty.
func (c *Core) AllCaches(own ...Cache) []Cache {
	shapes, pools, statics, tuning := c.keptShapes(), Cache{Name: "pools"}, Cache{Name: "statics"}, c.keptSizes()
	for _, p := range c.allPools() {
		p.keptIn(&pools, &statics)
	}
	pools.Hits, pools.Misses, pools.Evictions = c.counted(metric.PoolHits), c.counted(metric.PoolMisses), c.counted(metric.PoolEvictions)
	statics.Hits, statics.Misses, statics.Evictions = c.counted(metric.StaticHits), c.counted(metric.StaticMisses), c.counted(metric.StaticEvictions)
	own = append(own, shapes, pools, statics, tuning)
	all := make([]Cache, len(cacheNames))
	for i, name := range cacheNames {
		all[i].Name = name
		if at := slices.IndexFunc(own, func(c Cache) bool { return c.Name == name }); at >= 0 {
			all[i] = own[at]
		}
	}
	return all
}

// counted returns what a counter has counted since the device was opened.
func (c *Core) counted(m Metric) uint64 { return uint64(c.Now(m)) }

// Forget gives back what Reclaim does, and forgets the group sizes that files may tell again. Devices call it in Flush.
func (c *Core) Forget() {
	c.Reclaim()
	m := &c.measured
	m.mu.Lock()
	defer m.mu.Unlock()
	m.use.evictions.Add(uint64(len(m.sizes)))
	clear(m.sizes)
}

// allShapes returns what kernels keep for Dispatch.
func (c *Core) allShapes() (all []*shapes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for l := range c.leaves {
		l.mu.Lock()
		if l.shapes != nil {
			all = append(all, l.shapes)
		}
		l.mu.Unlock()
	}
	return all
}

func (c *Core) allPools() (all []*Pool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.pools {
		all = append(all, p)
	}
	return all
}

func (c *Core) keptShapes() Cache {
	k := Cache{Name: "shapes"}
	c.shapeUse.into(&k)
	for _, s := range c.allShapes() {
		s.mu.Lock()
		k.Entries += len(s.idle)
		k.Bytes += s.bytes
		k.Limit += s.limit
		s.mu.Unlock()
	}
	return k
}

func (c *Core) keptSizes() Cache {
	m := &c.measured
	m.mu.Lock()
	defer m.mu.Unlock()
	k := Cache{Name: "tuning", Entries: len(m.sizes), Limit: mostSizes}
	m.use.into(&k)
	return k
}

// keptIn adds what the pool keeps. A set that is being made right now is not waited for.
func (p *Pool) keptIn(idle, sets *Cache) {
	p.mu.Lock()
	for _, list := range p.idle {
		idle.Entries += len(list)
	}
	idle.Bytes += p.bytes
	idle.Limit += p.o.Budget
	sets.Limit += p.o.StaticBudget
	p.mu.Unlock()
	s := &p.statics
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	for _, list := range s.entries {
		sets.Entries += len(list)
	}
	sets.Bytes += s.bytes
}
