package cpu

import "sync/atomic"

// chunks deals out the numbers from 0 up to n, a run at a time, to whoever asks next.
type chunks struct {
	n, size int
	_       [cacheLine]byte
	next    atomic.Int64
	_       [cacheLine]byte
}

// reset begins again. No worker may be at it.
func (c *chunks) reset(n, size int) {
	c.n, c.size = n, size
	c.next.Store(0)
}

// take returns the next run, until there is none.
func (c *chunks) take() (from, to int, ok bool) {
	from = int(c.next.Add(int64(c.size))) - c.size
	return from, min(from+c.size, c.n), from < c.n
}
