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

// Row is a row of Mixed. It begins the class of its own number.
type Row struct {
	Head uint32 // below 4 a function, from 16 on a leaf of its own
	N    uint32 // children
	Kids [3]uint32
}

// MixedRows are the rows of Mixed: leaves, then rows of four functions with one to three children, one in eight a copy of
// an earlier row.
func MixedRows(n int) []Row {
	leaves := n / 8
	rows := make([]Row, n)
	for i := range n {
		r := &rows[i]
		h := Mix(uint32(i) ^ 0x9E3779B9)
		switch {
		case i < leaves:
			r.Head = uint32(16 + i)
		case h&7 == 0 && i > leaves:
			*r = rows[leaves+int(Mix(h)%uint32(i-leaves))]
		default:
			r.Head, r.N = h>>3&3, 1+h>>5%3
			for j := range r.N {
				r.Kids[j] = Mix(h+j*0x85EBCA6B) % uint32(i)
			}
		}
	}
	return rows
}

// MixedUnions are the unions of leaves that wait for Rebuild in Mixed, n/100 of them.
func MixedUnions(n int) (pairs [][2]uint32) {
	leaves := uint32(n / 8)
	for k := range uint32(n / 100) {
		pairs = append(pairs, [2]uint32{Mix(k^0xC2B2AE35) % leaves, Mix(k^0x27D4EB2F) % leaves})
	}
	return pairs
}

// Mixed makes a graph of MixedRows and MixedUnions, with a class for each row.
func Mixed(n int) *egraph.Graph {
	g := egraph.New()
	g.Grow(n, 2*n)
	heads := make([]egraph.Head, 4)
	for i := range heads {
		heads[i] = Symbol(g, i)
	}
	rows := MixedRows(n)
	for range rows {
		g.Class(ir.U32)
	}
	for i := range rows {
		r := &rows[i]
		head := egraph.Head(0)
		if r.Head < 4 {
			head = heads[r.Head]
		} else {
			head = Symbol(g, int(r.Head))
		}
		var kids [3]egraph.Class
		for j, k := range r.Kids[:r.N] {
			kids[j] = egraph.Class(k)
		}
		g.Insert(egraph.Class(i), head, kids[:r.N]...)
	}
	for _, p := range MixedUnions(n) {
		union(g, p[0], p[1])
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
