package device

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/rules"
)

// symbol is a head with the types of its children: classes of a symbol's place have one type, so nothing else looks at
// types.
type symbol struct {
	egraph.HeadInfo
	from [3]ir.Type
	kids int
}

// symbols numbers heads as a device has them. Number 0 is a half of a constant of 64 bits, whose children are its
// halves; that of other constants is the number of their type.
type symbols struct {
	ids    map[symbol]uint32
	of     []symbol // by number; of a head of three children the number before it is that of its part
	bits   []uint32 // what kernels know of each
	costs  []uint64
	leaves []egraph.HeadInfo
	rank   map[uint64]uint32 // leaf heads by cost
	by     func(h egraph.HeadInfo, kids int) uint64
}

func newSymbols(by func(h egraph.HeadInfo, kids int) uint64) *symbols {
	s := &symbols{ids: map[symbol]uint32{}, rank: map[uint64]uint32{}, by: by}
	s.push(symbol{}, saturation.Hidden, 0)
	for t := ir.Bool; t <= ir.BF16; t++ {
		bits := uint32(saturation.Constant)
		if t.Bits() == 64 {
			bits |= 2
		}
		s.push(symbol{HeadInfo: egraph.HeadInfo{Op: ir.OpConst, Type: t}}, bits, by(egraph.HeadInfo{Op: ir.OpConst, Type: t}, 0))
	}
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
		if d := cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Type, b.Type), cmp.Compare(a.X, b.X), cmp.Compare(a.Name, b.Name)); d != 0 {
			return d
		}
		return cmp.Or(cmp.Compare(a.kids, b.kids), slices.Compare(a.from[:], b.from[:]))
	}) {
		to.number(y)
	}
	return to
}

// leaf is the key of a head without children. Leaves of one cost have one head.
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
	y := symbol{HeadInfo: egraph.HeadInfo{Op: t.Op, Type: t.Type, Commutative: t.Op.Info().Attr&ir.Commutative != 0}, kids: len(t.Args)}
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

// rowsOf are the rows of a graph, with classes that are numbered from 0.
type rowsOf struct {
	*symbols
	class  []uint32
	key    []uint64
	tag    []uint32          // graph
	now    uint32            // the graph that is read
	seen   map[uint64]uint32 // class by key
	halves map[uint32]uint32
	next   uint32 // class
}

// graph lays the live rows of a closed graph out, and returns the numbers of its classes.
func (r *rowsOf) graph(g *egraph.Graph, number int) ([]uint32, error) {
	r.now, r.halves = uint32(number), map[uint32]uint32{}
	c := g.Columns()
	dense := make([]uint32, len(c.Parent))
	for id, p := range c.Parent {
		if int(p) == id {
			dense[id] = r.next
			r.next++
		} else {
			dense[id] = dense[p]
		}
	}
	for row, h := range c.Head {
		if c.Dead[row/64]>>(row%64)&1 != 0 {
			continue
		}
		kids := c.Kids[c.First[row]:][:c.Len[row]]
		if err := r.row(g, dense, c.Class[row], g.Info(h), kids); err != nil {
			return nil, err
		}
	}
	return dense, nil
}

func (r *rowsOf) row(g *egraph.Graph, dense []uint32, class egraph.Class, h egraph.HeadInfo, kids []egraph.Class) error {
	if h.Type.IsHalf() {
		return refused("saturate", "class %d is %v: constants of 16 bits are not computed on a device", class, h.Type)
	}
	to := dense[class]
	var k [3]uint32
	y := symbol{HeadInfo: h, kids: len(kids)}
	for i, kid := range kids {
		if i > 2 {
			return refused("saturate", "a row of class %d has %d children, at most 3 are possible", class, len(kids))
		}
		k[i], y.from[i] = dense[kid], g.Type(kid)
	}
	switch {
	case h.Op == ir.OpConst:
		return r.constant(to, h)
	case len(kids) == 0:
		return r.put(to, r.leaf(h))
	case len(r.of) >= saturation.MaxHeads-2:
		return refused("saturate", "more than %d heads", saturation.MaxHeads)
	case len(kids) == 3:
		id := r.number(y)
		part, ok := r.seen[saturation.Key(id-1, k[0], k[1])]
		if !ok {
			part = r.next
			r.next++
			if err := r.put(part, saturation.Key(id-1, k[0], k[1])); err != nil {
				return err
			}
		}
		return r.put(to, saturation.Key(id, part, k[2]))
	default:
		return r.put(to, saturation.Key(r.number(y), k[0], k[1]))
	}
}

func (r *rowsOf) constant(to uint32, h egraph.HeadInfo) error {
	bits := quiet(h.Type, h.Bits)
	if h.Type.Bits() < 64 {
		return r.put(to, payload(h.Type, uint64(r.now)<<32|bits))
	}
	return r.put(to, saturation.Key(uint32(h.Type), r.half(uint32(bits>>32)), r.half(uint32(bits))))
}

// half is the class of a half of a constant.
func (r *rowsOf) half(v uint32) uint32 {
	c, ok := r.halves[v]
	if !ok {
		c = r.next
		r.next++
		r.halves[v] = c
		r.class, r.key, r.tag = append(r.class, c), append(r.key, uint64(r.now)<<32|uint64(v)), append(r.tag, r.now)
	}
	return c
}

// put adds a row. Two constants that are NaNs are one key.
func (r *rowsOf) put(class uint32, k uint64) error {
	if _, twice := r.seen[k]; twice {
		return refused("saturate", "two rows are NaNs of one type: make their classes equal first")
	}
	r.seen[k] = class
	r.class, r.key, r.tag = append(r.class, class), append(r.key, k), append(r.tag, r.now)
	return nil
}

// decoder makes terms of the rows that were found.
type decoder struct {
	*symbols
	key  map[uint32]uint64
	to   *egraph.Graph
	made map[uint32]egraph.Class
}

// kids are the children of a row, as the term has them.
func children(k uint64, n uint32) []uint32 {
	list := []uint32{saturation.First(k), saturation.Second(k)}[:n]
	if k&saturation.New != 0 {
		list[0], list[1] = list[1], list[0]
	}
	return list
}

// term returns the class of a term in the graph of the result.
func (d *decoder) term(class uint32) (egraph.Class, error) {
	if c, ok := d.made[class]; ok {
		return c, nil
	}
	k, ok := d.key[class]
	if !ok {
		return egraph.None, fmt.Errorf("no term")
	}
	h := saturation.Head(k)
	y, n := d.of[h], d.bits[h]&saturation.Kids
	list := children(k, n)
	c := egraph.None
	switch {
	case y.Op == ir.OpConst && n == 0:
		c = d.to.Const(y.Type, k&(1<<32-1))
	case y.Op == ir.OpConst:
		c = d.to.Const(y.Type, d.key[list[0]]<<32|d.key[list[1]]&(1<<32-1))
	case n == 0:
		c = d.to.Add(d.to.Head(d.leaves[k&(1<<saturation.HeadShift-1)]))
	default:
		if y.kids == 3 {
			list = append(children(d.key[list[0]], 2), list[1])
		}
		kids := make([]egraph.Class, len(list))
		for i, v := range list {
			var err error
			if kids[i], err = d.term(v); err != nil {
				return c, err
			}
		}
		c = d.to.Add(d.to.Head(y.HeadInfo), kids...)
	}
	d.made[class] = c
	return c, nil
}
