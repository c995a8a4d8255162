package graph

import (
	"context"
	"fmt"
	"math"
)

const (
	// None is no node: a node that no search has reached has this level.
	None = math.MaxUint32
	// NoSite is the call site of an arc that is neither a call nor a return.
	NoSite = math.MaxUint32
	// MaxNodes is how many nodes a graph may have: None is not one of them.
	MaxNodes = math.MaxUint32 - 1
	// MaxArcs is how many arcs a graph may have.
	MaxArcs = 1 << 40
)

// Kinds of arcs, each a bit of a mask. Those of programs have the numbers below; 16 to 31 are free.
const (
	KindAssign uint32 = 1 << iota
	KindArgument
	KindReturn
	KindPhi
	KindDominance
	KindAlias
	KindStore
	KindLoad
	KindMutableReference
	KindControl
	KindField
	KindIndex
	KindCall
	KindCallReturn
	KindCallToReturnSite
	KindConvert

	// AllKinds is the filter that allows every arc.
	AllKinds uint32 = math.MaxUint32
)

// CSR is a directed graph in compressed rows. The zero value has no nodes. It never changes, and any number of
// goroutines may read it.
type CSR struct {
	arrays
	data   Data
	lender *file // that data is in, of a graph that was made of one in a file; nil if there is none
	digest once[[32]byte]
	both   once[bool] // what Symmetric found
}

// arrays are the rows of a graph. What goes over them looks after faults itself, within CSR.Read.
type arrays struct {
	rows    offsets
	targets []uint32
	masks   []uint32 // one an arc, or none if all are 1
	file    *file    // that they are in; nil if they are in memory
}

// New makes a graph of its arrays, which it keeps: they must not be written again. starts are the offsets, one more than there
// are nodes, of 64 bits where 32 do not count the arcs; masks is nil where every arc has mask 1.
//
// Errors: that of the context; the row or the arc that is wrong, with its values.
func New[O uint32 | uint64](ctx context.Context, starts []O, targets, masks []uint32) (*CSR, error) {
	if err := errOf(ctx, "check"); err != nil {
		return nil, err
	}
	g := &CSR{arrays: arrays{targets: targets, masks: masks}}
	switch o := any(starts).(type) {
	case []uint32:
		g.rows.narrow = o
	case []uint64:
		g.rows.wide = o
	}
	p := &polls{ctx: ctx}
	switch err := g.check(p); {
	case p.end:
		return nil, errOf(ctx, "check")
	case err != nil:
		return nil, err
	}
	g.rows = g.rows.settled()
	g.dropEqualMasks()
	return g, nil
}

// dropEqualMasks leaves out masks that are all 1, so that a graph has one form.
func (g *arrays) dropEqualMasks() {
	for _, m := range g.masks {
		if m != 1 {
			return
		}
	}
	g.masks = nil
}

// Nodes returns how many nodes there are. Their ids count from 0.
func (g *arrays) Nodes() int { return max(g.rows.len(), 1) - 1 }

// Arcs returns how many arcs there are.
func (g *arrays) Arcs() int { return len(g.targets) }

// Offsets returns where each row starts among the targets, and at the end the number of arcs. It must not be written. It is nil
// where 32 bits do not count the arcs, of a graph with 2³² of them or more: see WideOffsets.
func (g *arrays) Offsets() []uint32 { return g.starts().narrow }

// WideOffsets returns what Offsets does, with 64 bits each, where 32 do not count the arcs; else nil.
func (g *arrays) WideOffsets() []uint64 { return g.rows.wide }

// starts are the offsets, also of the zero value.
func (g *arrays) starts() offsets {
	if g.rows.len() == 0 {
		return offsets{narrow: []uint32{0}}
	}
	return g.rows
}

// First returns the number of the first arc of a node's row, and of as many nodes as there are, the number of arcs: where the
// row's weights and call sites begin.
func (g *CSR) First(node uint32) (first int) {
	if g.rows.len() == 0 {
		return 0
	}
	g.glance(func() { first = int(g.rows.at(int(node))) })
	return first
}

// Targets returns the targets of all arcs, row by row. It must not be written.
func (g *arrays) Targets() []uint32 { return g.targets }

// Masks returns the kinds of all arcs in the order of Targets, or nil if all have mask 1. It must not be written.
func (g *CSR) Masks() (masks []uint32) {
	if g.masks != nil || g.file == nil || g.file.head.kinds != 1 {
		return g.masks
	}
	if done := g.file.masks.Load(); done != nil {
		return *done
	}
	g.glance(func() { masks = g.file.unpacked() })
	return masks
}

