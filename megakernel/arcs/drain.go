//vyre:library

package arcs

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Queue is what a drain works through. An item is a run of arcs, first and last in the halves of a
// u64, which is never 0. Every item that is published has a slot of its own, so tickets only grow.
// All of it is 0 at first.
type Queue struct {
	Slots   []uint64 // as many as Slots says: two totals, of nodes and arcs, then the items
	Control []uint32 // ControlWords: four counters a line of 128 bytes apart, and the record
}

// Words of Queue.Control.
const (
	taken     = 0  // tickets
	published = 32 // tickets
	done      = 64 // items
	left      = 96 // warps
	record    = 128

	// ControlWords is the length of Queue.Control, and RecordWord where in it the record stands.
	ControlWords = 160
	RecordWord   = record
)

// firstSlot is where the items begin, a line after the totals. The last word in front of it stays 0.
const firstSlot = 16

// patience is how many turns without work a warp waits before it looks whether any is left.
const patience = 16

// Split is the greatest number of arcs of an item: longer rows are cut, for everybody.
const Split = 64

// Slots returns how many slots the queue of a graph needs, for waves that report each node at most
// once: one a node, and one more for every Split arcs.
func Slots(nodes, arcs uint64) uint64 { return firstSlot + nodes + arcs/Split + 1 }

// items is how many items a run of arcs makes.
func items(first, last uint32) uint32 { return (last - first + Split - 1) / Split }

// child is a node that an arc leads to: its own arcs, none unless it was found.
type child struct {
	first, last uint32
	found       bool
}

// Groups of a drain have at most maxWarps warps. A warp has room for what its lanes can find in one
// turn: four children each, and an item that came.
const (
	maxWarps = 8
	room     = 32 * 5
)

// MaxThreads is the greatest group size of a kernel that calls Drain.
const MaxThreads = 32 * maxWarps

// Drain walks all arcs that can be reached from the seeds, the first n nodes of the list, which the
// wave counts as reached. It runs in one cooperative launch of groups of at most MaxThreads, and
// every warp stays until nothing is left anywhere.
//
// A lane without work takes a ticket and looks at its slot, also while it works on what came
// another way. A child is kept if the lane has nothing else; others go to lanes of the warp that have
// nothing; the rest is published, for whoever holds the next tickets. The end is found by counting:
// items done, read first, are as many as were published; then nobody works, since only who works
// publishes. A warp has done what it took when none of its lanes has work.
func Drain[W Wave](t gpu.Thread, w W, g Graph, seeds []uint32, n uint32, q Queue) {
	for i := t.Global().X; i < n; i += t.Groups().X * t.GroupSize().X {
		v := seeds[i]
		c := child{first: g.Offsets[v], last: g.Offsets[v+1]}
		if c.first < c.last {
			q.put(gpu.AtomicAdd(&q.Control[published], items(c.first, c.last)), c)
		}
	}
	t.GridBarrier()

	const none = ^uint32(0)
	pool := gpu.Shared[uint64](t, maxWarps*room)
	mine := t.Warp() * room // where in the pool
	var first, last uint32  // arcs that the lane has still to look at; equal if it has no work
	slot := none            // of the ticket that it holds
	var held child          // an item that came while the lane had work
	var came uint32         // items taken, not yet reported as done
	var found, seen uint32
	if t.Global().X == 0 {
		found = n // the seeds
	}
	turns := uint32(0) // without work, since it was last looked whether any is left
	for {
		// What is asked for here comes back while the warp works: nothing of it is looked at before.
		want := t.Ballot(first == last && slot == none)
		base := tickets(t, q, want)
		at := uint32(firstSlot - 1)
		if slot < uint32(len(q.Slots))-firstSlot {
			at = firstSlot + slot
		}
		item := gpu.AtomicLoad(&q.Slots[at])
		var a, b, c, d child
		if t.Any(first < last) {
			turns = 0
			a, b, c, d = look4(t, w, g, first, last)
			seen += min(last-first, 4)
			first += min(last-first, 4)
			found += one(a) + one(b) + one(c) + one(d)
			if first == last { // go on with a child, if there is one
				a, b = order(a, b)
				c, d = order(c, d)
				a, c = order(a, c)
				first = a.first
				last = min(a.last, a.first+Split)
				a.first = last
			}
			if t.Any(items(a.first, a.last)|items(b.first, b.last)|items(c.first, c.last)|items(d.first, d.last) > 1) {
				a, b, c, d = share(t, q, a, b, c, d)
			}
		}
		if item != 0 {
			held = unpack(item)
			slot = none
			came++
		}
		if want != 0 {
			base = gpu.Shuffle(t, base, leader(want))
			if want>>t.Lane()&1 != 0 {
				slot = base + below(t, want)
			}
		}
		if first == last {
			first, last, held.first = held.first, held.last, held.last
		}
		first, last, held = spread(t, q, pool, mine, first, last, a, b, c, d, held)
		if t.Any(first < last) {
			continue
		}
		// The counters are what those add to who have work, so they are not looked at all the time.
		if turns++; turns%patience != 0 {
			continue
		}
		if over(t, q, came) {
			break
		}
		came = 0
	}
	finish(t, q, n, found, seen)
}

