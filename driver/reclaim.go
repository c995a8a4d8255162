package driver

// Reclaim gives back what is kept for later and nobody refers to: idle sequences that Dispatch
// keeps, idle buffers and static sets of pools. Devices call it when memory runs short, without a lock of their own.
func (c *Core) Reclaim() {
	for _, s := range c.allShapes() {
		s.dropIdle(&c.shapeUse)
	}
	for _, p := range c.allPools() {
		p.reclaim()
	}
}

// dropIdle closes the shapes that nobody uses.
func (c *shapes) dropIdle(use *cacheUse) {
	c.mu.Lock()
	idle := c.idle
	c.idle, c.bytes = nil, 0
	c.mu.Unlock()
	use.evictions.Add(uint64(len(idle)))
	for _, sh := range idle {
		// What was computed was delivered; the caller of Dispatch has nothing to learn from it.
		_ = sh.seq.Close()
	}
}
