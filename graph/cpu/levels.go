package cpu

import (
	"context"
	"math/bits"
	"sync/atomic"
)

// When a level is done how. A barrier of workers costs about a microsecond, in which one core walks some hundred nodes.
const (
	sharedNodes   = 768 // lists of at least so many nodes are shared out
	chunkNodes    = 64  // and dealt out so many at a time
	chunkWords    = 64  // words of 64 nodes that a worker takes of a level that goes backward
	alpha         = 15  // levels go backward if their list has more than this part of the arcs that are left
	beta          = 18  // and forward if it has less than this part of all nodes
	askedAgain    = 64  // levels after which a context is asked again, and chunks
	ownedBuffer   = 1 << 10
	seldomForward = 64 // the arcs of lists of less than this part of all nodes are not counted
)

// search is the state of searches by levels: it is kept from one to the next.
type search struct {
	*Engine
	level    []uint32
	filter   uint32
	filtered bool
	now      uint32 // the level that is walked
	list     []uint32
	next     []uint32
	tail     atomic.Int64 // of next
	deal     chunks
	in, out  []uint64 // of a level that goes backward: the nodes of the list, those that it finds
	found    []counted
	team     *team
	stats    Stats

	forward, backward, gather func(int) // steps of the team, made once
}

// counted is what a worker counts, on a cache line of its own.
type counted struct {
	n   uint64
	own []uint32
	_   [64 - 32]byte
}

