package sass

import (
	"fmt"
	"strings"
)

// group is a workgroup.
type group struct {
	m      *machine
	id     [3]uint32
	shared []byte
	warps  []*warp
	votes  [barriers]uint32 // at BAR.RED, so far
}

func (m *machine) newGroup(id [3]uint32) *group {
	g := &group{m: m, id: id, shared: make([]byte, m.l.Shared)}
	fill(g.shared)
	for z := range m.l.Group[2] {
		for y := range m.l.Group[1] {
			for x := range m.l.Group[0] {
				if n := len(g.warps); n == 0 || len(g.warps[n-1].lanes) == 32 {
					w := &warp{group: g}
					for i := range w.r {
						w.r[i] = arbitrary(i)
					}
					g.warps = append(g.warps, w)
				}
				w := g.warps[len(g.warps)-1]
				t := &thread{w: w, l: m.l, lane: len(w.lanes), id: [3]uint32{x, y, z}}
				for i := range t.r {
					t.r[i] = arbitrary(i ^ t.lane<<8)
				}
				for i := range t.p {
					t.p[i] = arbitrary(i^t.lane<<8)>>31 != 0
				}
				w.lanes = append(w.lanes, t)
				w.alive |= 1 << t.lane
			}
		}
	}
	for _, w := range g.warps {
		w.splits = []*split{{lanes: w.alive}}
	}
	return g
}

// run lets splits take turns until all have ended.
func (m *machine) run() error {
	type choice struct {
		w *warp
		s *split
	}
	var list []choice
	limit := 0
	for _, g := range m.groups {
		limit += len(g.warps) * most
	}
	for steps := 0; steps < limit; {
		list = list[:0]
		waiting := 0
		for _, g := range m.groups {
			for _, w := range g.warps {
				for _, s := range w.splits {
					if s.wait == running {
						list = append(list, choice{w, s})
					} else {
						waiting++
					}
				}
			}
		}
		if len(list) == 0 {
			if waiting > 0 {
				return fmt.Errorf("sass: lanes wait for others that do not come:%s", m.where())
			}
			return nil
		}
		c := list[m.rng.IntN(len(list))]
		n, err := c.w.take(c.s)
		if err != nil {
			return fmt.Errorf("group %v: %w", c.w.group.id, err)
		}
		steps += n
	}
	return fmt.Errorf("sass: it takes more than %d instructions:%s", limit, m.where())
}

// where says where all are that have not ended.
func (m *machine) where() string {
	var b strings.Builder
	for _, g := range m.groups {
		for i, w := range g.warps {
			for _, s := range w.splits {
				fmt.Fprintf(&b, " group %v warp %d lanes %#x at %#x (%s);", g.id, i, s.lanes, bytesOf*(s.pc-1), m.code.insts[s.pc-1].text)
			}
		}
	}
	return b.String()
}

// release lets invocations go on that have all arrived at a barrier of the group.
func (g *group) release() {
	for id := range barriers {
		here := func(s *split) bool { return s.wait == atGroup && s.on == id }
		some, all := false, true
		for _, w := range g.warps {
			for _, s := range w.splits {
				some = some || here(s)
				all = all && here(s)
			}
		}
		if !some || !all {
			continue
		}
		for _, w := range g.warps {
			for _, s := range w.splits {
				w.each(s.lanes, func(t *thread) { t.voted = g.votes[id] })
			}
			w.goOn(here)
		}
		g.votes[id] = 0
	}
}

// waitForGroup is BAR. All lanes of a warp have to come together: bar.sync, of which it is made, says so.
func waitForGroup(w *warp, s *split, lanes uint32, in *inst) {
	t := w.first(lanes)
	var id uint32
	switch o := in.args[0]; {
	case o.kind == immediate && (len(in.args) == 1 || in.args[1].kind == predicate):
		id = o.bits
	case o.kind == register && len(in.args) == 2 && in.args[1].n == o.n: // with the number of those that it is for, above
		id = t.value(o)
	default:
		t.err = &UnknownError{in.text}
		return
	}
	if id >= barriers || !in.has("SYNC") && !in.has("RED") {
		t.err = &UnknownError{in.text}
		return
	}
	if lanes != w.alive {
		t.err = fmt.Errorf("lanes %#x come without %#x", lanes, w.alive&^lanes)
		return
	}
	if in.has("RED") {
		if !in.has("POPC") {
			t.err = &UnknownError{in.text}
			return
		}
		w.each(lanes, func(t *thread) { w.group.votes[id] += b2u(t.flag(in.args[1])) })
	}
	w.hold(s, lanes, atGroup, int(id), func(*thread) uint32 { return 0 })
	w.group.release()
}

// groupVote is B2R.RESULT: what the last BAR.RED gave.
func groupVote(t *thread, in *inst) {
	t.set(in.args[0], t.voted)
	if len(in.args) != 1 {
		t.err = &UnknownError{in.text}
	}
	t.only(in, "RESULT")
}
