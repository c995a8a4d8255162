package megakernel

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/ir"
)

// groups are the waves of one phase, layered.
type groups struct {
	steps  [][]*step
	plan   plan.Groups
	shared *sharing // if waves of it share bodies
}

// layer makes the groups of every phase, and refuses waves of one group that touch the same memory.
func (b *binder) layer(deps []Dependency, budget uint64) (phases [After + 1]groups, err error) {
	if len(b.steps) == 0 {
		return phases, driver.Problems{problem(b.dev, driver.InvalidArgument, "empty", -1, "", "there are no waves", "give at least one that runs every round")}
	}
	var of [After + 1]int // waves of each phase
	for i := range b.steps {
		f := b.steps[i].Phase
		if f > After {
			b.refuse("phase", i, "", fmt.Sprintf("there is no %v", f), "use EveryRound, Before or After")
			return phases, b.found
		}
		of[f]++
	}
	order := [After + 1]int{Before: 0, EveryRound: 1, After: 2}
	var inner [After + 1][]Dependency
	for k, d := range deps {
		if min(d.Before, d.After) < 0 || max(d.Before, d.After) >= len(b.steps) {
			b.found = append(b.found, problem(b.dev, driver.InvalidArgument, "bad_wave", k, fmt.Sprintf("dependency %d", k),
				fmt.Sprintf("it is from wave %d to wave %d, of %d waves", d.Before, d.After, len(b.steps)), "number waves from 0, in the order in which they are given"))
			continue
		}
		from, to := b.steps[d.Before].Phase, b.steps[d.After].Phase
		switch {
		case d.Before == d.After:
			b.found = append(b.found, problem(b.dev, driver.InvalidArgument, "self", d.Before, fmt.Sprintf("dependency %d", k),
				fmt.Sprintf("wave %d waits for itself", d.Before), "drop it; what a wave hands to its next round needs no dependency"))
		case from == to:
			inner[from] = append(inner[from], d)
		case order[from] > order[to]:
			b.found = append(b.found, problem(b.dev, driver.InvalidArgument, "phase", k, fmt.Sprintf("dependency %d", k),
				fmt.Sprintf("wave %d, which runs %v, would wait for wave %d, which runs %v", d.After, to, d.Before, from), "turn it round, or change a phase"))
		}
	}
	if of[EveryRound] == 0 {
		b.found = append(b.found, problem(b.dev, driver.InvalidArgument, "empty", -1, "", "no wave runs every round", "leave the phase of at least one wave as it is"))
	}
	if len(b.found) > 0 {
		return phases, b.found
	}
	var planner plan.GroupPlanner
	for f := range phases {
		if of[f] == 0 {
			continue
		}
		// Waves of other phases are planned along, free of dependencies, so that errors name waves as the caller does.
		// They stand in the first group, where this phase has one, too.
		g := &phases[f]
		in := plan.GroupRequest{Waves: b.envelopes(Phase(f)), Dependencies: inner[f], Graph: b.resident(), Budget: budget}
		if err := planner.Plan(in, &g.plan); err != nil {
			return phases, b.own(err)
		}
		for _, waves := range g.plan.Groups {
			var steps []*step
			for _, w := range waves {
				if int(b.steps[w].Phase) == f {
					steps = append(steps, &b.steps[w])
				}
			}
			b.conflicts(steps)
			g.steps = append(g.steps, steps)
		}
	}
	if len(b.found) > 0 {
		return phases, b.found
	}
	return phases, nil
}

// envelopes is what each wave of a phase needs of memory beside what is resident: what it says, or its
// temps. Waves of other phases need nothing.
func (b *binder) envelopes(f Phase) []Envelope {
	es := make([]Envelope, len(b.steps))
	for i := range b.steps {
		s := &b.steps[i]
		if s.Phase != f {
			continue
		}
		if es[i] = s.Bytes; es[i] == (Envelope{}) {
			for _, t := range s.touches {
				if m := b.bindings[t.binding].temp; m != nil && !m.Kept {
					es[i].Scratch += uint64(m.Bytes)
				}
			}
		}
	}
	return es
}

