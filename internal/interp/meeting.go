package interp

import "sync"

// meeting is where workers wait for each other at a barrier of the grid. Each comes
// when all warps of its groups wait there, with the vote of its invocations.
type meeting struct {
	workers int
	rounds  uint64

	mu      sync.Mutex
	cond    *sync.Cond
	arrived int
	left    int // workers all of whose groups have ended
	row     *instr
	vote    uint64
	outcome uint64
	aborted bool
}

func (m *meeting) reset(workers int) {
	if m.cond == nil {
		m.cond = sync.NewCond(&m.mu)
	}
	m.workers, m.rounds, m.arrived, m.left = workers, 0, 0, 0
	m.row, m.aborted = nil, false
}

// arrival is how a worker's wait at the barrier ended.
type arrival uint8

const (
	met        arrival = iota
	mismatched         // another worker waits at another row, or has ended
	abandoned          // the launch has ended with an error
)

// arrive waits until all workers are there and returns the combined vote. leads says
// that the worker has the first group of the grid, whose vote a broadcast hands out.
func (m *meeting) arrive(in *instr, vote uint64, leads bool) (uint64, arrival) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.aborted:
		return 0, abandoned
	case m.left > 0 || m.arrived > 0 && m.row != in:
		return 0, mismatched
	}
	switch {
	case m.arrived == 0:
		m.row, m.vote = in, vote
	case in.fn != nil:
		m.vote = in.fn(in.t, 0, m.vote, vote, 0)
	case leads:
		m.vote = vote
	}
	if m.arrived++; m.arrived == m.workers {
		m.outcome, m.arrived = m.vote, 0
		m.rounds++
		m.cond.Broadcast()
		return m.outcome, met
	}
	for round := m.rounds; m.rounds == round; m.cond.Wait() {
		switch {
		case m.aborted:
			return 0, abandoned
		case m.left > 0:
			return 0, mismatched
		}
	}
	return m.outcome, met
}

// leave says that a worker's groups have ended; none may wait for it any more.
func (m *meeting) leave() {
	m.mu.Lock()
	m.left++
	m.mu.Unlock()
	m.cond.Broadcast()
}

// abort wakes everyone who waits, for the launch is over.
func (m *meeting) abort() {
	m.mu.Lock()
	m.aborted = true
	m.mu.Unlock()
	m.cond.Broadcast()
}
