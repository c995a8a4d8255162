package generate

import (
	"fmt"
	"strconv"

	"github.com/govyre/vyre/graph"
)

// Options say which graph of its family a generator makes. The zero value is right, except that the known graphs are
// those of seed 1.
type Options struct {
	Seed     uint64 // of kron, uniform, road and icfg; every other graph has no chance in it
	Directed bool   // kron and uniform: without the arc back that each of their arcs has otherwise
	// Weights are the least and the greatest that arcs get, drawn by Seed and the two ends; zeros are no weights.
	Weights  [2]uint32
	MaxBytes int64 // refuse a graph whose arrays might take more than that; 0 is no limit but the address space
}

// Generator makes one graph. Parse makes generators.
type Generator struct {
	family *family
	p      [3]uint64 // the numbers of its name
}

// family is a kind of generated graphs.
type family struct {
	name   string
	params []param
	comma  bool                                   // between the numbers of a name, in place of x
	masked bool                                   // arcs have masks other than 1
	valid  func(p [3]uint64) error                // what the ranges of the numbers do not say; nil if nothing
	size   func(p [3]uint64) (nodes, arcs uint64) // arcs: at most
	arcs   func(p [3]uint64, o Options) made      // each arc, in any order
	seeds  func(p [3]uint64, o Options) []uint32  // nil if node 0

	procedures func(p [3]uint64, g *graph.CSR) (procedures, sites []uint32) // of a program; nil if it is none
}

// param is a number of a name.
type param struct {
	name     string
	min, max uint64
}

func (p param) parse(word string) (uint64, error) {
	v, err := strconv.ParseUint(word, 10, 64)
	if err != nil || v < p.min || v > p.max {
		return 0, fmt.Errorf("%s is %q, want a number from %d to %d", p.name, word, p.min, p.max)
	}
	return v, nil
}

// made yields the arcs of a portion of a graph.
type made = func(graph.Portion, graph.Emit)

// whole is what is made in one piece.
func whole(arcs made) made {
	return func(part graph.Portion, emit graph.Emit) {
		if part.First() {
			arcs(part, emit)
		}
	}
}
