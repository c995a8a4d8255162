package megakernel

import (
	"fmt"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Waves of one program share a body where there are so many waves that a body for each would be too
// much to assemble. What they differ in stands in a table, a row for each wave: the size of its
// domain, the places of its ranges, its scalars. The groups become turns of one loop, in which every
// body runs for the rows that the group has of it.

// cast is the waves of a phase that share a body. They differ only in what a row of the table has.
type cast struct {
	steps []*step // in order of their groups
	first []int   // of each group, and one more: the first of its steps
	words [][]uint32
	vary  []bool // by word of a row: whether the waves differ in it
}

// sharing is how the waves of a phase share bodies.
type sharing struct {
	casts []cast
	dir   uint32 // word of the table where, for each group and one more, the first row of each cast stands
}

// share finds out which waves of the phase share a body, and appends their rows to the table.
func (g *groups) share(f *frame, table []uint32) []uint32 {
	s := &sharing{}
	of := map[string]int{}
	for k, waves := range g.steps {
		for _, w := range waves {
			key := f.shape(w)
			at, ok := of[key]
			if !ok {
				at = len(s.casts)
				of[key] = at
				s.casts = append(s.casts, cast{})
			}
			c := &s.casts[at]
			for len(c.first) <= k {
				c.first = append(c.first, len(c.steps))
			}
			c.steps = append(c.steps, w)
			c.words = append(c.words, f.words(w))
		}
	}
	s.dir = uint32(len(table))
	table = append(table, make([]uint32, (len(g.steps)+1)*len(s.casts))...)
	for at := range s.casts {
		c := &s.casts[at]
		for len(c.first) <= len(g.steps) {
			c.first = append(c.first, len(c.steps))
		}
		c.vary = make([]bool, len(c.words[0]))
		begin := uint32(len(table))
		for _, row := range c.words {
			for k, v := range row {
				c.vary[k] = c.vary[k] || v != c.words[0][k]
			}
			table = append(table, row...)
		}
		for k, first := range c.first {
			table[int(s.dir)+k*len(s.casts)+at] = begin + uint32(first*len(c.vary))
		}
	}
	g.shared = s
	return table
}

// shape is what waves have in common that share a body.
func (f *frame) shape(s *step) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%p %d %d", s.Program, s.Domain.kind, s.rest)
	if s.length >= 0 {
		fmt.Fprintf(&t, " %d", f.bindings[s.length].parameter)
	}
	params := s.Program.Params()
	for k, a := range s.args {
		fmt.Fprintf(&t, "|%d", a.kind)
		switch {
		case a.kind == fromRange:
			g := &f.bindings[a.binding]
			fmt.Fprintf(&t, " %d %v", g.parameter, g.part)
		case a.kind == fromScalar && params[k].Type.Size() < 4:
			fmt.Fprintf(&t, " %d", a.bits)
		}
	}
	return t.String()
}

// Words of a wave's row: the size of its domain, and for each argument a pair, which for a range is
// its base and its length, and for a scalar its halves.
const (
	rowSize   = iota // of a fixed domain; the most, of others
	rowLength        // base of the words that have the length
	rowArgs
)

// words are the row of a wave.
func (f *frame) words(s *step) []uint32 {
	row := []uint32{s.Domain.count, 0}
	if s.length >= 0 {
		row[rowLength] = f.bindings[s.length].base
	}
	for _, a := range s.args {
		x, y := uint32(a.bits), uint32(a.bits>>32)
		if a.kind == fromRange {
			x, y = f.bindings[a.binding].base, f.bindings[a.binding].length
		}
		row = append(row, x, y)
	}
	return row
}

// rows is how many rows of programs the bodies of the phase have.
func (g *groups) rows() (n int) {
	if g.shared != nil {
		for k := range g.shared.casts {
			n += g.shared.casts[k].steps[0].Program.Rows()
		}
		return n
	}
	for _, waves := range g.steps {
		for _, s := range waves {
			n += s.Program.Rows()
		}
	}
	return n
}

// waves is how many waves the phase has.
func (g *groups) waves() (n int) {
	for _, waves := range g.steps {
		n += len(waves)
	}
	return n
}

// instance is a wave whose body is written: one wave, or each of those that share it.
type instance struct {
	*step
	words []uint32
	cast  *cast       // nil for one wave
	row   build.Value // in the table
}

// name says in positions which waves the body is of.
func (in *instance) name() string {
	if in.cast == nil || len(in.cast.steps) == 1 {
		return fmt.Sprintf("wave %d", in.id)
	}
	return fmt.Sprintf("wave %d or one of %d like it", in.id, len(in.cast.steps)-1)
}

// word is a word of the wave's row: a constant, unless waves that share the body differ in it.
func (w *writer) word(in *instance, k int) build.Value {
	if in.cast == nil || !in.cast.vary[k] {
		return w.U32(in.words[k])
	}
	return w.Load(w.table, w.Add(in.row, w.U32(uint32(k))))
}

// scalar is argument k of the wave, which is one.
func (w *writer) scalar(in *instance, k int, t ir.Type) build.Value {
	at := rowArgs + 2*k
	if in.cast == nil || !in.cast.vary[at] && !in.cast.vary[at+1] || t.Size() < 4 {
		return w.Const(t, in.args[k].bits)
	}
	v := w.word(in, at)
	if t.Size() == 8 {
		v = w.Or(w.Cvt(ir.U64, v), w.Shl(w.Cvt(ir.U64, w.word(in, at+1)), w.U32(32)))
	}
	return w.Bitcast(t, v)
}

// casts writes the bodies that waves of the phase share, for group k, a number that the whole grid agrees on.
func (w *writer) casts(g *groups, k build.Value, t team, round build.Value, n *tally, sum *build.Var) {
	s := g.shared
	base, itemBase := w.Var(w.U32(0)), w.Var(w.U32(0))
	casts := w.U32(uint32(len(s.casts)))
	here := w.Add(w.U32(s.dir), w.Mul(k, casts))
	for at := range s.casts {
		c := &s.casts[at]
		dir := w.Add(here, w.U32(uint32(at)))
		w.For(w.Load(w.table, dir), w.Load(w.table, w.Add(dir, casts)), w.U32(uint32(len(c.vary))), func(row build.Value, _ build.Label) {
			w.wave(&instance{step: c.steps[0], words: c.words[0], cast: c, row: row}, t, round, base, itemBase, n, sum)
		})
	}
}

// clearCasts clears as clear does, for waves that share bodies.
func (w *writer) clearCasts(g *groups, t team, round build.Value) {
	s := g.shared
	for at := range s.casts {
		c := &s.casts[at]
		if !c.steps[0].Domain.kind.lists() {
			continue
		}
		dir := w.U32(s.dir + uint32(at))
		end := w.Add(dir, w.U32(uint32(len(g.steps)*len(s.casts))))
		w.If(w.Eq(t.thread, w.U32(0)), func() {
			w.For(w.Load(w.table, dir), w.Load(w.table, end), w.U32(uint32(len(c.vary))), func(row build.Value, _ build.Label) {
				w.clearList(&instance{step: c.steps[0], words: c.words[0], cast: c, row: row}, round)
			})
		})
	}
}
