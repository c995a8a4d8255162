package graph

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/graph/cpu"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/plan"
)

// Engine is what answers the questions of a session. Answers are the same bit by bit.
type Engine uint8

// The engines.
const (
	AutoEngine   Engine = iota // Native on device cpu, unless a topology is asked for; else Waves
	WavesEngine                // kernels on the session's device, which device cpu interprets
	NativeEngine               // Go on the cores of the host, for what package graph/cpu has; on device cpu only
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

// Engine returns what answers Reach, Batch, Levels and Components. All else is always waves.
func (s *Session) Engine() Engine {
	if s.native != nil {
		return NativeEngine
	}
	return WavesEngine
}

// onHost is the name of the device whose memory and cores are the host's.
const onHost = "cpu"

// engine makes the native engine, if that is to answer.
func (s *Session) engine(asked megakernel.Topology) error {
	switch {
	case s.o.Engine > NativeEngine:
		return s.refuse(fmt.Sprintf("%v", s.o.Engine), "ask for AutoEngine, WavesEngine or NativeEngine")
	case s.o.Engine == NativeEngine && s.dev.Name() != onHost:
		return s.refuse("the native engine runs on device cpu only", "open that device, or leave the engine at AutoEngine")
	case s.o.Engine == NativeEngine && asked != megakernel.Auto:
		return s.refuse(fmt.Sprintf("the native engine has no topology, and %v is asked for", asked), "leave one of the two at its default")
	case s.o.Engine == WavesEngine, s.dev.Name() != onHost, asked != megakernel.Auto:
		return nil
	}
	var reverse cpu.Graph
	switch {
	case s.symmetric:
		reverse = hostArrays(s.g)
	case s.back != nil:
		reverse = hostArrays(s.back.g)
	}
	s.native = cpu.New(hostArrays(s.g), reverse, cpu.Options{})
	s.closers = []interface{ Close() error }{} // open, and nothing to close yet
	return nil
}

func hostArrays(g *CSR) cpu.Graph {
	return cpu.Graph{Offsets: g.Offsets(), Targets: g.Targets(), Masks: g.Masks()}
}

// nativeBatch answers queries: those that allow the same kinds of arcs together, up to 64.
func (s *Session) nativeBatch(ctx context.Context, queries []Query) ([]*Reached, error) {
	s.groups = plan.Queries{}
	open := make(map[uint32]int) // groups that have room, by kinds
	for i, q := range queries {
		kinds := s.kinds(q)
		at, ok := open[kinds]
		if !ok || len(s.groups.Groups[at].Queries) == 64 {
			at = len(s.groups.Groups)
			open[kinds] = at
			s.groups.Groups = append(s.groups.Groups, plan.QueryGroup{})
		}
		s.groups.Groups[at].Queries = append(s.groups.Groups[at].Queries, i)
	}
	all := make([]*Reached, len(queries))
	for _, g := range s.groups.Groups {
		if err := s.nativeTurn(ctx, queries, g.Queries, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// nativeTurn answers queries of the same kinds.
func (s *Session) nativeTurn(ctx context.Context, queries []Query, turn []int, all []*Reached) error {
	kinds := s.kinds(queries[turn[0]])
	for _, i := range turn {
		all[i] = &Reached{words: make([]uint32, s.words()), why: "the session's engine searches on the cores of the host"}
	}
	if len(turn) == 1 {
		r := all[turn[0]]
		level := make([]uint32, s.g.Nodes())
		if _, err := s.native.Levels(ctx, queries[turn[0]].Seeds, kinds, level); err != nil {
			return err
		}
		for v, l := range level {
			if l != None {
				r.words[v/32] |= 1 << (v % 32)
				r.count++
			}
		}
		return nil
	}
	seeds := make([][]uint32, len(turn))
	for k, i := range turn {
		seeds[k] = queries[i].Seeds
	}
	seen := make([]uint64, s.g.Nodes())
	if _, err := s.native.Lanes(ctx, seeds, kinds, seen); err != nil {
		return err
	}
	for v, w := range seen {
		for k, i := range turn {
			if w>>k&1 != 0 {
				all[i].words[v/32] |= 1 << (v % 32)
				all[i].count++
			}
		}
	}
	return nil
}

func (s *Session) nativeLevels(ctx context.Context, q Query) ([]uint32, error) {
	level := make([]uint32, s.g.Nodes())
	_, err := s.native.Levels(ctx, q.Seeds, s.kinds(q), level)
	return level, err
}

func (s *Session) nativeComponents(ctx context.Context, kinds uint32) (*Components, error) {
	label := make([]uint32, s.g.Nodes())
	if err := s.native.Components(ctx, s.kinds(Query{Kinds: kinds}), label); err != nil {
		return nil, err
	}
	return partition(label, Run{Engine: NativeEngine}), nil
}

// openWaves plans what waves need, and opens it. After an error nothing of it is left.
func (s *Session) openWaves(ctx context.Context) (err error) {
	if s.memory, err = plan.PlanSession(s.request()); err != nil {
		return err
	}
	if err = s.open(ctx); err != nil {
		return err
	}
	s.waved = true
	return nil
}
