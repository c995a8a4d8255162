package interp

import (
	"slices"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
)

// The race detector keeps, for each element, the accesses that a later one could race with. An access is
// forgotten only after another that follows it in every order and races with all that it would have raced with,
// no less badly. So whether two accesses race, and whether the race is benign, does not depend on which of
// them a schedule runs first.
//
// It is exact about order by barriers, through phases, and about acquire and release, through the clocks of
// each invocation. It reports no order-abiding pair as a race. What it can miss: an order that an acquire saw
// in this run and would not have seen in another counts; and where more than crowdOrdered invocations of a
// program with acquire and release touch one element in the same way, the earliest are forgotten. A compare-and-swap that
// has failed counts as a read, though it might have succeeded in another order: whether it can is not known, since the
// values of atomics are not kept. Where many invocations store to one element, some are compared for order only; those that
// are kept have stored different values then, which is a race.

// access is who touched an element, how, and when.
type access struct {
	who         uint64 // linear id of the group · 1024 + id in the group
	value       uint64 // that a plain store wrote
	row         uint32
	warp, group uint32 // barriers that the invocation had passed: of its warp, of its group
	epoch       uint32 // of the invocation, see clocks
	kind        accessKind
	writes      bool
}

// cell is the shadow of an element.
type cell struct {
	owner uint64 // of a shared array: 1 + the group that has touched it
	phase uint32 // barriers passed that order all accesses before: of the grid, for a shared array of the group
	under uint32 // copies under way that access it
	seen  []access
}

// How many accesses of one kind a cell keeps that are not ordered among themselves. Where only barriers order,
// two say it all: of two different groups, one is unordered with any other invocation; of two different warps of
// a group, one is unordered with any other invocation in the same phase.
const (
	crowd        = 2
	crowdOrdered = 64
	crowdStores  = 16 // plain stores from which on their values do not matter: two of different values are a race
	olderWrites  = 4  // of other values, which a last write came after
)

// cell returns the cell of element i; nil if the launch has no state left for it.
func (d *detector) cell(w *warp, obj uint32, i uint64) *cell {
	var s *shadow
	if int(obj) < d.x.k.buffers {
		s = &d.buffers[obj]
	} else {
		s = &w.g.shadow[obj]
	}
	if s.pages == nil {
		n := (w.spans[obj].len + pageCells - 1) / pageCells
		if !d.x.claim(int64(n) * 8) {
			return nil
		}
		s.pages = make([]*page, n)
	}
	p := s.pages[i/pageCells]
	if p == nil {
		if !d.x.claim(pageBytes) {
			return nil
		}
		p = d.room.page()
		s.pages[i/pageCells] = p
	}
	return &p[i%pageCells]
}

// access looks at one access. It returns false if the launch is over.
func (d *detector) access(w *warp, in *instr, lane int, i uint64, kind accessKind, writes bool, v uint64) bool {
	o := &d.x.k.objs[in.x]
	if o.Local() || o.ReadOnly() {
		return true
	}
	c := d.cell(w, in.x, i)
	if c == nil {
		return false
	}
	phase, owner := d.grid, uint64(0)
	if o.Shared() {
		phase, owner = w.g.phase, w.g.id+1
	}
	if c.phase != phase || c.owner != owner { // all that was seen came before, or is about the group that had this memory
		c.phase, c.owner, c.seen = phase, owner, c.seen[:0]
	}
	a := access{who: w.g.id<<10 | uint64(w.index<<5|lane), value: v, row: uint32(in.row),
		warp: w.phase, group: w.g.phase, kind: kind, writes: writes}
	if w.sync != nil {
		a.epoch = w.sync[lane].epoch
	}
	d.told = d.told[:0]
	if d.quiet {
		return d.keep(w, lane, c, &a)
	}
	if c.under > 0 {
		d.early(w, in, lane, i, writes)
	}
	for k := range c.seen {
		p := &c.seen[k]
		if !p.conflicts(&a) || d.before(w, lane, p, &a) {
			continue
		}
		kind := Race
		if p.writes && writes && p.kind|a.kind == plainAccess && p.value == v {
			kind = BenignRace
		}
		d.report(kind, w, in, lane, i, p)
	}
	return d.keep(w, lane, c, &a)
}

// conflicts reports whether two accesses race unless they are ordered.
func (a *access) conflicts(p *access) bool {
	return p.who != a.who && (p.writes || a.writes) && !atomics(p, a)
}

