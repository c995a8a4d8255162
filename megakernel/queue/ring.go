//vyre:library

package queue

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Item is a piece of work: an operation, and what it is about.
type Item struct {
	Op   uint32
	Args [3]uint32
}

// Work says what is done for an item. An item is checked before anything else; what is not known is
// not done.
type Work interface {
	// Check returns the greatest number of items that this one creates, or a reason other than 0 why it
	// cannot be done.
	Check(item Item) (most, reason uint32)
	// Do does the item, and returns how many items it creates.
	Do(t gpu.Thread, item Item) (children uint32)
	// Child returns one of those.
	Child(t gpu.Thread, item Item, k uint32) Item
}

// Ring is the memory of a queue. An item with ticket i stands in slot i modulo the capacity, which is
// the length of Sequence. The sequence word of a slot is the next ticket that may be stored there, and
// that ticket + 1 once it is.
type Ring struct {
	Sequence []uint64
	Items    []Item
	Control  []uint64 // ControlWords: counters 128 bytes apart, and the first faults
	Deferred []Item   // room for 32 items a warp
}

// Words of Ring.Control.
const (
	line         = 16
	wordHead     = 0 * line  // tickets that were taken
	wordTail     = 1 * line  // tickets that were given
	wordFree     = 2 * line  // credits: slots that may be stored to
	wordReady    = 3 * line  // credits: items that may be taken
	wordLive     = 4 * line  // items that are not done, wherever they are
	wordStop     = 5 * line  // 1 once an item was deferred
	wordFaults   = 6 * line  // items that could not be done
	wordPeak     = 7 * line  // most slots that were spoken for at once
	wordDone     = 8 * line  // items
	wordDeferred = 9 * line  // items in Deferred
	wordQuota    = 10 * line // items that this launch may still take
	wordMost     = 11 * line // greatest number of items that one may create

	wordRestored = wordMost + 1 // items that were deferred and are back; only between launches
	faultList    = 12 * line    // ticket, and operation with reason in the high half

	// ControlWords is the length of Ring.Control, and Faults how many faults it has room for.
	ControlWords = faultList + 2*Faults
	Faults       = 64
)

// NoQuota in the word of the quota lets a launch take all there is.
const NoQuota = ^uint64(0)

// A warp without items pauses so many nanoseconds between two looks, at first and after a while. The
// numbers are not tuned.
const (
	shortPause = 32
	longPause  = 1024
)

// TooMany is the reason of an item that creates more items than the queue was told of.
const TooMany = ^uint32(0)

// Run works until nothing is left, or until an item's children do not fit. All groups of the launch
// run at once, and have a multiple of 32 threads. One lane acts for its warp, which takes up to 32
// items, one a lane.
func Run[W Work](t gpu.Thread, w W, r Ring) {
	t.Resident() // warps wait for each other
	done, pause := uint32(0), uint32(shortPause)
	for {
		taken, head := r.take(t)
		if taken == 0 {
			if r.over(t) {
				break
			}
			gpu.Pause(pause)
			pause = min(2*pause, longPause)
			continue
		}
		pause = shortPause
		ticket := head + uint64(t.Lane())
		mine := t.Lane() < taken
		var item Item
		if mine {
			item = r.fetch(ticket)
		}
		t.WarpBarrier()
		if t.Lane() == 0 { // before working, so that a holder of a slot never waits for another
			gpu.AtomicAdd(&r.Control[wordFree], uint64(taken))
		}
		done += expand(t, w, r, item, mine, ticket, taken)
	}
	if n := gpu.ReduceAdd(t, done); t.Lane() == 0 && n != 0 {
		gpu.AtomicAdd(&r.Control[wordDone], uint64(n))
	}
}

// take takes credits for items, and their tickets.
func (r Ring) take(t gpu.Thread) (taken uint32, head uint64) {
	if t.Lane() == 0 && gpu.AtomicLoad(&r.Control[wordStop]) == 0 {
		if quota := r.allowed(); quota != 0 {
			taken = uint32(r.credits(wordReady, quota))
			r.giveBack(quota - uint64(taken))
			if taken != 0 {
				head = gpu.AtomicAdd(&r.Control[wordHead], uint64(taken))
			}
		}
	}
	return gpu.Shuffle(t, taken, 0), gpu.Shuffle(t, head, 0)
}

// allowed takes up to 32 items off the quota. Nothing is taken off while nothing is ready.
func (r Ring) allowed() uint64 {
	if gpu.AtomicLoad(&r.Control[wordReady]) == 0 {
		return 0
	}
	if gpu.AtomicLoad(&r.Control[wordQuota]) == NoQuota {
		return 32
	}
	return r.credits(wordQuota, 32)
}

// giveBack returns what was taken off the quota in vain.
func (r Ring) giveBack(n uint64) {
	if n != 0 && gpu.AtomicLoad(&r.Control[wordQuota]) != NoQuota {
		gpu.AtomicAdd(&r.Control[wordQuota], n)
	}
}

// credits takes up to n of a counter, which never goes below 0.
func (r Ring) credits(word uint32, n uint64) uint64 {
	have := gpu.AtomicLoad(&r.Control[word])
	for have != 0 {
		got := min(have, n)
		was := gpu.AtomicCompareExchange(&r.Control[word], have, have-got)
		if was == have {
			return got
		}
		have = was
	}
	return 0
}

