package opt

import (
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// search answers questions of the form "is this number, and a gap, at most that one?" by what is known where the walk is.
// It goes from a value to all that are at least as large: those that are equal, those that relations name, and operands of
// ops such as a minimum. A question has one budget for all its steps, whichever of the functions below takes them. A
// question whose budget is spent has the answer that it is not proven, which is always sound.
type search struct {
	g        *ranges
	steps    int // that are left
	question uint32
	failed   [maxAsked]attempt
}

const (
	maxSearch = 8 // how far from the value a proof may be; also bounds other walks along operands
	// Values that are looked at for one question: with 64 all kernels of this repository have the text that they have
	// without a limit, with 16 some kept a comparison.
	maxAsked = 64
)

// attempt is a value from which a search goes on, or went on and failed. A proof of the same with a larger gap, or with
// less depth, would be one of this. While the search is still on its way from there it cannot gain by coming back either.
type attempt struct {
	what     query
	v, other ir.Row
	gap      uint64
	depth    int
	question uint32
}

type query uint8

const (
	askUnder query = iota
	askApart
	askBehind
	askAtMost
)

// ask begins a question.
func (g *ranges) ask() *search {
	s := &g.search
	s.g, s.steps = g, maxAsked
	if s.question++; s.question == 0 { // entries of 2³² questions ago would look new
		s.failed, s.question = [maxAsked]attempt{}, 1
	}
	return s
}

// under reports whether v + gap, as numbers, is at most the length of object o in vectors of per elements, the
// last of which may not be whole. A record is a vector of the elements of an array in it.
func (g *ranges) under(v ir.Row, o uint32, gap, per uint64) bool {
	s := g.ask()
	return s.under(v, bound{o, per}, gap, maxSearch)
}

// apart reports whether a + gap <= b, as numbers.
func (g *ranges) apart(a, b ir.Row, gap uint64) bool { return g.ask().apart(a, b, gap, maxSearch) }

// atMost reports whether a <= b, as numbers.
func (g *ranges) atMost(a, b ir.Row) bool { return g.ask().atMost(a, b, maxSearch) }

// step takes a step, and reports whether there was one left.
func (s *search) step() bool {
	s.steps--
	s.g.w.visits++
	return s.steps >= 0
}

// enter takes the step to value v and reports whether it may lead to anything.
func (s *search) enter(what query, v, other ir.Row, gap uint64, depth int) (*attempt, bool) {
	if !s.step() {
		return nil, false
	}
	v, other = s.g.rel.of(v), s.g.rel.of(other)
	a := &s.failed[(uint32(v)*4+uint32(other)*5+uint32(what))%maxAsked]
	if a.question == s.question && a.what == what && a.v == v && a.other == other && a.gap <= gap && a.depth >= depth {
		return a, false
	}
	*a = attempt{what, v, other, gap, depth, s.question}
	return a, true
}

// proven takes note that an attempt did not fail.
func (a *attempt) proven() bool {
	a.question = 0
	return true
}

// bound is the length of an object in vectors of per elements.
type bound struct {
	o   uint32
	per uint64
}

func (s *search) under(v ir.Row, to bound, gap uint64, depth int) bool {
	if depth == 0 {
		return false
	}
	v = s.g.core(v)
	at, ok := s.enter(askUnder, v, 0, gap, depth)
	if !ok {
		return false
	}
	for m := v; ; {
		if s.underBy(m, to, gap, depth) {
			return at.proven()
		}
		if m = s.g.rel.after(m); m == v || !s.step() {
			return false
		}
	}
}

// underBy is under by what is known of one value of a class.
func (s *search) underBy(v ir.Row, to bound, gap uint64, depth int) bool {
	g := s.g
	w, o := g.w, to.o
	t := w.Type[v]
	i := g.at(v)
	least := w.minLen(o) / to.per
	switch {
	case t.IsSigned() && i.SHi < 0 && gap <= max(least, 1), t.IsSigned() && i.SHi >= 0 && gap <= least && uint64(i.SHi) <= least-gap:
		return true
	case !t.IsSigned() && gap <= least && i.Hi <= least-gap:
		return true
	case w.Op[v] == ir.OpLen && w.must(checkSameBuffer, w.sameLen(w.X[v], o)) && w.must(checkWhole, to.per <= uint64(w.objs[o].Count())):
		return gap == 0
	case to.per > 1 && g.parts(v) == to.per && w.must(checkSameBuffer, w.sameLen(w.X[w.A(v)], o)):
		return gap == 0
	}
	if w.Op[v] == ir.OpArg && s.lasts(v, to, gap) {
		return true
	}
	for k := g.rel.last(v); k != 0 && s.steps > 0; {
		r := &g.rel.list[k-1]
		if less := gap - min(gap, r.gap); r.b == ir.NoRow && s.elementOf(r.object, to, less, depth-1) ||
			r.b != ir.NoRow && g.holds(r) && s.under(r.b, to, less, depth-1) {
			return true
		}
		k = r.before
	}
	return s.underOperands(v, to, gap, depth)
}

// underOperands is under for ops that give no more than an operand, and for sums.
func (s *search) underOperands(v ir.Row, to bound, gap uint64, depth int) bool {
	g := s.g
	w := g.w
	under := func(v ir.Row, gap uint64) bool { return s.under(v, to, gap, depth-1) }
	a, b := w.A(v), w.B(v)
	switch w.Op[v] {
	case ir.OpMin:
		return under(a, gap) || under(b, gap)
	case ir.OpMax:
		return under(a, gap) && under(b, gap)
	case ir.OpSelect:
		if c, ok := g.of(a).Constant(); ok { // which may have been found since it was computed
			if c != 0 {
				return under(b, gap)
			}
			return under(w.C(v), gap)
		}
		return under(b, gap) && under(w.C(v), gap)
	case ir.OpAnd:
		return g.notNegative(v) && (g.notNegative(a) && under(a, gap) || g.notNegative(b) && under(b, gap))
	case ir.OpShr, ir.OpDiv, ir.OpRem:
		// A divisor of 0 gives all ones, or 0; either is not a number of that kind.
		return g.notNegative(a) && (w.Op[v] == ir.OpShr || g.of(b).Lo > 0 && g.notNegative(b)) && under(a, gap)
	case ir.OpSub:
		// Without a wrap, less what is not negative.
		i, j := g.of(a), g.of(b)
		if t := w.Type[v]; t.IsSigned() {
			return j.SLo >= 0 && w.must(checkWrap, i.SLo >= interval.WidthOf(t).Min()+j.SHi) && under(a, gap)
		}
		return w.must(checkWrap, i.Lo >= j.Hi) && under(a, gap-min(gap, j.Lo))
	case ir.OpAdd, ir.OpOr:
		return s.underSum(v, to, gap, depth)
	}
	return false
}

// underSum is under for a sum, or an or that is one.
func (s *search) underSum(v ir.Row, to bound, gap uint64, depth int) bool {
	g := s.g
	w := g.w
	t := w.Type[v]
	n := interval.WidthOf(t)
	a := g.of(w.A(v))
	c, ok := w.bits(w.B(v))
	if !ok && w.Op[v] == ir.OpAdd && !t.IsSigned() {
		// A sum that wraps is less than the number.
		return s.behind(w.A(v), w.B(v), to, gap, depth) || s.behind(w.B(v), w.A(v), to, gap, depth)
	}
	if !ok || w.Op[v] == ir.OpOr && c&^a.Zeros != 0 {
		return false
	}
	if up := c <= n.Mask()>>1; up {
		fits := a.Hi <= n.Mask()-c || w.maxLen(to.o) <= n.Mask() // the proof says that it is at most a length
		if t.IsSigned() {
			fits = a.SHi <= n.Max()-n.Sign(c)
		}
		return gap+c < 1<<32 && w.must(checkWrap, fits) && s.under(w.A(v), to, gap+c, depth-1)
	}
	c = -c & n.Mask()
	if t.IsSigned() {
		return w.must(checkWrap, a.SLo >= n.Min()+int64(c)) && s.under(w.A(v), to, gap-min(gap, c), depth-1)
	}
	return w.must(checkWrap, a.Lo >= c) && s.under(w.A(v), to, gap-min(gap, c), depth-1)
}

// elementOf is under for a number that is at most the elements of object p.
func (s *search) elementOf(p uint32, to bound, gap uint64, depth int) bool {
	if !s.step() {
		return false
	}
	g := s.g
	w, o := g.w, to.o
	if (p == o || w.sameLen(p, o)) && w.must(checkAsLong, uint64(w.objs[p].Count())*to.per <= uint64(w.objs[o].Count())) {
		return gap == 0
	}
	// Its length may be known to be no more than another one. It counts records, not elements of arrays in them.
	l := g.lens[w.objs[p].First]
	return l != ir.NoRow && !w.gone[l] && w.must(checkAsLong, w.objs[p].Count() == 1) && s.under(l, to, gap, depth)
}

// behind reports whether lo + i + gap, as numbers, is at most a length. It looks for a number that i is below and that is
// at most a difference a - b, where lo is at most b, and a is known to be under that length.
func (s *search) behind(lo, i ir.Row, to bound, gap uint64, depth int) bool {
	if depth == 0 {
		return false
	}
	w := s.g.w
	lo, i = s.g.core(lo), s.g.core(i)
	if !w.must(checkNegative, s.g.notNegative(i) && s.g.notNegative(lo)) {
		return false
	}
	at, ok := s.enter(askBehind, i, lo, gap, depth)
	if !ok {
		return false
	}
	for m := i; ; {
		if s.g.notNegative(m) && s.behindBy(lo, m, to, gap, depth) {
			return at.proven()
		}
		if m = s.g.rel.after(m); m == i || !s.step() {
			return false
		}
	}
}

// behindBy is behind by what is known of one value of the class of i.
func (s *search) behindBy(lo, i ir.Row, to bound, gap uint64, depth int) bool {
	g := s.g
	w := g.w
	switch w.Op[i] {
	case ir.OpArg:
		if gap == 0 && s.paired(lo, i, to) {
			return true
		}
	case ir.OpMin:
		if s.behind(lo, w.A(i), to, gap, depth-1) || s.behind(lo, w.B(i), to, gap, depth-1) {
			return true
		}
	case ir.OpSub:
		a, b := g.core(w.A(i)), g.core(w.B(i))
		if w.Type[i].IsSigned() || !w.must(checkViewWraps, s.atMost(b, a, depth-1)) {
			break
		}
		// A view of a view begins at the sum of two offsets.
		switch {
		case w.must(checkBefore, s.atMost(lo, b, depth-1)) && s.under(a, to, gap, depth-1),
			w.Op[lo] == ir.OpAdd && g.equal(b, w.B(lo)) && s.behind(w.A(lo), a, to, gap, depth-1),
			w.Op[lo] == ir.OpAdd && g.equal(b, w.A(lo)) && s.behind(w.B(lo), a, to, gap, depth-1):
			return true
		}
	case ir.OpAdd:
		// A view that begins at a constant has as many elements less. If its beginning wraps, it is before that.
		x, y := w.A(i), w.A(lo)
		c, down := w.bits(w.B(i))
		d, up := w.bits(w.B(lo))
		if down && up && !w.Type[i].IsSigned() && w.Op[lo] == ir.OpAdd && w.Type[lo] == w.Type[i] && (c+d)&w.Type[i].Mask() == 0 && w.must(checkWrap, g.at(x).Lo >= d) &&
			s.behind(y, x, to, gap, depth-1) {
			return true
		}
	}
	for k := g.rel.last(i); k != 0 && s.steps > 0; {
		r := &g.rel.list[k-1]
		if r.b != ir.NoRow && g.holds(r) && s.behind(lo, r.b, to, gap-min(gap, r.gap), depth-1) {
			return true
		}
		k = r.before
	}
	return false
}

// equal reports whether a and b are known to be the same number.
func (g *ranges) equal(a, b ir.Row) bool { return g.rel.of(g.core(a)) == g.rel.of(g.core(b)) }

func (s *search) apart(a, b ir.Row, gap uint64, depth int) bool {
	g := s.g
	w := g.w
	a, b = g.core(a), g.core(b)
	if depth < 0 || !g.notNegative(a) || !g.notNegative(b) {
		return false
	}
	at, ok := s.enter(askApart, a, b, gap, depth)
	if !ok {
		return false
	}
	if gap == 0 && g.equal(a, b) {
		return at.proven()
	}
	// What is so far below a number is farther below a sum that does not wrap.
	if x, c, ok := g.lifted(b, w.Type[b]); ok && s.apart(a, x, gap-min(gap, c), depth-1) {
		return at.proven()
	}
	for m := a; ; {
		if g.notNegative(m) && s.apartBy(m, b, gap, depth) {
			return at.proven()
		}
		if m = g.rel.after(m); m == a || !s.step() {
			return false
		}
	}
}

// apartBy is apart by what is known of one value of the class of a.
func (s *search) apartBy(a, b ir.Row, gap uint64, depth int) bool {
	g := s.g
	w := g.w
	switch least, most := g.at(b).Lo, g.at(a).Hi; {
	case gap <= least && most <= least-gap:
		return true
	case depth == 0:
		return false
	}
	switch w.Op[a] {
	case ir.OpMin:
		if s.apart(w.A(a), b, gap, depth-1) || s.apart(w.B(a), b, gap, depth-1) {
			return true
		}
	case ir.OpAdd:
		if c, ok := w.bits(w.B(a)); ok && gap+c < 1<<32 && w.must(checkWrap, g.at(w.A(a)).Hi <= largest(w.Type[a])-min(c, largest(w.Type[a]))) &&
			s.apart(w.A(a), b, gap+c, depth-1) {
			return true
		}
	}
	for k := g.rel.last(a); k != 0 && s.steps > 0; {
		r := &g.rel.list[k-1]
		if r.b != ir.NoRow && g.holds(r) && s.apart(r.b, b, gap-min(gap, r.gap), depth-1) {
			return true
		}
		k = r.before
	}
	return false
}

func (s *search) atMost(a, b ir.Row, depth int) bool {
	g := s.g
	a, b = g.core(a), g.core(b)
	switch {
	case g.equal(a, b):
		return true
	case depth == 0 || !g.notNegative(a) || !g.notNegative(b):
		return false
	}
	at, ok := s.enter(askAtMost, a, b, 0, depth)
	if !ok {
		return false
	}
	for m := a; ; {
		if g.notNegative(m) && s.atMostBy(m, b, depth) {
			return at.proven()
		}
		if m = g.rel.after(m); m == a || !s.step() {
			return false
		}
	}
}

// atMostBy is atMost by what is known of one value of the class of a.
func (s *search) atMostBy(a, b ir.Row, depth int) bool {
	g := s.g
	w := g.w
	switch {
	case g.at(a).Hi <= g.at(b).Lo,
		w.Op[a] == ir.OpMin && (s.atMost(w.A(a), b, depth-1) || s.atMost(w.B(a), b, depth-1)),
		w.Op[b] == ir.OpMax && (s.atMost(a, w.A(b), depth-1) || s.atMost(a, w.B(b), depth-1)):
		return true
	}
	for k := g.rel.last(a); k != 0 && s.steps > 0; {
		r := &g.rel.list[k-1]
		if r.b != ir.NoRow && g.holds(r) && s.atMost(r.b, b, depth-1) {
			return true
		}
		k = r.before
	}
	return false
}
