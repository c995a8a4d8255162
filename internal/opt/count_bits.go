package opt

import (
	"math/bits"
	"slices"

	"github.com/govyre/vyre/ir"
)

// maxAddends bounds the addends of a sum that are looked at.
const maxAddends = 72

// addend is a part of a sum: a value, or 1 where a condition holds (or does not) and 0 elsewhere.
type addend struct {
	value ir.Row // NoRow for a condition
	when  ir.Row
	holds bool
}

// bitSet are the bits that an addend counts: the ones of sources[0] & sources[1] & … & mask. Sources are of one type.
type bitSet struct {
	sources []ir.Row
	mask    uint64
}

// countChain makes a population count of a sum in which at least three bits of one value are added up: of different
// places, for they become one mask. Bits of several values that are tested together are those of their conjunction.
func (w *work) countChain(r ir.Row) bool {
	t := w.Type[r]
	if !t.IsInt() {
		return false
	}
	var few [2][8]addend
	rest, maybe := w.sum(r, few[0][:0], few[1][:0])
	if len(maybe) < 2 {
		return false // a group has two
	}
	groups, rest := w.bitGroups(maybe, rest)
	if !slices.ContainsFunc(groups, func(g bitGroup) bool { return len(g.addends) > 1 && bits.OnesCount64(g.mask) > 2 }) {
		return false
	}
	// Each partial sum of a long chain may be one that counts, and writing it lists all that is left of the ones before.
	writes := len(rest) + 4*len(groups)
	if w.sums < writes {
		return false
	}
	w.sums -= writes
	for _, g := range groups {
		if len(g.addends) == 1 {
			rest = append(rest, g.addends[0])
			continue
		}
		rest = append(rest, addend{w.popc(g.bitSet, r, t), ir.NoRow, false})
	}
	sum := ir.NoRow
	for _, a := range rest {
		v := a.value
		if a.when != ir.NoRow {
			v = w.before(r, ir.OpCvt, t, 0, a.when)
			if !a.holds {
				v = w.before(r, ir.OpSub, t, 0, w.constant(t, 1), v)
			}
		}
		if sum == ir.NoRow {
			sum = v
		} else {
			sum = w.before(r, ir.OpAdd, t, 0, sum, v)
		}
	}
	w.hit("count-chain")
	return w.replace(r, sum)
}

// bitGroup is addends that count different bits of the same sources.
type bitGroup struct {
	bitSet
	addends []addend
}

// bitGroups puts the addends that count bits in groups, and adds the others to the rest.
func (w *work) bitGroups(maybe, rest []addend) ([]bitGroup, []addend) {
	var groups []bitGroup
	for _, a := range maybe {
		b, ok := w.bitsOf(a)
		if !ok {
			rest = append(rest, a)
			continue
		}
		i := slices.IndexFunc(groups, func(g bitGroup) bool {
			return slices.Equal(g.sources, b.sources) && w.must(checkSamePlace, g.mask&b.mask == 0)
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, bitGroup{bitSet: bitSet{sources: b.sources}})
		}
		groups[i].mask |= b.mask
		groups[i].addends = append(groups[i].addends, a)
	}
	return groups, rest
}

// popc counts a set of bits as a number of type t, in front of row r.
func (w *work) popc(b bitSet, r ir.Row, t ir.Type) ir.Row {
	v := b.sources[0]
	of := w.Type[v]
	for _, s := range b.sources[1:] {
		v = w.before(r, ir.OpAnd, of, 0, v, s)
	}
	if b.mask != of.Mask() {
		v = w.before(r, ir.OpAnd, of, 0, v, w.constant(of, b.mask))
	}
	v = w.before(r, ir.OpPopc, ir.U32, 0, v)
	if t != ir.U32 {
		v = w.before(r, ir.OpCvt, t, 0, v)
	}
	return v
}

// sum appends the addends of r: those that are what they are, and those that may count bits. A partial sum
// that something else needs is an addend.
func (w *work) sum(r ir.Row, rest, maybe []addend) ([]addend, []addend) {
	type part struct {
		v    ir.Row
		uses int32 // that are known here
	}
	var few [8]part
	open := append(few[:0], part{r, w.uses[r]})
	for len(open) > 0 && len(open)+len(maybe) < maxAddends {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		w.visits++
		ours := w.uses[p.v] <= p.uses && w.Region[p.v] == w.Region[r]
		switch more, c, holds, ok := w.addsOne(p.v); {
		case w.Op[p.v] == ir.OpConst:
			rest = append(rest, addend{p.v, ir.NoRow, false})
		case ours && w.Op[p.v] == ir.OpAdd:
			open = append(open, part{w.B(p.v), 1}, part{w.A(p.v), 1})
		case ours && ok:
			maybe = append(maybe, addend{ir.NoRow, c, holds})
			open = append(open, part{more, 2})
		default:
			maybe = append(maybe, addend{p.v, ir.NoRow, false})
		}
	}
	for _, p := range open {
		rest = append(rest, addend{p.v, ir.NoRow, false})
	}
	return rest, maybe
}

