package dataflow

import "github.com/govyre/vyre/ir"

// meeting is what may come before the next barrier, by object: a plain access, an atomic one, both in one interval.
type meeting struct{ plain, atomic, both uint64 }

// before is the state in front of an incident, given the one after it.
func (m meeting) before(e *Incident) meeting {
	m.plain, m.atomic, m.both = m.plain&^e.kills, m.atomic&^e.kills, m.both&^e.kills
	m.both |= e.Plain&m.atomic | e.Atomic&m.plain
	m.plain |= e.Plain
	m.atomic |= e.Atomic
	return m
}

func (m meeting) join(n meeting) meeting {
	return meeting{m.plain | n.plain, m.atomic | n.atomic, m.both | n.both}
}

// Meetings returns, for every incident and for the start of the program, the objects that are accessed both plainly and
// atomically after it and before the next barrier. together tells for which objects all invocations that could meet
// at them take the same arm of a branch: what stands in different arms of it does not come in one interval then.
func (d *Intervals) Meetings(together func(branch ir.Row) uint64) (sets []uint64, start uint64) {
	n := len(d.Succ)
	in := make([]meeting, n) // by basic block: the state at its start
	end := func(s uint32) (m meeting) {
		arms := 0
		for _, t := range d.Succ[s] {
			if t != noBlock {
				m = m.join(in[t])
				arms++
			}
		}
		if arms == 2 {
			m.both |= m.plain & m.atomic &^ together(d.f.last[s])
		}
		return m
	}
	queue := make([]uint32, n)
	queued := make([]bool, n)
	for i := range queue {
		queue[i], queued[i] = uint32(n-1-i), true
	}
	for head := 0; head < len(queue); head++ {
		s := queue[head]
		queued[s] = false
		d.Visits++
		m := end(s)
		for i := d.Heads[s+1]; i > d.Heads[s]; i-- {
			m = m.before(&d.Incidents[i-1])
		}
		if m = m.join(in[s]); m == in[s] {
			continue
		}
		in[s] = m
		for _, t := range d.preds[d.predsAt[s]:d.predsAt[s+1]] {
			if !queued[t] {
				queued[t] = true
				queue = append(queue, t)
			}
		}
	}
	sets = make([]uint64, len(d.Incidents))
	for s := range uint32(n) {
		m := end(s)
		for i := d.Heads[s+1]; i > d.Heads[s]; i-- {
			sets[i-1] = m.both
			m = m.before(&d.Incidents[i-1])
		}
	}
	return sets, in[d.f.first[0]].both
}