// tickets takes as many as lanes want one, with one addition for the warp, and returns the first to the lane that leads them.
func tickets(t gpu.Thread, q Queue, want uint32) (base uint32) {
	if want != 0 && t.Lane() == leader(want) {
		base = gpu.AtomicAdd(&q.Control[taken], uint32(bits.OnesCount32(want)))
	}
	return base
}

// leader is the first lane of a ballot.
func leader(lanes uint32) uint32 { return uint32(bits.TrailingZeros32(lanes)) }

// below counts those of a ballot that stand before the lane.
func below(t gpu.Thread, lanes uint32) uint32 {
	return uint32(bits.OnesCount32(lanes & (1<<t.Lane() - 1)))
}

// spread gives items that came, and what lanes found, to lanes of the warp without work, and publishes
// what was found beyond that. What came is never published again, so the slots suffice: it waits
// with its lane. It returns the arcs of the lane, and what it holds.
func spread(t gpu.Thread, q Queue, pool []uint64, at, first, last uint32, a, b, c, d, held child) (uint32, uint32, child) {
	as, bs, cs, ds := t.Ballot(a.first < a.last), t.Ballot(b.first < b.last), t.Ballot(c.first < c.last), t.Ballot(d.first < d.last)
	holders := t.Ballot(held.first < held.last)
	if as|bs|cs|ds|holders == 0 {
		return first, last, held
	}
	idle := t.Ballot(first == last)
	given := uint32(bits.OnesCount32(idle))
	front := min(uint32(bits.OnesCount32(holders)), given)
	if held.first < held.last && below(t, holders) < front {
		pool[at+below(t, holders)] = pack(held.first, held.last)
		held.first = held.last
	}
	// Each child is one item by now, so ballots number them, which is faster than a scan.
	total := front
	total += a.into(t, pool, at+total, as)
	total += b.into(t, pool, at+total, bs)
	total += c.into(t, pool, at+total, cs)
	total += d.into(t, pool, at+total, ds)
	t.WarpBarrier()
	if first == last && below(t, idle) < total {
		got := unpack(pool[at+below(t, idle)])
		first, last = got.first, got.last
	}
	if given < total {
		base := uint32(0)
		if t.Lane() == 0 {
			base = gpu.AtomicAdd(&q.Control[published], total-given)
		}
		base = gpu.Shuffle(t, base, 0)
		for k := given + t.Lane(); k < total; k += 32 {
			q.store(base+k-given, pool[at+k])
		}
	}
	t.WarpBarrier()
	return first, last, held
}

// into stores the runs of arcs of those lanes that have any, one after another, and returns how many they are.
func (c child) into(t gpu.Thread, pool []uint64, k, lanes uint32) uint32 {
	if c.first < c.last {
		pool[k+below(t, lanes)] = pack(c.first, c.last)
	}
	return uint32(bits.OnesCount32(lanes))
}

func pack(first, last uint32) uint64 { return uint64(first)<<32 | uint64(last) }

func unpack(item uint64) child { return child{first: uint32(item >> 32), last: uint32(item)} }

// order returns the two with one that is not empty first, if there is one.
func order(a, b child) (child, child) {
	if a.first == a.last { // found is not looked at any more
		return b, a
	}
	return a, b
}

func one(c child) uint32 {
	if c.found {
		return 1
	}
	return 0
}

