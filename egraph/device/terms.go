package device

import (
	"fmt"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/ir"
)

// decoder makes terms of the rows that were found.
type decoder struct {
	*symbols
	key  map[uint32]uint64
	to   *egraph.Graph
	made map[uint32]egraph.Class
}

// newDecoder takes the rows of the terms that were read.
func newDecoder(heads *symbols, from *store) (*decoder, error) {
	n := from.found(headers)[saturation.Found]
	class, key := from.found(foundClass), from.found(foundKey)
	if int64(n) > int64(len(class)) {
		return nil, refused("saturate", "the terms have %d rows, at most %d are possible", n, len(class))
	}
	d := &decoder{symbols: heads, key: make(map[uint32]uint64, n)}
	for i, c := range class[:n] {
		d.key[c] = uint64(key[2*i+1])<<32 | uint64(key[2*i])
	}
	return d, nil
}

// terms makes the terms of classes, which have these roots.
func (d *decoder) terms(classes []egraph.Class, roots []uint32) (*egraph.Term, error) {
	d.to, d.made = egraph.New(), map[uint32]egraph.Class{}
	var made []egraph.Class
	for i, c := range classes {
		root, err := d.term(roots[i])
		if err != nil {
			return nil, refused("saturate", "class %d has no term that may be used", c)
		}
		made = append(made, root)
	}
	t := d.to.Extract(egraph.Costs{}, made...)
	t.Cost = 0
	for _, n := range t.Nodes {
		t.Cost += d.by(d.to.Info(n.Head), len(n.Kids))
	}
	return t, nil
}

// children are those of a row, as the term has them.
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