// Levels searches breadth-first from all seeds at once, along the arcs whose masks have a bit of the filter. It writes the
// level of every node, 0 for seeds and None where nothing leads to, to a slice of as many as there are nodes.
//
// Errors: a seed that is no node, or a slice of another length, before anything is written; a context that ends, after which
// the levels are worth nothing.
func (e *Engine) Levels(ctx context.Context, seeds []uint32, filter uint32, level []uint32) (Stats, error) {
	if err := e.check(seeds, len(level), e.g.nodes(), "levels"); err != nil {
		return Stats{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.search
	if s == nil {
		s = e.newSearch()
		e.search = s
	}
	s.begin(seeds, filter, level)
	err := s.run(ctx)
	if s.team != nil {
		s.team.close()
		s.team = nil
	}
	s.level = nil
	return s.stats, err
}

func (e *Engine) newSearch() *search {
	s := &search{Engine: e, found: make([]counted, e.workers)}
	// A node enters once. One place more is written, and not counted.
	s.list, s.next = make([]uint32, e.g.nodes()+1), make([]uint32, e.g.nodes()+1)
	for w := range s.found {
		s.found[w].own = make([]uint32, 0, ownedBuffer)
	}
	s.forward, s.backward, s.gather = s.walkShared, s.lookBack, s.gatherFound
	return s
}

// begin clears the levels and makes the first list.
func (s *search) begin(seeds []uint32, filter uint32, level []uint32) {
	s.level, s.filter, s.now, s.stats = level, filter, 0, Stats{}
	s.filtered = s.g.Masks != nil && filter != None
	for i := range level {
		level[i] = None
	}
	s.list = s.list[:cap(s.list)]
	n := 0
	for _, v := range seeds {
		if level[v] == None {
			level[v] = 0
			s.list[n] = v
			n++
		}
	}
	s.list = s.list[:n]
	s.stats.Reached = uint64(n)
}

// run does levels until nothing is found.
func (s *search) run(ctx context.Context) error {
	if s.g.Masks == nil && s.filter&1 == 0 {
		return nil // every mask is 1
	}
	for len(s.list) > 0 {
		if s.stats.Rounds%askedAgain == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.turns() {
			s.assemble()
			if err := s.runBackward(ctx); err != nil {
				return err
			}
			continue
		}
		if s.workers > 1 && len(s.list) >= s.sharedNodes {
			s.assemble()
			s.share()
		} else {
			s.walkAlone()
		}
		s.stats.Rounds++
		s.now++
		s.stats.Reached += uint64(len(s.list))
	}
	return nil
}

// walkAlone walks the list, and makes the next one the list.
func (s *search) walkAlone() {
	next, n, now := s.next[:cap(s.next)], 0, s.now+1
	if s.filtered {
		for _, u := range s.list {
			from, to := s.g.Offsets[u], s.g.Offsets[u+1]
			masks := s.g.Masks[from:to]
			for i, v := range s.g.Targets[from:to] {
				if s.level[v] == None && masks[i]&s.filter != 0 {
					s.level[v] = now
					next[n] = v
					n++
				}
			}
		}
	} else {
		n = walk(s.list, next, s.g.Offsets, s.g.Targets, s.level, now)
	}
	s.list, s.next = next[:n], s.list
}

// walk is the loop of a search: it writes to next what is found, and returns how much. Whether a node was found already
// cannot be predicted, so nothing is decided by it: the place behind the last is always written.
func walk(list, next, offsets, targets, level []uint32, now uint32) int {
	n := 0
	for _, u := range list {
		for _, v := range targets[offsets[u]:offsets[u+1]] {
			was := level[v]
			next[n] = v
			level[v] = min(was, now)
			n += int((uint64(was) + 1) >> 32) // 1 of None
		}
	}
	return n
}

// share walks the list with all workers.
func (s *search) share() {
	s.next = s.next[:cap(s.next)]
	s.tail.Store(0)
	s.deal.reset(len(s.list), chunkNodes)
	s.team.do(s.forward)
	s.list, s.next = s.next[:s.tail.Load()], s.list
	s.stats.Shared++
}

// walkShared is what a worker does of a list that is shared out.
func (s *search) walkShared(worker int) {
	own, now := s.found[worker].own[:0], s.now+1
	for from, to, ok := s.deal.take(); ok; from, to, ok = s.deal.take() {
		for _, u := range s.list[from:to] {
			first, last := s.g.Offsets[u], s.g.Offsets[u+1]
			for k, v := range s.g.Targets[first:last] {
				if atomic.LoadUint32(&s.level[v]) != None || s.filtered && s.g.Masks[first+uint32(k)]&s.filter == 0 ||
					!atomic.CompareAndSwapUint32(&s.level[v], None, now) {
					continue
				}
				if own = append(own, v); len(own) == ownedBuffer {
					s.publish(own)
					own = own[:0]
				}
			}
		}
	}
	s.publish(own)
	s.found[worker].own = own[:0]
}

// publish appends nodes to the next list.
func (s *search) publish(own []uint32) {
	at := s.tail.Add(int64(len(own))) - int64(len(own))
	copy(s.next[at:], own)
}

// turns reports whether the list has so many arcs that the level is better done backward.
func (s *search) turns() bool {
	n := s.g.nodes()
	if !s.both || len(s.list) < max(n/seldomForward, s.sharedNodes) {
		return false
	}
	arcs := uint64(0)
	for _, u := range s.list {
		arcs += uint64(s.g.Offsets[u+1] - s.g.Offsets[u])
	}
	left := float64(len(s.g.Targets)) * (1 - float64(s.stats.Reached)/float64(n)) // if nodes are alike
	return float64(arcs) > left/alpha
}

// assemble makes the team, unless it is there.
func (s *search) assemble() {
	if s.team == nil {
		s.team = newTeam(s.workers)
	}
}

// runBackward does levels backward until a list is short again, or empty.
func (s *search) runBackward(ctx context.Context) error {
	words := (s.g.nodes() + 63) / 64
	if s.in == nil {
		s.in, s.out = make([]uint64, words), make([]uint64, words)
	}
	clear(s.in)
	for _, u := range s.list {
		s.in[u/64] |= 1 << (u % 64)
	}
	for before := len(s.list); ; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.deal.reset(words, chunkWords)
		s.team.do(s.backward)
		s.in, s.out = s.out, s.in
		found := 0
		for w := range s.found {
			found += int(s.found[w].n)
		}
		s.stats.Rounds++
		s.stats.Backward++
		s.stats.Shared++
		s.now++
		s.stats.Reached += uint64(found)
		if found == 0 || found < before && found < s.g.nodes()/beta {
			break
		}
		before = found
	}
	s.next = s.next[:cap(s.next)]
	s.tail.Store(0)
	s.deal.reset(words, chunkWords)
	s.team.do(s.gather)
	s.list, s.next = s.next[:s.tail.Load()], s.list
	return nil
}

// lookBack is what a worker does of a level that goes backward: of each of its nodes without a level, it looks for an arc
// from the list.
func (s *search) lookBack(worker int) {
	n := uint64(0)
	for from, to, ok := s.deal.take(); ok; from, to, ok = s.deal.take() {
		for w := from; w < to; w++ {
			word := uint64(0)
			for b := range min(64, s.g.nodes()-64*w) {
				if v := 64*w + b; s.level[v] == None && s.leads(v) {
					s.level[v] = s.now + 1
					word |= 1 << b
				}
			}
			s.out[w] = word
			n += uint64(bits.OnesCount64(word))
		}
	}
	s.found[worker].n = n
}

// leads reports whether an arc comes to v from the list.
func (s *search) leads(v int) bool {
	in := s.in
	if s.filtered {
		from, to := s.back.Offsets[v], s.back.Offsets[v+1]
		for k, u := range s.back.Targets[from:to] {
			if in[u/64]>>(u%64)&1 != 0 && s.back.Masks[from+uint32(k)]&s.filter != 0 {
				return true
			}
		}
		return false
	}
	if s.greatest != nil {
		u := s.greatest[v]
		if u == None {
			return false
		}
		if in[u/64]>>(u%64)&1 != 0 {
			return true
		}
	}
	for _, u := range s.back.Targets[s.back.Offsets[v]:s.back.Offsets[v+1]] {
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
