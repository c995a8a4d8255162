package device

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// symbol is a head with the types of its children. All children of a symbol at a place have one type, so waves that
// match heads need not look at types.
type symbol struct {
	egraph.HeadInfo
	from [3]ir.Type
	kids int
}

// symbols numbers heads as a device has them. The head of a constant is the number of its type. One of 64 bits has two
// children, which are its halves: rows of head 0. Leaves of one cost have one head.
type symbols struct {
	ids    map[symbol]uint32
	of     []symbol // by number; of a head of three children the number before it is that of its part
	bits   []uint32 // what kernels know of each
	costs  []uint64
	leaves []egraph.HeadInfo // by payload
	rank   map[uint64]uint32 // heads of leaves by cost
	by     func(h egraph.HeadInfo, kids int) uint64
}

// opaque is the head of a class without rows: a hidden row that no term may have stands for it.
const opaque = uint32(ir.BF16) + 1

// told is the head of a hidden row that says known bits of its class: the payload is their place in the column of given ones.
const told = opaque + 1

func newSymbols(by func(h egraph.HeadInfo, kids int) uint64) *symbols {
	s := &symbols{ids: map[symbol]uint32{}, rank: map[uint64]uint32{}, by: by}
	s.push(symbol{}, saturation.Hidden, 0)
	for t := ir.Bool; t <= ir.BF16; t++ {
		bits := uint32(saturation.Constant)
		if t.Bits() == 64 {
			bits |= 2
		}
		h := egraph.HeadInfo{Op: ir.OpConst, Type: t}
		s.push(symbol{HeadInfo: h}, bits, by(h, 0))
	}
	s.push(symbol{}, saturation.Hidden, math.MaxUint64>>1) // opaque
	s.push(symbol{}, saturation.Hidden, math.MaxUint64>>1) // told
	return s
}

func (s *symbols) push(y symbol, bits uint32, cost uint64) uint32 {
	s.of, s.bits, s.costs = append(s.of, y), append(s.bits, bits), append(s.costs, cost)
	return uint32(len(s.of) - 1)
}

// sorted has the same heads in an order that does not depend on which graph or rule named one first.
func (s *symbols) sorted() *symbols {
	to := newSymbols(s.by)
	for _, cost := range slices.Sorted(maps.Keys(s.rank)) {
		to.rank[cost] = to.push(symbol{}, 0, cost)
	}
	for _, y := range slices.SortedFunc(maps.Keys(s.ids), func(a, b symbol) int {
		if d := cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Type, b.Type), cmp.Compare(a.X, b.X),
			cmp.Compare(a.Name, b.Name)); d != 0 {
			return d
		}
		return cmp.Or(cmp.Compare(a.kids, b.kids), slices.Compare(a.from[:], b.from[:]))
	}) {
		to.number(y)
	}
	return to
}

// leaf is a new key, for a head without children.
func (s *symbols) leaf(h egraph.HeadInfo) uint64 {
	cost := s.by(h, 0)
	id, ok := s.rank[cost]
	if !ok {
		id = s.push(symbol{}, 0, cost)
		s.rank[cost] = id
	}
	s.leaves = append(s.leaves, h)
	return uint64(id)<<saturation.HeadShift | uint64(len(s.leaves)-1)
}

// number returns the number of a head with children.
func (s *symbols) number(y symbol) uint32 {
	if id, ok := s.ids[y]; ok {
		return id
	}
	bits := uint32(y.kids)
	if y.kids == 3 {
		s.push(symbol{}, 2|saturation.Hidden, 0)
		bits = 2
	}
	if y.kids == 2 && y.Commutative {
		bits |= saturation.Commutative
	}
	id := s.push(y, bits, s.by(y.HeadInfo, y.kids))
	s.ids[y] = id
	return id
}

// symbolOf is the head of an op in a rule.
func symbolOf(t *rules.Term) symbol {
	h := egraph.HeadInfo{Op: t.Op, Type: t.Type, Commutative: t.Op.Info().Attr&ir.Commutative != 0}
	y := symbol{HeadInfo: h, kids: len(t.Args)}
	for i, a := range t.Args {
		y.from[i] = a.Type
	}
	return y
}

// payload is the key of a constant of up to 32 bits.
func payload(t ir.Type, bits uint64) uint64 { return uint64(t)<<saturation.HeadShift | bits }

// quiet makes all NaNs of a type one.
func quiet(t ir.Type, bits uint64) uint64 {
	if t.IsFloat() && exact.Eval(ir.OpNe, t, ir.Bool, 0, bits, bits, 0) != 0 {
		if t == ir.F64 {
			return 0x7FF8_0000_0000_0000
		}
		return 0x7FC0_0000
	}
	return bits
}
