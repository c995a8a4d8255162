package session_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// TestEnginesAgree asks the native engine and waves the same questions, on device cpu and beside a GPU.
func TestEnginesAgree(t *testing.T) {
	t.Run("cpu", func(t *testing.T) { enginesAgree(t, graphtest.OpenDevice(t, "cpu"), long.Seeds(t, 4, 12, 400)) })
	t.Run("cuda-sim", func(t *testing.T) { enginesAgree(t, graphtest.OpenDevice(t, "cuda-sim"), long.Seeds(t, 1, 3, 40)) })
}

func enginesAgree(t *testing.T, dev driver.Device, seeds iter.Seq[uint64]) {
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 12))
		g := graphtest.RandomGraph(t, seed, 70, seed%2 == 0)
		if seed%3 == 0 {
			g = graphtest.Both(t, g)
		}
		queries := make([]session.Query, []int{1, 3, 70}[r.IntN(3)])
		for i := range queries {
			queries[i] = session.Query{Seeds: graphtest.SomeNodes(r, g, 3), Kinds: []uint32{0, 1, 6}[r.IntN(3)]}
		}
		var sets [2][][]uint32
		var levels [2][]uint32
		var labels [2][]uint32
		var others [2][][]uint32
		var facts [2][]uint64
		for k, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
			s, err := session.New(t.Context(), dev, g, session.Options{Engine: engine, Levels: true})
			if err != nil {
				t.Fatal(err)
			}
			if s.Engine() != engine {
				t.Errorf("the engine is %v, want %v", s.Engine(), engine)
			}
			all, err := s.Batch(t.Context(), queries)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range all {
				sets[k] = append(sets[k], slices.Collect(a.Nodes()))
				if a.Count() != len(sets[k][len(sets[k])-1]) {
					t.Errorf("%v: %d nodes are counted, %d are there", engine, a.Count(), len(sets[k][len(sets[k])-1]))
				}
			}
			if levels[k], err = s.Levels(t.Context(), queries[0]); err != nil {
				t.Fatal(err)
			}
			c, err := s.Components(t.Context(), queries[0].Kinds)
			if err != nil {
				t.Fatal(err)
			}
			labels[k] = graphtest.Must(c.Labels(t.Context(), nil))
			others[k], facts[k] = graphtest.OtherAnswers(t, s, queries[0])
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		for i := range queries {
			if !slices.Equal(sets[0][i], sets[1][i]) {
				t.Errorf("seed %d: query %d of %d differs", seed, i, len(queries))
			}
		}
		if !slices.Equal(levels[0], levels[1]) || !slices.Equal(labels[0], labels[1]) {
			t.Errorf("seed %d: levels or labels differ", seed)
		}
		for i, what := range []string{"strong components", "topological levels", "parents"} {
			if !slices.Equal(others[0][i], others[1][i]) {
				t.Errorf("seed %d: %s are %v and %v", seed, what, others[0][i], others[1][i])
			}
		}
		if !slices.Equal(facts[0], facts[1]) {
			t.Errorf("seed %d: facts are %v and %v", seed, facts[0], facts[1])
		}
	}
}

// thrower divides by the weight of an arc.
type thrower struct{}

func (thrower) Along(x uint64, a flow.Arc) uint64 { return x / uint64(a.Weight) }

// TestAMethodThatPanics on the host's cores is an error, that names the node, and the session goes on; one that does not end
// says so.
func TestAMethodThatPanics(t *testing.T) {
	g := graphtest.Generated(t, "complete:60")
	weights := make([]uint32, g.Arcs())
	for i := range weights {
		weights[i] = uint32(i % 7)
	}
	g, err := g.With(graph.Data{Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, err := session.NewFixpoint(t.Context(), s, flow.Max[uint64, thrower]{}, nil, session.FixpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	start := session.Start[uint64]{Seeds: []uint32{3}, Values: []uint64{1 << 30}}
	if _, err := x.Run(t.Context(), start); err == nil || !strings.Contains(err.Error(), "panicked at node 3: runtime error: integer divide by zero") {
		t.Errorf("%v", err)
	}
	falls, err := session.NewFixpoint(t.Context(), s, flows.Falls{}, nil, session.FixpointOptions{Rounds: 20})
	if err != nil {
		t.Fatal(err)
	}
	f, err := falls.Run(t.Context(), session.Start[uint64]{Seeds: []uint32{3}, Values: []uint64{1 << 40}, Others: math.MaxUint64})
	if err != nil || f.Settled() || f.Run.Record.Rounds != 20 {
		t.Errorf("%v, %+v", err, f.Run)
	}
}

// TestAutoTakesTheHostsCores on device cpu, unless somebody asks for a topology; and what is not native is opened when it is needed.
func TestAutoTakesTheHostsCores(t *testing.T) {
	cpu, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer cpu.Close()
	sim, err := vyre.Open("cuda-sim:0")
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	g := graphtest.RandomGraph(t, 3, 40, true)
	for _, c := range []struct {
		dev  vyre.Device
		o    session.Options
		want session.Engine // AutoEngine if it is refused
	}{
		{cpu, session.Options{}, session.NativeEngine},
		{cpu, session.Options{Topology: megakernel.HostLoop}, session.WavesEngine},
		{cpu, session.Options{Engine: session.WavesEngine}, session.WavesEngine},
		{cpu, session.Options{Engine: session.NativeEngine, Topology: megakernel.HostLoop}, session.AutoEngine},
		{cpu, session.Options{Engine: 3}, session.AutoEngine},
		{sim, session.Options{}, session.WavesEngine},
		{sim, session.Options{Engine: session.NativeEngine}, session.NativeEngine},
	} {
		s, err := session.New(t.Context(), c.dev, g, c.o)
		if err != nil {
			if c.want != session.AutoEngine {
				t.Errorf("%s, %+v: %v", c.dev.Name(), c.o, err)
			}
			continue
		}
		if s.Engine() != c.want {
			t.Errorf("%s, %+v: %v, want %v", c.dev.Name(), c.o, s.Engine(), c.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := s.Reach(t.Context(), session.Query{}); err == nil {
			t.Error("a closed session answers")
		}
	}
}

// TestNativeSessionsOpenWavesWhenTheyNeedThem, and go on without when there is no room.
func TestNativeSessionsOpenWavesWhenTheyNeedThem(t *testing.T) {
	dev, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graphtest.RandomGraph(t, 3, 40, true)
	for _, budget := range []uint64{0, 1} {
		s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.NativeEngine, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		var h megakernel.History
		err = s.Trial(t.Context(), session.Query{Seeds: []uint32{1}}, &h)
		var e *vyre.Error
		if budget == 0 && err != nil || budget == 1 && (!errors.As(err, &e) || e.Kind != vyre.OutOfMemory) {
			t.Errorf("budget %d: %v", budget, err)
		}
		if _, err := s.Reach(t.Context(), session.Query{Seeds: []uint32{1}}); err != nil {
			t.Error(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Reach(ended, session.Query{Seeds: []uint32{1}}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
