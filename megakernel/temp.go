package megakernel

import (
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/ir"
)

// Temp is the argument of a buffer that the plan provides: a part of its arena, which is as large as
// what is needed at one time. Arguments with one ID are one buffer.
//
// Contents last from the wave of a round that first writes the buffer to the one that last reads it,
// and what other waves keep there before and after is their own. With Kept they last as long as the
// plan, from run to run, 0 at first; Plan.Memory returns the range.
type Temp struct {
	driver.Range // filled by the plan

	ID    int   // any number
	Bytes int64 // whole elements; the same wherever the ID stands
	Kept  bool
}

// temp is a buffer of the arena and who uses it.
type temp struct {
	Temp
	binding     int
	elem        string
	size        uint64 // of an element
	first, last int    // group, numbered over all phases
	phases      uint   // bit set of those that use it
	reads       *step  // that looks at it in the first group, without writing it
	writes      bool   // in the first group
}

// temp finds the binding of a Temp, or makes it.
func (b *binder) temp(s *step, where string, a Temp, q ir.Param) int {
	size := uint64(q.Bytes())
	switch t, known := b.temps[a.ID]; {
	case a.Bytes <= 0 || uint64(a.Bytes)%size != 0:
		b.refuse("F7", s.id, where, fmt.Sprintf("temp %d has %d bytes, its elements %d each", a.ID, a.Bytes, size), "give it whole elements, at least one")
	case !known:
		t = &temp{Temp: a, binding: len(b.bindings), elem: q.ElemName(), size: size, first: -1}
		b.temps[a.ID] = t
		b.order = append(b.order, t)
		b.bindings = append(b.bindings, binding{memory: driver.Range{Len: a.Bytes}, param: q, temp: t, lanes: 1})
		return t.binding
	case t.Bytes != a.Bytes || t.Kept != a.Kept:
		b.refuse("F7", s.id, where, fmt.Sprintf("temp %d has %d bytes here and %d in another wave, or is kept in one of them only", a.ID, a.Bytes, t.Bytes), "say the same of it wherever it stands")
	default:
		b.join(s, where, &b.bindings[t.binding], q)
		return t.binding
	}
	return 0
}

// live finds out between which groups temps are needed.
func (b *binder) live(phases *[After + 1]groups) (all int) {
	for _, f := range []Phase{Before, EveryRound, After} {
		for _, waves := range phases[f].steps {
			for _, s := range waves {
				for _, t := range s.touches {
					if m := b.bindings[t.binding].temp; m != nil {
						m.touch(s, t, f, all)
					}
				}
			}
			all++
		}
	}
	return all
}

// touch widens the life of a temp to a group.
func (m *temp) touch(s *step, t touch, f Phase, group int) {
	if m.first < 0 {
		m.first = group
	}
	if m.first == group {
		m.writes = m.writes || t.writes
		if !t.writes {
			m.reads = s
		}
	}
	m.last, m.phases = group, m.phases|1<<f
}

// arena lays out the temps, in what the budget leaves beside memory of the caller's.
func (b *binder) arena(groups int, room uint64) (*plan.Arena, error) {
	in := plan.ArenaRequest{Groups: groups, Capacity: room}
	for _, m := range b.order {
		if !m.Kept && m.phases&(m.phases-1) == 0 && !m.writes && m.reads != nil {
			b.refuse("F7", m.reads.id, fmt.Sprintf("temp %d", m.ID), "no wave of the phase has written it when this one first looks at it", "let a wave of an earlier group write it, or keep it")
		}
		always := m.Kept || m.phases&(m.phases-1) != 0
		in.Buffers = append(in.Buffers, plan.Buffer{Elem: m.elem, ElemBytes: m.size, Bytes: uint64(m.Bytes), First: max(m.first, 0), Last: max(m.last, 0), Carried: always})
	}
	if len(b.found) > 0 {
		return nil, b.found
	}
	var planner plan.ArenaPlanner
	a := new(plan.Arena)
	if err := planner.Plan(in, a); err != nil {
		return nil, b.own(err)
	}
	return a, nil
}

// place gives temps their ranges of the arena's buffer.
func (b *binder) place(a *plan.Arena, memory driver.Buffer) {
	for k, m := range b.order {
		m.Range = driver.Part(memory, int64(a.Places[k].Offset), m.Bytes)
		b.bindings[m.binding].memory = m.Range
	}
}