// addsOne reports that v is to + 1 where c holds, or where it does not, and to elsewhere.
func (w *work) addsOne(v ir.Row) (to, c ir.Row, holds, ok bool) {
	if w.Op[v] != ir.OpSelect {
		return
	}
	one, to, holds := w.B(v), w.C(v), true
	if w.Op[one] != ir.OpAdd || w.A(one) != to {
		one, to, holds = to, one, false
	}
	return to, w.A(v), holds, w.Op[one] == ir.OpAdd && w.A(one) == to && w.isConst(w.B(one), 1) && w.uses[one] == 1
}

// maxBitDeep bounds how deep conditions and conversions are looked into.
const maxBitDeep = 4

// bitsOf returns the bits that an addend counts.
func (w *work) bitsOf(a addend) (bitSet, bool) {
	if a.when != ir.NoRow {
		return w.tested(a.when, a.holds, maxBitDeep)
	}
	return w.counted(a.value, maxBitDeep)
}

// counted returns the bits whose number v is.
func (w *work) counted(v ir.Row, depth int) (bitSet, bool) {
	w.visits++
	a := w.A(v)
	switch w.Op[v] {
	case ir.OpAnd:
		if w.isConst(w.B(v), 1) {
			return w.single(a, 0)
		}
	case ir.OpShr:
		n, ok := w.bits(w.B(v))
		width := uint64(w.Type[v].Bits())
		switch {
		case !ok || w.Type[v].IsSigned():
		case n == width-1:
			return w.single(a, uint(n))
		case w.Op[a] == ir.OpAnd && n < width && w.isConst(w.B(a), 1<<n):
			return w.single(w.A(a), uint(n))
		}
	case ir.OpBfe:
		if w.X[v]>>8 == 1 && !w.Type[v].IsSigned() {
			return w.single(a, uint(w.X[v]&0xFF))
		}
	case ir.OpPopc:
		mask := w.Type[a].Mask()
		if m, ok := w.bits(w.B(a)); ok && w.Op[a] == ir.OpAnd {
			a, mask = w.A(a), m
		}
		return w.conjunction(a, mask)
	case ir.OpCvt:
		switch {
		case depth == 0:
		case w.Type[a] == ir.Bool:
			return w.tested(a, true, depth-1)
		case w.Type[a].IsInt(): // a count of bits fits every integer type
			return w.counted(a, depth-1)
		}
	case ir.OpSelect:
		switch b, c := w.B(v), w.C(v); {
		case depth == 0:
		case w.isConst(b, 1) && w.isConst(c, 0):
			return w.tested(a, true, depth-1)
		case w.isConst(b, 0) && w.isConst(c, 1):
			return w.tested(a, false, depth-1)
		}
	}
	return bitSet{}, false
}

// tested returns the one bit that is set where condition c is val.
func (w *work) tested(c ir.Row, val bool, depth int) (bitSet, bool) {
	w.visits++
	a, b := w.A(c), w.B(c)
	switch op := w.Op[c]; op {
	case ir.OpNot:
		if depth > 0 {
			return w.tested(a, !val, depth-1)
		}
	case ir.OpAnd, ir.OpOr:
		if depth == 0 || val != (op == ir.OpAnd) {
			break
		}
		x, ok := w.tested(a, val, depth-1)
		y, ok2 := w.tested(b, val, depth-1)
		if !ok || !ok2 || x.mask != y.mask || w.Type[x.sources[0]] != w.Type[y.sources[0]] {
			break
		}
		return bitSet{sorted(append(x.sources, y.sources...)), x.mask}, true
	case ir.OpLt:
		if t := w.Type[a]; val && t.IsSigned() && w.isConst(b, 0) {
			return w.single(a, uint(t.Bits())-1)
		}
	case ir.OpEq, ir.OpNe:
		k, ok := w.bits(b)
		m, ok2 := w.bits(w.B(a))
		if !ok || !ok2 || w.Op[a] != ir.OpAnd || bits.OnesCount64(m) != 1 || k != 0 && k != m {
			break
		}
		if isSet := (op == ir.OpEq) == (k == m); isSet == val {
			return w.single(w.A(a), uint(bits.TrailingZeros64(m)))
		}
	}
	return bitSet{}, false
}

// single is the bit of x at a place, or that of what x is shifted from.
func (w *work) single(x ir.Row, at uint) (bitSet, bool) {
	if n, ok := w.bits(w.B(x)); ok && w.Op[x] == ir.OpShr && n+uint64(at) < uint64(w.Type[x].Bits()) {
		x, at = w.A(x), at+uint(n)
	}
	return w.conjunction(x, 1<<at)
}

// conjunction is a set of bits of v, or of what v is the conjunction of.
func (w *work) conjunction(v ir.Row, mask uint64) (bitSet, bool) {
	sources := []ir.Row{v}
	for i := 0; i < len(sources) && len(sources) < 4; {
		s := sources[i]
		if _, ok := w.bits(w.B(s)); ok || w.Op[s] != ir.OpAnd {
			i++
			continue
		}
		sources[i] = w.A(s)
		sources = append(sources, w.B(s))
	}
	return bitSet{sorted(sources), mask}, w.Op[v] != ir.OpConst
}

// sorted sorts rows and drops those that come twice.
func sorted(rows []ir.Row) []ir.Row {
	slices.Sort(rows)
	return slices.Compact(rows)
}
