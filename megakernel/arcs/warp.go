//vyre:library

package arcs

import "github.com/govyre/vyre/gpu"

// fewest is the number of nodes of a list with which one warp does a round: four lanes a node up to half of them, else two.
const fewest = 16

// turns is what rounds of one warp came to.
type turns struct {
	round, n uint32 // the round to go on with, and its nodes
	long     bool   // it has a row that its lanes are too few for
	heavy    bool   // it has too many arcs

	arcs           uint64 // of the nodes of the round, if they are counted
	items          uint64 // of the rounds
	greatest, seen uint32
}

// together is what the first thread has, but what the rounds came to.
func (e turns) together(t gpu.Thread) turns {
	word := uint64(e.round)<<32 | uint64(e.n)<<2
	if e.long {
		word |= 1
	}
	if e.heavy {
		word |= 2
	}
	word = gpu.BarrierBroadcast(t, word)
	return turns{round: uint32(word >> 32), n: uint32(word) >> 2, long: word&1 != 0, heavy: word&2 != 0}
}

// oneWarp does rounds with one warp, over a list in shared memory, until it is empty or has more than few nodes, it comes
// to round limit, or a row has more than longest arcs, or, where two lanes share a row, more than two. Others of the group
// wait. A warp numbers what it found by a ballot, and sees what its lanes stored without a barrier of the group, so that
// no sum, no ticket and no vote stands between the claims of a round and the next one.
func oneWarp[W Wave, C clock[W]](t gpu.Thread, c C, g Graph, s own, round, n, limit, few, longest uint32, weight uint64) (e turns) {
	half := uint32(len(s.list)) / 2
	e.arcs = weight
	began := round
	for {
		w := c.At(round)
		s = s.into(round+1, half)
		lanes := lanesOf(n, 32)
		mine := t.Lane() & (1<<lanes - 1)
		v, first, last := uint32(0), uint32(0), uint32(0)
		if i := t.Lane() >> lanes; i < n {
			i += (round & 1) * lonely
			v = s.nodes[i]
			row := unpack(s.rows[i])
			first, last = row.first, row.last
		}
		more := t.Any(last-first > 1<<lanes)
		if more && (n > fewest/2 || t.Any(last-first > longest)) {
			e.long = true
			break
		}
		if mine == 0 {
			e.seen += last - first
		}
		e.items += uint64(n)
		e.greatest = max(e.greatest, n)
		n = 0
		for first += min(mine, last-first); ; {
			a := lookOne(t, w, g, s, v, first, last)
			found := t.Ballot(a.found)
			if a.found { // fewest*Split arcs fit
				s.keep(a, n+below(t, found))
			}
			n += ones(found)
			first += min(1<<lanes, last-first)
			if !more || !t.Any(first < last) {
				break
			}
		}
		round++
		t.WarpBarrier()
		if n == 0 || n > few || round == limit {
			break
		}
	}
	if t.Lane() < 2 { // as a round of the group leaves them
		s.lengths[t.Lane()] = 0
		if t.Lane() == round&1 {
			s.lengths[t.Lane()] = n
		}
	}
	if s.weight.counted && round != began {
		arcs := uint32(0)
		for i := t.Lane(); i < n; i += 32 {
			row := unpack(s.rows[(round&1)*lonely+i])
			arcs += row.last - row.first
		}
		e.arcs = uint64(gpu.ReduceAdd(t, arcs))
	}
	e.round, e.n = round, n
	return e
}
