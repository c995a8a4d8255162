package dataflow

import (
	"github.com/govyre/vyre/ir"
)

// Intervals is a dataflow over the barrier intervals of a program: sets of up to 64
// objects, one bit each, that grow at accesses and are emptied by barriers, over all ways
// of control. A barrier of a group empties the bits of shared arrays, one of the grid
// those of buffers too; the start and the end of a launch are grid barriers.
//
// Sets only grow, and a basic block is looked at again only when one that leads to it grew:
// at most once for each object, and in practice once or twice in all.
type Intervals struct {
	f         *Flow
	Incidents []Incident
	Heads     []uint32 // by basic block: where its incidents start
	Succ      [][2]uint32
	preds     []uint32
	predsAt   []uint32 // by basic block: where its predecessors start
	Visits    int
}

// Incident is a row that matters to the objects.
type Incident struct {
	Row    ir.Row
	loads  uint64 // plain loads
	Plain  uint64 // plain accesses
	Atomic uint64 // atomic accesses
	Reads  uint64 // of both kinds
	Writes uint64
	kills  uint64 // objects whose interval ends here
}

// pick is the part of an incident that a set collects.
type pick func(*Incident) uint64

func NewIntervals(f *Flow, objs []ir.ObjectInfo, batch []ir.Object) *Intervals {
	c := f.Code
	d := &Intervals{f: f, Heads: make([]uint32, len(f.last)+1), Succ: make([][2]uint32, len(f.last))}
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
		d.Visits++
		in := op.Info()
		e := Incident{Row: ir.Row(r)}
		switch {
		case in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes) != 0:
			e.access(in, bit[c.X[r]])
		case in.Imm == ir.ImmCopy: // it writes until its wait: see settle
			dst, src := ir.CopyObjects(c.X[r])
			e.Plain, e.Reads, e.Writes = bit[dst]|bit[src], bit[src], bit[dst]
		case in.Attr&ir.Barrier != 0 && in.Level == ir.LevelGrid:
			e.kills = all
		case in.Attr&ir.Barrier != 0 && in.Level == ir.LevelGroup:
			e.kills = shared
		}
		// Rows of a basic block stand together, and basic blocks are numbered in the order of their
		// rows, so incidents in program order are grouped by basic block.
		if e != (Incident{Row: ir.Row(r)}) {
			d.Incidents = append(d.Incidents, e)
			d.Heads[f.Of[r]+1]++
		}
	}
	for s := range f.last {
		d.Heads[s+1] += d.Heads[s]
	}
	d.connect()
	return d
}

func (e *Incident) access(in *ir.Info, bit uint64) {
	if in.Attr&ir.Atomic != 0 {
		e.Atomic = bit
	} else {
		e.Plain = bit
	}
	if in.Spread == ir.SpreadLoad {
		e.loads = bit
	}
	if in.Attr&ir.Reads != 0 {
		e.Reads = bit
	}
	if in.Attr&ir.Writes != 0 {
		e.Writes = bit
	}
}

// connect finds successors and predecessors.
func (d *Intervals) connect() {
	d.predsAt = make([]uint32, len(d.Succ)+1)
	for s := range d.Succ {
		d.Succ[s] = d.f.successors(uint32(s))
		for _, t := range d.Succ[s] {
			if t != noBlock {
				d.predsAt[t+1]++
			}
		}
	}
	for s := range d.Succ {
		d.predsAt[s+1] += d.predsAt[s]
	}
	d.preds = make([]uint32, d.predsAt[len(d.Succ)])
	fill := make([]uint32, len(d.Succ))
	for s := range d.Succ {
		for _, t := range d.Succ[s] {
			if t != noBlock {
				d.preds[d.predsAt[t]+fill[t]] = uint32(s)
				fill[t]++
			}
		}
	}
}

// since returns, for every incident, what was picked on some way from the barrier before.
func (d *Intervals) since(of pick) []uint64 {
	gen, kill := make([]uint64, len(d.Succ)), make([]uint64, len(d.Succ))
	for s := range d.Succ {
		for i := d.Heads[s]; i < d.Heads[s+1]; i++ {
			e := &d.Incidents[i]
			gen[s] = gen[s]&^e.kills | of(e)
			kill[s] |= e.kills
		}
	}
	at := d.Forward(gen, kill, 0)
	sets := make([]uint64, len(d.Incidents))
	for s := range d.Succ {
		set := at[s]
		for i := d.Heads[s]; i < d.Heads[s+1]; i++ {
			e := &d.Incidents[i]
			sets[i] = set
			set = set&^e.kills | of(e)
		}
	}
	return sets
}

// Ahead returns, for every incident and for the start of the program, what will be picked
// after it on some way to the next barrier.
func (d *Intervals) Ahead(of pick) (sets []uint64, start uint64) {
	gen, kill := make([]uint64, len(d.Succ)), make([]uint64, len(d.Succ))
	for s := range d.Succ {
		for i := d.Heads[s+1]; i > d.Heads[s]; i-- {
			e := &d.Incidents[i-1]
			gen[s] = gen[s]&^e.kills | of(e)
			kill[s] |= e.kills
		}
	}
	at := d.backward(gen, kill)
	sets = make([]uint64, len(d.Incidents))
	for s := range d.Succ {
		set := at[s]
		for i := d.Heads[s+1]; i > d.Heads[s]; i-- {
			e := &d.Incidents[i-1]
			sets[i-1] = set
			set = set&^e.kills | of(e)
		}
		if uint32(s) == d.f.first[0] {
			start = set
		}
	}
	return sets, start
}

// During carries sets that hold after each barrier (and after the start) forward to all
// incidents of the intervals that begin there.
func (d *Intervals) During(after []uint64, start uint64) []uint64 {
	gen, kill := make([]uint64, len(d.Succ)), make([]uint64, len(d.Succ))
	for s := range d.Succ {
		for i := d.Heads[s]; i < d.Heads[s+1]; i++ {
			k := d.Incidents[i].kills
			gen[s] = gen[s]&^k | after[i]&k
			kill[s] |= k
		}
	}
	at := d.Forward(gen, kill, start)
	sets := make([]uint64, len(d.Incidents))
	for s := range d.Succ {
		set := at[s]
		for i := d.Heads[s]; i < d.Heads[s+1]; i++ {
			k := d.Incidents[i].kills
			sets[i] = set
			set = set&^k | after[i]&k
		}
	}
	return sets
}

// Forward solves for the sets at the start of every basic block.
func (d *Intervals) Forward(gen, kill []uint64, start uint64) []uint64 {
	at := make([]uint64, len(d.Succ))
	at[d.f.first[0]] = start
	d.fix(at, gen, kill, false, func(s uint32, f func(uint32)) {
		for _, t := range d.Succ[s] {
			if t != noBlock {
				f(t)
			}
		}
	})
	return at
}

// backward solves for the sets at the end of every basic block.
func (d *Intervals) backward(gen, kill []uint64) []uint64 {
	at := make([]uint64, len(d.Succ))
	d.fix(at, gen, kill, true, func(s uint32, f func(uint32)) {
		for _, t := range d.preds[d.predsAt[s]:d.predsAt[s+1]] {
			f(t)
		}
	})
	return at
}

// fix moves sets along until none grows. All basic blocks are taken once, in the order of
// the direction, so that only loops make one come up again.
func (d *Intervals) fix(at, gen, kill []uint64, back bool, along func(uint32, func(uint32))) {
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
		d.Visits++
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
