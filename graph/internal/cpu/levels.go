package cpu

import "context"

// Levels searches breadth-first from all seeds at once, along the arcs whose masks have a bit of the filter. It writes the
// level of every node, 0 for seeds and None where nothing leads to, to a slice of as many as there are nodes.
//
// Errors: a seed that is no node, or a slice of another length, before anything is written; a context that ends, after which
// the levels are worth nothing.
func (e *Engine) Levels(ctx context.Context, seeds []uint32, filter uint32, level []uint32) (_ Stats, err error) {
	if err := e.mayStart(ctx, "levels"); err != nil {
		return Stats{}, err
	}
	if err := e.check(seeds, len(level), e.g.nodes(), "levels"); err != nil {
		return Stats{}, err
	}
	e.begin()
	defer e.end(&err)
	s := e.search
	if s == nil {
		s = e.newSearch()
		e.search = s
	}
	s.begin(seeds, filter, level)
	err = s.run(ctx)
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
	s.clearing, s.forward, s.forwardLong, s.counting = s.clearShared, s.walkShared, s.walkLong, s.countArcs
	s.mapping, s.lookingBack, s.gather, s.measuring = s.mapLevels, s.lookBack, s.gatherFound, s.measure
	if e.both {
		s.deal.reset(e.g.nodes(), clearedNodes)
		e.closed, _ = s.counted(e.g.nodes()/clearedNodes, s.measuring)
		e.longest = 0
		for w := range s.found {
			e.longest = max(e.longest, s.found[w].most)
		}
	}
	return s
}

// measure is what a worker does to find the shape of the graph.
func (s *search) measure(worker int) {
	closed, longest := uint64(0), uint64(0)
	for from, to, ok := s.deal.take(); ok; from, to, ok = s.deal.take() {
		for v := uint32(from); v < uint32(to); v++ {
			longest = max(longest, s.g.degree(v))
			if s.back.degree(v) == 0 {
				closed++
			}
		}
	}
	s.found[worker].n, s.found[worker].most = closed, longest
}

// begin clears the levels and makes the first list.
func (s *search) begin(seeds []uint32, filter uint32, level []uint32) {
	s.level, s.filter, s.now, s.tally = level, filter, 0, tally{}
	s.filtered = s.g.Masks != nil && filter != None
	s.deal.reset(len(level), clearedNodes)
	s.team.do(len(level)/clearedNodes, s.clearing)
	s.list = s.list[:cap(s.list)]
	n := 0
	for _, v := range seeds {
		if level[v] == None {
			level[v] = 0
			s.list[n] = v
			n++
			if s.both && s.back.degree(v) == 0 {
				s.blind++
			}
		}
	}
	s.list = s.list[:n]
	s.stats.Reached = uint64(n)
}

// clearShared is what a worker does to clear the levels: it fills a page, and copies that.
func (s *search) clearShared(int) {
	const page = 1 << 10
	for from, to, ok := s.deal.take(); ok; from, to, ok = s.deal.take() {
		part := s.level[from:to]
		first := part[:min(page, len(part))]
		for i := range first {
			first[i] = None
		}
		for k := page; k < len(part); k += page {
			copy(part[k:], first)
		}
	}
}

// run does levels until nothing is found.
func (s *search) run(ctx context.Context) error {
	if s.g.Masks == nil && s.filter&1 == 0 {
		return nil // every mask is 1
	}
	for len(s.list) > 0 {
		if s.stats.Rounds%askedAgain == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if arcs, turns := s.turns(); turns {
			if err := s.runBackward(ctx, arcs); err != nil {
				return err
			}
			continue
		}
		s.walkForward()
		s.stats.Rounds++
		s.now++
		s.stats.Reached += uint64(len(s.list))
	}
	return nil
}

// turns returns the arcs of the list and whether the level is better done backward. That is not asked of a list whose arcs cannot be enough.
func (s *search) turns() (arcs uint64, turns bool) {
	if !s.both || !pays(uint64(len(s.list))*s.longest, 0, uint64(s.g.nodes())) {
		return 0, false
	}
	s.deal.reset(len(s.list), 1<<10)
	_, arcs = s.counted(len(s.list)>>10, s.counting)
	return arcs, s.turnsWith(arcs)
}

// pays reports whether a level over a list of so many arcs costs more than so many looks and to pass all nodes.
func pays(arcs, looks, nodes uint64) bool { return 4*forwardCost*arcs > 16*looks+scanCost*nodes }

// turnsWith reports whether a level over a list of so many arcs is better done backward. An open node meets the list after as
// many arcs as there are for one of the list. (See arcs.Turn of package megakernel.)
func (s *search) turnsWith(arcs uint64) bool {
	if arcs == 0 {
		return false
	}
	nodes, all := uint64(s.g.nodes()), uint64(len(s.g.Targets))
	open := nodes - s.closed - (s.stats.Reached - s.blind)
	return pays(arcs, min(all-s.walked-arcs, open*min(all/arcs, 1<<31)), nodes)
}

// counted has workers do a step, and sums what they count.
func (s *search) counted(others int, step func(int)) (n, arcs uint64) {
	for w := range s.found {
		s.found[w].n, s.found[w].arcs, s.found[w].most = 0, 0, 0 // also of who does not come
	}
	s.team.do(others, step)
	for w := range s.found {
		n, arcs = n+s.found[w].n, arcs+s.found[w].arcs
	}
	return n, arcs
}

// countArcs is what a worker does to count the arcs of the list.
func (s *search) countArcs(worker int) {
	arcs, list := uint64(0), s.list
	for from, to, ok := s.deal.take(); ok; from, to, ok = s.deal.take() {
		for _, u := range list[from:to] {
			arcs += s.g.degree(u)
		}
	}
	s.found[worker].arcs = arcs
}
