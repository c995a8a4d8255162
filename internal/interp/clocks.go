package interp

import "github.com/govyre/vyre/ir"

// clock says which accesses happen before: ticks in order of their keys. It is never changed once
// it is handed out, so invocations share it.
type clock []tick

// tick covers an invocation's accesses up to an epoch, or a warp's or a group's before it had passed a number of barriers.
type tick struct {
	key uint64 // what it is about, in the upper two bits, and its number
	at  uint32
}

const (
	aboutInvocation uint64 = iota << 62
	aboutWarp
	aboutGroup
)

func (c clock) at(key uint64) uint32 {
	i, end := 0, len(c)
	for i < end {
		if m := int(uint(i+end) / 2); c[m].key < key {
			i = m + 1
		} else {
			end = m
		}
	}
	if i < len(c) && c[i].key == key {
		return c[i].at
	}
	return 0
}

// covers reports whether p is among the accesses that happen before.
func (c clock) covers(p *access) bool {
	return c.at(aboutInvocation|p.who) >= p.epoch || c.at(aboutWarp|p.who>>5) > p.warp || c.at(aboutGroup|p.who>>10) > p.group
}

// join returns a clock that covers what c or o cover: one of them, if it does.
func (c clock) join(o clock) clock {
	switch {
	case len(o) == 0 || len(c) == len(o) && &c[0] == &o[0]:
		return c
	case len(c) == 0:
		return o
	}
	all := make(clock, 0, len(c)+len(o))
	for len(c) > 0 && len(o) > 0 {
		switch x, y := c[0], o[0]; {
		case x.key < y.key:
			all, c = append(all, x), c[1:]
		case x.key > y.key:
			all, o = append(all, y), o[1:]
		default:
			all, c, o = append(all, tick{x.key, max(x.at, y.at)}), c[1:], o[1:]
		}
	}
	return append(append(all, c...), o...)
}

// clocks is what an invocation knows about the others, kept only for programs that acquire or
// release. An access carries the epoch of its invocation; a release hands out the epochs so
// far and begins the next, an acquire takes over what a release handed out (epochs as in Flanagan and Freund,
// "FastTrack", 2009).
type clocks struct {
	epoch    uint32
	acquired clock  // what happens before the next access
	read     clock  // handed out by what relaxed loads read, to be acquired by a fence
	fenced   *point // handed out by relaxed stores after a releasing fence
}

// point is what can be acquired at an element: the releases that its value carries.
type point struct {
	clock  clock
	group  uint64 // that released
	mixed  bool   // several did
	narrow bool   // released at group scope
}

// location names an element that atomics synchronise through.
type location struct {
	obj   uint32
	group uint64 // of a shared array
	index uint64
}

// release begins a new epoch of a lane and returns what ended with it: its own accesses, those that barriers
// of its warp and group ordered before, and what it had acquired.
func (w *warp) release(lane int) clock {
	s := &w.sync[lane]
	who := w.g.id<<10 | uint64(w.index<<5|lane)
	own := clock{{aboutInvocation | who, s.epoch}, {aboutWarp | who>>5, w.phase}, {aboutGroup | who>>10, w.g.phase}}
	s.epoch++
	return s.acquired.join(own)
}

// passGrid is a barrier of the grid. Phases order everything before it.
func (s *clocks) passGrid() {
	s.acquired, s.read, s.fenced = nil, nil, nil
	s.epoch++
}

// joinLanes is a barrier of some warps: every invocation acquires what any of them had. Phases
// order what they did themselves.
func joinLanes(warps []warp) {
	var all clock
	for i := range warps {
		for lane := range warps[i].sync {
			all = all.join(warps[i].sync[lane].acquired)
		}
	}
	for i := range warps {
		for lane := range warps[i].sync {
			warps[i].sync[lane].acquired = all
		}
	}
}

// joinGroups is a barrier of some groups: every invocation acquires what any of them had, and what each group did before
// the phase that has just begun.
func joinGroups(groups []*group) {
	var all clock
	for _, g := range groups {
		all = all.join(clock{{aboutGroup | g.id, g.phase}})
		for i := range g.warps {
			for lane := range g.warps[i].sync {
				all = all.join(g.warps[i].sync[lane].acquired)
			}
		}
	}
	for _, g := range groups {
		for i := range g.warps {
			for lane := range g.warps[i].sync {
				g.warps[i].sync[lane].acquired = all
			}
		}
	}
}

// fence is a fence of the live lanes of w. C++11's rules: what a relaxed load read before an acquiring
// fence is acquired by it, and a relaxed store after a releasing fence hands out what
// came before the fence.
func (d *detector) fence(w *warp, live uint32, f ir.Flags) {
	for ; w.sync != nil && live != 0; live &= live - 1 {
		lane := firstLane(live)
		s := &w.sync[lane]
		s.acquired = s.acquired.join(s.read)
		s.fenced = &point{clock: w.release(lane), group: w.g.id, narrow: f.Scope() == ir.Group}
	}
}

// order draws the acquire–release edges of an atomic on element i.
func (d *detector) order(w *warp, lane int, in *instr, i uint64, reads, wrote bool) {
	s := &w.sync[lane]
	at := location{obj: in.x, index: i}
	if d.x.k.objs[in.x].Shared() {
		at.group = w.g.id
	}
	order, narrow := in.flags.Order(), in.flags.Scope() == ir.Group
	if order == ir.SeqCst {
		d.fence(w, 1<<lane, in.flags)
	}
	p := d.sync[at]
	if reads && p != nil && p.reaches(w.g.id, narrow) {
		if s.read = s.read.join(p.clock); order.Acquires() {
			s.acquired = s.acquired.join(p.clock)
		}
	}
	if !wrote {
		return
	}
	var out *point
	if order.Releases() {
		out = &point{clock: w.release(lane), group: w.g.id, narrow: narrow}
	} else if s.fenced != nil {
		f := *s.fenced
		f.narrow = f.narrow || narrow
		out = &f
	}
	switch {
	case !reads || p == nil || in.op == ir.OpAtomicStore:
		d.sync[at] = out // a plain store of an atomic ends the releases before it
	case out != nil:
		// A read-modify-write carries on the releases that it read. Where scopes differ
		// the wider is assumed, which can only miss a race.
		d.sync[at] = &point{clock: p.clock.join(out.clock), group: p.group, mixed: p.mixed || p.group != out.group,
			narrow: p.narrow && out.narrow}
	}
}

// reaches reports whether an atomic of a group, of group scope if narrow, can acquire p.
func (p *point) reaches(group uint64, narrow bool) bool {
	return p.group == group && !p.mixed || !p.narrow && !narrow
}
