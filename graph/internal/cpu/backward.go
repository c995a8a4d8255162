package cpu

import (
	"context"
	"math/bits"
)

// runBackward does levels backward as long as that costs less.
func (s *search) runBackward(ctx context.Context, arcs uint64) error {
	words := (s.g.nodes() + 63) / 64
	if s.in == nil {
		s.in, s.out, s.open = make([]uint64, words), make([]uint64, words), make([]uint64, words)
	}
	if s.backward++; s.backward > indexAfter && !s.filtered {
		if err := s.index(ctx); err != nil {
			return err
		}
	}
	s.deal.reset(words, chunkWords)
	s.team.do(words/chunkWords, s.mapping)
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.deal.reset(words, chunkWords)
		s.walked += arcs
		found, next := s.counted(words/chunkWords, s.lookingBack)
		arcs = next
		s.in, s.out = s.out, s.in
		s.stats.Rounds++
		s.stats.Backward++
		s.stats.Shared++
		s.now++
		s.stats.Reached += found
		if !s.turnsWith(arcs) {
			break
		}
	}
	s.next = s.next[:cap(s.next)]
	s.tail.Store(0)
	s.deal.reset(words, 4*chunkWords)
	s.team.do(words/(4*chunkWords), s.gather)
	s.list, s.next = s.next[:s.tail.Load()], s.list
	return nil
}

// mapLevels is what a worker does before: a bit a node for those of the list, and one for those without a level.
func (s *search) mapLevels(int) {
	level, now := s.level, s.now
	for from, to, ok := s.deal.take(); ok; from, to, ok = s.deal.take() {
		for w := from; w < to; w++ {
			in, open := uint64(0), uint64(0)
			for b, l := range level[64*w : min(64*w+64, len(level))] {
				open |= (uint64(l) + 1) >> 32 << b
				in |= (uint64(l^now) - 1) >> 63 << b // 1 if they are equal
			}
			if s.linked != nil {
				open &= s.linked[w]
			}
			s.in[w], s.open[w] = in, open
		}
	}
}

// lookBack is what a worker does of a level that goes backward: of each of its nodes without a level, it looks for an arc
// from the list.
func (s *search) lookBack(worker int) {
	n, arcs, level, in, now := uint64(0), uint64(0), s.level, s.in, s.now+1
	for from, to, ok := s.deal.take(); ok; from, to, ok = s.deal.take() {
		for w := from; w < to; w++ {
			open, word := s.open[w], uint64(0)
			if s.greatest != nil && !s.filtered {
				word = ofGreatest(s.greatest[64*w:min(64*w+64, len(level))], open, in)
			}
			for rest := open &^ word; rest != 0; rest &= rest - 1 {
				if b := bits.TrailingZeros64(rest); s.leads(64*w+b, in) {
					word |= 1 << b
				}
			}
			for rest := word; rest != 0; rest &= rest - 1 {
				v := 64*w + bits.TrailingZeros64(rest)
				level[v] = now
				arcs += s.g.degree(uint32(v))
			}
			s.out[w], s.open[w] = word, open&^word
			n += uint64(bits.OnesCount64(word))
		}
	}
	s.found[worker].n, s.found[worker].arcs = n, arcs
}

// ofGreatest returns which of 64 nodes, or fewer, that are open have the source of their arc that is looked at first in a set.
func ofGreatest(greatest []uint32, open uint64, in []uint64) (word uint64) {
	for rest := open; rest != 0; rest &= rest - 1 {
		b := bits.TrailingZeros64(rest)
		u := greatest[b]
		word |= in[u/64] >> (u % 64) & 1 << b
	}
	return word
}

// leads reports whether an arc comes to v from a set.
func (s *search) leads(v int, in []uint64) bool {
	from, to := s.back.row(uint32(v))
	if s.filtered {
		for k, u := range s.back.Targets[from:to] {
			if in[u/64]>>(u%64)&1 != 0 && s.back.Masks[from+uint64(k)]&s.filter != 0 {
				return true
			}
		}
		return false
	}
	for _, u := range s.back.Targets[from:to] {
		if in[u/64]>>(u%64)&1 != 0 {
			return true
		}
	}
	return false
}

// gatherFound is what a worker does to make a list of the nodes that a level found.
func (s *search) gatherFound(worker int) {
	own := s.found[worker].own[:0]
	for from, to, ok := s.deal.take(); ok; from, to, ok = s.deal.take() {
		for w := from; w < to; w++ {
			for word := s.in[w]; word != 0; word &= word - 1 {
				if own = append(own, uint32(64*w+bits.TrailingZeros64(word))); len(own) == ownedBuffer {
					s.publish(own)
					own = own[:0]
				}
			}
		}
	}
	s.publish(own)
	s.found[worker].own = own[:0]
}
