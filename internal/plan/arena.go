package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
)

// ArenaAlign is what every offset in an arena is a multiple of, in bytes.
const ArenaAlign = 256

// Buffer is memory of waves that has a place in an arena. It lives from group First to group Last, both included:
// scratch in one group, what waves pass on from the group that first writes it to the one that last reads it.
type Buffer struct {
	Elem      string // type of its elements; buffers of different types never share memory
	ElemBytes uint64 // of one element; 0 is 1
	Bytes     uint64

	First, Last int
	Host        bool // the host reads it after the run: it lives to the end
	Carried     bool // it crosses the back edge of the loop: it lives always
}

// ArenaRequest is what an arena is laid out from.
type ArenaRequest struct {
	Groups   int // of waves, in order
	Buffers  []Buffer
	Capacity uint64 // bytes
}

// Arena is one piece of device memory for all buffers.
type Arena struct {
	Bytes   uint64
	Places  []Place  // of each buffer
	Regions []Region // one for each type of elements, in order of their names
}

// Place is where a buffer stands.
type Place struct {
	Offset uint64 // bytes from the start of the arena
	Region int    // which holds it
	Base   uint64 // elements from the start of the region
}

// Region is the part of an arena that all buffers of one type of elements share. In a fused program it is one
// parameter, since parameters of a launch must not overlap, and a buffer is a constant base in it.
type Region struct {
	Elem          string
	Offset, Bytes uint64
}

// ArenaPlanner lays out arenas. It keeps its working storage between calls; the zero value is ready. One goroutine uses
// it at a time.
type ArenaPlanner struct {
	order []int32 // buffers by type, start, falling size
	live  []placed
}

// placed is a buffer that a later one of its region has to keep clear of.
type placed struct {
	offset, end uint64 // bytes from the start of the region
	last        int    // group
}

const arenaOp = "plan arena"

// Plan gives each buffer the lowest place of its region that no buffer living at the same time has: first fit, in order
// of start, then falling size, then index. Regions follow one another; as types never share memory that wastes only what
// aligns them. It takes time O(buffers · live buffers) and allocates nothing when repeated with sizes not above earlier
// ones. After an error, into is empty.
//
// Errors: empty, bad_live, elem_bytes, elem_differs, all that there are as driver.Problems; then overflow of "arena
// bytes", over_budget "arena".
func (p *ArenaPlanner) Plan(in ArenaRequest, into *Arena) error {
	into.reset()
	p.sort(in.Buffers)
	if ps := p.check(in); len(ps) > 0 {
		return ps
	}
	into.Places = resize(into.Places, len(in.Buffers))
	for rest := p.order; len(rest) > 0; {
		n := 1
		for n < len(rest) && in.Buffers[rest[n]].Elem == in.Buffers[rest[0]].Elem {
			n++
		}
		if !p.region(in, rest[:n], into) {
			into.reset()
			return Overflow(arenaOp, fmt.Sprintf("buffer %d", rest[0]), "arena bytes", int(rest[0]))
		}
		rest = rest[n:]
	}
	if need := into.Bytes; need > in.Capacity {
		into.reset()
		return OverBudget(arenaOp, "arena", "arena", -1, need, in.Capacity, "raise the budget, or divide the waves so that fewer buffers live at a time")
	}
	return nil
}

// sort puts buffers of one type side by side, in the order in which they are placed.
func (p *ArenaPlanner) sort(buffers []Buffer) {
	p.order = resize(p.order, len(buffers))
	for i := range p.order {
		p.order[i] = int32(i)
	}
	slices.SortFunc(p.order, func(i, j int32) int {
		a, b := &buffers[i], &buffers[j]
		return cmp.Or(strings.Compare(a.Elem, b.Elem), cmp.Compare(a.start(), b.start()), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(i, j))
	})
}

