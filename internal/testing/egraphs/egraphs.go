// Package egraphs makes the e-graphs that tests and benchmarks of every engine close.
package egraphs

import (
	"strconv"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
)

// Symbol returns the head of a function named by a number.
func Symbol(g *egraph.Graph, n int) egraph.Head {
	return g.Head(egraph.HeadInfo{Name: "f" + strconv.Itoa(n), Type: ir.U32})
}

// Mix spreads the bits of a number.
func Mix(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x7FEB352D
	x ^= x >> 15
	x *= 0x846CA68B
	return x ^ x>>16
}

// Mixed makes n rows, a class each: leaves, rows of four functions with one to three children, one in eight a copy of an
// earlier row; and n/100 unions of leaves that wait for Rebuild.
func Mixed(n int) *egraph.Graph {
	g := egraph.New()
	g.Grow(n, 2*n)
	heads := make([]egraph.Head, 4)
	for i := range heads {
		heads[i] = Symbol(g, i)
	}
	leaves := n / 8
	type row struct {
		head egraph.Head
		kids [3]egraph.Class
		n    int
	}
	rows := make([]row, n)
	for i := range n {
		r := &rows[i]
		h := Mix(uint32(i) ^ 0x9E3779B9)
		switch {
		case i < leaves:
			r.head = Symbol(g, 16+i)
		case h&7 == 0 && i > leaves:
			*r = rows[leaves+int(Mix(h)%uint32(i-leaves))]
		default:
			r.head, r.n = heads[h>>3&3], 1+int(h>>5%3)
			for j := range r.n {
				r.kids[j] = egraph.Class(Mix(h+uint32(j)*0x85EBCA6B) % uint32(i))
			}
		}
		g.Class(ir.U32)
	}
	for i := range rows {
		g.Insert(egraph.Class(i), rows[i].head, rows[i].kids[:rows[i].n]...)
	}
	for k := range n / 100 {
		union(g, Mix(uint32(k)^0xC2B2AE35)%uint32(leaves), Mix(uint32(k)^0x27D4EB2F)%uint32(leaves))
	}
	return g
}

func union(g *egraph.Graph, a, b uint32) {
	if err := g.Union(egraph.Class(a), egraph.Class(b), "given"); err != nil {
		panic("BUG: egraphs: " + err.Error())
	}
}

// Chain makes two chains of n/2 - 1 rows of one function over two leaves, which one union makes equal: a union a round.
func Chain(n int) *egraph.Graph {
	g := egraph.New()
	f := Symbol(g, 0)
	var ends [2]egraph.Class
	for i := range ends {
		ends[i] = g.Add(Symbol(g, 16+i))
	}
	a, b := ends[0], ends[1]
	for range n/2 - 1 {
		a = g.Add(f, a)
	}
	for range n/2 - 1 {
		b = g.Add(f, b)
	}
	union(g, uint32(ends[0]), uint32(ends[1]))
	return g
}

// Hot makes n rows, a class each, that are all equal.
func Hot(n int) *egraph.Graph { return flat(n, func(int) int { return 0 }) }

// Cold makes n rows, a class each, of which no two are equal.
func Cold(n int) *egraph.Graph { return flat(n, func(i int) int { return i }) }

// flat makes n leaves and a row over each.
func flat(n int, leaf func(int) int) *egraph.Graph {
	g := egraph.New()
	f := Symbol(g, 0)
	for i := range n {
		g.Class(ir.U32)
		g.Insert(egraph.Class(i), f, egraph.Class(leaf(i)))
	}
	return g
}
