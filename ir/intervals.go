package ir

// intervals is a dataflow over the barrier intervals of a program: sets of up to 64
// objects, one bit each, that grow at accesses and are emptied by barriers, over all ways
// of control. A barrier of a group empties the bits of shared arrays, one of the grid
// those of buffers too; the start and the end of a launch are grid barriers.
//
// Sets only grow, and a stretch is looked at again only when one that leads to it grew:
// at most once for each object, and in practice once or twice in all.
type intervals struct {
	f         *flow
	incidents []incident
	heads     []uint32 // by stretch: where its incidents start
	succ      [][2]uint32
	preds     []uint32
	predsAt   []uint32 // by stretch: where its predecessors start
	visits    int
}

// incident is a row that matters to the objects.
type incident struct {
	row    Row
	loads  uint64 // plain loads
	plain  uint64 // plain accesses
	atomic uint64 // atomic accesses
	reads  uint64 // of both kinds
	writes uint64
	kills  uint64 // objects whose interval ends here
}

// pick is the part of an incident that a set collects.
type pick func(*incident) uint64

func newIntervals(f *flow, objs []ObjectInfo, batch []Object) *intervals {
	c := f.c
	d := &intervals{f: f, heads: make([]uint32, len(f.last)+1), succ: make([][2]uint32, len(f.last))}
	bit := make([]uint64, len(objs))
	var all, shared uint64
	for i, o := range batch {
		bit[o] = 1 << i
		all |= bit[o]
		if objs[o].Shared() {
			shared |= bit[o]
		}
	}
	for r, op := range c.Op {
		d.visits++
		in := &table[op]
		e := incident{row: Row(r)}
		switch {
		case in.Imm == ImmObject && in.Attr&(Reads|Writes) != 0:
			e.access(in, bit[c.X[r]])
		case in.Attr&Barrier != 0 && in.Level == LevelGrid:
			e.kills = all
		case in.Attr&Barrier != 0 && in.Level == LevelGroup:
			e.kills = shared
		}
		// Rows of a stretch stand together, and stretches are numbered in the order of their
		// rows, so incidents in program order are grouped by stretch.
		if e != (incident{row: Row(r)}) {
			d.incidents = append(d.incidents, e)
			d.heads[f.of[r]+1]++
		}
	}
	for s := range f.last {
		d.heads[s+1] += d.heads[s]
	}
	d.connect()
	return d
}

func (e *incident) access(in *Info, bit uint64) {
	if in.Attr&Atomic != 0 {
		e.atomic = bit
	} else {
		e.plain = bit
	}
	if in.Spread == SpreadLoad {
		e.loads = bit
	}
	if in.Attr&Reads != 0 {
		e.reads = bit
	}
	if in.Attr&Writes != 0 {
		e.writes = bit
	}
}

// connect finds successors and predecessors.
func (d *intervals) connect() {
	d.predsAt = make([]uint32, len(d.succ)+1)
	for s := range d.succ {
		d.succ[s] = d.f.successors(uint32(s))
		for _, t := range d.succ[s] {
			if t != noStretch {
				d.predsAt[t+1]++
			}
		}
	}
	for s := range d.succ {
		d.predsAt[s+1] += d.predsAt[s]
	}
	d.preds = make([]uint32, d.predsAt[len(d.succ)])
	fill := make([]uint32, len(d.succ))
	for s := range d.succ {
		for _, t := range d.succ[s] {
			if t != noStretch {
				d.preds[d.predsAt[t]+fill[t]] = uint32(s)
				fill[t]++
			}
		}
	}
}

