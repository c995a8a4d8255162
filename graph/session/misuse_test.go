package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/underway"
	"github.com/govyre/vyre/megakernel"
)

// TestMistakesAreErrors that say what was wrong, and leave the session as it was.
func TestMistakesAreErrors(t *testing.T) {
	g := graphtest.RandomGraph(t, 6, 50, true)
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()
	program, err := flows.RoundShortestProgram()
	if err != nil {
		t.Fatal(err)
	}
	dev := graphtest.OpenDevice(t, "cpu")
	fails := func(what string, err error, kind driver.Kind, says string) {
		t.Helper()
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %v that says %q", what, err, kind, says)
		}
	}
	opened := func(ctx context.Context, dev driver.Device, g *graph.CSR, o session.Options) error {
		s, err := session.New(ctx, dev, g, o)
		if err == nil {
			err = s.Close()
		}
		return err
	}
	for _, e := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		o := session.Options{Engine: e}
		fails("no device", opened(t.Context(), nil, g, o), driver.InvalidArgument, "the device is nil")
		fails("no graph", opened(t.Context(), dev, nil, o), driver.InvalidArgument, "the graph is nil")
		fails("too late", opened(past, dev, g, o), driver.Canceled, "deadline exceeded")
		fails("queries", opened(t.Context(), dev, g, session.Options{Engine: e, Queries: math.MaxInt}), driver.InvalidArgument, "at most 16777216 queries")
		fails("sets", opened(t.Context(), dev, g, session.Options{Engine: e, Parallel: math.MaxInt}), driver.InvalidArgument, "4096 in parallel")
		if err := opened(t.Context(), dev, g, session.Options{Engine: e, Seeds: math.MaxInt}); err != nil {
			t.Error(err) // more than there are nodes is all of them
		}
		s, err := session.New(t.Context(), dev, g, o)
		if err != nil {
			t.Fatal(err)
		}
		fails("no answer", s.ReachInto(t.Context(), session.Query{}, nil), driver.InvalidArgument, "call Reach")
		fails("no history", s.Trial(t.Context(), session.Query{}, nil), driver.InvalidArgument, "history")
		_, err = s.Reach(past, session.Query{})
		fails("too late", err, driver.Canceled, "deadline exceeded")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v does not wrap the context's error", err)
		}
		_, err = s.Components(past, 0)
		fails("too late", err, driver.Canceled, "ask again")
		if all, err := s.Batch(t.Context(), nil); len(all) != 0 || err != nil {
			t.Errorf("no queries: %v", err)
		}
		r, err := s.Reach(t.Context(), session.Query{})
		if err != nil || r.Count() != 0 || r.Contains(math.MaxUint32) {
			t.Errorf("no seeds: %v", err)
		}
		matches(t, g, session.Query{Seeds: []uint32{5}}, graphtest.Must(s.Reach(t.Context(), session.Query{Seeds: []uint32{5}})))
		x, err := session.NewFixpoint(t.Context(), s, flows.Shortest{}, program, session.FixpointOptions{})
		if err == nil {
			err = errors.Join(x.Close(), x.Close())
		}
		if err != nil {
			t.Error(err)
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
		_, err = s.Reach(t.Context(), session.Query{})
		fails("closed", err, driver.Closed, "open another one")
		_, err = s.Dominators(t.Context(), nil, 0)
		fails("closed", err, driver.Closed, "open another one")
		p := graphtest.Must(s.Start(t.Context(), session.Query{}))
		_, err = p.Wait(t.Context())
		fails("closed", err, driver.Closed, "open another one")
	}
	_, err = session.NewFixpoint(t.Context(), nil, flows.Shortest{}, program, session.FixpointOptions{})
	fails("no session", err, driver.InvalidArgument, "the session is nil, or was not made by NewSession")
	_, _, err = session.Ask(t.Context(), nil, []session.Question{{Graph: g}}, session.Options{})
	fails("no device", err, driver.InvalidArgument, "the device is nil")
	_, err = session.Taint(t.Context(), dev, nil, session.TaintQuery{}, session.Options{})
	fails("no graph", err, driver.InvalidArgument, "the graph is nil")
	if n := graphtest.Must(session.DeviceBytes(t.Context(), nil, session.Options{})); n != math.MaxUint64 {
		t.Errorf("a session of no graph takes %d bytes", n)
	}
	if _, err := graph.Levels(t.Context(), nil, nil, 0); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Error(err)
	}
}

// TestAnswersOutliveTheirQuestion is about slices that the caller uses again.
func TestAnswersOutliveTheirQuestion(t *testing.T) {
	g := graphtest.RandomGraph(t, 6, 50, true)
	for _, e := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		s := openSession(t, graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: e, Levels: true})
		f := session.BitFlow{Words: 1, Gen: make([]uint64, 50), Kill: make([]uint64, 50)}
		for v := range f.Gen {
			f.Gen[v], f.Kill[v] = 1<<v, 4<<v
		}
		_, out := roundRobinBits(g, f)
		b := graphtest.Must(s.BitFlow(t.Context(), f))
		clear(f.Gen)
		clear(f.Kill)
		for v := range uint32(50) {
			if got := b.Out(v); got[0] != out[v] {
				t.Fatalf("%v, node %d: %x leaves it, want %x", e, v, got, out[v])
			}
		}
		if b.In(50) != nil || b.Out(math.MaxUint32) != nil {
			t.Error("there are sets of a node that is none")
		}
		levels := graphtest.Must(s.Levels(t.Context(), session.Query{Seeds: []uint32{5}}))
		kept := slices.Clone(levels)
		graphtest.Must(s.Levels(t.Context(), session.Query{Seeds: []uint32{1}}))
		if !slices.Equal(levels, kept) {
			t.Errorf("%v: the next question changes levels", e)
		}
	}
}

