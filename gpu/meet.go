package gpu

import (
	"sync"

	"github.com/govyre/vyre/internal/matrix"
)

// meet is where the members of a warp or of a group wait for each other, round after
// round. A round is complete when all have arrived from one site.
type meet struct {
	mu      sync.Mutex
	size    uint32
	arrived uint32
	first   site // where the first arrival of this round came from
	mixed   bool // some arrival came from elsewhere, so this round cannot complete
	stopped bool
	gate    *gate // of this round
}

// gate is what one round leaves behind. Its members hold it while they read, so the
// next round, with a gate of its own, may start before the last of them has.
type gate struct {
	open  chan struct{}     // closed when the round is complete
	sum   uint64            // of what each member gave
	lanes *[warpSize]uint64 // what each lane gave, then what each lane gets; nil unless a lane op

	product *matrix.Warp // likewise, of a product of matrices
}

// given is what the lanes of a lane op gave.
func (g *gate) given(n uint32) []uint64 {
	if g.lanes == nil {
		return nil
	}
	return g.lanes[:n]
}

func (m *meet) init(size uint32) {
	m.size = size
	m.gate = &gate{open: make(chan struct{})}
}

// advance starts the next round; m.mu is held.
func (m *meet) advance() {
	m.arrived, m.mixed = 0, false
	m.gate = &gate{open: make(chan struct{})}
}

// full reports whether all members have arrived from one site; m.mu is held.
func (m *meet) full() bool { return m.arrived == m.size && !m.mixed }

func (m *meet) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.stopped {
		m.stopped = true
		close(m.gate.open)
	}
}

// barrier meets the members of m and returns the sum of what they gave. Votes and
// broadcasts are sums too: of 0 and 1, and of one value and zeros. A public function
// calls it directly, so that the site is its caller; so it is with the three below.
func (i *invocation) barrier(m *meet, op string, give uint64) uint64 {
	g := i.arrive(m, site{op: op, pc: callSite()})
	g.sum += give
	if m.full() {
		i.complete(m, nil)
	} else {
		i.await(m)
	}
	return g.sum
}

// cooperates panics where groups run one after the other.
func (i *invocation) cooperates(op string) {
	if at := (site{op: op, pc: callSite()}); !i.group.run.cooperative {
		panic(at.needsCooperation())
	}
}

func (s site) needsCooperation() string {
	return "gpu: " + s.String() + " needs a cooperative launch; set Grid.Cooperative"
}

// gridBarrier is barrier for the whole grid: the group meets as usual, but the round
// completes when the last group has met.
func (i *invocation) gridBarrier(op string, give uint64) uint64 {
	at := site{op: op, pc: callSite()}
	if !i.group.run.cooperative {
		panic(at.needsCooperation())
	}
	g := i.arrive(&i.group.all, at)
	g.sum += give
	i.await(&i.group.all)
	return g.sum
}

// firstBarrier is barrier for the first n groups of the grid. The others go on, with 0.
func (i *invocation) firstBarrier(op string, n uint32, give uint64) uint64 {
	at := site{op: op, pc: callSite(), first: n}
	r := i.group.run
	if !r.cooperative {
		panic(at.needsCooperation())
	}
	if i.group.place() >= uint64(n) {
		return 0
	}
	g := i.arrive(&i.group.all, at)
	g.sum += give
	i.await(&i.group.all)
	return g.sum
}

// exchange meets the lanes of the warp. The last to arrive runs combine on what the
// existing lanes gave, which turns it into what each of them gets.
func (i *invocation) exchange(op string, give uint64, combine func(lanes []uint64)) uint64 {
	m := i.warp()
	g := i.arrive(m, site{op: op, pc: callSite()})
	i.give(g, give)
	if m.full() {
		i.complete(m, combine)
	} else {
		i.await(m)
	}
	return g.lanes[i.lane()]
}

// read meets the lanes of the warp and returns what the given lane gave, zero if there is none.
func (i *invocation) read(op string, give uint64, from uint32) uint64 {
	m := i.warp()
	g := i.arrive(m, site{op: op, pc: callSite()})
	i.give(g, give)
	if m.full() {
		i.complete(m, nil)
	} else {
		i.await(m)
	}
	if from >= m.size {
		return 0
	}
	return g.lanes[from]
}

// give puts the value of this lane where the others see it.
func (i *invocation) give(g *gate, bits uint64) {
	if g.lanes == nil {
		g.lanes = new([warpSize]uint64)
	}
	g.lanes[i.lane()] = bits
}

// arrive enters the current round and returns its gate. It leaves m locked.
func (i *invocation) arrive(m *meet, at site) *gate {
	m.mu.Lock()
	if i.group.run.stopped.Load() { // before m is stopped, perhaps: a deferred call of one that was woken elsewhere
		m.mu.Unlock()
		i.unwind()
	}
	if m.arrived == 0 {
		m.first = at
	} else if !at.same(m.first) {
		m.mixed = true
	}
	m.arrived++
	i.at = at
	return m.gate
}

// complete ends the current round of m, which is locked, and lets the others go on.
func (i *invocation) complete(m *meet, combine func(lanes []uint64)) {
	g := m.gate
	func() {
		defer m.mu.Unlock()
		if combine != nil {
			combine(g.given(m.size))
		}
		m.advance()
	}()
	i.group.resume(m.size - 1)
	close(g.open)
}

// await waits for the current round of m, which is locked, to be completed by another.
func (i *invocation) await(m *meet) {
	g := m.gate
	last := i.group.wait() // under the lock, so that whoever completes the round takes back what was counted
	m.mu.Unlock()
	if last {
		i.group.stalled()
	}
	<-g.open
	if i.group.run.stopped.Load() {
		i.unwind()
	}
}