// since returns, for every incident, what was picked on some way from the barrier before.
func (d *intervals) since(of pick) []uint64 {
	gen, kill := make([]uint64, len(d.succ)), make([]uint64, len(d.succ))
	for s := range d.succ {
		for i := d.heads[s]; i < d.heads[s+1]; i++ {
			e := &d.incidents[i]
			gen[s] = gen[s]&^e.kills | of(e)
			kill[s] |= e.kills
		}
	}
	at := d.forward(gen, kill, 0)
	sets := make([]uint64, len(d.incidents))
	for s := range d.succ {
		set := at[s]
		for i := d.heads[s]; i < d.heads[s+1]; i++ {
			e := &d.incidents[i]
			sets[i] = set
			set = set&^e.kills | of(e)
		}
	}
	return sets
}

// ahead returns, for every incident and for the start of the program, what will be picked
// behind it on some way to the next barrier.
func (d *intervals) ahead(of pick) (sets []uint64, start uint64) {
	gen, kill := make([]uint64, len(d.succ)), make([]uint64, len(d.succ))
	for s := range d.succ {
		for i := d.heads[s+1]; i > d.heads[s]; i-- {
			e := &d.incidents[i-1]
			gen[s] = gen[s]&^e.kills | of(e)
			kill[s] |= e.kills
		}
	}
	at := d.backward(gen, kill)
	sets = make([]uint64, len(d.incidents))
	for s := range d.succ {
		set := at[s]
		for i := d.heads[s+1]; i > d.heads[s]; i-- {
			e := &d.incidents[i-1]
			sets[i-1] = set
			set = set&^e.kills | of(e)
		}
		if uint32(s) == d.f.first[0] {
			start = set
		}
	}
	return sets, start
}

// during carries sets that hold behind each barrier (and behind the start) forward to all
// incidents of the intervals that begin there.
func (d *intervals) during(behind []uint64, start uint64) []uint64 {
	gen, kill := make([]uint64, len(d.succ)), make([]uint64, len(d.succ))
	for s := range d.succ {
		for i := d.heads[s]; i < d.heads[s+1]; i++ {
			k := d.incidents[i].kills
			gen[s] = gen[s]&^k | behind[i]&k
			kill[s] |= k
		}
	}
	at := d.forward(gen, kill, start)
	sets := make([]uint64, len(d.incidents))
	for s := range d.succ {
		set := at[s]
		for i := d.heads[s]; i < d.heads[s+1]; i++ {
			k := d.incidents[i].kills
			sets[i] = set
			set = set&^k | behind[i]&k
		}
	}
	return sets
}

// forward solves for the sets at the start of every stretch.
func (d *intervals) forward(gen, kill []uint64, start uint64) []uint64 {
	at := make([]uint64, len(d.succ))
	at[d.f.first[0]] = start
	d.fix(at, gen, kill, false, func(s uint32, f func(uint32)) {
		for _, t := range d.succ[s] {
			if t != noStretch {
				f(t)
			}
		}
	})
	return at
}

// backward solves for the sets at the end of every stretch.
func (d *intervals) backward(gen, kill []uint64) []uint64 {
	at := make([]uint64, len(d.succ))
	d.fix(at, gen, kill, true, func(s uint32, f func(uint32)) {
		for _, t := range d.preds[d.predsAt[s]:d.predsAt[s+1]] {
			f(t)
		}
	})
	return at
}

// fix moves sets along until none grows. All stretches are taken once, in the order of
// the direction, so that only loops make one come up again.
func (d *intervals) fix(at, gen, kill []uint64, back bool, along func(uint32, func(uint32))) {
	n := len(at)
	queue := make([]uint32, n)
	queued := make([]bool, n)
	for i := range queue {
		queue[i], queued[i] = uint32(i), true
		if back {
			queue[i] = uint32(n - 1 - i)
		}
	}
	for head := 0; head < len(queue); head++ {
		s := queue[head]
		queued[s] = false
		d.visits++
		out := at[s]&^kill[s] | gen[s]
		along(s, func(t uint32) {
			if at[t]|out != at[t] {
				at[t] |= out
				if !queued[t] {
					queued[t] = true
					queue = append(queue, t)
				}
			}
		})
	}
}
