package ifds

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/govyre/vyre/graph"
)

// Options adjust Solve.
type Options struct {
	MaxBytes   int64  // of rows; 0 is no limit
	Kinds      uint32 // of arcs that are allowed; 0 is all
	Unbalanced bool   // what follows from a seed may return to all callers of its procedure; see Seeds in the package's documentation
}

// cross is a call or a return: an arc between procedures.
type cross struct{ site, from, to, mask uint32 }

// summary says that an exit follows from an entry, whatever the call. They are listed before they are applied, so that what
// one is made of stands before it.
type summary struct{ entry, exit uint32 }

// solver is what is known while rows grow.
type solver struct {
	p          *program
	first      []uint64   // of each node, its words in rows
	words      []uint32   // of each procedure, how many words its nodes have
	bit        []uint32   // of each node that is an entry, which bit of its procedure's rows; none of others
	entry      [][]uint32 // of each procedure, the node of each bit
	rows       []uint64   // from which entries a node follows
	news       []uint64   // which of them have not been handed on
	queue      []uint32
	in         []bool // the queue
	unbalanced bool

	callers []cross  // calls, by the entry that they lead to
	calls   []uint32 // of each node, where its callers begin
	returns []cross  // by site, then by where they come from
	sites   map[uint32]span

	summaries []summary
	known     map[summary]int // where they are in the list
}

type span struct{ from, to int }

// none is the bit of a node that is no entry. Bit 0 of a row says that the node follows from a seed.
const none = graph.NoSite

// Solve finds what follows from the seeds.
//
// Errors: a graph without procedures or call sites; those of its arcs, with node and arc; a seed that is no node; rows that need
// more than Options.MaxBytes, with both numbers; a context that ends.
func Solve(ctx context.Context, g *graph.CSR, seeds []uint32, o Options) (*Solution, error) {
	s, err := solve(ctx, g, seeds, o)
	if err != nil {
		return nil, err
	}
	return &Solution{g.Nodes(), s.first, s.rows}, nil
}

func solve(ctx context.Context, g *graph.CSR, seeds []uint32, o Options) (*solver, error) {
	p, err := newProgram(g, seeds, o)
	if err != nil {
		return nil, err
	}
	s := &solver{p: p, in: make([]bool, g.Nodes()), unbalanced: o.Unbalanced, known: make(map[summary]int)}
	s.index()
	if err := s.checkSites(); err != nil {
		return nil, err
	}
	total, err := s.layout(o.MaxBytes)
	if err != nil {
		return nil, err
	}
	s.rows, s.news = make([]uint64, total), make([]uint64, total)
	for _, v := range seeds {
		if bit := s.bit[v]; bit != none && !o.Unbalanced {
			s.add(v, bit) // as if it had been called
		} else {
			s.add(v, 0)
		}
	}
	for done := 0; len(s.queue) > 0; done++ {
		if done&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		u := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.in[u] = false
		s.handOn(u)
	}
	return s, nil
}

// index finds the entries of procedures, who calls them, and the returns of each site.
func (s *solver) index() {
	g := s.p
	s.bit, s.words, s.entry = make([]uint32, g.Nodes()), make([]uint32, g.Nodes()), make([][]uint32, g.Nodes())
	for v := range s.bit {
		s.bit[v] = none
	}
	for u := range uint32(g.Nodes()) {
		targets, _ := g.Row(u)
		for k, v := range targets {
			c := cross{g.site(u, k), u, v, g.mask(u, k)}
			switch g.way(u, v, k) {
			case returns:
				s.returns = append(s.returns, c)
			case calls:
				s.callers = append(s.callers, c)
				if of := g.procedures[v]; s.bit[v] == none {
					s.entry[of] = append(s.entry[of], v)
					s.bit[v] = uint32(len(s.entry[of]))
				}
			}
		}
	}
	for of, list := range s.entry {
		s.words[of] = uint32(len(list)+1+63) / 64
	}
	slices.SortFunc(s.callers, func(a, b cross) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
	slices.SortFunc(s.returns, func(a, b cross) int { return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.from, b.from)) })
	s.calls = make([]uint32, g.Nodes()+1)
	for _, c := range s.callers {
		s.calls[c.to+1]++
	}
	for v := range g.Nodes() {
		s.calls[v+1] += s.calls[v]
	}
	s.sites = make(map[uint32]span)
	for i, r := range s.returns {
		at, ok := s.sites[r.site]
		if !ok {
			at.from = i
		}
		at.to = i + 1
		s.sites[r.site] = at
	}
}

