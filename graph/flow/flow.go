//vyre:library

package flow

//lint:file-ignore U1000 meet is what makes a type a Flow, and it is called by kernels that other packages make.

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Word is what a fact is kept in.
type Word interface{ ~uint32 | ~uint64 }

// Arc is an arc that a fact moves along.
type Arc struct {
	From, To uint32
	Mask     uint32 // of its kinds; 1 in a graph without masks
	Weight   uint32 // 1 in a graph without weights
}

// Mover says how a fact moves along an arc. An implementation is a type without fields.
type Mover[T Word] interface {
	// Along returns what a fact at the node that the arc comes from says about the node that it leads to. It runs
	// on the device. It has to be monotone: for facts x and y whose join is y, the join of Along(x) and Along(y) is
	// Along(y).
	Along(x T, a Arc) T
}

// Flow is an analysis: how facts move, and what becomes of two that meet at a node. It is a Min, Max, And or Or. Order makes
// no difference to any of them, nor does it whether a fact comes once or twice.
type Flow[T Word] interface {
	Mover[T]
	// Join joins two facts.
	Join(a, b T) T
	// meet joins x to the fact of node v, and returns what was there.
	meet(facts []T, v uint32, x T) T
}

// Min keeps the smaller fact.
type Min[T Word, M Mover[T]] struct{ mover M }

// Along is that of the mover.
func (f Min[T, M]) Along(x T, a Arc) T { return f.mover.Along(x, a) }

// Join returns the smaller one.
func (f Min[T, M]) Join(a, b T) T { return min(a, b) }

func (f Min[T, M]) meet(facts []T, v uint32, x T) T { return gpu.AtomicMin(&facts[v], x) }

// Max keeps the greater fact.
type Max[T Word, M Mover[T]] struct{ mover M }

// Along is that of the mover.
func (f Max[T, M]) Along(x T, a Arc) T { return f.mover.Along(x, a) }

// Join returns the greater one.
func (f Max[T, M]) Join(a, b T) T { return max(a, b) }

func (f Max[T, M]) meet(facts []T, v uint32, x T) T { return gpu.AtomicMax(&facts[v], x) }

// And keeps the bits that both facts have.
type And[T Word, M Mover[T]] struct{ mover M }

// Along is that of the mover.
func (f And[T, M]) Along(x T, a Arc) T { return f.mover.Along(x, a) }

// Join returns the bits of both.
func (f And[T, M]) Join(a, b T) T { return a & b }

func (f And[T, M]) meet(facts []T, v uint32, x T) T { return gpu.AtomicAnd(&facts[v], x) }

// Or keeps the bits that either fact has.
type Or[T Word, M Mover[T]] struct{ mover M }

// Along is that of the mover.
func (f Or[T, M]) Along(x T, a Arc) T { return f.mover.Along(x, a) }

// Join returns the bits of either.
func (f Or[T, M]) Join(a, b T) T { return a | b }

func (f Or[T, M]) meet(facts []T, v uint32, x T) T { return gpu.AtomicOr(&facts[v], x) }

// Bits of Graph.Has.
const (
	HasMasks   = 1
	HasWeights = 2
)

// Graph is the graph that facts move in.
type Graph struct {
	Has              uint32 // which of the arrays for arcs there are; in the place of others stands another one
	Offsets, Targets []uint32
	Masks, Weights   []uint32 // by arc
}

// State is what a fixpoint keeps between rounds.
type State[T Word] struct {
	Facts  []T      // by node
	Queued []uint32 // by node: 1 + the last round whose list it is in, 0 if there is none
	Filter uint32   // of kinds of arcs
}

// Round is one round: facts of the n nodes of the list move along their arcs, and nodes whose facts change are listed for
// the next one.
func Round[T Word, F Flow[T]](t gpu.Thread, f F, g Graph, s State[T], l arcs.List, round, n uint32) {
	w := wave[T, F]{flow: f, has: g.Has, masks: g.Masks, weights: g.Weights, State: s, round: round}
	arcs.RoundNumbered(t, w, arcs.Graph{Offsets: g.Offsets, Targets: g.Targets}, l, round, n)
}

// wave moves facts along arcs.
//
// A fact that changes while the arcs of its node are looked at may be seen there or not. If it is not, the node is in the
// next list, since its fact changed; so nothing is lost.
type wave[T Word, F Flow[T]] struct {
	State[T]
	flow           F
	masks, weights []uint32
	has, round     uint32
}

// Arc moves the fact of node from along arc k.
func (w wave[T, F]) Arc(t gpu.Thread, from, to, k uint32) bool {
	a := Arc{From: from, To: to, Mask: 1, Weight: 1}
	if w.has&HasMasks != 0 {
		a.Mask = w.masks[k]
	}
	if a.Mask&w.Filter == 0 {
		return false
	}
	if w.has&HasWeights != 0 {
		a.Weight = w.weights[k]
	}
	x := w.flow.Along(gpu.AtomicLoad(&w.Facts[from]), a)
	if old := gpu.AtomicLoad(&w.Facts[to]); w.flow.Join(old, x) == old {
		return false
	}
	if old := w.flow.meet(w.Facts, to, x); w.flow.Join(old, x) == old {
		return false
	}
	return gpu.AtomicMax(&w.Queued[to], w.round+2) != w.round+2
}
