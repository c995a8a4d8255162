package cpu

import "time"

// Eager has every list shared out, however short it is.
func (e *Engine) Eager() { e.sharedNodes, e.eager = 1, true }

// Team is workers that take what is dealt out of so many numbers, a few at a time.
type Team struct {
	t    *team
	deal chunks
}

func NewTeam(size int) *Team { return &Team{t: newTeam(size)} }

// Do has visit called with every number below n.
func (t *Team) Do(others, n, size int, visit func(worker, k int)) {
	t.deal.reset(n, size)
	t.t.do(others, func(worker int) {
		for from, to, ok := t.deal.take(); ok; from, to, ok = t.deal.take() {
			for k := from; k < to; k++ {
				visit(worker, k)
			}
		}
	})
}

// Gone reports whether no worker but the caller is left.
func (t *Team) Gone() bool { return t.t.here.Load() == 0 }

// Sharing returns how many of so many lists of some nodes are shared out, if a node takes so long alone and shared.
func Sharing(lists, nodes int, alone, together time.Duration) (shared int) {
	var h sharing
	for range lists {
		share, timed := h.choose(nodes)
		if share {
			shared++
		}
		if d := alone * time.Duration(nodes); timed && share {
			h.took(nodes, true, together*time.Duration(nodes))
		} else if timed {
			h.took(nodes, false, d)
		}
	}
	return shared
}

// Indexed reports whether the engine has its index.
func (e *Engine) Indexed() bool { return e.greatest != nil }
