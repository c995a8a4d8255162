package interp

import (
	"math/rand/v2"
	"unsafe"
)

// span is where an object's elements lie. Of a local array, every lane has a copy.
type span struct {
	base   unsafe.Pointer // kept as a pointer so that the memory stays alive; nil when empty
	len    uint64         // elements
	step   uintptr        // bytes from one element to the next
	run    uint64         // of an array in a record: its elements, after which come gap bytes more; else 0
	gap    uintptr
	stride uintptr // bytes from one lane's copy to the next; 0 for buffers and shared arrays
}

// status is what a warp can do next.
type status uint8

const (
	ready       status = iota
	atGroup            // waits at a barrier of its group
	atGrid             // waits at a barrier of the grid
	atFirst            // waits at a barrier of the first groups
	ended              // no lane is left
	interrupted        // the launch is over: an error was recorded
)

// frame holds the lanes that wait at a structured op.
type frame struct {
	out   uint32 // rejoin where the op ends
	again uint32 // if: have to run the other arm; loop: go round again
}

// warp is up to 32 invocations in lockstep. It is an explicit state, not a goroutine:
// at a barrier it is simply left alone.
type warp struct {
	g      *group
	index  int // in the group
	status status
	pc     int32
	live   uint32 // lanes that run the next instruction
	all    uint32 // lanes that exist
	n      int    // how many those are
	wait   *instr // the barrier it waits at
	regs   []lanes
	frames []frame
	spans  []span
	local  []uint64
	bank   []lanes

	pending []copied   // in the order in which they began
	batch   [32]uint32 // by lane: batches of copies that have ended

	// Only with detectors.
	phase   uint32    // barriers of any scope passed
	defined [][]uint8 // by object: 1 for each element of a shared or local array that was written
	sync    []clocks  // by lane
}

// group is a workgroup.
type group struct {
	id     uint64 // linear
	at     [3]uint32
	warps  []warp
	ready  []*warp // in the order of the schedule
	shared []uint64

	// The barrier that warps have reached, if any.
	waiting int
	meeting *instr // where the first of them waits
	torn    bool   // another waits elsewhere
	vote    uint64
	ended   int // warps

	phase  uint32 // barriers of group or grid scope passed
	shadow []shadow
}

// at returns the value an operand names.
func (w *warp) at(i int32) *lanes {
	if i >= 0 {
		return &w.regs[i]
	}
	return &w.bank[^i]
}

// newGroup makes the state of a group, to be used for one group after the other.
func (l *flight) newGroup() *group {
	k := l.k
	g := &group{warps: make([]warp, k.warps), ready: make([]*warp, 0, k.warps),
		shared: make([]uint64, l.sharedBytes/8)}
	n := int(k.slots)
	regs := make([]lanes, k.warps*n)
	frames := make([]frame, k.warps*int(k.depth))
	spans := make([]span, k.warps*len(k.objs))
	local := make([]uint64, k.warps*int(align16(k.locals)/8))
	for i := range g.warps {
		w := &g.warps[i]
		w.g, w.index, w.all = g, i, k.lanesOf(i)
		w.n = min(32, k.groupSize-32*i)
		w.regs, regs = regs[:n:n], regs[n:]
		w.frames, frames = frames[:k.depth:k.depth], frames[k.depth:]
		w.spans, spans = spans[:len(k.objs):len(k.objs)], spans[len(k.objs):]
		w.local = local[:align16(k.locals)/8]
		local = local[align16(k.locals)/8:]
		w.bank = l.bank
		for j := range k.objs {
			w.spans[j] = l.spanOf(j, g, w)
		}
	}
	return g
}

// spanOf returns where object j lies for warp w of group g.
func (l *flight) spanOf(j int, g *group, w *warp) span {
	o := &l.k.objs[j]
	switch {
	case j < l.k.buffers:
		return l.buffers[j]
	case o.Shared():
		s := span{len: l.lenOf(j), step: uintptr(o.size)}
		if s.len > 0 {
			s.base = unsafe.Pointer(&g.shared[o.at/8])
		}
		return s
	case o.Table():
		return span{base: unsafe.Pointer(&o.table[0]), len: o.len, step: uintptr(o.size)}
	}
	return span{base: unsafe.Pointer(&w.local[o.at/8]), len: o.len, step: uintptr(o.size), stride: uintptr(o.len * o.size)}
}

// rebind points a pooled group at the buffers of a new launch, and gives the shared
// array whose length comes with it that length.
func (l *flight) rebind(g *group) {
	for i := range g.warps {
		w := &g.warps[i]
		copy(w.spans[:l.k.buffers], l.buffers)
		if r := l.k.rest; r >= 0 {
			w.spans[r] = l.spanOf(r, g, w)
		}
	}
}

// lenOf returns the elements of object j in this launch.
func (l *flight) lenOf(j int) uint64 {
	switch {
	case j < l.k.buffers:
		return l.buffers[j].len
	case j == l.k.rest:
		return l.rest
	}
	return l.k.objs[j].len
}

// start sets g to the beginning of group id.
func (x *worker) start(g *group, id uint64) {
	g.id = id
	gx, gy := uint64(x.grid[0]), uint64(x.grid[1])
	g.at = [3]uint32{uint32(id % gx), uint32(id / gx % gy), uint32(id / gx / gy)}
	g.waiting, g.meeting, g.torn, g.ended, g.phase = 0, nil, false, 0, 0
	x.poison.fill(g.shared)
	for i := range g.warps {
		w := &g.warps[i]
		w.status, w.pc, w.live, w.phase, w.wait = ready, 0, w.all, 0, nil
		w.pending, w.batch = w.pending[:0], [32]uint32{}
		x.poison.fill(w.local)
	}
	if x.det != nil {
		x.det.startGroup(g)
	}
	g.wake(x.o.Schedule.order)
}

// wake makes all warps of g ready.
func (g *group) wake(o order) {
	g.ready = g.ready[:0]
	for i := range g.warps {
		if o == descending {
			i = len(g.warps) - 1 - i
		}
		g.warps[i].status = ready
		g.ready = append(g.ready, &g.warps[i])
	}
}

// poison is what undefined memory holds: a pattern drawn from a seed, repeated. Its
// length is prime, so that arrays laid out at powers of two do not look alike.
type poison struct {
	seed  uint64
	words [509]uint64
	drawn bool
}

func (p *poison) draw(seed uint64) {
	if p.drawn && p.seed == seed {
		return
	}
	rng := rand.NewPCG(seed, 0x766f6964)
	for i := range p.words {
		p.words[i] = rng.Uint64()
	}
	p.seed, p.drawn = seed, true
}

func (p *poison) fill(mem []uint64) {
	for len(mem) > 0 {
		mem = mem[copy(mem, p.words[:]):]
	}
}
