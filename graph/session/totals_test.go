package session_test

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/megakernel"
)

// TestTotalsAreTheSumsOfAnswers: of every engine, and of a graph in parts; what is refused adds nothing.
func TestTotalsAreTheSumsOfAnswers(t *testing.T) {
	inParts := session.Options{Engine: session.WavesEngine, Parts: true}
	inParts.SetPartArcs(100)
	for name, o := range map[string]session.Options{
		"native":     {},
		"host loop":  {Topology: megakernel.HostLoop, Levels: true},
		"one launch": {Topology: megakernel.Cooperative, Levels: true, Queries: 3},
		"parts":      inParts,
	} {
		t.Run(name, func(t *testing.T) {
			g := graphtest.RandomGraph(t, 3, 200, true)
			dev := graphtest.OpenDevice(t, "cpu")
			s, err := session.New(t.Context(), dev, g, o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			opened := s.Totals()
			if waves := name != "native"; opened.Runs != 0 || opened.Wall != 0 || opened.Read != 0 || (opened.Uploaded > 0) != waves || (opened.Allocations > 0) != waves || opened.Bytes != s.Bytes() {
				t.Errorf("before anything was asked: %+v", opened)
			}
			var want session.Totals
			add := func(r session.Run) {
				want.Runs++
				want.Rounds += uint64(r.Record.Rounds)
				want.Wall += r.Result.Wall
				want.Streamed += r.Streamed
				want.Uploaded += r.Uploaded
				want.Read += r.Read
			}
			before := dev.Stats()
			for _, seed := range []uint32{1, 7, 150} {
				r, err := s.Reach(t.Context(), session.Query{Seeds: []uint32{seed}})
				if err != nil {
					t.Fatal(err)
				}
				add(r.Run)
			}
			if _, err := s.Reach(t.Context(), session.Query{Seeds: []uint32{200}}); err == nil {
				t.Error("a seed that is no node was searched from")
			}
			c, err := s.Components(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			add(c.Run)
			f, err := s.Batch(t.Context(), []session.Query{{Seeds: []uint32{1}}, {Seeds: []uint32{2}}, {Seeds: []uint32{3}, Count: true}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range slices.CompactFunc(f, func(a, b *session.Reached) bool { return a.Run.Result.Wall == b.Run.Result.Wall }) {
				add(r.Run) // of queries together there is one
			}
			got := s.Totals()
			moved := dev.Stats().Sub(before)
			if sent, came := got.Uploaded-opened.Uploaded, got.Read; sent != want.Uploaded || came != want.Read || (sent == 0 || came == 0) != (name == "native") || sent > moved.Get(metric.UploadBytes) || came > moved.Get(metric.ReadBytes) {
				t.Errorf("%d bytes sent and %d read, of answers %d and %d, as the device counts %d and %d", sent, came, want.Uploaded, want.Read, moved.Get(metric.UploadBytes), moved.Get(metric.ReadBytes))
			}
			if _, err := s.Components(t.Context(), 0); err != nil || s.Totals().Allocations != got.Allocations {
				t.Errorf("asked again, buffers are %d and were %d; %v", s.Totals().Allocations, got.Allocations, err)
			}
			if got.Runs != want.Runs || got.Rounds != want.Rounds || got.Wall != want.Wall || got.Streamed != want.Streamed || got.Bytes != s.Bytes() {
				t.Errorf("totals are %+v, the answers sum to %+v", got, want)
			}
			if got.Wall <= 0 || got.Link > got.Wall || got.Streamed > got.Uploaded || (got.Streamed > 0) != (name == "parts") {
				t.Errorf("totals are %+v", got)
			}
		})
	}
}
