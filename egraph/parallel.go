package egraph

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// RebuildParallel is Rebuild by the device's algorithm, on so many goroutines: rounds, each of which sees the graph as it was
// at its start. Columns are those of Rebuild, and reasons do not depend on the number of goroutines. It returns how many unions
// the recorded ones were, and then each round's; the last is 0. A round in which much changes costs a pass over all rows.
func (g *Graph) RebuildParallel(workers int) (unions []int, err error) {
	p := newParallel(g, max(1, workers))
	unions = append(unions, p.begin())
	for {
		from := g.reasons.edges.len
		p.round()
		n := p.unite(from)
		unions = append(unions, n)
		if n == 0 || g.fault == faultEarly {
			break
		}
	}
	if g.known.on {
		g.known.rejoin()
		g.close()
	}
	return unions, finish(g)
}

// parallel is a rebuild on several goroutines. Each phase ends before the next begins, and in none a goroutine reads what
// another one writes, but for the union-find, whose accesses are atomic. A page of the table belongs to one goroutine, and rows
// are looked up in the order of pages: then it stays in that core's cache.
type parallel struct {
	g       *Graph
	workers int
	part    []part
	stale   []uint32  // a bit a class: it stopped being a root, and children may name it still
	all     bool      // stale has classes that are not in a part's hooked
	rows    []uint64  // a bit a row: it is in this round
	raw     []sighted // rows of a block as they come, each worker's from where its range begins
	sorted  []sighted // the same by page
	page    []uint32  // where pages begin in sorted
	walked  int       // rows that rounds have looked at, all in all
	few     int       // rows and classes of a round that is done by lists
}

// part is what a worker has for itself.
type part struct {
	hooked     []Class   // classes that stopped being roots in the last round, the first few of them
	unions     int       // how many there were
	pairs      []sighted // equal rows of a block, in place of entries of sorted that are done
	spilled    []uint32  // rows whose way through the table leaves its pages
	from, to   int       // of raw
	count      []uint32  // by page: rows, then where the next of them goes
	used, live int       // slots more
	_          [64]byte  // a part and the next one are in different cache lines
}

// sighted is a row with its signature, or with a smaller row that is equal.
type sighted struct{ sig, row uint32 }

const (
	// Rows are sorted in so many blocks, with 16 bytes a row of a block; the fewer, the more of a page's lines are used at a time.
	fewBlocks, mostBlocks = 8, 64
	// spareBytes is what a row may take for the table and for blocks, so that a graph takes at most 40 beyond its columns.
	spareBytes = 11
	// leastBlock is the least size of one: smaller ones are not worth the phases.
	leastBlock = 1 << 12
	// spliceCost is what moving the list of a class costs, which is some dependent accesses to memory, in rows of a walk.
	spliceCost = 64
	// leastWork is for how many things goroutines are started.
	leastWork = 1 << 11
)

func newParallel(g *Graph, workers int) *parallel {
	return &parallel{g: g, workers: workers, part: make([]part, workers), stale: make([]uint32, (len(g.types)+31)/32)}
}

// run calls do for each worker, at once if there is enough work.
func (p *parallel) run(work int, do func(worker int, of *part)) {
	if p.workers == 1 || work < leastWork {
		for w := range p.part {
			do(w, &p.part[w])
		}
		return
	}
	var wait sync.WaitGroup
	for w := range p.part {
		wait.Go(func() { do(w, &p.part[w]) })
	}
	wait.Wait()
}

// each calls do for ranges of n things. They begin at multiples of 64, so that a word of bits has one writer.
func (p *parallel) each(n int, do func(of *part, lo, hi int)) {
	size := (n/p.workers + 64) &^ 63
	p.run(n, func(w int, of *part) { do(of, min(w*size, n), min((w+1)*size, n)) })
}

// begin does the recorded unions. Of those that say the same, the first is kept as the reason.
func (p *parallel) begin() int {
	g, from := p.g, p.g.reasons.edges.len
	for _, e := range g.pending {
		if e.a != e.b {
			g.reasons.edges.add(e)
		}
	}
	g.pending = g.pending[:0]
	p.limit()
	n := p.unite(from)
	p.all = true
	p.each(len(g.types), func(_ *part, lo, hi int) {
		for c, up := range g.sets.parent[lo:hi] {
			if up != Class(lo+c) {
				p.stale[(lo+c)/32] |= 1 << ((lo + c) % 32)
			}
		}
	})
	return n
}

// limit says how much may change in a round that is done by lists of uses. To bring them up to date is put off until walks over
// all rows have cost as much.
func (p *parallel) limit() {
	if p.few = (len(p.g.rowHead)+p.walked)/(spliceCost*p.workers) + 64; p.g.fault == faultWalk {
		p.few = -1
	}
}

