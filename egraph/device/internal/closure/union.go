package closure

import "github.com/govyre/vyre/gpu"

// A parent is never greater than its class, and a root is its own. So every way up ends, and the root of a set is its
// smallest class whatever the order of unions.

// Root returns the root of a class, and halves the way there.
func Root(parent []uint32, x uint32) uint32 {
	for {
		p := gpu.AtomicLoad(&parent[x])
		if p == x {
			return x
		}
		g := gpu.AtomicLoad(&parent[p])
		if g == p {
			return p
		}
		gpu.AtomicStore(&parent[x], g)
		x = g
	}
}

// Join makes one class of two, and returns 1 if they were two. If another invocation has put the greater root under a class
// meanwhile, that class may have lost a link by the minimum, so it is united as well.
func Join(parent []uint32, a, b uint32) uint32 {
	for {
		a, b = Root(parent, a), Root(parent, b)
		if a == b {
			return 0
		}
		high, low := max(a, b), min(a, b)
		old := gpu.AtomicMin(&parent[high], low)
		if old == high {
			return 1
		}
		a, b = old, low
	}
}
