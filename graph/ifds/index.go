package ifds

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cpu"
)

// index is a program made ready for any seeds: its entries, who calls them, the returns of each call, and where rows stand.
type index struct {
	*program
	// Rows of nodes that have returns come first, then all others, each by node.
	first []uint64   // where the row of each node begins
	words []uint32   // of each procedure, how many its nodes have
	bit   []uint32   // of each node that is an entry, which bit of its procedure's rows; none of others
	entry [][]uint32 // of each procedure, the node of each bit, from 1 on

	callers []cross  // calls, by the entry that they lead to
	calls   []uint32 // of each node, where its callers begin
	returns []cross  // by site, by the procedure that they come from, by node
	sites   map[uint32]span

	exitWords uint64 // of the rows of nodes that have returns, which are the first ones
	total     uint64 // words of all rows
	inside    int    // arcs that are neither calls nor returns
	longest   int    // row of arcs
}

// of is where the row of a node stands.
func (x *index) of(v uint32) (from, to uint64) {
	from = x.first[v]
	return from, from + uint64(x.words[x.procedures[v]])
}

// cross is a call or a return: an arc between procedures.
type cross struct {
	site, from, to, mask uint32
	arc                  int // its number in the graph
}

type span struct{ from, to int }

// none is the bit of a node that is no entry. Bit 0 of a row says that the node follows from a seed.
const none = math.MaxUint32

// newIndex looks through a program. O(arcs + calls × log calls).
func newIndex(p *program) (*index, error) {
	n := p.Nodes()
	x := &index{program: p, bit: make([]uint32, n), entry: make([][]uint32, n), calls: make([]uint32, n+1), sites: make(map[uint32]span), first: make([]uint64, n), words: make([]uint32, n)}
	for v := range x.bit {
		x.bit[v] = none
	}
	leaves := make([]bool, n)
	for u := range uint32(n) {
		targets := p.Row(u)
		x.longest = max(x.longest, len(targets))
		for k, v := range targets {
			c := cross{p.site(u, k), u, v, p.mask(u, k), p.First(u) + k}
			switch p.way(u, v, k) {
			case inner, shared:
				x.inside++
			case returns:
				leaves[u] = true
				x.returns = append(x.returns, c)
			case calls:
				x.callers = append(x.callers, c)
				if of := p.procedures[v]; x.bit[v] == none {
					x.entry[of] = append(x.entry[of], v)
					x.bit[v] = uint32(len(x.entry[of]))
				}
			}
		}
	}
	for of, list := range x.entry {
		x.words[of] = uint32(len(list)+1+63) / 64
	}
	x.place(leaves)
	slices.SortFunc(x.callers, func(a, b cross) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.arc, b.arc)) })
	slices.SortFunc(x.returns, func(a, b cross) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(p.procedures[a.from], p.procedures[b.from]), cmp.Compare(a.arc, b.arc))
	})
	for _, c := range x.callers {
		x.calls[c.to+1]++
	}
	for v := range n {
		x.calls[v+1] += x.calls[v]
	}
	for i, r := range x.returns {
		at, ok := x.sites[r.site]
		if !ok {
			at.from = i
		}
		at.to = i + 1
		x.sites[r.site] = at
	}
	return x, x.checkSites()
}

// place gives every node its words.
func (x *index) place(leaves []bool) {
	for _, exits := range []bool{true, false} {
		for v, of := range x.procedures {
			if leaves[v] == exits {
				x.first[v] = x.total
				x.total += uint64(x.words[of])
				if exits {
					x.exitWords = x.total
				}
			}
		}
	}
}

// inOrder are the nodes in the order of their rows.
func (x *index) inOrder() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, exits := range []bool{true, false} {
			for v, first := range x.first {
				if (first < x.exitWords) == exits && !yield(uint32(v)) {
					return
				}
			}
		}
	}
}

// checkSites refuses a site whose returns lead elsewhere than its calls come from.
func (x *index) checkSites() error {
	for _, c := range x.callers {
		at := x.sites[c.site]
		for _, r := range x.returns[at.from:at.to] {
			if caller, to := x.procedures[c.from], x.procedures[r.to]; caller != to {
				return &Error{int(r.from), -1, fmt.Sprintf("site %d is a call in procedure %d, and a return from here to node %d of procedure %d", c.site, caller, r.to, to)}
			}
		}
	}
	return nil
}

// returnsTo is which returns a call may come back by: those of its site from the procedure that it leads to.
func (x *index) returnsTo(call cross) span {
	at, of := x.sites[call.site], x.procedures[call.to]
	list := x.returns[at.from:at.to]
	find := func(of uint32) int {
		k, _ := slices.BinarySearchFunc(list, of, func(r cross, of uint32) int { return cmp.Compare(x.procedures[r.from], of) })
		return at.from + k
	}
	return span{find(of), find(of + 1)}
}

// start is which bit a seed gives its node.
func (x *index) start(seed uint32, unbalanced bool) uint32 {
	if bit := x.bit[seed]; bit != none && !unbalanced {
		return bit // as if it had been called
	}
	return 0
}

// cycles returns of each procedure the least one of those that call each other, by way of others or not, and that it is one of.
func (x *index) cycles(ctx context.Context) ([]uint32, error) {
	of, offsets, targets := x.procedures, make([]uint32, x.Nodes()+1), make([]uint32, len(x.callers))
	for _, c := range x.callers {
		offsets[of[c.from]+1]++
	}
	for p := range x.Nodes() {
		offsets[p+1] += offsets[p]
	}
	next := slices.Clone(offsets)
	for _, c := range x.callers {
		targets[next[of[c.from]]] = of[c.to]
		next[of[c.from]]++
	}
	labels := make([]uint32, x.Nodes())
	return labels, cpu.New(cpu.Graph{Offsets: offsets, Targets: targets}, cpu.Graph{}, cpu.Options{Workers: 1}).StrongComponents(ctx, graph.AllKinds, labels)
}
