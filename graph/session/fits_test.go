package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestWhatDoesNotFitSaysSo: without a budget a session is compared with the memory that the device has free. It is refused
// before anything is allocated, with what it needs and what there is, or it answers; and the device goes on in either case.
func TestWhatDoesNotFitSaysSo(t *testing.T) {
	t.Parallel()
	for _, mib := range []int64{1, 2, 4, 16}[:long.Count(2, 3, 4)] {
		dev, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}}), OpenOptions: driver.OpenOptions{MemoryLimit: mib << 20}})
		if err != nil {
			t.Fatal(err)
		}
		refused, answered := 0, 0
		for _, part := range []int64{60, 24, 18, 16, 1000} { // of the memory, for a node
			g := graphtest.Generated(t, fmt.Sprintf("star:%d", mib<<20/part))
			if answersOrRefuses(t, dev, g) {
				answered++
			} else {
				refused++
			}
		}
		if refused == 0 || answered < 2 {
			t.Errorf("%d MiB: %d graphs refused, %d answered: both should happen", mib, refused, answered)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// answersOrRefuses reports whether there is a session, which then has to be right.
func answersOrRefuses(t *testing.T, dev driver.Device, g *graph.CSR) bool {
	t.Helper()
	before, live := dev.Stats().Get(metric.AllocRequests), dev.Stats().Get(metric.LiveBytes)
	room, err := dev.Room()
	if err != nil {
		t.Fatal(err)
	}
	o := session.Options{Queries: 1, Seeds: 2}
	s, err := session.New(t.Context(), dev, g, o)
	if err != nil {
		var e *driver.Error
		if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || uint64(e.Requested) != graphtest.Must(session.DeviceBytes(t.Context(), g, o)) || e.Available > room || e.Requested <= e.Available {
			t.Errorf("%d nodes: %v; want that it needs %d bytes of less than %d", g.Nodes(), err, graphtest.Must(session.DeviceBytes(t.Context(), g, o)), room)
		}
		if n := dev.Stats().Get(metric.AllocRequests); n != before {
			t.Errorf("%d nodes: %d allocations before it was clear that memory does not suffice", g.Nodes(), n-before)
		}
		return false
	}
	q := session.Query{Seeds: []uint32{0, 1}}
	r, err := s.Reach(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	matches(t, g, q, r)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := dev.Stats().Get(metric.LiveBytes); n != live {
		t.Errorf("%d nodes: %d bytes live, %d before", g.Nodes(), n, live)
	}
	return true
}

// TestRefusalSaysWhatWouldFit: with fewer queries, without levels, or on the host.
func TestRefusalSaysWhatWouldFit(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	for _, name := range []string{"grid:40x40", "skew:4096"} { // with one graph on the device, and with two
		g := graphtest.Generated(t, name)
		one := session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1, Levels: true}
		alone := graphtest.Must(session.DeviceBytes(t.Context(), g, one))
		sets := one
		sets.Levels = false
		for _, c := range []struct {
			budget uint64
			o      session.Options
			want   []string
			not    string
		}{
			{alone, session.Options{Levels: true}, []string{fmt.Sprintf("for one query of one seed at a time it needs %d bytes", alone), "for one query of one seed without levels it needs"}, ""},
			{alone - 1, one, []string{fmt.Sprintf("for one query of one seed without levels it needs %d bytes", graphtest.Must(session.DeviceBytes(t.Context(), g, sets)))}, "one seed at a time"},
			{graphtest.Must(session.DeviceBytes(t.Context(), g, sets)) - 1, one, []string{"on the cores of the host (NativeEngine, device cpu) nothing"}, "it needs"},
		} {
			c.o.Engine, c.o.Budget = session.WavesEngine, c.budget
			_, err := session.New(t.Context(), dev, g, c.o)
			var e *driver.Error
			if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || uint64(e.Available) != c.budget || e.Label != "graph" || e.Device != "cpu" {
				t.Fatalf("%s: %v", name, err)
			}
			for _, want := range c.want {
				if !strings.Contains(e.Fix, want) {
					t.Errorf("%s: fix %q, want %q", name, e.Fix, want)
				}
			}
			if c.not != "" && strings.Contains(e.Fix, c.not) {
				t.Errorf("%s: fix %q has %q", name, e.Fix, c.not)
			}
			// What the fix says holds.
			if s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.NativeEngine, Budget: 1}); err != nil {
				t.Error(err)
			} else if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		one.Budget = alone
		if s, err := session.New(t.Context(), dev, g, one); err != nil {
			t.Error(err)
		} else if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
