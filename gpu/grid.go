package gpu

import "sync"

// gridMeet is where the groups of a cooperative launch wait for each other.
type gridMeet struct {
	mu      sync.Mutex
	groups  []*group // all of them; empty unless the launch is cooperative
	arrived int      // groups whose members all wait at one grid barrier
	left    int      // groups whose members have all returned
	first   site
	mixed   bool
	sum     uint64
	firsts  []*group // groups whose members all wait at one barrier of the first groups
}

// arrive is called when all members of g wait at one grid barrier, or at one of the first groups.
func (m *gridMeet) arrive(g *group) {
	g.all.mu.Lock()
	at, sum := g.all.first, g.all.gate.sum
	g.all.mu.Unlock()

	m.mu.Lock()
	defer m.mu.Unlock()
	if at.first > 0 {
		m.firsts = append(m.firsts, g)
		m.meetFirsts(at)
		m.settle(g.run)
		return
	}
	if m.arrived == 0 {
		m.first, m.mixed, m.sum = at, false, 0
	} else if !at.same(m.first) {
		m.mixed = true
	}
	m.arrived++
	m.sum += sum
	m.settle(g.run)
}

// meetFirsts lets the first groups go on if all of them wait at the barrier; m.mu is held.
func (m *gridMeet) meetFirsts(at site) {
	var there, rest []*group
	sum := uint64(0)
	for _, g := range m.firsts {
		g.all.mu.Lock()
		here, give := g.all.first, g.all.gate.sum
		g.all.mu.Unlock()
		if here.same(at) {
			there = append(there, g)
			sum += give
		} else {
			rest = append(rest, g)
		}
	}
	if len(there) == min(int(at.first), len(m.groups)) {
		m.firsts = rest
		release(there, sum)
	}
}

// leave is called when all members of g have returned.
func (m *gridMeet) leave(g *group) {
	if len(m.groups) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left++
	m.settle(g.run)
}

// settle decides once every group has either arrived or left; m.mu is held.
func (m *gridMeet) settle(r *run) {
	switch {
	case r.stopped.Load() || m.arrived+len(m.firsts) == 0 || m.arrived+len(m.firsts)+m.left < len(m.groups):
	case m.left > 0 || m.mixed || len(m.firsts) > 0:
		r.fail(r.misuse())
	default:
		m.arrived = 0
		release(m.groups, m.sum)
	}
}

// release lets groups that wait go on, with the sum of what they gave.
func release(groups []*group, sum uint64) {
	for _, g := range groups {
		g.all.mu.Lock()
		stopped, round := g.all.stopped, g.all.gate
		round.sum = sum
		g.all.advance()
		g.all.mu.Unlock()
		if stopped {
			return
		}
		g.idle.Store(0)
		close(round.open)
	}
}
