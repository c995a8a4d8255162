package driver

// Reclaim gives back what is kept for later and nobody refers to: idle sequences that Dispatch
// keeps, idle buffers and static sets of pools. Devices call it when memory runs short, without a lock of their own.
func (c *Core) Reclaim() {
	c.mu.Lock()
	var all []*shapes
	for l := range c.leaves {
		l.mu.Lock()
		if l.shapes != nil {
			all = append(all, l.shapes)
		}
		l.mu.Unlock()
	}
	var pools []*Pool
	for p := range c.pools {
		pools = append(pools, p)
	}
	c.mu.Unlock()
	for _, s := range all {
		s.dropIdle()
	}
	for _, p := range pools {
		p.reclaim()
	}
}

// dropIdle closes the shapes that nobody uses.
func (c *shapes) dropIdle() {
	c.mu.Lock()
	idle := c.idle
	c.idle, c.bytes = nil, 0
	c.mu.Unlock()
	for _, sh := range idle {
		// What was computed was delivered; the caller of Dispatch has nothing to learn from it.
		_ = sh.seq.Close()
	}
}
