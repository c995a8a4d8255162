package plan

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/govyre/vyre/driver"
)

// Envelope is the memory of a wave, in bytes.
type Envelope struct {
	Frontier uint64 // what it reads as its list of work
	Scratch  uint64 // dead after the wave
	Output   uint64 // read by later waves or by the host
}

// Bytes returns what the wave needs when its scratch is scaled, and whether 64 bits hold it.
func (e Envelope) Bytes(scratchFactor uint64) (bytes uint64, ok bool) {
	scratch, fits := mul(e.Scratch, scratchFactor)
	bytes, ok = add(e.Frontier, scratch, e.Output)
	return bytes, ok && fits
}

// GroupRequest is what groups of waves are packed from.
type GroupRequest struct {
	Waves        []Envelope
	Dependencies []Dependency
	Graph        uint64 // bytes that stay resident beside the waves
	Budget       uint64 // bytes for everything
	Readback     uint64 // bytes that the last run read
	// ScratchFactor is 4 where scratch is an estimate. 0 is 1: the envelope was derived from the program.
	ScratchFactor uint64
}

// Groups is the order of waves with the memory of each group.
type Groups struct {
	Barriers
	Bytes    []uint64 // of each group
	Required uint64   // the graph and the greatest group
	Peak     Envelope // each part by itself: the most that one group needs of it
	Width    int      // waves of the widest group
	Readback uint64   // the larger of the last run's and the peak output

	LowerBound int  // no order that fits has fewer groups
	Optimal    bool // this one has no more
}

// GroupPlanner orders waves by dependencies and memory. It keeps its working storage between calls; the zero value is
// ready. One goroutine uses it at a time.
type GroupPlanner struct {
	barriers BarrierPlanner
	layers   Barriers
	bytes    []uint64 // of each wave
	ranks    []int32  // of each wave: its place when the greatest height goes first, then the smallest id
	ranked   []int32  // the wave of each rank
	byHeight []int32
	ready    readyWaves
}

const groupsOp = "plan groups"

// Plan packs waves into groups that keep the dependencies and fit the budget. It is list scheduling (Graham, Bounds on
// multiprocessing timing anomalies, 1969): of the waves that are ready, the one with the greatest height is asked first,
// then the one with the smallest id, and each that still fits joins the group. With room for everything that gives the
// layers of BarrierPlanner; without, waves that have slack move to a later group before a layer is split. It takes
// time O(dependencies + waves·log waves) and allocates nothing when repeated with sizes not above earlier ones. After an
// error, into is empty.
//
// Each wave is checked alone first, so that none hides behind a smaller one.
//
// Errors: those of BarrierPlanner and overflow of "wave bytes", all that there are as driver.Problems; then the first of
// over_budget "resident graph" and "one wave".
func (p *GroupPlanner) Plan(in GroupRequest, into *Groups) error {
	into.empty()
	ps := p.barriers.plan(len(in.Waves), in.Dependencies, &p.layers)
	ps = append(ps, p.measure(in)...)
	if len(ps) > 0 {
		return ps
	}
	if in.Graph > in.Budget {
		return OverBudget(groupsOp, "graph", "resident graph", -1, in.Graph, in.Budget, "raise the budget or divide the graph")
	}
	// What is not ready counts as 2^64-1 bytes, so no wave may have as many.
	capacity := min(in.Budget-in.Graph, math.MaxUint64-1)
	for w, bytes := range p.bytes {
		if bytes > capacity {
			return OverBudget(groupsOp, fmt.Sprintf("wave %d", w), "one wave", w, bytes, capacity, "raise the budget or divide the wave")
		}
	}
	p.rank()
	into.Height = append(into.Height, p.layers.Height...)
	into.GroupOf = resize(into.GroupOf, len(in.Waves))
	into.arrange(p.pack(capacity, into.GroupOf))
	into.measure(in, p.bytes)
	into.LowerBound = max(len(p.layers.Groups), least(p.bytes, capacity))
	into.Optimal = len(into.Groups) == into.LowerBound
	return nil
}

