package ifds

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
)

// summary says that an exit follows from an entry, whatever the call. They are listed before they are applied, so that what
// one is made of stands before it.
type summary struct{ entry, exit uint32 }

// solver is what is known while rows grow, on one core.
type solver struct {
	*index
	rows       []uint64 // from which entries a node follows
	news       []uint64 // which of them have not been handed on
	queue      []uint32
	in         []bool // the queue
	unbalanced bool

	summaries []summary
	known     map[summary]struct{}
	done      uint64 // nodes taken from the queue
	looked    uint64 // at arcs of theirs
}

// rowBytes is what one core needs for rows: what is there, and what is new.
func (x *index) rowBytes() uint64 { return 16 * x.total }

// tabulate solves on one core.
func (x *index) tabulate(ctx context.Context, seeds []uint32, o Options) (*solver, error) {
	if need := x.rowBytes(); o.MaxBytes > 0 && need > uint64(o.MaxBytes) {
		return nil, fmt.Errorf("ifds: rows need %d bytes, %d are allowed; raise Options.MaxBytes, or search without contexts", need, o.MaxBytes)
	}
	s := &solver{index: x, rows: make([]uint64, x.total), news: make([]uint64, x.total), in: make([]bool, x.Nodes()), unbalanced: o.Unbalanced, known: make(map[summary]struct{})}
	for _, v := range seeds {
		s.add(v, x.start(v, o.Unbalanced))
	}
	for ; len(s.queue) > 0; s.done++ {
		if s.done&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		u := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.in[u] = false
		s.handOn(u)
	}
	return s, nil
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

func (s *solver) row(v uint32) []uint64 {
	from, to := s.of(v)
	return s.rows[from:to]
}

// handOn takes what is new in the row of a node along its arcs.
func (s *solver) handOn(u uint32) {
	from, to := s.of(u)
	news := slices.Clone(s.news[from:to])
	clear(s.news[from:to])
	targets, _ := s.Row(u)
	s.looked += uint64(len(targets))
	leaves := false
	for k, v := range targets {
		switch s.way(u, v, k) {
		case returns:
			leaves = true
		case calls:
			s.add(v, s.bit[v])
			s.passBy(s.site(u, k), v, news)
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
			entry := s.entry[s.procedures[exit]][bit-1]
			s.known[summary{entry, exit}] = struct{}{}
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
	list, of := s.returns[at.from:at.to], s.procedures[exit]
	k, _ := slices.BinarySearchFunc(list, exit, func(r cross, exit uint32) int {
		return cmp.Or(cmp.Compare(s.procedures[r.from], of), cmp.Compare(r.from, exit))
	})
	for ; k < len(list) && list[k].from == exit; k++ {
		s.join(list[k].to, s.row(c.from))
	}
}

// leaveFree goes from an exit to all callers, in which what follows is as free as a seed.
func (s *solver) leaveFree(exit uint32) {
	targets, _ := s.Row(exit)
	for k, v := range targets {
		if s.way(exit, v, k) == returns {
			s.add(v, 0)
		}
	}
}