// unite does the unions of edges, and returns how many there were.
func (p *parallel) unite(from int) (unions int) {
	edges := &p.g.reasons.edges
	p.each(edges.len-from, func(of *part, lo, hi int) {
		of.hooked, of.unions = slices.Grow(of.hooked[:0], min(hi-lo, p.few+1)), 0
		for i := lo; i < hi; i++ {
			e := edges.at(from + i)
			c := p.g.sets.hook(e.a, e.b)
			if c == None {
				continue
			}
			of.unions++
			if atomic.OrUint32(&p.stale[c/32], 1<<(c%32)); len(of.hooked) <= p.few {
				of.hooked = append(of.hooked, c)
			}
		}
	})
	for w := range p.part {
		unions += p.part[w].unions
		p.all = p.all || p.part[w].unions > len(p.part[w].hooked)
	}
	p.g.sets.joined += unions
	for w := range p.part {
		p.g.uses.later(p.part[w].hooked, p.part[w].unions)
	}
	return unions
}

// round looks up the rows that are new, or have a child that stopped being a root.
func (p *parallel) round() {
	if !p.short() {
		p.walk()
		p.walked += len(p.g.rowHead)
	}
	if p.all {
		clear(p.stale)
	}
	for w := range p.part {
		for _, c := range p.part[w].hooked {
			p.stale[c/32] = 0
		}
	}
	p.all = false
	p.g.fresh.forget()
	p.limit()
}

// short does a round by the lists of uses, if it is one of few rows.
func (p *parallel) short() bool {
	g := p.g
	if g.uses.waiting()+g.fresh.rows > p.few {
		return false
	}
	used := g.uses.settle(&g.sets, g.dirty[:0], p.few)
	if g.dirty = used[:0]; len(used) > p.few {
		return false
	}
	dirty := g.fresh.append(slices.DeleteFunc(used, func(row uint32) bool { return !g.stale(row) }))
	slices.Sort(dirty)
	dirty = slices.Compact(dirty)
	for _, row := range dirty {
		if !g.isDead(row) {
			g.table.remove(&g.columns, row)
		}
	}
	for _, row := range dirty {
		if g.canonical(row); !g.isDead(row) {
			p.place(row)
		}
	}
	return true
}

// place puts a row that is canonical into the table, or notes that it equals one that is there.
func (p *parallel) place(row uint32) {
	g := p.g
	slot, was := g.table.find(&g.columns, row)
	if was == noRow {
		g.table.put(&g.columns, slot, row)
		return
	}
	lo, hi := min(was, row), max(was, row)
	g.table.row[slot] = lo
	g.kill(hi)
	if a, b := g.rowClass[lo], g.rowClass[hi]; a != b {
		g.reasons.edges.add(edge{a: a, b: b, kind: congruent, x: lo, y: hi})
	}
}

// walk does a round by a pass over all rows.
func (p *parallel) walk() {
	g, n := p.g, len(p.g.rowHead)
	if p.rows == nil {
		spare := (spareBytes*n - 5*len(g.table.row)) / 16
		block := max(leastBlock, (min(max(n/mostBlocks, spare), n/fewBlocks)+63)&^63)
		p.rows, p.raw, p.sorted = make([]uint64, len(g.dead)), make([]sighted, block), make([]sighted, block)
	}
	old := p.mark()
	switch coming := old + g.fresh.rows; {
	case g.table.used+coming >= g.table.room():
		// All rows are looked up anew, so that all workers fill the new table.
		p.each(n, func(_ *part, lo, hi int) {
			for i := lo / 64; i*64 < hi; i++ {
				p.rows[i] |= ^g.dead[i]
			}
		})
		if n%64 > 0 {
			p.rows[n/64] &= 1<<(n%64) - 1
		}
		g.table.reset(g.table.slots(g.table.live + coming))
	default:
		if old > 0 {
			p.sweep(p.leaves, p.leave, func(row uint32) { g.table.remove(&g.columns, row) })
		}
		g.fresh.each(func(lo, hi int) {
			for row := lo; row < hi; row++ {
				p.rows[row/64] |= 1 << (row % 64)
			}
		})
	}
	p.sweep(p.comes, p.look, p.place)
}

// mark finds the rows with a child that stopped being a root, and returns how many of them are live.
func (p *parallel) mark() (live int) {
	g, n := p.g, len(p.g.rowHead)
	if g.fresh.rows == n {
		clear(p.rows)
		return 0
	}
	p.each(n, func(of *part, lo, hi int) {
		of.live = 0
		for at := lo; at < hi; at += 64 {
			word := uint64(0)
			for row := at; row < min(at+64, hi); row++ {
				bit := uint32(0)
				for _, k := range g.children(uint32(row)) {
					bit |= p.stale[k/32] >> (k % 32)
				}
				word |= uint64(bit&1) << (row - at)
			}
			p.rows[at/64] = word
			of.live += bits.OnesCount64(word &^ g.dead[at/64])
		}
	})
	for w := range p.part {
		live += p.part[w].live
	}
	return live
}