// measure computes the bytes of each wave.
func (p *GroupPlanner) measure(in GroupRequest) (ps driver.Problems) {
	p.bytes = resize(p.bytes, len(in.Waves))
	for w, e := range in.Waves {
		var ok bool
		if p.bytes[w], ok = e.Bytes(max(in.ScratchFactor, 1)); !ok {
			ps = append(ps, Overflow(groupsOp, fmt.Sprintf("wave %d", w), "wave bytes", w))
		}
	}
	return ps
}

// rank sorts the waves by falling height, then by id, by counting.
func (p *GroupPlanner) rank() {
	n := len(p.layers.Height)
	p.byHeight = zeroed(p.byHeight, len(p.layers.Groups)+1)
	for _, h := range p.layers.Height {
		p.byHeight[h]++
	}
	at := int32(0)
	for h, waves := range slices.Backward(p.byHeight) {
		p.byHeight[h] = at
		at += waves
	}
	p.ranks, p.ranked = resize(p.ranks, n), resize(p.ranked, n)
	for w, h := range p.layers.Height {
		p.ranks[w] = p.byHeight[h]
		p.ranked[p.ranks[w]] = int32(w)
		p.byHeight[h]++
	}
}

// pack says in groupOf where each wave goes and returns the number of groups. Each wave fits alone, so each group takes
// at least one.
func (p *GroupPlanner) pack(capacity uint64, groupOf []int) (groups int) {
	waiting := p.barriers.waiting // all 0, as everything was ordered
	order := p.barriers.order[:0]
	for _, s := range p.barriers.after {
		waiting[s]++
	}
	p.ready.reset(len(groupOf))
	for w, n := range waiting {
		if n == 0 {
			p.ready.put(int(p.ranks[w]), p.bytes[w])
		}
	}
	for len(order) < len(groupOf) {
		first := len(order)
		for room := capacity; ; {
			rank, ok := p.ready.take(room)
			if !ok {
				break
			}
			w := p.ranked[rank]
			room -= p.bytes[w]
			groupOf[w] = groups
			order = append(order, w)
		}
		// What this group frees is ready for the next one, not for itself.
		for _, w := range order[first:] {
			for _, s := range p.barriers.row(w) {
				if waiting[s]--; waiting[s] == 0 {
					p.ready.put(int(p.ranks[s]), p.bytes[s])
				}
			}
		}
		groups++
	}
	p.barriers.order = order
	return groups
}

// measure adds up the groups. Each fits beside the graph, so no sum overflows; of scratch that is scaled, even less.
func (g *Groups) measure(in GroupRequest, bytes []uint64) {
	g.Bytes = resize(g.Bytes, len(g.Groups))
	for i, waves := range g.Groups {
		var sum Envelope
		g.Bytes[i] = 0
		for _, w := range waves {
			e := in.Waves[w]
			sum.Frontier += e.Frontier
			sum.Scratch += e.Scratch
			sum.Output += e.Output
			g.Bytes[i] += bytes[w]
		}
		g.Peak.Frontier = max(g.Peak.Frontier, sum.Frontier)
		g.Peak.Scratch = max(g.Peak.Scratch, sum.Scratch)
		g.Peak.Output = max(g.Peak.Output, sum.Output)
		g.Required = max(g.Required, in.Graph+g.Bytes[i])
		g.Width = max(g.Width, len(waves))
	}
	g.Readback = max(in.Readback, g.Peak.Output)
}

// least returns how many groups the bytes alone demand. They are at most capacity each, so their number bounds it.
func least(bytes []uint64, capacity uint64) int {
	var hi, lo, carry uint64
	for _, b := range bytes {
		lo, carry = bits.Add64(lo, b, 0)
		hi += carry
	}
	if capacity == 0 {
		return 1
	}
	groups, rest := bits.Div64(hi, lo, capacity)
	if rest > 0 {
		groups++
	}
	return int(groups)
}

// empty empties g and keeps its storage.
func (g *Groups) empty() {
	barriers, bytes := g.Barriers, g.Bytes[:0]
	barriers.reset()
	*g = Groups{Barriers: barriers, Bytes: bytes}
}
