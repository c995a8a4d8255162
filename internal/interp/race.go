package interp

import "github.com/govyre/vyre/ir"

// The race detector keeps, for each element, the last write and two reads. It is
// exact about order by barriers, through phases, and about acquire and release up to
// warps, through clocks: what one lane of a warp acquires counts for all its lanes. It
// reports no order-abiding pair as a race. It can miss a race when more than two
// unordered reads precede a write, or a write hides an earlier one, in that run.

// access is who touched an element, and when.
type access struct {
	who               uint64 // linear id of the group · 1024 + id in the group
	row               uint32 // 1 + row; 0 is no access
	warp, group, grid uint32 // barriers that the invocation had passed: of its warp, of its group, of the grid
	epoch             uint32 // of its warp, see clocks
	kind              accessKind
}

// cell is the shadow of an element.
type cell struct {
	owner uint64 // of a shared array: 1 + the group that has touched it
	write access
	value uint64 // that it wrote, for plain stores
	reads [2]access
}

const pageCells = 256

type page [pageCells]cell

// shadow holds the cells of one object, made when they are first touched.
type shadow struct{ pages []*page }

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
		if n := len(d.free); n > 0 {
			p, d.free = d.free[n-1], d.free[:n-1]
			*p = page{}
		} else {
			p = new(page)
		}
		s.pages[i/pageCells] = p
	}
	return &p[i%pageCells]
}

// access records an access and reports the races that it completes. Memory that only
// one invocation, or only readers, can touch has no cells.
func (d *detector) access(w *warp, in *instr, lane int, i uint64, kind accessKind, writes bool, v uint64) bool {
	o := &d.x.k.objs[in.x]
	if o.Local() || o.Param != nil && o.Param.Access == ir.RO {
		return true
	}
	c := d.cell(w, in.x, i)
	if c == nil {
		return false
	}
	a := access{who: w.g.id<<10 | uint64(w.index<<5|lane), row: uint32(in.row) + 1,
		warp: w.phase, group: w.g.phase, grid: d.grid, kind: kind}
	if w.sync != nil {
		a.epoch = w.sync.epoch
	}
	if o.Shared() && c.owner != w.g.id+1 {
		*c = cell{owner: w.g.id + 1} // it is about the group that had this memory before
	}
	if d.conflict(w, &c.write, &a) {
		if writes && kind|c.write.kind == plainAccess && v == c.value {
			d.report(BenignRace, w, in, lane, i, &c.write)
		} else {
			d.report(Race, w, in, lane, i, &c.write)
		}
	}
	if !writes {
		d.remember(w, c, &a)
		return true
	}
	for k := range c.reads {
		if d.conflict(w, &c.reads[k], &a) {
			d.report(Race, w, in, lane, i, &c.reads[k])
		}
	}
	// Whoever comes later races with this write, or comes after it and after the reads
	// that it came after.
	c.write, c.value, c.reads = a, v, [2]access{}
	return true
}

// conflict reports whether the earlier access p and the access a of w race, given that
// one of them writes.
func (d *detector) conflict(w *warp, p, a *access) bool {
	return p.row != 0 && p.who != a.who && !(atomics(p, a)) && !d.before(w, p, a)
}

// atomics reports whether both accesses are atomic and within each other's scope.
func atomics(p, a *access) bool {
	if p.kind&a.kind&atomicAccess == 0 {
		return false
	}
	return p.who>>10 == a.who>>10 || (p.kind|a.kind)&groupScope == 0
}

// before reports whether p happens before a: a barrier that both took part in lies
// between, or w has acquired what p's warp released after it.
func (d *detector) before(w *warp, p, a *access) bool {
	switch {
	case p.grid != a.grid:
		return true
	case p.who>>10 == a.who>>10 && p.group != a.group:
		return true
	case p.who>>5 == a.who>>5 && p.warp != a.warp:
		return true
	case w.sync == nil:
		return false
	}
	warp := p.who>>10*uint64(len(w.g.warps)) + p.who>>5&31
	return w.sync.acquired.at(warp) >= p.epoch
}

// remember keeps a read. Of two that are kept, one differs from any writer; they are
// preferably of different groups, else of different warps, and plain.
func (d *detector) remember(w *warp, c *cell, a *access) {
	for k := range c.reads {
		r := &c.reads[k]
		if r.row == 0 || (r.kind == a.kind || a.kind == plainAccess) && (r.who == a.who || d.before(w, r, a)) {
			*r = *a
			return
		}
	}
	r0, r1 := &c.reads[0], &c.reads[1]
	switch {
	case r1.kind&atomicAccess != 0 && a.kind == plainAccess,
		r0.who>>10 == r1.who>>10 && r0.who>>10 != a.who>>10,
		r0.who>>5 == r1.who>>5 && r0.who>>5 != a.who>>5:
		*r1 = *a
	}
}

func (d *detector) report(kind ReportKind, w *warp, in *instr, lane int, i uint64, p *access) {
	d.reports.add(kind, in, ir.Row(p.row-1), w.spans[in.x].len, Place{Index: int64(i),
		By: d.x.invocation(w, lane), Other: d.x.whoIs(p.who)})
}

// whoIs names the invocation that an access record numbers.
func (x *worker) whoIs(who uint64) Invocation {
	id, gx, gy := who>>10, uint64(x.grid[0]), uint64(x.grid[1])
	return Invocation{Group: [3]uint32{uint32(id % gx), uint32(id / gx % gy), uint32(id / gx / gy)},
		Local: localCoords(uint32(who&1023), x.k.size)}
}
