package cpu

import (
	"sync/atomic"
	"time"
)

// walkForward walks the list, and makes what it finds the list.
func (s *search) walkForward() {
	s.next = s.next[:cap(s.next)]
	s.tail.Store(0)
	s.long.pieces = s.long.pieces[:0]
	shared, timed, began := s.eager, false, time.Time{}
	if !shared && s.workers > 1 {
		if shared, timed = s.sharing.choose(len(s.list)); timed {
			began = time.Now()
		}
	}
	if shared {
		s.deal.reset(len(s.list), chunkNodes)
		_, arcs := s.counted(s.others(len(s.list)), s.forward)
		s.walked += arcs
	} else if s.filtered {
		s.walkFiltered()
	} else {
		s.walkAlone()
	}
	if timed {
		s.sharing.took(len(s.list), shared, time.Since(began))
	}
	if len(s.long.pieces) > 0 {
		s.deal.reset(len(s.long.pieces), 1)
		s.team.do(len(s.long.pieces), s.forwardLong)
		shared = true
	}
	if shared {
		s.stats.Shared++
	}
	s.list, s.next = s.next[:s.tail.Load()], s.list
}

// walkAlone is a level that the caller does alone, without atomics and without a filter.
func (s *search) walkAlone() {
	level, next, now, n, walked := s.level, s.next, s.now+1, 0, uint64(0)
	g, targets, r := &s.g, s.g.Targets, &s.found[0].rows
	for list := s.list; len(list) > 0; {
		var arcs int
		if arcs, list = r.gather(list, g); arcs > 0 {
			n = walk(r.targets[:arcs], level, next, n, now)
			walked += uint64(arcs)
		}
		for len(list) > 0 {
			first, last := g.row(list[0])
			if last-first <= shortRow && int(first)+shortRow <= len(targets) {
				break
			}
			walked += last - first
			if last-first >= longRow && s.workers > 1 {
				s.long.add(first, last)
			} else {
				n = walk(targets[first:last], level, next, n, now)
			}
			list = list[1:]
		}
	}
	s.walked += walked
	s.tail.Store(int64(n))
}

// walk gives nodes a level that have none, and puts them into next at n and after. Whether a node has one cannot be guessed, so
// nothing is decided by it: the place after the last is always written.
func walk(targets, level, next []uint32, n int, now uint32) int {
	for _, v := range targets {
		was := level[v]
		next[n] = v
		level[v] = min(was, now)
		n += int((uint64(was) + 1) >> 32) // 1 of None
	}
	return n
}

// walkFiltered is walkAlone along the arcs that a filter allows.
func (s *search) walkFiltered() {
	next, n, now := s.next, 0, s.now+1
	for _, u := range s.list {
		from, to := s.g.row(u)
		s.walked += to - from
		if to-from >= longRow && s.workers > 1 {
			s.long.add(from, to)
			continue
		}
		masks := s.g.Masks[from:to]
		for i, v := range s.g.Targets[from:to] {
			if s.level[v] == None && masks[i]&s.filter != 0 {
				s.level[v] = now
				next[n] = v
				n++
			}
		}
	}
	s.tail.Store(int64(n))
}

// walkShared is what a worker does of a list that is shared out.
func (s *search) walkShared(worker int) {
	own, walked := s.found[worker].own[:0], uint64(0)
	r, list, g := &s.found[worker].rows, s.list, &s.g
	for from, to, ok := s.deal.take(); ok; from, to, ok = s.deal.take() {
		for part := list[from:to]; len(part) > 0; {
			if !s.filtered {
				var arcs int
				if arcs, part = r.gather(part, g); arcs > 0 {
					own = s.claimAll(r.targets[:arcs], r, own)
					walked += uint64(arcs)
				}
				if len(part) == 0 {
					break
				}
			}
			first, last := g.row(part[0])
			walked += last - first
			if part = part[1:]; last-first >= 2*longRow {
				s.long.add(first, last)
			} else {
				own = s.claim(first, last, own)
			}
		}
	}
	s.publish(own)
	s.found[worker].own, s.found[worker].arcs = own[:0], walked
}

// claimAll claims those of some nodes that have no level: it looks first which these are, and then can guess.
func (s *search) claimAll(targets []uint32, r *rows, own []uint32) []uint32 {
	level, now, n := s.level, s.now+1, 0
	for _, v := range targets {
		r.fresh[n] = v
		n += int((uint64(atomic.LoadUint32(&level[v])) + 1) >> 32) // 1 of None
	}
	if len(own)+n > ownedBuffer {
		s.publish(own)
		own = own[:0]
	}
	for _, v := range r.fresh[:n] {
		if atomic.CompareAndSwapUint32(&level[v], None, now) {
			own = append(own, v)
		}
	}
	return own
}

// claim claims the nodes that some arcs of one row lead to.
func (s *search) claim(first, last uint64, own []uint32) []uint32 {
	level, now := s.level, s.now+1
	for k, v := range s.g.Targets[first:last] {
		if atomic.LoadUint32(&level[v]) != None || s.filtered && s.g.Masks[first+uint64(k)]&s.filter == 0 ||
			!atomic.CompareAndSwapUint32(&level[v], None, now) {
			continue
		}
		if own = append(own, v); len(own) == ownedBuffer {
			s.publish(own)
			own = own[:0]
		}
	}
	return own
}

// walkLong is what a worker does of long rows.
func (s *search) walkLong(worker int) {
	own := s.found[worker].own[:0]
	for at, _, ok := s.deal.take(); ok; at, _, ok = s.deal.take() {
		own = s.claim(s.long.pieces[at].first, s.long.pieces[at].last, own)
	}
	s.publish(own)
	s.found[worker].own = own[:0]
}

// publish appends nodes to the next list.
func (s *search) publish(own []uint32) {
	if len(own) > 0 {
		at := s.tail.Add(int64(len(own))) - int64(len(own))
		copy(s.next[at:], own)
	}
}
