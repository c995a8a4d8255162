package main

import (
	"fmt"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
)

// mix spreads the bits of a number.
func mix(x uint32) uint32 {
	x = (x ^ x>>16) * 0x7FEB352D
	x = (x ^ x>>15) * 0x846CA68B
	return x ^ x>>16
}

// terms makes so many rows, each in a class of its own: leaves, and functions of classes before them, one in eight a copy of an
// earlier row. Some leaves are going to be equal.
func terms(rows int) (*egraph.Graph, error) {
	g := egraph.New()
	named := func(what string, n int) egraph.Head {
		return g.Head(egraph.HeadInfo{Name: fmt.Sprint(what, n), Type: ir.U32})
	}
	leaves := uint32(rows / 8)
	heads, kids := make([]egraph.Head, rows), make([][]egraph.Class, rows)
	for i := range uint32(rows) {
		h := mix(i ^ 0x9E3779B9)
		switch {
		case i < leaves:
			heads[i] = named("x", int(i))
		case h&7 == 0 && i > leaves:
			of := leaves + mix(h)%(i-leaves)
			heads[i], kids[i] = heads[of], kids[of]
		default:
			heads[i] = named("f", int(h>>3&3))
			for j := range 1 + h>>5%3 {
				kids[i] = append(kids[i], egraph.Class(mix(h+j*0x85EBCA6B)%i))
			}
		}
		g.Insert(g.Class(ir.U32), heads[i], kids[i]...)
	}
	for k := range uint32(rows / 100) {
		a, b := mix(k^0xC2B2AE35)%leaves, mix(k^0x27D4EB2F)%leaves
		if err := g.Union(egraph.Class(a), egraph.Class(b), "given"); err != nil {
			return nil, err
		}
	}
	return g, nil
}