func (p *ArenaPlanner) check(in ArenaRequest) (ps driver.Problems) {
	if in.Groups <= 0 {
		ps = append(ps, Refusal(arenaOp, driver.InvalidArgument, "groups", "there are no groups", "give the groups of the plan",
			Reason{Code: "empty", Index: -1}))
	}
	refuse := func(i int, msg, fix string, r Reason) {
		r.Index = i
		ps = append(ps, Refusal(arenaOp, driver.InvalidArgument, fmt.Sprintf("buffer %d", i), msg, fix, r))
	}
	for i, b := range in.Buffers {
		if in.Groups > 0 && (b.First < 0 || b.First > b.Last || b.Last >= in.Groups) {
			refuse(i, fmt.Sprintf("it lives from group %d to group %d of %d", b.First, b.Last, in.Groups),
				"give the first and last group that uses it, counted from 0",
				Reason{Code: "bad_live", Numbers: []uint64{uint64(in.Groups)}, Path: []int{b.First, b.Last}})
		}
		if b.Bytes%b.elemBytes() != 0 {
			refuse(i, fmt.Sprintf("%d bytes are no whole number of %s of %d bytes", b.Bytes, b.Elem, b.ElemBytes),
				"give the bytes of whole elements",
				Reason{Code: "elem_bytes", What: b.Elem, Numbers: []uint64{b.Bytes, b.ElemBytes}})
		}
	}
	for at := 1; at < len(p.order); at++ {
		i, j := p.order[at-1], p.order[at]
		a, b := &in.Buffers[i], &in.Buffers[j]
		if a.Elem == b.Elem && a.elemBytes() != b.elemBytes() {
			refuse(int(j), fmt.Sprintf("its %s has %d bytes, that of buffer %d has %d", b.Elem, b.elemBytes(), i, a.elemBytes()),
				"give each type its own name",
				Reason{Code: "elem_differs", What: b.Elem, Numbers: []uint64{b.elemBytes(), a.elemBytes()}})
		}
	}
	return ps
}

// region places the buffers of one type behind what the arena has, and reports whether 64 bits hold it.
func (p *ArenaPlanner) region(in ArenaRequest, buffers []int32, into *Arena) bool {
	first := &in.Buffers[buffers[0]]
	start, ok := alignUp(into.Bytes, ArenaAlign)
	align, fits := stride(first.elemBytes())
	r := Region{Elem: first.Elem, Offset: start}
	p.live = p.live[:0]
	ok = ok && fits
	for _, i := range buffers {
		b := &in.Buffers[i]
		// Buffers come in the order of their start, so what ended before this one is in nobody's way any more.
		p.live = slices.DeleteFunc(p.live, func(l placed) bool { return l.last < b.start() })
		offset, at, fits := p.firstFit(b.Bytes, align)
		if ok = ok && fits; !ok {
			return false
		}
		if b.Bytes > 0 {
			p.live = slices.Insert(p.live, at, placed{offset, offset + b.Bytes, b.end(in.Groups)})
		}
		r.Bytes = max(r.Bytes, offset+b.Bytes)
		into.Places[i] = Place{Offset: start + offset, Region: len(into.Regions), Base: offset / b.elemBytes()}
	}
	into.Bytes, ok = add(start, r.Bytes)
	into.Regions = append(into.Regions, r)
	return ok
}

// firstFit returns the lowest offset with room for bytes between live buffers, which stand by offset, and the buffer in
// front of which that is.
func (p *ArenaPlanner) firstFit(bytes, align uint64) (offset uint64, at int, ok bool) {
	ok = true
	for ; at < len(p.live) && ok; at++ {
		if l := p.live[at]; l.offset >= offset && l.offset-offset >= bytes {
			break
		}
		offset, ok = alignUp(p.live[at].end, align)
	}
	if _, fits := add(offset, bytes); !fits {
		return 0, 0, false
	}
	return offset, at, ok
}

// stride returns the least common multiple of ArenaAlign and the size of an element, so that a base is a whole number of
// elements.
func stride(elemBytes uint64) (uint64, bool) {
	a, b := uint64(ArenaAlign), elemBytes
	for b != 0 {
		a, b = b, a%b
	}
	return mul(ArenaAlign/a, elemBytes)
}

func (b *Buffer) elemBytes() uint64 { return max(b.ElemBytes, 1) }

// start is the first group that b lives in.
func (b *Buffer) start() int {
	if b.Carried {
		return 0
	}
	return b.First
}

// end is the last group that b lives in.
func (b *Buffer) end(groups int) int {
	if b.Host || b.Carried {
		return groups - 1
	}
	return b.Last
}

// reset empties a and keeps its storage.
func (a *Arena) reset() { *a = Arena{Places: a.Places[:0], Regions: a.Regions[:0]} }
