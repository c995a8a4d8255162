package session_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cuda"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

var everyTopology = []megakernel.Topology{megakernel.Auto, megakernel.HostLoop, megakernel.BackToBack, megakernel.Captured, megakernel.DeviceLoop, megakernel.Cooperative, megakernel.Drained}

// checkedTopologies are those in which tests ask for everything: without -long one that the host drives, and one of a
// single launch.
func checkedTopologies() []megakernel.Topology {
	if long.Enabled() {
		return everyTopology
	}
	return []megakernel.Topology{megakernel.Auto, megakernel.HostLoop, megakernel.Cooperative}
}

// devices are where the tests run; a machine with a GPU has "cuda" as well.
var deviceFlag = flag.String("devices", "cpu,cuda-sim", "devices that the tests run on, with commas between")

func devices() []string { return strings.Split(*deviceFlag, ",") }

// randomQueries asks for a few seeds each, some of them twice, and for some kinds.
func randomQueries(seed uint64, n, nodes int) []session.Query {
	rng := rand.New(rand.NewPCG(seed, 5))
	qs := make([]session.Query, n)
	for i := range qs {
		for range rng.IntN(4) {
			v := rng.Uint32N(uint32(nodes))
			qs[i].Seeds = append(qs[i].Seeds, v, v)
		}
		if rng.IntN(2) == 0 {
			qs[i].Kinds = rng.Uint32() | 1
		}
	}
	return qs
}

// matches compares an answer with a search on one core.
func matches(t *testing.T, g *graph.CSR, q session.Query, r *session.Reached) {
	t.Helper()
	kinds := q.Kinds
	if kinds == 0 {
		kinds = graph.AllKinds
	}
	levels, err := graph.Levels(t.Context(), g, q.Seeds, kinds)
	if err != nil {
		t.Fatal(err)
	}
	var want []uint32
	for v, level := range levels {
		if reached := level != graph.None; reached {
			want = append(want, uint32(v))
		}
		if r.Contains(uint32(v)) != (level != graph.None) {
			t.Fatalf("%+v: node %d at level %d, contained: %v", q, v, level, r.Contains(uint32(v)))
		}
	}
	if got := slices.Collect(r.Nodes()); !slices.Equal(got, want) || r.Count() != len(want) {
		t.Fatalf("%+v: %d of %v, want %d of %v", q, r.Count(), got, len(want), want)
	}
}

func TestSessionAnswersWhatASearchDoes(t *testing.T) {
	for _, device := range devices() {
		for _, name := range []string{"grid:9x7", "skew:512", "chain:50", "uniform:6"} {
			g := graphtest.Generated(t, name)
			for _, topology := range everyTopology {
				if name != "skew:512" && !slices.Contains(checkedTopologies(), topology) || device == "cuda-sim" && (name != "skew:512" || topology > megakernel.HostLoop && topology != megakernel.Cooperative) {
					continue // what is simulated takes a hundred times as long, and megakernel has run them all
				}
				t.Run(fmt.Sprintf("%s/%s/%v", device, name, topology), func(t *testing.T) {
					t.Parallel()
					dev := graphtest.OpenDevice(t, device)
					before := dev.Stats().Get(metric.LiveBytes)
					s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 3, Topology: topology})
					if err != nil {
						t.Fatal(err)
					}
					sizes := []int{1, 3, 4, 0}
					if device == "cuda-sim" {
						sizes = []int{2}
					}
					for _, n := range sizes {
						qs := randomQueries(uint64(n), n, g.Nodes())
						answers, err := s.Batch(t.Context(), qs)
						if err != nil {
							t.Fatal(err)
						}
						for i, r := range answers {
							matches(t, g, qs[i], r)
						}
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
					if n := dev.Stats().Get(metric.LiveBytes); n != before {
						t.Errorf("%d bytes live, %d before", n, before)
					}
				})
			}
		}
	}
}

