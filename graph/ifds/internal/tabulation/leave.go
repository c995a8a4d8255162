package tabulation

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// leave applies what is new at exits: a summary from each entry, at all calls of that.
func (s state) leave(t gpu.Thread, p program, w taken, listed uint32, summaries, counts []uint64) (grown uint32) {
	fresh := newShare(t, uint32(bits.OnesCount64(w.fresh)))
	for base := uint32(0); base < fresh.total; base += 32 {
		k := base + t.Lane()
		lane := fresh.owner(t, k)
		set, nth := gpu.Shuffle(t, w.fresh, lane), k-gpu.Shuffle(t, fresh.start, lane)
		entry, exit := gpu.Shuffle(t, w.entry, lane), gpu.Shuffle(t, w.start, lane)
		first, calls := uint32(0), uint32(0)
		if k < fresh.total {
			entry += bitOf(set, nth)
			first = p.callers[entry]
			calls = p.callers[entry+1] - first
		}
		if listed != 0 {
			n, at := min(fresh.total-base, 32), uint64(0)
			if t.Lane() == 0 {
				at = gpu.AtomicAdd(&counts[SummariesWord], uint64(n))
			}
			at = gpu.Shuffle(t, at, 0)
			if k < fresh.total {
				summaries[at+uint64(t.Lane())] = uint64(entry)<<32 | uint64(exit)
			}
		}
		if t.Any(calls > s.portion) {
			grown += s.leaveCalls(t, calls, entry, exit)
			if calls > s.portion {
				calls = 0
			}
		}
		grown += s.back(t, p, first, calls, exit)
	}
	return grown
}

// bitOf is the nth bit of a set, from 0 on.
func bitOf(set uint64, nth uint32) (bit uint32) {
	for step := uint32(32); step > 0; step /= 2 {
		low := set >> bit & (1<<step - 1)
		if n := uint32(bits.OnesCount64(low)); nth >= n {
			nth -= n
			bit += step
		}
	}
	return bit
}

// back goes from exits to what follows so many calls from first on.
func (s state) back(t gpu.Thread, p program, first, calls, exit uint32) (grown uint32) {
	all := newShare(t, calls)
	for base := uint32(0); base < all.total; base += 32 {
		k := base + t.Lane()
		lane := all.owner(t, k)
		call, from := gpu.Shuffle(t, first-all.start, lane)+k, gpu.Shuffle(t, exit, lane)
		at, returns, words, caller := uint32(0), uint32(0), uint32(0), uint32(0)
		if k < all.total {
			at, returns = p.returnsOf(call, from)
			words, caller = p.callWords[call], p.callFrom[call]
		}
		grown += s.apply(t, p, at, returns, words, caller)
	}
	return grown
}

// returnsOf finds the returns of a call that come from an exit.
func (p program) returnsOf(call, exit uint32) (first, n uint32) {
	first = p.callBegin[call]
	end := p.callEnd[call]
	for last := end; first < last; {
		if middle := first + (last-first)/2; p.returnFrom[middle] < exit {
			first = middle + 1
		} else {
			last = middle
		}
	}
	for first+n < end && p.returnFrom[first+n] == exit {
		n++
	}
	return first, n
}

// apply joins the words of callers with what follows their calls, at so many returns from at on.
func (s state) apply(t gpu.Thread, p program, at, returns, words, caller uint32) (grown uint32) {
	all := newShare(t, returns*words)
	for base := uint32(0); base < all.total; base += 32 {
		k := base + t.Lane()
		lane := all.owner(t, k)
		each := max(gpu.Shuffle(t, words, lane), 1)
		k0 := k - gpu.Shuffle(t, all.start, lane)
		r, from := gpu.Shuffle(t, at, lane)+k0/each, gpu.Shuffle(t, caller, lane)+k0%each
		to, add := uint32(0), uint64(0)
		if k < all.total {
			to, add = p.returnTo[r]+k0%each, gpu.AtomicLoad(&s.rows[from])
		}
		grown += s.join(t, to, add)
	}
	return grown
}