// atomics reports whether both accesses are atomic and within each other's scope.
func atomics(p, a *access) bool {
	if p.kind&a.kind&atomicAccess == 0 {
		return false
	}
	return p.who>>10 == a.who>>10 || (p.kind|a.kind)&groupScope == 0
}

// before reports whether p happens before a, an access of a lane of w: a barrier that both took part in lies
// between, or the invocation has acquired what p's released after it. Grid barriers have emptied the cell.
func (d *detector) before(w *warp, lane int, p, a *access) bool {
	switch {
	case p.who == a.who:
		return true
	case p.who>>10 == a.who>>10 && p.group != a.group:
		return true
	case p.who>>5 == a.who>>5 && p.warp != a.warp:
		return true
	case w.sync == nil:
		return false
	}
	return w.sync[lane].acquired.covers(p)
}

// keep remembers a, and forgets what nobody has to be compared with after it. It returns false if the launch
// has no state left.
func (d *detector) keep(w *warp, lane int, c *cell, a *access) bool {
	n := 0 // of those seen stay
	older, alike, stores := 0, 0, 0
	var first, last int // of those alike
	for k := len(c.seen) - 1; k >= 0; k-- {
		p := &c.seen[k]
		if p.writes && p.kind == plainAccess {
			stores++
		}
		if a.overwrites(p) && d.before(w, lane, p, a) {
			if older++; older > olderWrites {
				p.row = forgotten
			}
		}
	}
	for k := range c.seen {
		p := &c.seen[k]
		if p.row == forgotten || a.covers(p) && d.before(w, lane, p, a) {
			continue
		}
		if a.kind == p.kind && a.writes == p.writes && (a.value == p.value || stores >= crowdStores) {
			if last = n; alike == 0 {
				first = last
			}
			alike++
		}
		if n < k { // mostly all stay, where they are
			c.seen[n] = *p
		}
		n++
	}
	kept := c.seen[:n]
	c.seen = kept
	switch {
	case d.ordered && alike >= crowdOrdered:
		copy(kept[first:], kept[first+1:])
		kept[len(kept)-1] = *a
		return true
	case d.ordered || alike < crowd:
		return d.add(c, a)
	}
	if r, s := &kept[first], &kept[last]; r.who>>10 == s.who>>10 && r.who>>10 != a.who>>10 || r.who>>5 == s.who>>5 && r.who>>5 != a.who>>5 {
		*s = *a
	}
	return true
}

// forgotten marks accesses that are about to be dropped; no program has as many rows.
const forgotten = ^uint32(0)

// covers reports whether whatever races with p, which came before a, races with a no less badly.
func (a *access) covers(p *access) bool {
	if a.writes != p.writes {
		return a.writes && a.kind == p.kind && a.kind != plainAccess
	}
	if a.writes {
		return a.kind == p.kind && a.value == p.value
	}
	return a.kind == p.kind || a.kind == plainAccess
}

// overwrites reports whether a is a plain store after one of another value.
func (a *access) overwrites(p *access) bool {
	return a.writes && p.writes && a.kind|p.kind == plainAccess && a.value != p.value
}

// add appends an access to a cell.
func (d *detector) add(c *cell, a *access) bool {
	if n := cap(c.seen); len(c.seen) == n {
		more := max(crowd, n)
		if !d.x.claim(int64(more) * accessBytes) {
			return false
		}
		room := d.room.accesses(n + more)
		c.seen = room[:copy(room, c.seen)]
	}
	c.seen = append(c.seen, *a)
	return true
}

// report counts a pair of rows once an access.
func (d *detector) report(kind ReportKind, w *warp, in *instr, lane int, i uint64, p *access) {
	key := reportKey{kind, in.row, ir.Row(p.row)}
	if slices.Contains(d.told, key) {
		return
	}
	d.told = append(d.told, key)
	d.reports.add(kind, in, ir.Row(p.row), w.spans[in.x].len, Place{Index: int64(i),
		By: d.x.invocation(w, lane), Other: d.x.whoIs(p.who)})
}

// whoIs names the invocation that an access record numbers.
func (x *worker) whoIs(who uint64) launch.Invocation {
	id, gx, gy := who>>10, uint64(x.grid[0]), uint64(x.grid[1])
	return launch.Invocation{Group: [3]uint32{uint32(id % gx), uint32(id / gx % gy), uint32(id / gx / gy)},
		Local: launch.Local(uint32(who&1023), x.k.size)}
}