// TestSessionSavesWhatItWasPlannedTo compares runs over a graph that stays with runs that keep nothing, as the device counted both.
func TestSessionSavesWhatItWasPlannedTo(t *testing.T) {
	for _, device := range devices() {
		t.Run(device, func(t *testing.T) {
			dev := graphtest.OpenDevice(t, device)
			g := graphtest.Generated(t, "road:20x20")
			const runs = 8
			o := session.Options{Engine: session.WavesEngine, Queries: runs, Seeds: 4, Topology: megakernel.Cooperative}
			count := func(f func(*session.Session), opened int) *driver.Stats {
				before := dev.Stats()
				for range opened {
					s, err := session.New(t.Context(), dev, g, o)
					if err != nil {
						t.Fatal(err)
					}
					f(s)
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
				}
				return dev.Stats().Sub(before)
			}
			qs := randomQueries(1, runs, g.Nodes())
			for i := range qs {
				qs[i].Seeds = qs[i].Seeds[:min(len(qs[i].Seeds), 4)]
			}
			var planned = uint64(0)
			resident := count(func(s *session.Session) {
				planned = s.Memory().AvoidedUpload
				warm := dev.Stats()
				if _, err := s.Batch(t.Context(), qs); err != nil {
					t.Fatal(err)
				}
				run := dev.Stats().Sub(warm)
				if n := run.Get(metric.AllocRequests); n != 0 {
					t.Errorf("%d allocations in a batch", n)
				}
				if up, want := run.Get(metric.UploadBytes), s.Memory().RefreshBytes+session.TurnBytes; up != want {
					t.Errorf("%d bytes uploaded for the seeds, planned %d", up, want)
				}
				if down, want := run.Get(metric.ReadBytes), runs*s.Memory().ReadBytes; down != want {
					t.Errorf("%d bytes read, planned %d", down, want)
				}
				if n, turns := run.Get(metric.LaunchesPlain)+run.Get(metric.LaunchesGraph), uint64(s.Turns()); n != turns || turns >= runs {
					t.Errorf("%d launches for %d turns of %d queries", n, turns, runs)
				}
			}, 1)
			at := 0
			naive := count(func(s *session.Session) {
				if _, err := s.Reach(t.Context(), qs[at]); err != nil {
					t.Fatal(err)
				}
				at++
			}, runs)
			if got := naive.Get(metric.UploadBytes) - resident.Get(metric.UploadBytes) - (runs-1)*session.TurnBytes; got != planned {
				t.Errorf("%d bytes less were uploaded, planned %d", got, planned)
			}
			if planned < (runs-1)*uint64(g.Bytes()) {
				t.Errorf("%d bytes are planned to be saved, the graph has %d", planned, g.Bytes())
			}
		})
	}
}

func TestSessionRefusesWhatCannotBe(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.Generated(t, "chain:50")
	s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q    session.Query
		want string
	}{
		{session.Query{Seeds: []uint32{1, 50}}, "query 1: seed 1 is node 50, the graph has 50"},
		{session.Query{Seeds: []uint32{1, 2, 3}}, "query 1 has 3 different seeds, the session was opened for 2"},
	} {
		if _, err := s.Batch(t.Context(), []session.Query{{}, c.q}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	peak := s.Memory().PeakBytes
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reach(t.Context(), session.Query{}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed session: %v", err)
	}
	before := dev.Stats().Get(metric.AllocRequests)
	_, err = session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Seeds: 2, Budget: peak - 1})
	var e *driver.Error
	if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || uint64(e.Requested) != peak || uint64(e.Available) != peak-1 {
		t.Errorf("one byte too little: %v", err)
	}
	if n := dev.Stats().Get(metric.AllocRequests); n != before {
		t.Error("memory was asked for before it was clear that it suffices")
	}
	if s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Seeds: 2, Budget: peak}); err != nil {
		t.Errorf("just enough: %v", err)
	} else {
		s.Close()
	}
	if _, err := session.New(t.Context(), dev, &graph.CSR{}, session.Options{Engine: session.WavesEngine}); err == nil {
		t.Error("a graph without nodes has a session")
	}
}

//ci:race Goroutines|Hammer|SideBySide|DoNotWait|AnyCall|ForItsTurn
func TestSessionIsForManyGoroutines(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.Generated(t, "grid:9x7")
	s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var wait sync.WaitGroup
	for k := range 8 {
		wait.Go(func() {
			q := randomQueries(uint64(k), 1, g.Nodes())[0]
			r, err := s.Reach(t.Context(), q)
			if err != nil {
				t.Error(err)
				return
			}
			matches(t, g, q, r)
		})
	}
	wait.Wait()
}
