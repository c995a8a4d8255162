package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/megakernel"
)

// TestACallWithoutAContextIsRefused, and takes nothing with it that a session has.
func TestACallWithoutAContextIsRefused(t *testing.T) {
	g := weighted(t, graphtest.RandomGraph(t, 6, 50, true))
	program, err := flows.RoundShortestProgram()
	if err != nil {
		t.Fatal(err)
	}
	var none context.Context
	q, pair := session.Query{Seeds: []uint32{5}}, []session.Query{{Seeds: []uint32{5}}, {Seeds: []uint32{7}}}
	tainted := session.TaintQuery{Sources: []session.Source{{Label: "a", Nodes: []uint32{5}}}, Sinks: []uint32{7}}
	sets := session.BitFlow{Words: 1, Gen: make([]uint64, 50), Kill: make([]uint64, 50)}
	for i, o := range []session.Options{{}, {Engine: session.WavesEngine}, {Topology: megakernel.HostLoop, Parallel: 2}, {Parallel: 2}, inParts(30)} {
		o.Levels = true
		dev := graphtest.OpenDevice(t, "cpu")
		s := openSession(t, dev, g, o)
		calls := map[string]func() error{
			"Ask": func() error {
				_, _, err := session.Ask(none, dev, []session.Question{{Graph: g, Query: q}}, o)
				return err
			},
			"Batch":             func() error { _, err := s.Batch(none, pair); return err },
			"Between":           func() error { _, err := session.Between(none, dev, g, q, []uint32{7}, o); return err },
			"BitFlow":           func() error { _, err := s.BitFlow(none, sets); return err },
			"Closure":           func() error { _, err := s.Closure(none, session.ClosureOptions{}); return err },
			"Components":        func() error { _, err := s.Components(none, 0); return err },
			"Dominators":        func() error { _, err := s.Dominators(none, []uint32{5}, 0); return err },
			"Levels":            func() error { _, err := s.Levels(none, q); return err },
			"NewSession":        func() error { _, err := session.New(none, dev, g, o); return err },
			"Path":              func() error { _, err := s.Path(none, q, []uint32{7}); return err },
			"Reach":             func() error { _, err := s.Reach(none, q); return err },
			"ReachInto":         func() error { return s.ReachInto(none, q, new(session.Reached)) },
			"Start":             func() error { _, err := s.Start(none, q); return err },
			"StrongComponents":  func() error { _, err := s.StrongComponents(none, 0); return err },
			"Taint":             func() error { _, err := session.Taint(none, dev, g, tainted, o); return err },
			"TopologicalLevels": func() error { _, err := s.TopologicalLevels(none, 0); return err },
			"Tree":              func() error { _, err := s.Tree(none, q); return err },
			"Trial":             func() error { return s.Trial(none, q, new(megakernel.History)) },
			"NewFixpoint": func() error {
				_, err := session.NewFixpoint(none, s, flows.Shortest{}, program, session.FixpointOptions{})
				return err
			},
		}
		if s.Parts() == 0 { // else there are no fixpoints
			x := graphtest.Must(session.NewFixpoint(t.Context(), s, flows.Shortest{}, program, session.FixpointOptions{}))
			calls["Run"] = func() error {
				_, err := x.Run(none, session.Start[uint64]{Seeds: []uint32{5}, Values: []uint64{7}})
				return err
			}
		}
		for range 3 { // more often than there are sets of memory
			for what, call := range calls {
				if err := call(); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "the context is nil; fix: pass context.Background()") {
					t.Errorf("%d, %s without a context: %v", i, what, err)
				}
			}
		}
		p := graphtest.Must(s.Start(t.Context(), q))
		if r, err := p.Wait(none); r == nil && !errors.Is(err, driver.InvalidArgument) {
			t.Errorf("%d, waiting without a context: %v", i, err)
		}
		matches(t, g, q, graphtest.Must(p.Wait(t.Context())))
		if r, err := p.Wait(none); r == nil || err != nil {
			t.Errorf("%d, an answer that is there is not returned: %v", i, err)
		}
		for k, r := range graphtest.Must(s.Batch(t.Context(), pair)) {
			matches(t, g, pair[k], r)
		}
	}
}