// look4 walks up to four arcs, whose loads and claims are in flight together. Where there are fewer, it walks the last one
// again, which finds nothing: a claim of its own behind a branch for each would have to come back before the next one begins.
func look4[W Wave](t gpu.Thread, w W, g Graph, k, last uint32) (a, b, c, d child) {
	end := max(last, 1) - 1 // a lane without work looks somewhere, too
	ka, kb, kc, kd := min(k, end), min(k+1, end), min(k+2, end), min(k+3, end)
	ta, tb, tc, td := g.Targets[ka], g.Targets[kb], g.Targets[kc], g.Targets[kd]
	a.first, a.last = g.Offsets[ta], g.Offsets[ta+1]
	b.first, b.last = g.Offsets[tb], g.Offsets[tb+1]
	c.first, c.last = g.Offsets[tc], g.Offsets[tc+1]
	d.first, d.last = g.Offsets[td], g.Offsets[td+1]
	ma, mb, mc, md := gpu.At(g.Masks, ka), gpu.At(g.Masks, kb), gpu.At(g.Masks, kc), gpu.At(g.Masks, kd)
	if k < last {
		a.found, b.found = w.Arc(t, 0, ta, ma), w.Arc(t, 0, tb, mb)
		c.found, d.found = w.Arc(t, 0, tc, mc), w.Arc(t, 0, td, md)
	}
	return a.settled(), b.settled(), c.settled(), d.settled()
}

// settled is the child with no arcs if it was not found.
func (c child) settled() child {
	if !c.found {
		c.last = c.first
	}
	return c
}

// share publishes children with more arcs than an item has, with one addition for the warp, and
// returns the others.
func share(t gpu.Thread, q Queue, a, b, c, d child) (child, child, child, child) {
	var la, lb, lc, ld child
	a, la = a.long()
	b, lb = b.long()
	c, lc = c.long()
	d, ld = d.long()
	n := items(la.first, la.last) + items(lb.first, lb.last) + items(lc.first, lc.last) + items(ld.first, ld.last)
	before := gpu.ExclusiveScanAdd(t, n)
	base := uint32(0)
	if t.Lane() == 31 {
		base = gpu.AtomicAdd(&q.Control[published], before+n)
	}
	at := gpu.Shuffle(t, base, 31) + before
	at = q.put(at, la)
	at = q.put(at, lb)
	at = q.put(at, lc)
	q.put(at, ld)
	return a, b, c, d
}

// long splits a child into one of a single item and one of several; one of the two is empty.
func (c child) long() (short, long child) {
	if items(c.first, c.last) > 1 {
		return child{}, c
	}
	return c, child{}
}

// put stores the items of a run of arcs in slots from at on, and returns the next one.
func (q Queue) put(at uint32, c child) uint32 {
	for c.first < c.last {
		end := min(c.last, c.first+Split)
		q.store(at, pack(c.first, end))
		c.first = end
		at++
	}
	return at
}

// store stores an item. A queue as large as Slots says has a slot for it.
func (q Queue) store(at uint32, item uint64) {
	if at < uint32(len(q.Slots))-firstSlot {
		gpu.AtomicStore(&q.Slots[firstSlot+at], item)
	}
}

// over reports as done what the warp took, and whether nothing is left anywhere.
func over(t gpu.Thread, q Queue, came uint32) bool {
	n := gpu.ReduceAdd(t, came)
	end := uint32(0)
	if t.Lane() == 0 {
		if n != 0 { // what was published before is seen by who sees this
			gpu.AtomicAddOrdered(&q.Control[done], n, gpu.Release, gpu.Device)
		}
		finished := gpu.AtomicLoadOrdered(&q.Control[done], gpu.Acquire, gpu.Device)
		if finished == gpu.AtomicLoad(&q.Control[published]) {
			end = 1
		}
	}
	return gpu.Shuffle(t, end, 0) != 0
}

// finish adds up what the warp found; the last one to leave writes the record.
func finish(t gpu.Thread, q Queue, n, found, seen uint32) {
	items, arcs := gpu.ReduceAdd(t, uint64(found)), gpu.ReduceAdd(t, uint64(seen))
	if t.Lane() != 0 {
		return
	}
	gpu.AtomicAdd(&q.Slots[0], items)
	gpu.AtomicAdd(&q.Slots[1], arcs)
	warps := t.Groups().X * (t.GroupSize().X / 32)
	if gpu.AtomicAddOrdered(&q.Control[left], 1, gpu.AcqRel, gpu.Device) != warps-1 {
		return
	}
	items, arcs = gpu.AtomicLoad(&q.Slots[0]), gpu.AtomicLoad(&q.Slots[1])
	q.Control[record] = 0x5659_0001 // see megakernel.Record
	q.Control[record+1] = 1         // converged
	q.Control[record+3] = 0
	if items > uint64(n) {
		q.Control[record+3] = 1
	}
	q.Control[record+6], q.Control[record+7] = uint32(items), uint32(items>>32)
	q.Control[record+8], q.Control[record+9] = uint32(arcs), uint32(arcs>>32)
	q.Control[record+10] = 1
	q.Control[record+14], q.Control[record+15] = uint32(items), uint32(items>>32)
}
