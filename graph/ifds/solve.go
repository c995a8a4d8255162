package ifds

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
)

// summary says that an exit follows from an entry, whatever the call. They are listed before what follows from them goes
// on, so that what one is made of stands before it.
type summary struct{ entry, exit uint32 }

// solver is what is known while rows grow, on one core. Its memory is kept for the next question.
type solver struct {
	*index
	rows       []uint64 // from which entries a node follows
	news       []uint64 // which of them have not been handed on
	words      []uint64 // of rows, which have bits
	queue      []uint32
	in         []bool // the queue
	unbalanced bool

	summaries []summary
	done      uint64 // nodes taken from the queue
	looked    uint64 // at arcs of theirs
}

// rowBytes is what one core needs for rows: what is there, and what is new.
func (x *index) rowBytes() uint64 { return 16 * x.total }

func newSolver(x *index, o Options) (*solver, error) {
	if need := x.rowBytes(); o.MaxBytes > 0 && need > uint64(o.MaxBytes) {
		return nil, fmt.Errorf("ifds: rows need %d bytes, %d are allowed; raise Options.MaxBytes, or search without contexts", need, o.MaxBytes)
	}
	return &solver{index: x, rows: make([]uint64, x.total), news: make([]uint64, x.total), in: make([]bool, x.Nodes()), unbalanced: o.Unbalanced}, nil
}

// tabulate solves.
func (s *solver) tabulate(ctx context.Context, seeds []uint32) error {
	s.forget()
	for _, v := range seeds {
		s.add(v, s.start(v, s.unbalanced))
	}
	for ; len(s.queue) > 0; s.done++ {
		if s.done&(1<<14-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		u := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.in[u] = false
		s.handOn(u)
	}
	return nil
}

// forget is before a question what was known of the last one, which may have ended early.
func (s *solver) forget() {
	for _, w := range s.words {
		s.rows[w], s.news[w] = 0, 0
	}
	for _, v := range s.queue {
		s.in[v] = false
	}
	s.words, s.queue, s.summaries, s.done, s.looked = s.words[:0], s.queue[:0], nil, 0, 0
}

// grow puts bits into a word, and reports whether it is more than before.
func (s *solver) grow(w, bits uint64) bool {
	old := s.rows[w]
	fresh := bits &^ old
	if fresh == 0 {
		return false
	}
	if old == 0 {
		s.words = append(s.words, w)
	}
	s.rows[w] |= fresh
	s.news[w] |= fresh
	return true
}

// add puts one bit into the row of a node.
func (s *solver) add(v, bit uint32) {
	if s.grow(s.first[v]+uint64(bit/64), 1<<(bit%64)) {
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
		if s.grow(at+uint64(k), w) {
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
	targets := s.Row(u)
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
	at, of, bit := s.sites[site], s.procedures[entry], uint64(s.bit[entry])
	for _, r := range s.returns[at.from:at.to] {
		if s.procedures[r.from] != of {
			continue
		}
		if w := s.first[r.from] + bit/64; (s.rows[w]&^s.news[w])>>(bit%64)&1 != 0 {
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
	targets := s.Row(exit)
	for k, v := range targets {
		if s.way(exit, v, k) == returns {
			s.add(v, 0)
		}
	}
}