// kinds is Masks for who looks after faults.
func (g *arrays) kinds() []uint32 {
	if g.file != nil && g.masks == nil {
		return g.file.unpacked()
	}
	return g.masks
}

// Row returns the arcs of a node, which must be one: their targets, and their masks, which are nil if all are 1. Neither
// must be written. Of a graph of a file that is not as Verify wants it, a row may be empty that is not; and what the arrays hold
// is to be looked at by a function that Read calls.
func (g *CSR) Row(node uint32) (targets, masks []uint32) {
	if g.file == nil || g.file.unmap == nil {
		return g.row(node)
	}
	g.glance(func() { targets, masks = g.row(node) })
	return targets, masks
}

// row is Row for who looks after faults.
func (g *arrays) row(node uint32) (targets, masks []uint32) {
	from, to := g.rows.row(node)
	masks = g.kinds()
	if from > to || to > uint64(len(g.targets)) || masks != nil && to > uint64(len(masks)) {
		return nil, nil // of a file that was not verified
	}
	if masks != nil {
		masks = masks[from:to:to]
	}
	return g.targets[from:to:to], masks
}

// Bytes returns how much memory the arrays take.
func (g *CSR) Bytes() int64 {
	return int64(g.rows.width()*g.rows.len()) + 4*int64(len(g.targets)+len(g.Masks()))
}

// check looks for the first broken invariant, until the context ends.
func (g *arrays) check(p *polls) error {
	if err := g.checkShape(); err != nil {
		return err
	}
	for u := range g.Nodes() {
		if p.Ended() {
			return p.err()
		}
		switch from, to := g.rows.row(uint32(u)); {
		case to < from:
			return fmt.Errorf("graph: row %d: offset %d after %d", u, to, from)
		case to-from > mostInRow:
			return fmt.Errorf("graph: row %d: %d arcs, at most %d are in one", u, to-from, uint64(mostInRow))
		}
	}
	if last := g.rows.at(g.Nodes()); last != uint64(g.Arcs()) {
		return fmt.Errorf("graph: the last offset is %d, and there are %d targets", last, g.Arcs())
	}
	for u := range g.Nodes() {
		if err := g.checkRow(p, uint32(u)); err != nil {
			return err
		}
	}
	return p.err()
}

// mostInRow is how many arcs one node may have: parts of rows are counted with 32 bits.
const mostInRow = math.MaxUint32

// checkShape compares the lengths of the arrays.
func (g *arrays) checkShape() error {
	switch {
	case g.rows.len() == 0:
		return fmt.Errorf("graph: no offsets; a graph of n nodes has n+1, the first of them 0")
	case uint64(g.Nodes()) > MaxNodes:
		return fmt.Errorf("graph: %d nodes, at most %d have ids", g.Nodes(), uint64(MaxNodes))
	case uint64(g.Arcs()) > MaxArcs:
		return tooMany(uint64(g.Arcs()))
	case g.rows.at(0) != 0:
		return fmt.Errorf("graph: offsets start at %d, not at 0", g.rows.at(0))
	case g.kinds() != nil && len(g.kinds()) != len(g.targets):
		return fmt.Errorf("graph: %d masks for %d arcs", len(g.kinds()), len(g.targets))
	}
	return nil
}

// checkRow looks at the arcs of one node.
func (g *arrays) checkRow(p *polls, u uint32) error {
	targets, masks := g.row(u)
	for from, to := range p.pieces(0, uint64(len(targets))) {
		if err := g.checkArcs(u, targets, masks, int(from), int(to)); err != nil {
			return err
		}
	}
	return p.err()
}

// checkArcs looks at some of the arcs of a node.
func (g *arrays) checkArcs(u uint32, targets, masks []uint32, from, to int) error {
	for i := from; i < to; i++ {
		switch v := targets[i]; {
		case uint64(v) >= uint64(g.Nodes()):
			return fmt.Errorf("graph: arc %d of row %d: target %d, but n = %d", i, u, v, g.Nodes())
		case masks != nil && masks[i] == 0:
			return fmt.Errorf("graph: arc %d of row %d, to %d: mask 0 can never be allowed", i, u, v)
		case i == 0 || targets[i-1] < v:
		case targets[i-1] > v:
			return fmt.Errorf("graph: arc %d of row %d: target %d after %d; rows ascend", i, u, v, targets[i-1])
		case masks != nil && masks[i-1] > masks[i]:
			return fmt.Errorf("graph: arc %d of row %d, to %d: mask %#x after %#x; equal targets ascend by mask", i, u, v, masks[i], masks[i-1])
		}
	}
	return nil
}
