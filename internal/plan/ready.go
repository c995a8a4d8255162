package plan

import "math"

// readyWaves holds the bytes of waves that are ready, by rank, as a tree of minima: the first that fits is found in
// O(log waves), however many in front of it do not.
type readyWaves struct {
	least []uint64 // node i has the minimum of nodes 2i and 2i+1; the leaves are the last half
	ranks int      // leaves, a power of two
}

const notReady = math.MaxUint64

// reset makes room for n waves, none of them ready.
func (r *readyWaves) reset(n int) {
	r.ranks = 1
	for r.ranks < n {
		r.ranks *= 2
	}
	r.least = resize(r.least, 2*r.ranks)
	for i := range r.least {
		r.least[i] = notReady
	}
}

// put makes the wave of a rank ready.
func (r *readyWaves) put(rank int, bytes uint64) {
	i := r.ranks + rank
	r.least[i] = bytes
	for i /= 2; i > 0; i /= 2 {
		r.least[i] = min(r.least[2*i], r.least[2*i+1])
	}
}

// take removes the first wave with at most room bytes, which is less than notReady.
func (r *readyWaves) take(room uint64) (rank int, ok bool) {
	if r.least[1] > room {
		return 0, false
	}
	i := 1
	for i < r.ranks {
		i *= 2
		if r.least[i] > room {
			i++
		}
	}
	r.put(i-r.ranks, notReady)
	return i - r.ranks, true
}
