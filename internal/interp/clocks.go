package interp

import "github.com/govyre/vyre/ir"

// clock is a vector clock: for each warp of the grid the last epoch whose accesses
// happen before. Epochs start at 1; entries beyond its length are 0.
type clock []uint32

func (c clock) at(warp uint64) uint32 {
	if warp < uint64(len(c)) {
		return c[warp]
	}
	return 0
}

// join raises c to the later of c and o in every entry.
func (c *clock) join(o clock) {
	for len(*c) < len(o) {
		*c = append(*c, 0)
	}
	for i, e := range o {
		(*c)[i] = max((*c)[i], e)
	}
}

// set raises the entry of warp to epoch.
func (c *clock) set(warp uint64, epoch uint32) {
	for uint64(len(*c)) <= warp {
		*c = append(*c, 0)
	}
	(*c)[warp] = max((*c)[warp], epoch)
}

// clocks is what a warp knows about the others, kept only for programs that acquire or
// release. An access carries the epoch of its warp; a release hands out all epochs so
// far and begins the next, an acquire takes over what a release handed out.
type clocks struct {
	epoch    uint32
	acquired clock  // what happens before the warp's next access; its own entry is about its other lanes
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

// release begins a new epoch and returns what ended with it.
func (s *clocks) release(self uint64) clock {
	c := append(clock(nil), s.acquired...)
	c.set(self, s.epoch)
	s.epoch++
	return c
}

// passAlone is a barrier of the warp alone: its lanes acquire from each other.
func (s *clocks) passAlone(self uint64) {
	s.acquired.set(self, s.epoch)
	s.epoch++
}

// passGrid is a barrier of the grid. Phases order everything before it.
func (s *clocks) passGrid() {
	s.acquired, s.read, s.fenced = nil, nil, nil
	s.epoch++
}

// joinGroup is a barrier of g: every warp acquires what any of them had acquired or done.
func (d *detector) joinGroup(g *group) {
	var all clock
	for i := range g.warps {
		w := &g.warps[i]
		all.join(w.sync.acquired)
		all.set(d.index(w), w.sync.epoch)
		w.sync.epoch++
	}
	for i := range g.warps {
		g.warps[i].sync.acquired = append(g.warps[i].sync.acquired[:0], all...)
	}
}

// fence is a fence of w. C++11's rules: what a relaxed load read before an acquiring
// fence is acquired by it, and a relaxed store after a releasing fence hands out what
// came before the fence.
func (d *detector) fence(w *warp, f ir.Flags) {
	if s := w.sync; s != nil {
		s.acquired.join(s.read)
		s.fenced = &point{clock: s.release(d.index(w)), group: w.g.id, narrow: f.Scope() == ir.Group}
	}
}

// order draws the acquire–release edges of an atomic on element i.
func (d *detector) order(w *warp, in *instr, i uint64, reads, wrote bool) {
	s := w.sync
	at := location{obj: in.x, index: i}
	if d.x.k.objs[in.x].Shared() {
		at.group = w.g.id
	}
	order, narrow := in.flags.Order(), in.flags.Scope() == ir.Group
	if order == ir.SeqCst {
		d.fence(w, in.flags)
	}
	p := d.sync[at]
	if reads && p != nil && p.reaches(w.g.id, narrow) {
		if s.read.join(p.clock); order.Acquires() {
			s.acquired.join(p.clock)
		}
	}
	if !wrote {
		return
	}
	var out *point
	if order.Releases() {
		out = &point{clock: s.release(d.index(w)), group: w.g.id, narrow: narrow}
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
		joined := &point{group: p.group, mixed: p.mixed || p.group != out.group, narrow: p.narrow && out.narrow}
		joined.clock.join(p.clock)
		joined.clock.join(out.clock)
		d.sync[at] = joined
	}
}

// reaches reports whether an atomic of a group, of group scope if narrow, can acquire p.
func (p *point) reaches(group uint64, narrow bool) bool {
	return p.group == group && !p.mixed || !p.narrow && !narrow
}
