package interp

import "github.com/govyre/vyre/ir"

// detector watches the accesses of one worker.
type detector struct {
	x       *worker
	reports reports
	races   bool
	undef   bool
	ordered bool // the program has acquire or release, or barriers of first groups: clocks are kept

	grid    uint32   // grid barriers passed
	buffers []shadow // by object
	room    *room
	told    []reportKey // about the access under way
	sync    map[location]*point
	settles map[ir.Row]bool // stores that write the same in every order
	pending []underWay
	quiet   bool // an access is only remembered
}

// accessKind tells plain accesses from atomics and their scopes.
type accessKind uint8

const (
	plainAccess  accessKind = 0
	atomicAccess accessKind = 1 << 0
	groupScope   accessKind = 1 << 1 // of an atomic: only its own group takes part
	copiedAccess accessKind = 1 << 2 // by an asynchronous copy
)

// resetDetector makes the worker's detector for a new launch, if that has one.
func (x *worker) resetDetector() {
	if x.o.Detect == 0 {
		return
	}
	d := &detector{x: x, reports: reports{k: x.k}, races: x.o.Detect&Races != 0, undef: x.o.Detect&Undefined != 0}
	d.ordered = d.races && (x.k.p.Traits().Ordered || x.k.firsts)
	if d.races {
		d.room = rooms.Get().(*room)
		d.buffers = make([]shadow, x.k.buffers)
		d.sync = map[location]*point{}
	}
	x.det = d
}

// dropDetector ends the worker's detector with its launch. Its room is for the next one, of whatever kernel.
func (x *worker) dropDetector() {
	d := x.det
	if x.det = nil; d == nil || d.room == nil {
		return
	}
	d.room.takeBack(d.buffers)
	for _, g := range x.states {
		d.room.takeBack(g.shadow)
	}
	rooms.Put(d.room)
}

// startGroup forgets what g's arrays held for the group before.
func (d *detector) startGroup(g *group) {
	if d.undef {
		d.startUndefined(g)
	}
	if d.races {
		if g.shadow == nil {
			g.shadow = make([]shadow, len(d.x.k.objs))
		}
		for i := range g.warps {
			g.warps[i].sync = nil
			if d.ordered {
				g.warps[i].sync = make([]clocks, g.warps[i].n)
				for lane := range g.warps[i].sync {
					g.warps[i].sync[lane].epoch = 1
				}
			}
		}
	}
}

// startUndefined marks every element of g's arrays as never written.
func (d *detector) startUndefined(g *group) {
	k := d.x.k
	if g.warps[0].defined == nil {
		for i := range g.warps {
			g.warps[i].defined = make([][]uint8, len(k.objs))
		}
	}
	for j := k.buffers; j < len(k.objs); j++ {
		n := d.x.lenOf(j)
		if k.objs[j].Table() {
			continue
		}
		if k.objs[j].Shared() {
			marks := fresh(g.warps[0].defined[j], n)
			for i := range g.warps {
				g.warps[i].defined[j] = marks
			}
			continue
		}
		for i := range g.warps {
			g.warps[i].defined[j] = fresh(g.warps[i].defined[j], 32*n)
		}
	}
}

// fresh returns n cleared marks, in the memory of old if it has that size.
func fresh(old []uint8, n uint64) []uint8 {
	if uint64(len(old)) != n {
		return make([]uint8, n)
	}
	clear(old)
	return old
}

// mark returns where it is kept whether element i of object j was written; nil for buffers.
func (w *warp) mark(j uint32, lane int, i uint64) *uint8 {
	if w.defined == nil || w.defined[j] == nil {
		return nil
	}
	if s := &w.spans[j]; s.stride != 0 {
		i += uint64(lane) * s.len
	}
	return &w.defined[j][i]
}

// checkDefined reports a read of an element that nothing has written.
func (d *detector) checkDefined(w *warp, in *instr, lane int, i uint64) {
	if m := w.mark(in.x, lane, i); m != nil && *m == 0 {
		d.reports.add(UndefinedRead, in, ir.NoRow, w.spans[in.x].len, Place{Index: int64(i), By: d.x.invocation(w, lane)})
	}
}

func (d *detector) define(w *warp, in *instr, lane int, i uint64) {
	if m := w.mark(in.x, lane, i); m != nil {
		*m = 1
	}
}

// read looks at a plain load of element i. It returns false if the launch is over.
func (d *detector) read(w *warp, in *instr, lane int, i uint64, kind accessKind) bool {
	if d.undef {
		d.checkDefined(w, in, lane, i)
	}
	return !d.races || d.access(w, in, lane, i, kind, false, 0)
}

// wrote looks at a plain store of element i. It returns false if the launch is over.
func (d *detector) wrote(w *warp, in *instr, lane int, i uint64, kind accessKind, v uint64) bool {
	if d.undef {
		d.define(w, in, lane, i)
	}
	return !d.races || d.access(w, in, lane, i, kind, true, v)
}

// atomic looks at an atomic of element i. It returns false if the launch is over.
func (d *detector) atomic(w *warp, in *instr, lane int, i uint64, wrote bool) bool {
	reads := in.op.Info().Attr&ir.Reads != 0
	if d.undef {
		if reads {
			d.checkDefined(w, in, lane, i)
		}
		if wrote {
			d.define(w, in, lane, i)
		}
	}
	if !d.races || in.op == ir.OpLoadStale { // whatever it races with: it says that it does
		return true
	}
	kind := atomicAccess
	if in.flags.Scope() == ir.Group {
		kind |= groupScope
	}
	if !d.access(w, in, lane, i, kind, wrote, 0) {
		return false
	}
	if d.ordered {
		d.order(w, lane, in, i, reads, wrote)
	}
	return true
}

func (d *detector) passWarpBarrier(w *warp) {
	if d.ordered {
		joinLanes(w.g.warps[w.index : w.index+1])
	}
}

func (d *detector) passGroupBarrier(g *group) {
	if d.ordered {
		joinLanes(g.warps)
	}
}

// passFirstBarrier orders what the groups did before the barrier that they have just passed.
func (d *detector) passFirstBarrier(groups []*group) {
	if d.ordered {
		joinGroups(groups)
	}
}

func (d *detector) passGridBarrier(live []*group) {
	d.grid++
	for _, g := range live {
		for i := range g.warps {
			for lane := range g.warps[i].sync {
				g.warps[i].sync[lane].passGrid()
			}
		}
	}
}
