package egraph

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// RebuildParallel is Rebuild by the device's algorithm, on so many goroutines: rounds over all rows, each of which sees the
// graph as it was at its start. Columns are those of Rebuild. It returns how many unions the recorded ones were, and then
// each round's; the last is 0. It costs a pass over all rows a round, and so is for graphs of which much has changed.
func (g *Graph) RebuildParallel(workers int) (unions []int, err error) {
	p := newParallel(g, max(1, workers))
	unions = append(unions, p.begin())
	for {
		p.refresh()
		n := p.match()
		unions = append(unions, n)
		if n == 0 || g.fault == faultEarly {
			break
		}
	}
	p.finish()
	if g.known.on {
		g.index()
		g.known.rejoin()
		g.close()
	}
	return unions, g.finish()
}

// parallel is a rebuild on several goroutines. A phase either reads rows and writes none, or each row has one writer. The
// union-find is written in both, so that all its accesses are atomic.
type parallel struct {
	g       *Graph
	workers int
	parent  []Class
	first   bool        // round: all rows are in it
	found   [][]sighted // by worker and shard: rows of this round, rising
	left    [][]sighted // by worker and shard: rows that changed, with their signature until then
	shards  []shard
	dead    []bool // by row: equal to a smaller one, and so for ever
	unions  atomic.Int64
}

// sighted is a row of a round with its signature.
type sighted struct{ sig, row uint32 }

// shard is a table of the rows whose signature ends in its number. One goroutine at a time has it.
type shard struct {
	slots []sighted // of row+1, 0 for an empty slot
	used  int
	edges []edge
}

func newParallel(g *Graph, workers int) *parallel {
	shards := 1 << bits.Len(uint(4*workers-1))
	p := &parallel{g: g, workers: workers, parent: g.sets.parent, first: true}
	p.found, p.left = make([][]sighted, workers*shards), make([][]sighted, workers*shards)
	p.shards = make([]shard, shards)
	p.dead = make([]bool, len(g.rowHead))
	for row := range p.dead {
		p.dead[row] = g.isDead(uint32(row))
	}
	return p
}

// each calls do for ranges of n things, on all workers. Ranges begin at multiples of 64, so that a word of bits has one writer.
func (p *parallel) each(n int, do func(worker, lo, hi int)) {
	var wait sync.WaitGroup
	size := (n/p.workers + 64) &^ 63
	for w := range p.workers {
		lo, hi := min(w*size, n), min((w+1)*size, n)
		wait.Go(func() { do(w, lo, hi) })
	}
	wait.Wait()
}

// find returns the root with path halving. That a parent changes meanwhile only makes the way longer.
func (p *parallel) find(c Class) Class {
	for {
		up := p.load(c)
		if up == c {
			return c
		}
		top := p.load(up)
		if top == up {
			return up
		}
		atomic.CompareAndSwapUint32((*uint32)(&p.parent[c]), uint32(up), uint32(top))
		c = top
	}
}

func (p *parallel) load(c Class) Class { return Class(atomic.LoadUint32((*uint32)(&p.parent[c]))) }

// union hooks the larger root under the smaller one. Only a root's entry is changed here, so no union is lost.
func (p *parallel) union(a, b Class) bool {
	for {
		a, b = p.find(a), p.find(b)
		if a == b {
			return false
		}
		if lo, hi := min(a, b), max(a, b); atomic.CompareAndSwapUint32((*uint32)(&p.parent[hi]), uint32(hi), uint32(lo)) {
			return true
		}
	}
}

// begin does the recorded unions. Of those that say the same, the first is kept as the reason.
func (p *parallel) begin() int {
	g := p.g
	p.each(len(g.pending), func(_, lo, hi int) {
		n := 0
		for _, e := range g.pending[lo:hi] {
			if p.union(e.a, e.b) {
				n++
			}
		}
		p.unions.Add(int64(n))
	})
	for _, e := range g.pending {
		if e.a != e.b {
			g.reasons.edges = append(g.reasons.edges, e)
		}
	}
	g.pending, g.fresh = g.pending[:0], g.fresh[:0]
	return p.counted()
}

func (p *parallel) counted() int {
	n := int(p.unions.Swap(0))
	p.g.sets.joined += n
	return n
}

// refresh makes the children of all rows roots, and sorts the rows that changed by shard; all rows in the first round.
func (p *parallel) refresh() {
	g, shards := p.g, len(p.shards)
	p.each(len(g.rowHead), func(worker, lo, hi int) {
		found, left := p.found[worker*shards:(worker+1)*shards], p.left[worker*shards:(worker+1)*shards]
		for i := range found {
			found[i], left[i] = found[i][:0], left[i][:0]
		}
		for row := uint32(lo); row < uint32(hi); row++ {
			switch {
			case p.dead[row]:
				p.canonical(row)
			case p.first:
				p.canonical(row)
				p.sort(found, row)
			case p.stale(row):
				p.sort(left, row)
				p.canonical(row)
				p.sort(found, row)
			}
		}
	})
	p.first = false
}