// TestAFixpointOutlivesAnalysesThatCannotBeOpened of the same session.
func TestAFixpointOutlivesAnalysesThatCannotBeOpened(t *testing.T) {
	g := weighted(t, graphtest.RandomGraph(t, 6, 50, true))
	s := openSession(t, graphtest.OpenDevice(t, "cpu"), g, session.Options{})
	x := graphtest.Must(session.NewFixpoint(t.Context(), s, flows.Shortest{}, nil, session.FixpointOptions{}))
	ctx, cancel := underway.At(4, 0)
	defer cancel()
	if err := s.Trial(ctx, session.Query{Seeds: []uint32{0}}, new(megakernel.History)); !errors.Is(err, driver.Canceled) {
		t.Fatal(err)
	}
	if got := graphtest.Must(x.Run(t.Context(), session.Start[uint64]{Seeds: []uint32{5}, Values: []uint64{7}, Others: math.MaxUint64})); !slices.Equal(got.Facts(), dijkstra(g, 5, 7)) {
		t.Error(got.Facts())
	}
	if s.Topology() != megakernel.Auto {
		t.Errorf("a session of the host's cores has the topology %v", s.Topology())
	}
}

// TestACallWaitsForItsTurnNoLongerThanItsContext, while another one has the session.
func TestACallWaitsForItsTurnNoLongerThanItsContext(t *testing.T) {
	g := weighted(t, graphtest.RandomGraph(t, 6, 50, true))
	s := openSession(t, graphtest.OpenDevice(t, "cpu"), g, session.Options{})
	x := graphtest.Must(session.NewFixpoint(t.Context(), s, flow.Min[uint64, halting]{}, nil, session.FixpointOptions{}))
	done := make(chan error, 1)
	go func() {
		_, err := x.Run(t.Context(), session.Start[uint64]{Seeds: []uint32{25}, Values: []uint64{7}, Others: math.MaxUint64})
		done <- err
	}()
	<-inside
	ctx, cancel := underway.At(2, 0)
	defer cancel()
	if _, err := s.Reach(ctx, session.Query{Seeds: []uint32{1}}); !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// halting stops in its first arc until it may leave.
type halting struct{}

var inside, leave = make(chan bool), make(chan bool)

func (halting) Along(x uint64, _ flow.Arc) uint64 {
	select {
	case inside <- true:
	case <-leave:
	}
	<-leave
	return x
}

// TestHammerSessions asks from 20 goroutines at once, some with contexts that end, while one closes the session, or its device: each
// answer is right, or says that its context ended or that the session is closed.
func TestHammerSessions(t *testing.T) {
	g := graphtest.RandomGraph(t, 6, 50, true)
	want := make([][]uint32, g.Nodes())
	for v := range want {
		levels, err := graph.Levels(t.Context(), g, []uint32{uint32(v)}, graph.AllKinds)
		if err != nil {
			t.Fatal(err)
		}
		want[v] = slices.Collect(nodesOf(levels))
	}
	components, order := graphtest.Weak(g, graph.AllKinds), longest(g, graph.AllKinds)
	seed := long.Seed(t, 1)
	for i, o := range []session.Options{{}, {Engine: session.WavesEngine}, {Engine: session.WavesEngine, Parallel: 3}, {Topology: megakernel.HostLoop}, inParts(30)} {
		for _, closing := range []string{"", "session", "device"} {
			t.Run(fmt.Sprint(i, " ", closing), func(t *testing.T) {
				dev, err := driver.Open("cpu", driver.OpenOptions{})
				if err != nil {
					t.Fatal(err)
				}
				s := graphtest.Must(session.New(t.Context(), dev, g, o))
				var all sync.WaitGroup
				for k := range 20 {
					all.Go(func() {
						rng := rand.New(rand.NewPCG(seed, uint64(k)))
						for range long.Count(6, 60, 300) {
							within, cancel := context.Background(), context.CancelFunc(func() {})
							if rng.IntN(3) == 0 {
								within, cancel = underway.At(1+rng.IntN(20), time.Duration(rng.IntN(300))*time.Microsecond)
							}
							var got, right []uint32
							var err error
							switch v := rng.Uint32N(uint32(len(want))); rng.IntN(5) {
							case 0:
								var c *session.Components
								if c, err = s.Components(within, 0); err == nil {
									if got, err = c.Labels(within, nil); err == nil {
										right = components
									}
								}
							case 1:
								var c *session.Topological
								if c, err = s.TopologicalLevels(within, 0); err == nil {
									got, right = c.Levels(), order
								}
							case 2:
								var p *session.Pending
								if p, err = s.Start(within, session.Query{Seeds: []uint32{v}}); err == nil {
									var r *session.Reached
									if r, err = p.Wait(context.Background()); err == nil {
										got, right = slices.Collect(r.Nodes()), want[v]
									}
								}
							default:
								var r *session.Reached
								if r, err = s.Reach(within, session.Query{Seeds: []uint32{v}}); err == nil {
									got, right = slices.Collect(r.Nodes()), want[v]
								}
							}
							cancel()
							ended := errors.Is(err, driver.Canceled) && within.Err() != nil
							if !slices.Equal(got, right) || err != nil && !ended && (closing == "" || !errors.Is(err, driver.Closed)) {
								t.Errorf("%v, %v, want %v", err, got, right)
								return
							}
							if k == 7 && closing == "session" {
								if err := s.Close(); err != nil {
									t.Error(err)
								}
							}
							if k == 7 && closing == "device" {
								if err := dev.Close(); err != nil {
									t.Error(err)
								}
							}
						}
					})
				}
				all.Wait()
				if err := errors.Join(s.Close(), s.Close(), dev.Close(), dev.Close()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
