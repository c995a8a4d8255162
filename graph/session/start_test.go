package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
)

// TestStartedQueriesAreAnswered, by both engines, whatever becomes of the seeds that were passed and of who waits.
func TestStartedQueriesAreAnswered(t *testing.T) {
	for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		dev := graphtest.OpenDevice(t, "cpu")
		g := graphtest.Generated(t, "skew:512")
		s, err := session.New(t.Context(), dev, g, session.Options{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		queries, seeds := randomQueries(7, 20, g.Nodes()), make([]uint32, 1)
		var started []*session.Pending
		for i := range queries {
			q := queries[i]
			if len(q.Seeds) > 0 {
				seeds = append(seeds[:0], q.Seeds...)
				q.Seeds = seeds // the next one writes over it
			}
			p, err := s.Start(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			started = append(started, p)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := started[len(started)-1].Wait(over); err != nil && !errors.Is(err, driver.Canceled) {
			t.Errorf("%v: waiting with a context that has ended: %v", engine, err)
		}
		for i, p := range started {
			r, err := p.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			matches(t, g, queries[i], r)
			if again, err := p.Wait(over); again != r || err != nil {
				t.Errorf("%v: an answer that is there is not returned again: %v", engine, err)
			}
		}
		if _, err := s.Start(t.Context(), session.Query{Seeds: []uint32{512}}); err == nil || !strings.Contains(err.Error(), "seed 0 is node 512, the graph has 512") {
			t.Errorf("%v: %v", engine, err)
		}
		p, err := s.Start(over, session.Query{Seeds: []uint32{1}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Wait(t.Context()); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: a query whose context has ended: %v", engine, err)
		}
		if p, err = s.Start(t.Context(), session.Query{Seeds: []uint32{1}}); err != nil {
			t.Fatal(err)
		}
		if r, err := p.Wait(t.Context()); err != nil {
			t.Errorf("%v: after one that was cancelled: %v", engine, err)
		} else {
			matches(t, g, session.Query{Seeds: []uint32{1}}, r)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if p, err = s.Start(t.Context(), session.Query{}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%v: a closed session: %v", engine, err)
		}
	}
}