// checkSites refuses a site whose returns lead elsewhere than its calls come from.
func (s *solver) checkSites() error {
	for _, c := range s.callers {
		at := s.sites[c.site]
		for _, r := range s.returns[at.from:at.to] {
			if caller, to := s.p.procedures[c.from], s.p.procedures[r.to]; caller != to {
				return &Error{int(r.from), -1, fmt.Sprintf("site %d is a call in procedure %d, and a return from here to node %d of procedure %d", c.site, caller, r.to, to)}
			}
		}
	}
	return nil
}

// layout gives every node its words, and returns how many there are.
func (s *solver) layout(most int64) (uint64, error) {
	s.first = make([]uint64, s.p.Nodes()+1)
	var total uint64
	for v, of := range s.p.procedures {
		s.first[v] = total
		total += uint64(s.words[of])
	}
	s.first[len(s.p.procedures)] = total
	if need := 16 * total; most > 0 && need > uint64(most) {
		return 0, fmt.Errorf("ifds: rows need %d bytes, %d are allowed; raise Options.MaxBytes, or search without contexts", need, most)
	}
	return total, nil
}

// add puts one bit into the row of a node.
func (s *solver) add(v, bit uint32) {
	w := s.first[v] + uint64(bit/64)
	if s.rows[w]>>(bit%64)&1 == 0 {
		s.rows[w] |= 1 << (bit % 64)
		s.news[w] |= 1 << (bit % 64)
		s.push(v)
	}
}

func (s *solver) push(v uint32) {
	if !s.in[v] {
		s.in[v] = true
		s.queue = append(s.queue, v)
	}
}

// join puts a row of the same procedure into that of a node.
func (s *solver) join(v uint32, row []uint64) {
	at, grown := s.first[v], false
	for k, w := range row {
		if fresh := w &^ s.rows[at+uint64(k)]; fresh != 0 {
			s.rows[at+uint64(k)] |= fresh
			s.news[at+uint64(k)] |= fresh
			grown = true
		}
	}
	if grown {
		s.push(v)
	}
}

func (s *solver) row(v uint32) []uint64 { return s.rows[s.first[v]:s.first[v+1]] }

// handOn takes what is new in the row of a node along its arcs.
func (s *solver) handOn(u uint32) {
	from, to := s.first[u], s.first[u+1]
	news := slices.Clone(s.news[from:to])
	clear(s.news[from:to])
	targets, _ := s.p.Row(u)
	leaves := false
	for k, v := range targets {
		switch s.p.way(u, v, k) {
		case returns:
			leaves = true
		case calls:
			s.add(v, s.bit[v])
			s.passBy(s.p.site(u, k), v, news)
		case shared:
			s.add(v, 0) // whoever called, and whoever reads it
		case inner:
			s.join(v, news)
		}
	}
	if leaves {
		s.leave(u, news)
	}
}

// passBy applies what is known of an entry at a call: where the procedure leaves to the call's site, the caller's row goes on. What
// an exit has not handed on yet comes later, to all callers.
func (s *solver) passBy(site, entry uint32, row []uint64) {
	at := s.sites[site]
	for _, r := range s.returns[at.from:at.to] {
		if _, ok := s.known[summary{entry, r.from}]; ok {
			s.join(r.to, row)
		}
	}
}

// leave applies new bits of an exit at all calls of the entries that they stand for.
func (s *solver) leave(exit uint32, news []uint64) {
	for w, word := range news {
		for ; word != 0; word &= word - 1 {
			bit := uint32(64*w + bits.TrailingZeros64(word))
			if bit == 0 {
				if s.unbalanced {
					s.leaveFree(exit)
				}
				continue
			}
			entry := s.entry[s.p.procedures[exit]][bit-1]
			s.known[summary{entry, exit}] = len(s.summaries)
			s.summaries = append(s.summaries, summary{entry, exit})
			for _, c := range s.callers[s.calls[entry]:s.calls[entry+1]] {
				s.back(exit, c)
			}
		}
	}
}

// back goes from an exit to where a call goes on.
func (s *solver) back(exit uint32, c cross) {
	at := s.sites[c.site]
	list := s.returns[at.from:at.to]
	k, _ := slices.BinarySearchFunc(list, exit, func(r cross, exit uint32) int { return cmp.Compare(r.from, exit) })
	for ; k < len(list) && list[k].from == exit; k++ {
		s.join(list[k].to, s.row(c.from))
	}
}

// leaveFree goes from an exit to all callers, in which what follows is as free as a seed.
func (s *solver) leaveFree(exit uint32) {
	targets, _ := s.p.Row(exit)
	for k, v := range targets {
		if s.p.way(exit, v, k) == returns {
			s.add(v, 0)
		}
	}
}
