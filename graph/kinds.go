package graph

import (
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
