package opt

import "github.com/govyre/vyre/ir"

// A loop that takes a view from its ends, as s = s[1:] does, has the beginning and the length of the view as arguments.
// Neither has bounds that keep an access inside, but their sum never grows: that it is at most the length of the object
// holds where the loop begins, and in each round if each continue keeps it.
//
// It is a proof by induction. A pair is broken for good as soon as a walk finds that the loop may begin without it, or
// a continue may not keep it; then all is walked again, since other pairs may rest on it. What is asked of pairs is
// about their arguments, which exist inside of the loop only, and while intervals still grow nothing else asks.

// lasting is a pair of arguments of a loop, the sum of which is at most the length of an object in every round.
type lasting struct {
	loop, lo, n ir.Row
	object      uint32
	broken      bool
}

const (
	maxLasting = 16 // pairs of a program
	maxLengths = 4  // objects that are tried for a pair
)

// begins finds the pairs of loop l in the first round, and in later ones whether they hold where it begins.
func (g *ranges) begins(l ir.Row) {
	w := g.w
	if g.round == 0 && !g.foundPairs(l) {
		for lo := w.head[w.X[l]]; w.Op[lo] == ir.OpArg; lo = w.next[lo] {
			for n := w.head[w.X[l]]; w.Op[n] == ir.OpArg; n = w.next[n] {
				w.visits++
				if t := w.Type[lo]; n != lo && w.Type[n] == t && t.IsInt() && !t.IsSigned() {
					g.tryPair(l, lo, n)
				}
			}
		}
		return
	}
	for i := range g.pairs {
		if p := &g.pairs[i]; p.loop == l && !p.broken && !g.inLength(p, g.first(l, p.lo), g.first(l, p.n)) {
			g.breakPair(p)
		}
	}
}

func (g *ranges) foundPairs(l ir.Row) bool {
	for _, p := range g.pairs {
		if p.loop == l {
			return true
		}
	}
	return false
}

// first is what argument arg of loop l begins with.
func (g *ranges) first(l, arg ir.Row) ir.Row { return ir.Row(g.w.Operands(l)[g.w.X[arg]]) }

func (g *ranges) tryPair(l, lo, n ir.Row) {
	w, tried := g.w, 0
	if op := w.Op[g.core(g.first(l, n))]; op != ir.OpLen && op != ir.OpSub && op != ir.OpArg && op != ir.OpMin && op != ir.OpAdd {
		return
	}
	for o, at := range g.lens {
		if at == ir.NoRow || w.gone[at] || w.objs[o].Count() != 1 || w.objs[o].First != w.objs[w.X[at]].First {
			continue
		}
		if tried++; tried > maxLengths || len(g.pairs) >= maxLasting {
			return
		}
		p := lasting{loop: l, lo: lo, n: n, object: uint32(o)}
		if g.inLength(&p, g.first(l, lo), g.first(l, n)) {
			g.pairs = append(g.pairs, p)
			return
		}
	}
}

// inLength reports whether lo + n is at most the length of the object of p, as numbers.
func (g *ranges) inLength(p *lasting, lo, n ir.Row) bool {
	to := bound{p.object, 1}
	if c, ok := g.w.bits(lo); ok && c == 0 {
		return g.ask().under(n, to, 0, maxSearch)
	}
	return g.ask().behind(lo, n, to, 0, maxSearch)
}

// breakPair gives a pair up.
func (g *ranges) breakPair(p *lasting) {
	p.broken, g.change = true, true
	if g.last { // no round is left that would ask again
		for i := range g.pairs {
			g.pairs[i].broken = true
		}
	}
}

// goesOn breaks the pairs of loop l that continue r may not keep.
func (g *ranges) goesOn(l, r ir.Row) {
	w := g.w
	for i := range g.pairs {
		if p := &g.pairs[i]; p.loop == l && !p.broken {
			values := w.Operands(r)
			if !w.must(checkLasting, g.keeps(p, ir.Row(values[w.X[p.lo]]), ir.Row(values[w.X[p.n]]))) {
				g.breakPair(p)
			}
		}
	}
}

// keeps reports whether lo + n is at most the sum of the arguments of p, or the length of the object, and nothing
// wraps: the length loses what the beginning gains, and has at least as much.
func (g *ranges) keeps(p *lasting, lo, n ir.Row) bool {
	w := g.w
	w.visits++
	if from, up := w.offset(lo); from == p.lo && up < 1<<31 {
		to, down := w.offset(n)
		down = -down & w.Type[n].Mask()
		if to == p.n && down < 1<<31 && up <= down && down <= g.at(p.n).Lo {
			return true
		}
		if up == 0 && g.atMost(n, p.n) {
			return true
		}
	}
	if w.Op[lo] == ir.OpAdd && w.Op[n] == ir.OpSub {
		by := w.B(n)
		if (w.A(lo) == p.lo && g.equal(w.B(lo), by) || w.B(lo) == p.lo && g.equal(w.A(lo), by)) && g.atMost(by, w.A(n)) && g.atMost(w.A(n), p.n) {
			return true
		}
	}
	return g.inLength(p, lo, n)
}

// lasts reports whether lo + gap is at most the length that a question is about, for the beginning of a pair whose
// length is at least the gap.
func (s *search) lasts(lo ir.Row, to bound, gap uint64) bool {
	g := s.g
	for i := range g.pairs {
		if p := &g.pairs[i]; p.lo == lo && !p.broken && g.about(p, to) && gap <= g.at(p.n).Lo {
			return true
		}
	}
	return false
}

// paired reports whether lo and n are a pair of the length that a question is about.
func (s *search) paired(lo, n ir.Row, to bound) bool {
	g := s.g
	for i := range g.pairs {
		if p := &g.pairs[i]; p.lo == lo && p.n == n && !p.broken && g.about(p, to) {
			return true
		}
	}
	return false
}

func (g *ranges) about(p *lasting, to bound) bool {
	w := g.w
	return w.must(checkSameBuffer, w.sameLen(p.object, to.o)) && w.must(checkWhole, to.per <= uint64(w.objs[to.o].Count()))
}
