package session

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/megakernel"
)

// Engine is what answers the questions of a session. Answers are the same bit by bit.
type Engine uint8

// The engines.
const (
	AutoEngine   Engine = iota // Native on device cpu, unless a topology is asked for; elsewhere Waves, and Native beside them for searches that it was measured to be faster at
	WavesEngine                // kernels on the session's device, on device cpu too
	NativeEngine               // Go on the cores of the host, by package graph/cpu; nothing is on the device
)

func (e Engine) String() string {
	switch e {
	case AutoEngine:
		return "auto"
	case WavesEngine:
		return "waves"
	case NativeEngine:
		return "native"
	}
	return fmt.Sprintf("engine %d", uint8(e))
}

// engine is what answers the questions of a set, for whoever has entered it, with kinds that are settled: kernels, parts, or native.
type engine interface {
	batch(ctx context.Context, queries []Query, all []*Reached) error
	levels(ctx context.Context, q Query) ([]uint32, Run, error)
	parents(ctx context.Context, levels []uint32, kinds uint32) ([]uint32, Run, error)
	weak(ctx context.Context, kinds uint32) ([]uint32, Run, error)
	strong(ctx context.Context, kinds uint32) ([]uint32, Run, error)
	topological(ctx context.Context, kinds uint32) ([]uint32, Run, error)
	bits(ctx context.Context, f BitFlow, gen, kill, in []uint64) (Run, error)
	dominators(ctx context.Context, roots []uint32, kinds uint32, idom []uint32) (DominatorShares, Run, error)
}

// onDevice is an engine whose graph is on the device: kernels, or parts.
type onDevice interface {
	engine
	topology() megakernel.Topology // who drives the rounds of a query alone
	parts() int                    // in how many parts the graph is; 0 if it is whole
	explain() string               // the plan of a query alone
	// whole is kernels with all of the graph, or the error of what needs it: with the bytes of such a session, and more for that.
	whole(what string, more func(whole *runner) uint64) (*kernels, error)
	forget() error // closes what was prepared for batches
}