// sort puts a row into the list of the shard of its signature.
func (p *parallel) sort(lists [][]sighted, row uint32) {
	sig := signature(p.g.rowHead[row], p.g.children(row)) &^ p.g.table.weak
	i := sig & uint32(len(lists)-1)
	lists[i] = append(lists[i], sighted{sig, row})
}

func (p *parallel) stale(row uint32) bool {
	for _, k := range p.g.children(row) {
		if p.load(k) != k {
			return true
		}
	}
	return false
}

// canonical is that of the graph, beside other goroutines.
func (p *parallel) canonical(row uint32) {
	kids := p.g.children(row)
	for i, k := range kids {
		if p.load(k) != k {
			kids[i] = p.find(k)
		}
	}
	if len(kids) == 2 && kids[0] > kids[1] && p.g.heads.info[p.g.rowHead[row]].Commutative {
		kids[0], kids[1] = kids[1], kids[0]
	}
}

// match looks up the rows of the round and unites the classes of equal ones; it returns how many unions that were.
func (p *parallel) match() int {
	var next atomic.Int32
	p.each(p.workers, func(_, _, _ int) {
		for i := int(next.Add(1)) - 1; i < len(p.shards); i = int(next.Add(1)) - 1 {
			p.unions.Add(int64(p.matchShard(i)))
		}
	})
	var edges []edge
	for i := range p.shards {
		edges = append(edges, p.shards[i].edges...)
		p.shards[i].edges = p.shards[i].edges[:0]
	}
	// The pairs do not depend on the number of shards, their order must not either.
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.y, b.y) })
	p.g.reasons.edges = append(p.g.reasons.edges, edges...)
	return p.counted()
}

func (p *parallel) matchShard(i int) (unions int) {
	s, shards := &p.shards[i], len(p.shards)
	rows := 0
	for w := range p.workers {
		rows += len(p.found[w*shards+i])
	}
	for w := range p.workers {
		for _, f := range p.left[w*shards+i] {
			s.leave(f)
		}
	}
	p.reserve(s, rows)
	for w := range p.workers {
		for _, f := range p.found[w*shards+i] {
			if p.look(s, f) {
				unions++
			}
		}
	}
	return unions
}

// gone is in place of a row that left its slot.
const gone = 1<<32 - 1

// leave takes a row out of its slot. If it stayed, it could hide a row that has its new key behind it.
func (s *shard) leave(f sighted) {
	if len(s.slots) == 0 {
		return
	}
	mask := uint32(len(s.slots) - 1)
	for at := spread(f.sig) & mask; s.slots[at].row != 0; at = (at + 1) & mask {
		if s.slots[at].row == f.row+1 {
			s.slots[at].row = gone
			return
		}
	}
}

// look puts a row into its slot, or unites it with the one that is equal; the slot then names the smaller.
func (p *parallel) look(s *shard, f sighted) bool {
	g, mask := p.g, uint32(len(s.slots)-1)
	at := spread(f.sig) & mask
	for ; s.slots[at].row != 0; at = (at + 1) & mask {
		slot := &s.slots[at]
		if slot.sig != f.sig || slot.row == gone || !g.equal(slot.row-1, f.row) {
			continue
		}
		lo, hi := min(slot.row-1, f.row), max(slot.row-1, f.row)
		slot.row = lo + 1
		p.dead[hi] = true
		if g.rowClass[lo] == g.rowClass[hi] {
			return false
		}
		s.edges = append(s.edges, edge{a: g.rowClass[lo], b: g.rowClass[hi], kind: congruent, x: lo, y: hi})
		return p.union(g.rowClass[lo], g.rowClass[hi])
	}
	s.slots[at] = sighted{f.sig, f.row + 1}
	s.used++
	return false
}

// spread makes a place of a signature whose low bits chose the shard.
func spread(sig uint32) uint32 { return sig * 0x9E3779B9 >> 8 }

// reserve makes room for more rows in a shard; three slots of four may be used.
func (p *parallel) reserve(s *shard, rows int) {
	if (s.used+rows)*4 < len(s.slots)*3 {
		return
	}
	was := s.slots
	s.slots = make([]sighted, 1<<bits.Len(uint((s.used+rows)*4/3+1)))
	mask := uint32(len(s.slots) - 1)
	for _, f := range was {
		if f.row == 0 || f.row == gone {
			continue
		}
		at := spread(f.sig) & mask
		for s.slots[at].row != 0 {
			at = (at + 1) & mask
		}
		s.slots[at] = f
	}
}

// finish marks dead rows. The table and the lists of uses are of no use any more; who needs them makes them anew.
func (p *parallel) finish() {
	g := p.g
	g.sets.flatten()
	var dead atomic.Int64
	p.each(len(g.rowHead), func(_, lo, hi int) {
		n := 0
		for row := uint32(lo); row < uint32(hi); row++ {
			if p.dead[row] {
				g.kill(row)
				n++
			}
		}
		dead.Add(int64(n))
	})
	g.table.drop(len(g.rowHead) - int(dead.Load()))
}
