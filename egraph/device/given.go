package device

import (
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/ir"
)

// givenRows are the rows of the graphs. Classes have numbers from 0 on, with no gap between two graphs.
type givenRows struct {
	*symbols
	class  []uint32
	key    []uint64
	tag    []uint32          // graph
	now    uint32            // the graph that is read
	seen   map[uint64]uint32 // class by key
	halves map[uint32]uint32
	next   uint32 // class
	asked  []uint32
	goals  []uint32
	asks   bool     // some rule asks for known bits
	known  []uint64 // zeros and ones of rows that tell them
}

// graph adds the live rows of a closed graph, and returns the numbers of its classes.
func (r *givenRows) graph(g *egraph.Graph, number int) ([]uint32, error) {
	r.now, r.halves = uint32(number), map[uint32]uint32{}
	c := g.Columns()
	dense, has := make([]uint32, len(c.Parent)), make([]bool, len(c.Parent))
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
		has[c.Parent[c.Class[row]]] = true
		kids := c.Kids[c.First[row]:][:c.Len[row]]
		if err := r.row(g, dense, c.Class[row], g.Info(h), kids); err != nil {
			return nil, err
		}
	}
	for id, p := range c.Parent {
		if to := dense[id]; int(p) == id && !has[id] {
			if err := r.put(to, uint64(opaque)<<saturation.HeadShift|uint64(to)); err != nil {
				return nil, err
			}
		}
	}
	return dense, r.tell(g, c.Parent, dense)
}

// tell adds a row for each class of which the graph knows bits.
func (r *givenRows) tell(g *egraph.Graph, parent []egraph.Class, dense []uint32) error {
	for id, p := range parent {
		f, ok := g.Facts(p)
		if m := g.Type(p).Mask(); !r.asks || int(p) != id || !ok || f.Zeros&m|f.Ones == 0 || f.Zeros&f.Ones != 0 {
			continue
		}
		k := uint64(told)<<saturation.HeadShift | uint64(len(r.known)/2)
		r.known = append(r.known, f.Zeros&g.Type(p).Mask(), f.Ones&g.Type(p).Mask())
		if err := r.put(dense[p], k); err != nil {
			return err
		}
	}
	return nil
}

// row adds a row of a class. One with three children becomes two: its part, which has the first two, and the rest.
func (r *givenRows) row(g *egraph.Graph, dense []uint32, class egraph.Class, h egraph.HeadInfo,
	kids []egraph.Class) error {
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

// constant adds the row of a constant, with its graph in the key: two graphs share none.
func (r *givenRows) constant(to uint32, h egraph.HeadInfo) error {
	bits := quiet(h.Type, h.Bits)
	if h.Type.Bits() < 64 {
		return r.put(to, payload(h.Type, uint64(r.now)<<32|bits))
	}
	return r.put(to, saturation.Key(uint32(h.Type), r.half(uint32(bits>>32)), r.half(uint32(bits))))
}

// half is the class of a half of a constant.
func (r *givenRows) half(v uint32) uint32 {
	c, ok := r.halves[v]
	if !ok {
		c = r.next
		r.next++
		r.halves[v] = c
		r.class, r.key, r.tag = append(r.class, c), append(r.key, uint64(r.now)<<32|uint64(v)), append(r.tag, r.now)
	}
	return c
}

// put adds a row. Only constants that are NaNs can have the key of another.
func (r *givenRows) put(class uint32, k uint64) error {
	if _, twice := r.seen[k]; twice {
		return refused("saturate", "two rows are NaNs of one type: make their classes equal first")
	}
	r.seen[k] = class
	r.class, r.key, r.tag = append(r.class, class), append(r.key, k), append(r.tag, r.now)
	return nil
}
