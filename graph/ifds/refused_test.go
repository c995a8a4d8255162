package ifds_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/megakernel"
)

func TestWhatASessionNeedsIsComparedWithItsBudget(t *testing.T) {
	for _, name := range devices() {
		dev, g := openDevice(t, name), exploded(t, 4, 16, 4, 1)
		o := ifds.Options{Engine: session.WavesEngine}
		open := func(budget uint64, e session.Engine) (*ifds.Session, error) {
			o := o
			o.Budget, o.Engine = budget, e
			return ifds.NewSession(t.Context(), dev, g, o)
		}
		s, err := open(0, session.WavesEngine)
		if err != nil {
			t.Fatal(err)
		}
		need := s.Bytes()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		before, err := dev.Room()
		if err != nil {
			t.Fatal(err)
		}
		var over *driver.Error
		if _, err = open(need-1, session.WavesEngine); !errors.As(err, &over) || over.Kind != driver.OutOfMemory || over.Requested != int64(need) || over.Available != int64(need)-1 {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := dev.Room(); err != nil || after != before {
			t.Errorf("%s: %d bytes of room, %d before; %v", name, after, before, err)
		}
		for budget, want := range map[uint64]session.Engine{need: session.WavesEngine, need - 1: session.NativeEngine} {
			o.Topology = megakernel.HostLoop // so that kernels on device cpu may answer
			s, err := open(budget, session.AutoEngine)
			if err != nil {
				t.Fatal(err)
			}
			found, err := s.Solve(t.Context(), []uint32{0})
			if err != nil || s.Engine() != want || found.Run.Engine != want || found.Count() != 136 || want == session.NativeEngine && !strings.Contains(s.Why(), "needs") {
				t.Errorf("%s: %v, because %s: %v, %v", name, s.Engine(), s.Why(), found, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		o.Topology = megakernel.Auto
	}
}

func TestEnginesAreChosen(t *testing.T) {
	g := small(t)
	for _, c := range []struct {
		device string
		o      ifds.Options
		want   session.Engine
		why    string
	}{
		{"cpu", ifds.Options{}, session.NativeEngine, "device cpu is the host"},
		{"cpu", ifds.Options{Topology: megakernel.HostLoop}, session.WavesEngine, "fits"},
		{"cpu", ifds.Options{Engine: session.WavesEngine, Topology: megakernel.Drained}, session.WavesEngine, "kernels were asked for"},
		{"cuda-sim:0", ifds.Options{}, session.WavesEngine, "the program fits on cuda-sim:0"},
		{"cuda-sim:0", ifds.Options{Engine: session.NativeEngine}, session.NativeEngine, "asked for"},
		{"", ifds.Options{}, session.NativeEngine, "no device"},
	} {
		var dev driver.Device
		if c.device != "" {
			dev = openDevice(t, c.device)
		}
		s, err := ifds.NewSession(t.Context(), dev, g, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if s.Engine() != c.want || !strings.Contains(s.Why(), c.why) {
			t.Errorf("%s, %+v: %v, because %s", c.device, c.o, s.Engine(), s.Why())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := s.Solve(t.Context(), nil); !errors.Is(err, driver.Closed) || !strings.Contains(err.Error(), "the session is closed") {
			t.Error(err)
		}
	}
}

func TestSessionsAreRefused(t *testing.T) {
	dev, g := openDevice(t, "cpu"), small(t)
	for want, c := range map[string]struct {
		dev driver.Device
		o   ifds.Options
	}{
		"there is no device": {nil, ifds.Options{Engine: session.WavesEngine}},
		"engine 9":           {dev, ifds.Options{Engine: 9}},
		"-1 seeds":           {dev, ifds.Options{Seeds: -1}},
		"no topology":        {dev, ifds.Options{Engine: session.NativeEngine, Topology: megakernel.HostLoop}},
	} {
		if _, err := ifds.NewSession(t.Context(), c.dev, g, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	s, err := ifds.NewSession(t.Context(), dev, g, ifds.Options{Engine: session.WavesEngine, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var none context.Context
	if _, err := ifds.NewSession(none, dev, g, ifds.Options{}); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "the context is nil") {
		t.Error(err)
	}
	if _, err := ifds.Taint(none, dev, g, session.TaintQuery{Sources: []session.Source{{Label: "a", Nodes: []uint32{0}}}}, session.Options{}); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "the context is nil") {
		t.Error(err)
	}
	if _, err := ifds.Taint(t.Context(), nil, g, session.TaintQuery{}, session.Options{}); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "the device is nil") {
		t.Error(err)
	}
	if _, err := ifds.Taint(t.Context(), dev, nil, session.TaintQuery{Sinks: []uint32{0}}, session.Options{}); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "the graph is nil") {
		t.Error(err)
	}
	for _, e := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		if _, err := ifds.NewSession(ended, dev, g, ifds.Options{Engine: e}); !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, in a context that has ended: %v", e, err)
		}
	}
	for want, solve := range map[string]func() error{
		"2 different seeds, the session was opened for 1": func() error { _, err := s.Solve(t.Context(), []uint32{0, 1}); return err },
		"seed 1 is node 6, the graph has 6":               func() error { _, err := s.Solve(t.Context(), []uint32{0, 6}); return err },
		"the context is nil":                              func() error { _, err := s.Solve(none, []uint32{0}); return err },
		"canceled":                                        func() error { _, err := s.Solve(ended, []uint32{0}); return err },
	} {
		if err := solve(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if found, err := s.Solve(t.Context(), []uint32{0, 0}); err != nil || found.Count() != 4 { // it goes on
			t.Error(found, err)
		}
	}
}

// TestAProgramOfNothing has no procedures, and one of nodes alone no arcs.
func TestAProgramOfNothing(t *testing.T) {
	for _, name := range devices() {
		dev := openDevice(t, name)
		for _, nodes := range []int{0, 1, 33} {
			g := program(t, make([]uint32, nodes), nil)
			seeds := [][]uint32{nil}
			if nodes > 0 {
				seeds = append(seeds, []uint32{uint32(nodes) - 1})
			}
			for i, s := range solveOn(t, dev, g, ifds.Options{Engine: session.WavesEngine, Entries: true}, seeds...) {
				if s.Count() != i || s.PathEdges() != uint64(i) {
					t.Errorf("%s, %d nodes: %d hold", name, nodes, s.Count())
				}
			}
		}
	}
}

// TestASessionIsForAnyGoroutine answers each with its own solution.
//
//ci:race AnyGoroutine|ThatManyCall
func TestASessionIsForAnyGoroutine(t *testing.T) {
	g := exploded(t, 8, 16, 4, 1)
	for _, e := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		s, err := ifds.NewSession(t.Context(), openDevice(t, "cpu"), g, ifds.Options{Engine: e, Entries: true})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for k := range uint32(6) {
			all.Go(func() {
				seeds := []uint32{k * 80}
				want, err := ifds.Solve(t.Context(), g, seeds, ifds.Options{Entries: true})
				got, failed := s.Solve(t.Context(), seeds)
				if err != nil || failed != nil {
					t.Error(err, failed)
					return
				}
				for v := range uint32(g.Nodes()) {
					a, seed := got.Entries(v)
					b, wanted := want.Entries(v)
					if !slices.Equal(a, b) || seed != wanted {
						t.Errorf("%v, from %v: node %d", e, seeds, v)
					}
				}
			})
		}
		all.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