// over reports whether there is nothing to wait for.
func (r Ring) over(t gpu.Thread) bool {
	end := uint32(0)
	if t.Lane() == 0 {
		if gpu.AtomicLoad(&r.Control[wordLive]) == 0 || gpu.AtomicLoad(&r.Control[wordStop]) != 0 || gpu.AtomicLoad(&r.Control[wordQuota]) == 0 {
			end = 1
		}
	}
	return gpu.Shuffle(t, end, 0) != 0
}

// slot is where a ticket's item stands.
func (r Ring) slot(ticket uint64) uint32 { return uint32(ticket % uint64(len(r.Sequence))) }

// fetch waits until the item of a ticket was stored, copies it and frees its slot.
func (r Ring) fetch(ticket uint64) Item {
	s := r.slot(ticket)
	for gpu.AtomicLoadOrdered(&r.Sequence[s], gpu.Acquire, gpu.Device) != ticket+1 {
		gpu.Pause(shortPause)
	}
	item := r.Items[s]
	gpu.AtomicStoreOrdered(&r.Sequence[s], ticket+uint64(len(r.Sequence)), gpu.Release, gpu.Device)
	return item
}

// store waits until the slot of a ticket is free, and stores its item.
func (r Ring) store(ticket uint64, item Item) {
	s := r.slot(ticket)
	for gpu.AtomicLoadOrdered(&r.Sequence[s], gpu.Acquire, gpu.Device) != ticket {
		gpu.Pause(shortPause)
	}
	r.Items[s] = item
	gpu.AtomicStoreOrdered(&r.Sequence[s], ticket+1, gpu.Release, gpu.Device)
}

// expand does the items of a warp whose children surely have room, and defers the others. It returns
// how many of the lane's it did.
func expand[W Work](t gpu.Thread, w W, r Ring, item Item, mine bool, ticket uint64, taken uint32) (done uint32) {
	need, reason := uint32(0), uint32(0)
	if mine {
		need, reason = w.Check(item)
		if reason == 0 && uint64(need) > gpu.AtomicLoad(&r.Control[wordMost]) {
			reason = TooMany
		}
		if reason != 0 {
			r.fault(ticket, item.Op, reason)
			need = 0
		}
	}
	upTo := gpu.ScanAdd(t, need)
	granted := r.reserve(t, gpu.Shuffle(t, upTo, 31))
	fits := mine && reason == 0 && upTo <= granted
	deferred := r.deferItem(t, item, mine && reason == 0 && !fits)
	children := uint32(0)
	if fits {
		children = w.Do(t, item)
		done = 1
		if children > need { // credits are for what it said before
			r.fault(ticket, item.Op, TooMany)
			children, done = need, 0
		}
	}
	before := gpu.ExclusiveScanAdd(t, children)
	all := gpu.Shuffle(t, before+children, 31)
	tail := r.announce(t, all, taken-deferred)
	for k := range children {
		r.store(tail+uint64(before+k), w.Child(t, item, k))
	}
	t.WarpBarrier()
	if t.Lane() == 0 {
		if all != 0 {
			gpu.AtomicAdd(&r.Control[wordReady], uint64(all))
		}
		if granted != all {
			gpu.AtomicAdd(&r.Control[wordFree], uint64(granted-all))
		}
	}
	return done
}

// reserve takes credits for the children of a warp's items, as many as there are, before any of those
// items is begun.
func (r Ring) reserve(t gpu.Thread, need uint32) (granted uint32) {
	if need == 0 {
		return 0
	}
	if t.Lane() == 0 {
		granted = uint32(r.credits(wordFree, uint64(need)))
		if granted != 0 {
			free := gpu.AtomicLoad(&r.Control[wordFree])
			gpu.AtomicMax(&r.Control[wordPeak], uint64(len(r.Sequence))-free)
		}
	}
	return gpu.Shuffle(t, granted, 0)
}

// deferItem puts items that were not begun where the host finds them, and stops the others. Who stops
// takes nothing more, so room for what each warp takes at once is enough.
func (r Ring) deferItem(t gpu.Thread, item Item, mine bool) (n uint32) {
	lanes := t.Ballot(mine)
	if lanes == 0 {
		return 0
	}
	n = uint32(bits.OnesCount32(lanes))
	base := uint64(0)
	if t.Lane() == 0 {
		base = gpu.AtomicAdd(&r.Control[wordDeferred], uint64(n))
		gpu.AtomicStore(&r.Control[wordStop], 1)
	}
	base = gpu.Shuffle(t, base, 0)
	if mine {
		r.Deferred[base+uint64(bits.OnesCount32(lanes&(1<<t.Lane()-1)))] = item
	}
	return n
}

// announce counts the children of a warp as live, what the warp has done as not, and takes tickets. The
// children count before anybody can take them, so the count is 0 only at the end.
func (r Ring) announce(t gpu.Thread, children, ended uint32) (tail uint64) {
	if t.Lane() == 0 {
		if children != ended {
			gpu.AtomicAdd(&r.Control[wordLive], uint64(children)-uint64(ended))
		}
		if children != 0 {
			tail = gpu.AtomicAdd(&r.Control[wordTail], uint64(children))
		}
	}
	return gpu.Shuffle(t, tail, 0)
}

// fault records an item that could not be done.
func (r Ring) fault(ticket uint64, op, reason uint32) {
	if k := gpu.AtomicAdd(&r.Control[wordFaults], 1); k < Faults {
		r.Control[faultList+2*k] = ticket
		r.Control[faultList+2*k+1] = uint64(op) | uint64(reason)<<32
	}
}
