package machine

import "github.com/govyre/vyre/internal/cusim/internal/asm"

// races finds accesses of one launch to the same bytes that nothing orders, of which one writes and not both
// are atomic, volatile or have an order of their own. It keeps a vector clock for each warp, as Flanagan and
// Freund do for threads ("FastTrack", 2009): barriers of a group join those of its warps; a release leaves the
// warp's at the address, and an acquire there takes it. Where the code has fences, every strong access is
// both. Lanes of a warp are in order, except those of one store.
//
// A load of global memory that is relaxed in the scope of the group asks for any value and is not looked at.
//
// A word remembers one read and one write, so not every race is seen; what is reported is one.
type races struct {
	warps  int // of a group
	fences bool
	clocks [][]uint32 // by warp of the launch
	words  map[*allocation][]shadow
	left   map[uint64][]uint32 // clocks that releases left, by address
	shared map[*group][]shadow
	flying []underWay // copies
}

// maxRaceWarps bounds the launches that are looked at; the clocks of larger ones would be too long.
const maxRaceWarps = 1024

// shadow is what is known of four bytes.
type shadow struct{ write, read touch }

// touch is an access.
type touch struct {
	warp   uint32 // its number, from 1
	clock  uint32
	line   int32
	thread uint16
	bytes  uint8 // a bit for each
	strong bool
	step   uint64
}

func newRaces(e *Execution) *races {
	warps := int(e.threads+31) / 32
	if e.total > maxRaceWarps || int(e.total)*warps > maxRaceWarps {
		return nil
	}
	r := &races{warps: warps, clocks: make([][]uint32, int(e.total)*warps), words: make(map[*allocation][]shadow),
		left: make(map[uint64][]uint32), shared: make(map[*group][]shadow)}
	for i := range e.k.code {
		if op := e.k.code[i].src.Op; op == "fence" || op == "membar" {
			r.fences = true
		}
	}
	return r
}

// clock is the vector of warp n.
func (r *races) clock(n int) []uint32 {
	if r.clocks[n] == nil {
		r.clocks[n] = make([]uint32, len(r.clocks))
		r.clocks[n][n] = 1
	}
	return r.clocks[n]
}

func merge(to, from []uint32) {
	for i, c := range from {
		to[i] = max(to[i], c)
	}
}

// number is a warp's number in the launch.
func (r *races) number(w *warp) int { return int(w.g.linear)*r.warps + int(w.first/32) }

// begin forgets the shared memory of the group that ran in g before.
func (r *races) begin(g *group) { delete(r.shared, g) }

// barrier orders what the warps of a group did before it before what they do after it.
func (r *races) barrier(g *group) {
	first := int(g.linear) * r.warps
	all := make([]uint32, len(r.clocks))
	for n := first; n < first+r.warps; n++ {
		merge(all, r.clock(n))
	}
	for n := first; n < first+r.warps; n++ {
		copy(r.clocks[n], all)
		r.clocks[n][n]++
	}
}

// ordering is what an access says about others.
type ordering struct {
	strong, acquires, releases bool
	stale                      bool // asks only for some value, so it races with nothing
}

func orderingOf(src *asm.Inst) ordering {
	atomic := src.Op == "atom" || src.Op == "red"
	return ordering{
		stale:    src.Op == "ld" && src.Space() == asm.Global && src.Has("relaxed") && src.Has("cta"),
		strong:   atomic || src.One("volatile", "relaxed", "acquire", "release") != "",
		acquires: src.One("acquire", "acq_rel") != "",
		releases: src.One("release", "acq_rel") != "",
	}
}

// access notes an access of lane l to n bytes of a cell, and reports what it races with. changes says
// whether it writes something else than is there.
func (r *races) access(w *warp, in *inst, x *access, l, n int, c cell, writes, changes bool) {
	o := x.order
	if o.stale {
		return
	}
	if len(r.flying) > 0 {
		r.early(w, in, l, c, writes)
	}
	me := r.number(w)
	clock := r.clock(me)
	sync := w.address(x, l)
	if o.strong && r.fences || o.acquires {
		merge(clock, r.left[sync])
	}
	words := r.shadows(w, c)
	for at := c.at &^ 3; at < c.at+n; at += 4 {
		s := &words[at/4]
		t := touch{uint32(me + 1), clock[me], int32(in.src.Line), uint16(w.first) + uint16(l), 0, o.strong, w.g.m.report.Steps}
		for i := range 4 {
			if at+i >= c.at && at+i < c.at+n {
				t.bytes |= 1 << i
			}
		}
		if !writes || changes { // equal values are stored in any order
			r.compare(w, in, l, t, s.write, clock, "wrote", writes, sync)
		}
		if writes {
			r.compare(w, in, l, t, s.read, clock, "read", false, sync)
			s.write = t
		} else {
			s.read = t
		}
	}
	if o.strong && r.fences || o.releases {
		if r.left[sync] == nil {
			r.left[sync] = make([]uint32, len(r.clocks))
		}
		merge(r.left[sync], clock)
		clock[me]++
	}
}

// shadows are the words of the cell's memory.
func (r *races) shadows(w *warp, c cell) []shadow {
	if c.of != nil {
		if r.words[c.of] == nil {
			r.words[c.of] = make([]shadow, (len(c.of.data)+3)/4)
		}
		return r.words[c.of]
	}
	if r.shared[w.g] == nil {
		r.shared[w.g] = make([]shadow, (len(w.g.shared)+3)/4)
	}
	return r.shared[w.g]
}

// compare reports the access t if nothing orders an earlier one before it. together says that lanes of one
// instruction race too.
func (r *races) compare(w *warp, in *inst, l int, t, before touch, clock []uint32, did string, together bool, addr uint64) {
	switch {
	case before.warp == 0 || before.bytes&t.bytes == 0 || before.strong && t.strong:
		return
	case before.warp == t.warp && (before.step != t.step || !together):
		return
	case before.warp != t.warp && before.clock <= clock[before.warp-1]:
		return
	}
	group := int(before.warp-1) / r.warps
	w.found(Race, in, 1<<l, "thread %d of group %d %s what is at %#x in line %d, and nothing orders the two", before.thread, group, did, addr, before.line)
}