// sweep sorts the signatures of the round's rows by page, a block of rows after the other. Each worker does something with
// those of its pages, and lists the rows that leave them.
func (p *parallel) sweep(sign func(row uint32) (sig uint32, ok bool), do func(of *part, list []sighted), spill func(row uint32)) {
	t, pages := &p.g.table, p.g.table.pages()
	p.page = slices.Grow(p.page[:0], pages+1)[:pages+1]
	for w := range p.part {
		p.part[w].count, p.part[w].used, p.part[w].live = slices.Grow(p.part[w].count[:0], pages)[:pages], 0, 0
	}
	for lo := 0; lo < len(p.g.rowHead); lo += len(p.raw) {
		n := p.sort(lo, min(lo+len(p.raw), len(p.g.rowHead)), sign)
		p.run(n, func(w int, of *part) {
			do(of, p.sorted[p.page[w*pages/p.workers]:p.page[(w+1)*pages/p.workers]])
		})
		p.gather(spill)
	}
	for w := range p.part {
		t.used, t.live = t.used+p.part[w].used, t.live+p.part[w].live
	}
}

// sort sorts the signatures of a block of rows by page, rows rising, and returns how many there are.
func (p *parallel) sort(lo, hi int, sign func(row uint32) (sig uint32, ok bool)) int {
	t := &p.g.table
	for w := range p.part {
		clear(p.part[w].count)
		p.part[w].from, p.part[w].to = 0, 0
	}
	p.each(hi-lo, func(of *part, from, to int) {
		of.from, of.to = from, from
		for at := from; at < to; at += 64 {
			for word := p.rows[(lo+at)/64]; word != 0; word &= word - 1 {
				row := uint32(lo + at + bits.TrailingZeros64(word))
				if sig, ok := sign(row); ok {
					p.raw[of.to] = sighted{sig, row}
					of.to++
					of.count[t.pageOf(sig)]++
				}
			}
		}
	})
	at := uint32(0)
	for i := range p.page[1:] {
		p.page[i] = at
		for w := range p.part {
			n := p.part[w].count[i]
			p.part[w].count[i] = at
			at += n
		}
	}
	p.page[len(p.page)-1] = at
	p.run(int(at), func(_ int, of *part) {
		for _, f := range p.raw[of.from:of.to] {
			to := &of.count[t.pageOf(f.sig)]
			p.sorted[*to] = f
			*to++
		}
	})
	return int(at)
}

// gather takes what the workers have found in a block, in the order of pages.
func (p *parallel) gather(spill func(row uint32)) {
	g := p.g
	first := g.reasons.edges.len
	at := first
	for w := range p.part {
		p.part[w].from, at = at, at+len(p.part[w].pairs)
	}
	g.reasons.edges.extend(at)
	p.run(at-first, func(_ int, of *part) {
		for i, f := range of.pairs {
			*g.reasons.edges.at(of.from + i) = edge{a: g.rowClass[f.sig], b: g.rowClass[f.row], kind: congruent, x: f.sig, y: f.row}
		}
		of.pairs = nil
	})
	for w := range p.part {
		for _, row := range p.part[w].spilled {
			spill(row)
		}
		p.part[w].spilled = p.part[w].spilled[:0]
	}
}

// leaves is the signature of a row that changes, as it was.
func (p *parallel) leaves(row uint32) (sig uint32, ok bool) {
	if p.g.isDead(row) {
		return 0, false
	}
	return p.g.table.signature(&p.g.columns, row), true
}

// leave takes rows out of the table.
func (p *parallel) leave(of *part, list []sighted) {
	t := &p.g.table
next:
	for _, f := range list {
		at, tag := t.place(f.sig)
		for end := t.pageEnd(at); at < end; at++ {
			if t.tag[at] == tag && t.row[at] == f.row {
				t.tag[at] = removed
				of.live--
				continue next
			}
			if t.tag[at] == empty {
				continue next
			}
		}
		of.spilled = append(of.spilled, f.row)
	}
}

// comes makes the children of a row roots, and returns its signature.
func (p *parallel) comes(row uint32) (sig uint32, ok bool) {
	g := p.g
	kids := g.children(row)
	for i, k := range kids {
		if p.stale[k/32]>>(k%32)&1 != 0 {
			kids[i] = g.sets.root(k)
		}
	}
	if len(kids) == 2 && kids[0] > kids[1] && g.heads.info[g.rowHead[row]].Commutative {
		kids[0], kids[1] = kids[1], kids[0]
	}
	return p.leaves(row)
}

// look puts rows into the table, or notes that one equals a row that is there; the slot then names the smaller.
func (p *parallel) look(of *part, list []sighted) {
	g, t := p.g, &p.g.table
	of.pairs = list[:0]
next:
	for _, f := range list {
		at, tag := t.place(f.sig)
		free := -1
		for end := t.pageEnd(at); at < end; at++ {
			switch t.tag[at] {
			case tag:
				if was := t.row[at]; g.equal(was, f.row) {
					lo, hi := min(was, f.row), max(was, f.row)
					t.row[at] = lo
					atomic.OrUint64(&g.dead[hi/64], 1<<(hi%64))
					if g.rowClass[lo] != g.rowClass[hi] {
						of.pairs = append(of.pairs, sighted{lo, hi})
					}
					continue next
				}
			case removed:
				if free < 0 {
					free = at
				}
			case empty:
				if free < 0 {
					free = at
					of.used++
				}
				t.row[free], t.tag[free] = f.row, tag
				of.live++
				continue next
			}
		}
		of.spilled = append(of.spilled, f.row)
	}
}
