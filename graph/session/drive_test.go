package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/driven"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/megakernel"
)

// TestDrivenSearchesAnswerAsTheSession drives the staged queries in every topology, and compares their answers with those
// of the session. It is as it was after that, and after an error of the one that drives.
func TestDrivenSearchesAnswerAsTheSession(t *testing.T) {
	for device, graphs := range map[string][]string{"cpu": {"grid:3x5", "icfg:2,5,3"}, "cuda-sim:3": {"icfg:2,3,2"}} { // symmetric without masks, and neither
		dev := graphtest.OpenDevice(t, device)
		for _, name := range graphs {
			g := graphtest.Generated(t, name)
			s := openSession(t, dev, g, session.Options{Engine: session.WavesEngine, Queries: 3, Seeds: 2})
			queries := []session.Query{{Seeds: []uint32{3}}, {Seeds: []uint32{0, 7}}, {Seeds: []uint32{5}, Kinds: 1}}
			for topology := megakernel.HostLoop; topology <= megakernel.Drained; topology++ {
				if err := s.Drive(t.Context(), queries, func(search *driven.Search) error { return driveAll(t, dev, search, topology, queries) }); err != nil {
					t.Fatalf("%s, %s, %v: %v", device, name, topology, err)
				}
				for i, r := range graphtest.Must(s.Batch(t.Context(), queries)) {
					matches(t, g, queries[i], r)
				}
			}
			failed := errors.New("failed")
			if err := s.Drive(t.Context(), queries[1:], func(*driven.Search) error { return failed }); !errors.Is(err, failed) {
				t.Errorf("%s: %v", name, err)
			}
			matches(t, g, queries[1], graphtest.Must(s.Reach(t.Context(), queries[1])))
		}
	}
}

// driveAll runs a plan of the waves in a topology once a query, and compares the answers with those of the plan of the session.
func driveAll(t *testing.T, dev driver.Device, search *driven.Search, topology megakernel.Topology, queries []session.Query) (err error) {
	p, err := megakernel.New(t.Context(), dev, search.Waves, search.Dependencies, megakernel.Options{Topology: topology})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	var answers [2][]byte
	for k, plan := range []*megakernel.Plan{search.Plan, p} {
		answers[k] = make([]byte, search.Answers.Len)
		restart := dev.NewSequence("restart")
		search.Restart(restart)
		if _, err := restart.Run(t.Context()); err != nil {
			return err
		}
		for range queries {
			if _, err := plan.Run(t.Context()); err != nil {
				return err
			}
		}
		if err := errors.Join(restart.Close(), driver.ReadInto(t.Context(), search.Answers, answers[k])); err != nil {
			return err
		}
	}
	for i, q := range queries {
		if got, want := search.Set(answers[1], i), search.Set(answers[0], i); !slices.Equal(got, want) || want[q.Seeds[0]/8]>>(q.Seeds[0]%8)&1 == 0 {
			t.Errorf("%v: query %d: %x, the session's plan %x", topology, i, got, want)
		}
	}
	return nil
}

// driveTwice drives two queries by the plan of the session, and asks one of them, again after a failure.
func driveTwice(drv *cusim.Driver, g *graph.CSR) error {
	return onSession(drv, g, session.Options{Engine: session.WavesEngine, Queries: 2, Seeds: 1}, func(ctx context.Context, s *session.Session) error {
		queries := []session.Query{{Seeds: []uint32{0}}, {Seeds: []uint32{5}}}
		return faults.Twice(ctx, func() error {
			var answers [2][]byte
			err := s.Drive(ctx, queries, func(search *driven.Search) error {
				restart := search.Graph.Device().NewSequence("restart")
				search.Restart(restart)
				_, err := restart.Run(ctx)
				for range queries {
					if err == nil {
						_, err = search.Plan.Run(ctx)
					}
				}
				all := make([]byte, search.Answers.Len)
				if err == nil {
					err = driver.ReadInto(ctx, search.Answers, all)
				}
				for i := range answers {
					answers[i] = search.Set(all, i)
				}
				return errors.Join(err, restart.Close())
			})
			for i, q := range queries {
				r, failed := s.Reach(ctx, q)
				if err = errors.Join(err, failed); err != nil {
					return err
				}
				for v := range uint32(g.Nodes()) {
					if r.Contains(v) != (answers[i][v/8]>>(v%8)&1 != 0) {
						return fmt.Errorf("%w: query %d, node %d", faults.ErrWrong, i, v)
					}
				}
			}
			return err
		})
	})
}

func TestAnyCallOfADrivenSearchMayFail(t *testing.T) {
	t.Parallel()
	g, every := graphtest.RandomGraph(t, 6, 12, true), failing(151, 111)
	config := cusim.Config{Models: []cusim.Model{cusim.Tiny}}
	n := faults.EachCall(t, config, every, func(sim *cusim.Driver) error { return driveTwice(sim, g) }, 719, cu.OutOfMemory)
	if t.Logf("%d times", n); n < 3 && !testing.Short() {
		t.Errorf("only %d calls failed", n)
	}
}

func TestWhatCannotBeDriven(t *testing.T) {
	g := graphtest.Generated(t, "grid:3x5")
	s := openSession(t, graphtest.OpenDevice(t, "cpu"), g, session.Options{Queries: 2, Seeds: 2}) // of the native engine
	nothing := func(*driven.Search) error { t.Error("driven"); return nil }
	for want, queries := range map[string][]session.Query{
		"0 queries are to be driven": nil,
		"3 queries are to be driven": make([]session.Query, 3),
		"query 0: seed 0 is node 15": {{Seeds: []uint32{15}}},
	} {
		if err := s.Drive(t.Context(), queries, nothing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := s.Drive(t.Context(), make([]session.Query, 1), func(search *driven.Search) error { return nil }); err != nil {
		t.Errorf("a session of the native engine: %v", err)
	}
	if err := new(session.Session).Drive(t.Context(), nil, nothing); err == nil {
		t.Error("a session that New did not make is driven")
	}
}
