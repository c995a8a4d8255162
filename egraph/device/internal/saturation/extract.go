package saturation

import "github.com/govyre/vyre/gpu"

// most is where costs of trees stop growing.
const most = 1 << 62

// Extract takes a step to the cheapest terms. While costing, it lowers the cost of each class to that of its cheapest
// row, over and over until nothing changes. Then each class chooses the least of its rows of that cost, by rows that
// its children have chosen; what is below settles first. At last the rows of the wanted terms are written down.
//
//vyre:kernel workgroup=256
func Extract(t gpu.Thread, header, heads []uint32, costs, keys []uint64, root, count []uint32, cost []uint64, chosen, list []uint32, listKey []uint64, foundClass []uint32, foundKey []uint64, counters []uint32) {
	phase := header[Phase]
	if phase == Closing || phase == Done {
		return
	}
	done := uint32(0)
	for base := t.Group().X * 256; base < header[Listed]; base += t.Groups().X * 256 {
		i := base + t.Local().X
		if i >= header[Listed] {
			continue
		}
		k, s := listKey[i]&^New, list[i]
		r, head := root[s], heads[Head(k)]
		if phase == marking {
			done += mark(k, s, r, head, count, chosen, foundClass, foundKey, counters)
			continue
		}
		sum := price(k, head, costs, cost)
		if sum >= most {
			continue
		}
		if phase == costing {
			if gpu.AtomicLoad(&cost[r]) > sum && gpu.AtomicMin(&cost[r], sum) > sum {
				done++
			}
			continue
		}
		if sum == gpu.AtomicLoad(&cost[r]) {
			done += choose(k, s, r, heads, keys, cost, chosen)
		}
	}
	add(t, counters, progress, done)
}

// price is the cost of the cheapest tree that begins with a row.
func price(k uint64, head uint32, costs, cost []uint64) uint64 {
	sum := costs[Head(k)]
	if head&Kids >= 1 {
		c := gpu.AtomicLoad(&cost[First(k)])
		if c >= most {
			return most
		}
		sum += c
	}
	if head&Kids == 2 {
		c := gpu.AtomicLoad(&cost[Second(k)])
		if c >= most {
			return most
		}
		sum += c
	}
	return sum
}

// flipped is the bit of a choice, and of a row of a term, that says that the children of a commutative head are in the
// other order.
const (
	flipped = 1 << 31
	slots   = flipped - 1
)

// choose puts a row in the place of its class's choice if it is less, and returns 1 if it did.
func choose(k uint64, s, r uint32, heads []uint32, keys, cost []uint64, chosen []uint32) uint32 {
	if heads[Head(k)]&Commutative != 0 && before(Second(k), First(k), heads, keys, cost, chosen) {
		s |= flipped
	}
	for {
		was := gpu.AtomicLoad(&chosen[r])
		if was == s || was != None && was&slots != s&slots && !less(k, s, keys[was&slots], was, heads, keys, cost, chosen) {
			return 0
		}
		if gpu.AtomicCompareExchange(&chosen[r], was, s) == was {
			return 1
		}
	}
}

// child returns a child of a row, as its term has it.
func child(k uint64, choice uint32, second bool) uint32 {
	if (choice&flipped != 0) != second {
		return Second(k)
	}
	return First(k)
}

// less compares two rows of a class by head, then by their children in order.
func less(x uint64, xs uint32, y uint64, ys uint32, heads []uint32, keys, cost []uint64, chosen []uint32) bool {
	h := heads[Head(x)]
	if Head(x) != Head(y) || h&Kids == 0 {
		return x < y
	}
	a, b := child(x, xs, false), child(y, ys, false)
	if a == b {
		if h&Kids < 2 {
			return false
		}
		a, b = child(x, xs, true), child(y, ys, true)
	}
	return before(a, b, heads, keys, cost, chosen)
}

// before compares the terms of two classes by their costs, then as less does. Different classes are different terms, so
// the first children that differ decide, and one way down is walked. A class that has not chosen yet is not before
// another.
func before(a, b uint32, heads []uint32, keys, cost []uint64, chosen []uint32) bool {
	for range uint32(len(keys)) {
		p, q := gpu.AtomicLoad(&chosen[a]), gpu.AtomicLoad(&chosen[b])
		if a == b || p == None || q == None {
			return false
		}
		x, y := keys[p&slots], keys[q&slots]
		h := heads[Head(x)]
		if h&Hidden == 0 {
			if c, d := gpu.AtomicLoad(&cost[a]), gpu.AtomicLoad(&cost[b]); c != d {
				return c < d
			}
		}
		if Head(x) != Head(y) || h&Kids == 0 {
			return x < y
		}
		a, b = child(x, p, false), child(y, q, false)
		if a == b && h&Kids == 2 {
			a, b = child(x, p, true), child(y, q, true)
		}
	}
	return false
}

// mark writes down the row that a marked class has chosen, once, and marks its children.
func mark(k uint64, s, r, head uint32, count, chosen, foundClass []uint32, foundKey []uint64, counters []uint32) uint32 {
	choice := chosen[r]
	if choice&slots != s || gpu.AtomicLoad(&count[r])&(marked|written) != marked {
		return 0
	}
	gpu.AtomicOr(&count[r], written)
	if head&Kids >= 1 {
		gpu.AtomicOr(&count[First(k)], marked)
	}
	if head&Kids == 2 {
		gpu.AtomicOr(&count[Second(k)], marked)
	}
	at := gpu.AtomicAdd(&counters[out], 1)
	if at < uint32(len(foundClass)) {
		if choice&flipped != 0 {
			k |= New
		}
		foundClass[at], foundKey[at] = r, k
	}
	return 1
}
