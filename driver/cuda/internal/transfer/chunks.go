package transfer

import "sync/atomic"

// chunks tells who copies which chunk of a transfer, and what has been copied. Chunks have numbers
// that go on from one transfer to the next: somebody who was about to claim a chunk of a transfer
// that is over cannot get one of another. Chunk n has the place n % slots of the ring.
type chunks struct {
	slots   int64
	open    atomic.Int64 // chunks below may be copied
	claimed atomic.Int64 // chunks below have somebody who copies them; never below open between transfers
	end     atomic.Int64 // the number after the last of the transfer
	copied  [ringSlots]atomic.Int64
}

// announce begins a transfer of n chunks, and returns the number of the first.
func (c *chunks) announce(n int64) (first int64) {
	first = c.claimed.Load()
	c.end.Store(first + n)
	return first
}

// claim takes the next chunk that may be copied.
func (c *chunks) claim() (n int64, ok bool) {
	for {
		n = c.claimed.Load()
		if n >= c.open.Load() {
			return 0, false
		}
		if c.claimed.CompareAndSwap(n, n+1) {
			return n, true
		}
	}
}

// left returns how many chunks of the transfer nobody has claimed.
func (c *chunks) left() int64 { return c.end.Load() - c.claimed.Load() }

// finish notes that a chunk was copied.
func (c *chunks) finish(n int64) { c.copied[n%c.slots].Store(n + 1) }

// finished reports whether a chunk was copied.
func (c *chunks) finished(n int64) bool { return c.copied[n%c.slots].Load() == n+1 }

// revoke ends the transfer: no chunk of it can be claimed any more. It returns the number after
// the last that was.
func (c *chunks) revoke() int64 { return c.claimed.Swap(c.end.Load()) }
