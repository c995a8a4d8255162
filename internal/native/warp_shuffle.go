package native

import (
	"slices"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Shuffles. A lane that does not exist gives zero bits.

// fixedLane returns the constant lane, mask or distance of a shuffle.
func fixedLane(p *ir.Program, r ir.Row) (n uint32, ok bool) {
	b := p.B(r)
	if b == ir.NoRow || p.Op(b) != ir.OpConst {
		return 0, false
	}
	return uint32(p.Const(b)), true
}

func (s *selector) shuffle(r ir.Row) {
	n, fixed := fixedLane(s.p, r)
	t := s.p.Type(r)
	switch op := s.p.Op(r); {
	case !fixed:
		s.shuffleAnywhere(r)
	case n >= 32:
		zero := s.constant(0)
		s.vals[r] = []vreg{zero, zero}[:parts(t)]
	case !meets(s.p, r):
		s.vals[r] = s.exchange(s.fill(s.vals[s.p.A(r)], 0, t, 0), int(n))
	default:
		if rows := s.alike(r); len(rows) > 1 {
			s.shuffleTogether(rows)
			return
		}
		m := s.meet(r, s.vals[s.p.A(r)])
		m.part(m.shuffled(op, t, int(n)))
	}
}

// shuffled is what the vectors get of a shuffle whose lane, mask or distance is a constant; of one that is the same for all, once.
func (m *meeting) shuffled(op ir.Op, t ir.Type, n int) (results [][]vreg) {
	switch s := m.s; op {
	case ir.OpShuffle:
		return [][]vreg{s.broadcast(m.filled(n/lanes, 0, t, 0), n%lanes)}
	case ir.OpShuffleXor:
		for k := range warpVectors {
			results = append(results, s.exchange(m.filled(k^n/lanes, 0, t, 0), n%lanes))
		}
		return results
	case ir.OpShuffleUp:
		return m.moved(t, -n)
	}
	return m.moved(t, n)
}

// How many shuffles a warp meets for at once at most, and among how many rows they are looked for.
const (
	maxTogether = 16
	maxBetween  = 256
)

// alike returns a shuffle and those after it in its region that may be done with it: whose operands are there already, with
// nothing in between that changes which lanes are active or that all wait for.
func (s *selector) alike(r ir.Row) (rows []ir.Row) {
	p := s.p
	for end := min(p.Regions()[p.Region(r)].End, r+maxBetween); r < end && len(rows) < maxTogether; r++ {
		switch in := p.Op(r).Info(); p.Op(r) {
		case ir.OpShuffle, ir.OpShuffleXor, ir.OpShuffleUp, ir.OpShuffleDown:
			if _, fixed := fixedLane(p, r); fixed && meets(p, r) && s.vals[p.A(r)] != nil && !s.joined[r] {
				rows = append(rows, r)
			}
		default:
			if in.Attr&(ir.Structured|ir.Terminator|ir.Barrier|ir.Convergent) != 0 || p.Op(r) == ir.OpTrap {
				return rows
			}
		}
	}
	return rows
}

// shuffleTogether writes several shuffles for which a warp meets once. Each vector leaves all operands in its frame; the last one
// puts the results in their place.
func (s *selector) shuffleTogether(rows []ir.Row) {
	args := s.layout.vector.take(64 * int32(len(rows)))
	var operands [][]vreg
	for _, r := range rows {
		operands = append(operands, s.vals[s.p.A(r)])
	}
	all := s.meetAt(rows[0], args, operands...)
	var d []vreg
	var from []amd64.Mem
	for i, r := range rows {
		m := *all
		m.args += 64 * int32(i)
		n, _ := fixedLane(s.p, r)
		results := m.shuffled(s.p.Op(r), s.p.Type(r), int(n))
		s.macro(amongNone, slices.Concat(results...), nil, func(e *emitter) {
			for j, vs := range results {
				m.leave(e, vs, j, len(results), func(k, part int) amd64.Mem { return m.operand(k, 0, part) })
			}
		})
		s.vals[r], s.joined[r] = s.fresh(s.p.Type(r)), true
		for part, v := range s.vals[r] {
			d, from = append(d, v), append(from, m.operand(0, 0, part))
		}
	}
	s.macro(amongNone, nil, d, func(e *emitter) {
		all.goOn(e)
		for i, v := range d {
			all.take(e, v, from[i])
		}
	})
}

// broadcast takes a lane of a vector for all.
func (s *selector) broadcast(v []vreg, lane int) []vreg {
	if len(v) == 1 {
		one := s.v3(amd64.VPERMD, s.constant(uint32(lane)), v[0])
		return []vreg{one}
	}
	one := s.v2imm(amd64.VPERMQ, v[lane/4], uint8(lane%4*0x55))
	return []vreg{one, one}
}

// exchange takes for each lane of a vector the one whose number differs in some bits.
func (s *selector) exchange(v []vreg, by int) []vreg {
	out := make([]vreg, len(v))
	for i := range v {
		words := by * len(v)
		from := v[i^words/lanes]
		for bit := 1; bit < lanes; bit *= 2 {
			if words&bit != 0 {
				from = s.exchanged(from, bit)
			}
		}
		out[i] = from
	}
	return out
}

// moved takes for each lane of the warp the one that is by farther on; zero from beyond.
func (m *meeting) moved(t ir.Type, by int) [][]vreg {
	s := m.s
	words := by * parts(t)
	n := warpVectors * parts(t)
	have := map[int]vreg{}
	at := func(j int) vreg {
		if j < 0 || j >= n {
			return s.constant(0)
		}
		if _, ok := have[j]; !ok {
			for i, v := range m.filled(j/parts(t), 0, t, 0) {
				have[j/parts(t)*parts(t)+i] = v
			}
		}
		return have[j]
	}
	whole, rest := words>>laneBits, words&(lanes-1)
	var results [][]vreg
	for k := range warpVectors {
		var out []vreg
		for i := range parts(t) {
			j := k*parts(t) + i + whole
			v := at(j)
			if rest > 0 {
				v = s.moveUp(v, at(j+1), lanes-rest)
			}
			out = append(out, v)
		}
		results = append(results, out)
	}
	return results
}

// shuffleAnywhere is a shuffle whose lanes are known when it runs. Each vector says which it wants: a number of 32 and more
// is of none.
func (s *selector) shuffleAnywhere(r ir.Row) {
	t, by := s.p.Type(r), s.vals[s.p.B(r)][0]
	lane, from := s.fromTable(ir.OpLane, 0), by
	switch s.p.Op(r) {
	case ir.OpShuffleXor:
		from = s.v3swap(amd64.VPXOR, lane, by)
	case ir.OpShuffleUp:
		from = s.v3(amd64.VPSUBD, lane, by)
	case ir.OpShuffleDown:
		from = s.v3swap(amd64.VPADDD, lane, by)
	}
	if from != by { // a distance of 32 and more leads nowhere, also where the sum wraps
		from = s.v3swap(amd64.VPOR, from, s.v3swap(amd64.VPAND, by, s.constant(^uint32(31))))
	}
	m := s.meet(r, s.vals[s.p.A(r)], []vreg{from})
	words := make([][]vreg, parts(t)) // of all lanes: the lower ones, then the upper ones
	for k := range warpVectors {
		v := m.filled(k, 0, t, 0)
		if len(v) == 1 {
			words[0] = append(words[0], v[0])
			continue
		}
		words[0], words[1] = append(words[0], s.join(v[0], v[1])), append(words[1], s.joinUpper(v[0], v[1]))
	}
	var results [][]vreg
	for k := range warpVectors {
		from := m.load(k, 1, ir.U32)[0]
		var out []vreg
		for _, w := range words {
			out = append(out, s.pick(w, from))
		}
		if len(out) == 2 {
			out = s.pairUp(out[0], out[1])
		}
		results = append(results, out)
	}
	m.part(results)
}

// pick takes for each lane a word of 32 that are in four registers.
func (s *selector) pick(w []vreg, from vreg) vreg {
	of := func(k int) vreg { return s.v3(amd64.VPERMD, from, w[k]) }
	odd, upper := s.shift(amd64.VPSLLD, from, 31-laneBits), s.shift(amd64.VPSLLD, from, 30-laneBits)
	v := s.blend(upper, s.blend(odd, of(3), of(2)), s.blend(odd, of(1), of(0)))
	inside := s.v3swap(amd64.VPCMPEQD, s.v3swap(amd64.VPAND, from, s.constant(^uint32(31))), s.constant(0))
	return s.v3swap(amd64.VPAND, v, inside)
}

// joinUpper takes the high 32 bits of lanes 0 to 3 and 4 to 7.
func (s *selector) joinUpper(lo, hi vreg) vreg {
	return s.v2imm(amd64.VPERMQ, s.v3imm(amd64.VSHUFPS, lo, hi, 0xDD), 0xD8)
}

// pairUp makes lanes of 64 bits of their lower and upper words.
func (s *selector) pairUp(lo, hi vreg) []vreg {
	lo, hi = s.v2imm(amd64.VPERMQ, lo, 0xD8), s.v2imm(amd64.VPERMQ, hi, 0xD8)
	return []vreg{s.v3(amd64.VUNPCKLPS, lo, hi), s.v3(amd64.VUNPCKHPS, lo, hi)}
}
