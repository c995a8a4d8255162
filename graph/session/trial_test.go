package session_test

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// TestSessionGoesByEvidence of a trial whose times a test made up, and answers the same whatever that says.
func TestSessionGoesByEvidence(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.Generated(t, "icfg:4,8,3")
	open := func(o session.Options) *session.Session {
		s, err := session.New(t.Context(), dev, g, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	q := session.Query{Seeds: []uint32{0, 5}}
	h := new(megakernel.History)
	if err := open(session.Options{Engine: session.WavesEngine, Queries: 2}).Trial(t.Context(), q, h); err != nil {
		t.Fatal(err)
	}
	fast := func(name string) {
		for k := range h.Ways {
			w := &h.Ways[k]
			w.Won, w.PlanningNS = false, 1e3
			for i := range w.Times {
				w.Times[i] = 1e9 + uint64(i)
				if w.Name == name {
					w.Times[i] = 1e6 + uint64(i)
				}
			}
		}
	}
	for _, c := range []struct {
		fast string
		o    session.Options
		want megakernel.Topology
	}{
		{"", session.Options{Engine: session.WavesEngine, Expected: h}, megakernel.HostLoop},
		{"back-to-back", session.Options{Engine: session.WavesEngine, Expected: h}, megakernel.BackToBack},
		{"device loop", session.Options{Engine: session.WavesEngine, Expected: h, Runs: 1000}, megakernel.DeviceLoop},
		{"cooperative", session.Options{Engine: session.WavesEngine, Expected: h}, megakernel.Cooperative},
		{"drained", session.Options{Engine: session.WavesEngine, Expected: h}, megakernel.Drained},
		{"", session.Options{Engine: session.WavesEngine}, megakernel.Drained},                                                                // nobody asked for it
		{"back-to-back", session.Options{Engine: session.WavesEngine, Expected: h, Topology: megakernel.Cooperative}, megakernel.Cooperative}, // somebody decided
		{"back-to-back", session.Options{Engine: session.WavesEngine, Expected: new(megakernel.History)}, megakernel.Drained},                 // nothing is known
	} {
		fast(c.fast)
		c.o.Queries = 2
		s := open(c.o)
		if s.Topology() != c.want {
			t.Errorf("%q is fast, %+v: %v, want %v", c.fast, c.o, s.Topology(), c.want)
		}
		r, err := s.Reach(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		matches(t, g, q, r)
		if drained := graphtest.Must(session.DeviceBytes(t.Context(), g, session.Options{Engine: session.WavesEngine, Queries: 2})); (s.Memory().PeakBytes == drained) != (c.want == megakernel.Drained) {
			t.Errorf("%v: it takes %d bytes, a drain %d", c.want, s.Memory().PeakBytes, drained)
		}
	}
	if k := slices.IndexFunc(h.Ways, func(w plan.Way) bool { return w.Name == "drained" }); k < 0 || len(h.Ways[k].Times) != 10 {
		t.Errorf("tried: %+v", h.Ways)
	}
}

// TestSessionTrialRefusesWhatBatchesRefuse.
func TestSessionTrialRefusesWhatBatchesRefuse(t *testing.T) {
	g := graphtest.Generated(t, "chain:9")
	s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: session.WavesEngine})
	if err != nil {
		t.Fatal(err)
	}
	h := new(megakernel.History)
	if err := s.Trial(t.Context(), session.Query{Seeds: []uint32{9}}, h); err == nil {
		t.Error("a seed that is no node was tried")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Trial(t.Context(), session.Query{}, h); err == nil || len(h.Ways) > 0 {
		t.Errorf("a closed session was tried: %v", err)
	}
}
