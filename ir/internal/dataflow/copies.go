package dataflow

import "github.com/govyre/vyre/ir"

// Pending is a dataflow over the batches of copies of an invocation: which of them may hold a copy that it has not waited
// for, over all ways of control.
type Pending struct {
	Flow
	succ   [][2]uint32
	at     []batches // by basic block: where it begins
	Visits int
}

// batches has a bit for each batch that may hold a pending copy: bit 0 for the one that is open, bit n for the n-th youngest
// of those closed. The last one stands for all that are older, too.
type batches uint64

const oldest = 1 << 63

// MaxPending is the greatest number of batches that a wait may leave pending.
const MaxPending = 62

// NewPending prepares the analysis of structurally sound code.
func NewPending(c *ir.Code) *Pending {
	p := &Pending{Flow: NewFlow(c)}
	p.succ, p.at = make([][2]uint32, len(p.last)), make([]batches, len(p.last))
	for s := range p.succ {
		p.succ[s] = p.successors(uint32(s))
	}
	return p
}

// Solve finds what may be pending of the copies that f picks, then calls see with each row and whether something is pending
// when it is reached.
func (p *Pending) Solve(f func(ir.Row) bool, see func(r ir.Row, pending bool)) {
	clear(p.at)
	queue, queued := make([]uint32, 0, len(p.last)), make([]bool, len(p.last))
	for s := range p.last {
		queue, queued[s] = append(queue, uint32(s)), true
	}
	for len(queue) > 0 {
		s := queue[0]
		queue, queued[s] = queue[1:], false
		out := p.through(s, f, nil)
		for _, next := range p.succ[s] {
			if next == noBlock || p.at[next]|out == p.at[next] {
				continue
			}
			p.at[next] |= out
			if !queued[next] {
				queue, queued[next] = append(queue, next), true
			}
		}
	}
	for s := range p.last {
		p.through(uint32(s), f, see)
	}
}

// through returns what is pending at the end of a basic block.
func (p *Pending) through(s uint32, f func(ir.Row) bool, see func(ir.Row, bool)) batches {
	now := p.at[s]
	for r := p.start(s); r <= p.last[s]; r++ {
		p.Visits++
		if see != nil {
			see(r, now != 0)
		}
		switch op := p.Code.Op[r]; {
		case op == ir.OpCopyCommit:
			now = now<<1 | now&oldest
		case op == ir.OpCopyWait:
			now &= 1<<(p.Code.X[r]+1) - 1
		case op.Info().Imm == ir.ImmCopy && f(r):
			now |= 1
		}
	}
	return now
}

// start returns the first row of a basic block.
func (p *Pending) start(s uint32) ir.Row {
	r := p.last[s]
	for r > 0 && p.Of[r-1] == s {
		r--
	}
	return r
}