// resident is how many bytes are there all the time: of the caller's ranges, those that overlap counted
// once, and of temps that are kept.
func (b *binder) resident() (n uint64) {
	var end int64
	var last driver.Buffer
	for _, k := range b.byPlace(nil) {
		m := b.bindings[k].memory
		if m.Buffer != last {
			last, end = m.Buffer, 0
		}
		if to := m.Off + m.Len; to > end {
			n += uint64(to - max(end, m.Off))
			end = to
		}
	}
	for _, m := range b.order {
		if m.Kept {
			n += uint64(m.Bytes)
		}
	}
	return n
}

// own makes findings of a planner those of making this plan.
func (b *binder) own(err error) error {
	var ps driver.Problems
	var e *driver.Error
	if !errors.As(err, &ps) && errors.As(err, &e) {
		ps = driver.Problems{e}
	}
	for _, e := range ps {
		e.Op, e.Device = "plan", b.dev.Name()
	}
	return err
}

// conflicts refuses waves of one group that touch the same memory, one of them writing: nothing
// says in which order. Updates of one commutative kind, and atomic loads beside them, may meet.
func (b *binder) conflicts(group []*step) {
	type user struct {
		s *step
		t touch
	}
	users := map[int][]user{}
	for _, s := range group {
		for _, t := range s.touches {
			others := users[t.binding]
			for _, k := range b.near[t.binding] {
				others = append(others[:len(others):len(others)], users[k]...)
			}
			for _, u := range others {
				if meet(u.t, t) {
					continue
				}
				if u.s == s {
					b.refuse("F5", s.id, "argument "+b.nameOf(s, t), fmt.Sprintf("%v: it shares bytes with another argument of the wave, and one of them is written", s.Program.Pos(t.row)), "pass the range once")
					continue
				}
				name := u.s.Program.Objects()[u.s.Program.X(u.t.row)].Name()
				b.refuse("F5", s.id, "argument "+b.nameOf(s, t), fmt.Sprintf("%v: %v touches what wave %d %s touches as @%s at %v, and one of them writes; nothing says which comes first",
					s.Program.Pos(t.row), s.Program.Op(t.row), u.s.id, u.s.Program.Name(), name, u.s.Program.Pos(u.t.row)),
					fmt.Sprintf("add the dependency from wave %d to wave %d, or the other way round", u.s.id, s.id))
			}
			users[t.binding] = append(users[t.binding], user{s, t})
		}
	}
	for _, s := range group {
		if s.Domain.kind != counted {
			continue
		}
		for _, u := range users[s.length] {
			if u.t.writes || u.t.updates != 0 {
				b.refuse("F8", s.id, "domain", fmt.Sprintf("wave %d %s of the same group writes the word that counts it", u.s.id, u.s.Program.Name()),
					fmt.Sprintf("add the dependency from wave %d to wave %d", u.s.id, s.id))
			}
		}
	}
}

func (b *binder) nameOf(s *step, t touch) string {
	return s.Program.Objects()[s.Program.X(t.row)].Name()
}

// meet reports whether two touches may stand in one group.
func meet(a, b touch) bool {
	writes := func(t touch) bool { return t.writes || t.updates != 0 }
	switch {
	case !writes(a) && !writes(b):
		return true
	case a.plain || b.plain || a.writes || b.writes || a.mixed || b.mixed:
		return false
	}
	return a.updates == 0 || b.updates == 0 || a.updates == b.updates && commutes(a.updates)
}

// commutes reports whether updates of the kind leave the same whatever their order.
func commutes(op ir.Op) bool {
	switch op {
	case ir.OpAtomicAdd, ir.OpAtomicMin, ir.OpAtomicMax, ir.OpAtomicAnd, ir.OpAtomicOr, ir.OpAtomicXor:
		return true
	}
	return false
}
