package session_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
)

// seeded are the questions that take a list of nodes to begin with: each answers with what must not change when nodes are listed
// more often.
var seeded = []struct {
	name string
	ask  func(ctx context.Context, s *session.Session, dev driver.Device, g *graph.CSR, seeds []uint32) (any, error)
}{
	{"reach", func(ctx context.Context, s *session.Session, _ driver.Device, _ *graph.CSR, seeds []uint32) (any, error) {
		r, err := s.Reach(ctx, session.Query{Seeds: seeds})
		return listed(r), err
	}},
	{"start", func(ctx context.Context, s *session.Session, _ driver.Device, _ *graph.CSR, seeds []uint32) (any, error) {
		p, err := s.Start(ctx, session.Query{Seeds: seeds})
		if err != nil {
			return nil, err
		}
		r, err := p.Wait(ctx)
		return listed(r), err
	}},
	{"batch", func(ctx context.Context, s *session.Session, _ driver.Device, _ *graph.CSR, seeds []uint32) (any, error) {
		var answers [][]uint32
		all, err := s.Batch(ctx, []session.Query{{Seeds: []uint32{2}}, {Seeds: seeds}, {Seeds: seeds}})
		for _, r := range all {
			answers = append(answers, listed(r))
		}
		return answers, err
	}},
	{"levels", func(ctx context.Context, s *session.Session, _ driver.Device, _ *graph.CSR, seeds []uint32) (any, error) {
		return s.Levels(ctx, session.Query{Seeds: seeds})
	}},
	{"tree", func(ctx context.Context, s *session.Session, _ driver.Device, _ *graph.CSR, seeds []uint32) (any, error) {
		tree, err := s.Tree(ctx, session.Query{Seeds: seeds})
		if err != nil {
			return nil, err
		}
		return tree.Parents(), nil
	}},
	{"path", func(ctx context.Context, s *session.Session, _ driver.Device, _ *graph.CSR, seeds []uint32) (any, error) {
		path, err := s.Path(ctx, session.Query{Seeds: seeds}, []uint32{2, 2, 2, 2})
		if err != nil {
			return nil, err
		}
		return path.Steps, nil
	}},
	{"fixpoint", func(ctx context.Context, s *session.Session, _ driver.Device, _ *graph.CSR, seeds []uint32) (any, error) {
		program, err := flows.RoundShortestProgram()
		if err != nil {
			return nil, err
		}
		x, err := session.NewFixpoint(ctx, s, flows.Shortest{}, program, session.FixpointOptions{Label: "shortest"})
		if err != nil {
			return nil, err
		}
		defer x.Close()
		fixed, err := x.Run(ctx, session.Start[uint64]{Seeds: seeds, Values: make([]uint64, len(seeds)), Others: math.MaxUint64})
		if err != nil {
			return nil, err
		}
		return fixed.Facts(), nil
	}},
	{"dominators", func(ctx context.Context, s *session.Session, _ driver.Device, g *graph.CSR, seeds []uint32) (any, error) {
		d, err := s.Dominators(ctx, seeds, 0)
		if err != nil {
			return nil, err
		}
		return d.Immediate(), nil
	}},
	{"between", func(ctx context.Context, _ *session.Session, dev driver.Device, g *graph.CSR, seeds []uint32) (any, error) {
		r, err := session.Between(ctx, dev, g, session.Query{Seeds: seeds}, []uint32{2, 2, 2, 2}, session.Options{})
		return listed(r), err
	}},
	{"ask", func(ctx context.Context, _ *session.Session, dev driver.Device, g *graph.CSR, seeds []uint32) (any, error) {
		all, _, err := session.Ask(ctx, dev, []session.Question{{Graph: g, Query: session.Query{Seeds: seeds}}}, session.Options{})
		if err != nil {
			return nil, err
		}
		return listed(all[0]), nil
	}},
	{"taint", func(ctx context.Context, _ *session.Session, dev driver.Device, g *graph.CSR, seeds []uint32) (any, error) {
		sinks := make([]uint32, 4*len(seeds))
		found, err := session.Taint(ctx, dev, g, session.TaintQuery{Sources: []session.Source{{Label: "a", Nodes: seeds}}, Sinks: sinks, Paths: 1}, session.Options{})
		if err != nil {
			return nil, err
		}
		return found.Findings, nil
	}},
}

func listed(r *session.Reached) []uint32 {
	if r == nil {
		return nil
	}
	return slices.Collect(r.Nodes())
}

// TestSeedsMayBeListedTwice stands for lists that say the same thing more often than there is room for things: the answer is that
// of a list with each seed once, in a session opened for just as many, by every question and both engines.
func TestSeedsMayBeListedTwice(t *testing.T) {
	g := graphtest.Must(graph.New(t.Context(), []uint32{0, 1, 2, 3}, []uint32{1, 2, 2}, nil))
	dev := graphtest.OpenDevice(t, "cpu")
	for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		const room = 2
		s := graphtest.Must(session.New(t.Context(), dev, g, session.Options{Engine: engine, Seeds: room, Levels: true}))
		for _, q := range seeded {
			t.Run(fmt.Sprintf("%v/%s", engine, q.name), func(t *testing.T) {
				want, err := q.ask(t.Context(), s, dev, g, []uint32{0, 1})
				if err != nil {
					t.Fatal(err)
				}
				given := []uint32{1, 0, 0, 1, 0, 1, 1}
				got, err := q.ask(t.Context(), s, dev, g, given)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("got %v, %v, want %v", got, err, want)
				}
				if !reflect.DeepEqual(given, []uint32{1, 0, 0, 1, 0, 1, 1}) {
					t.Errorf("the caller's list became %v", given)
				}
			})
		}
		if _, err := s.Reach(t.Context(), session.Query{Seeds: []uint32{2, 1, 0, 0}}); err == nil || !strings.Contains(err.Error(), "query 0 has 3 different seeds, the session was opened for 2; fix: raise session.Options.Seeds") {
			t.Errorf("three nodes where there is room for two: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
