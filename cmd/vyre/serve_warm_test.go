//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// TestWarmQuestionsAreCheap: a warm question takes less than half a millisecond of processor time beside that of the session's call and
// of the answer's bytes on their way over HTTP, with a client that decodes them. Others on the machine make it more: what takes
// more is measured again.
func TestWarmQuestionsAreCheap(t *testing.T) {
	s := serving(t, goGraph)
	dev, err := openDevice("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g, _, err := files.Open(t.Context(), goGraph, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	r, err := newResident(t.Context(), dev, g, "", &serveCmd{Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	flow := session.TaintQuery{Sources: []session.Source{{Label: "main", Nodes: []uint32{7229}}}, Sinks: []uint32{12110}, Paths: 1}
	main, exec := session.Query{Seeds: []uint32{7229}}, []uint32{12110}
	for _, c := range []struct {
		name, ask, body string
		alone           func() error
	}{
		{"names", "names", `{"prefix":"cmd/go.m","limit":20}`, func() error { return nil }},
		{"reach", "reach", `{"from":["cmd/go.main"]}`, func() error { _, err := r.ahead.Reach(t.Context(), main); return err }},
		{"near", "reach", `{"from":["cmd/go.main"],"arcs":2}`, func() error { _, err := r.ahead.Near(t.Context(), main, 2); return err }},
		{"path", "path", `{"from":["cmd/go.main"],"to":["os/exec.Command"],"draw":"across"}`, func() error { _, err := r.ahead.Path(t.Context(), main, exec); return err }},
		{"between", "between", `{"from":["cmd/go.main"],"to":["os/exec.Command"]}`, func() error {
			_, err := r.ahead.Reach(t.Context(), main)
			if err == nil {
				var back *session.Session
				if back, err = r.backward(t.Context()); err == nil {
					_, err = back.Reach(t.Context(), session.Query{Seeds: exec})
				}
			}
			return err
		}},
		{"closure", "closure", `{"from":["cmd/go.main"],"to":["os/exec.Command"],"draw":"across"}`, func() error {
			_, err := r.closureOf(t.Context(), graph.AllKinds, true)
			if err == nil {
				_, err = r.closure.Path(t.Context(), 7229, 12110)
			}
			return err
		}},
		{"taint", "taint", `{"sources":[{"nodes":["cmd/go.main"]}],"sinks":["os/exec.Command"],"draw":"across"}`, func() error {
			_, err := flow.Ask(t.Context(), r.ahead)
			if err == nil {
				_, err = flow.Ask(t.Context(), r.ahead)
			}
			return err
		}},
	} {
		var beside time.Duration
		for range 5 {
			all := processorTime(t, func() error { return s.succeed(c.ask, c.body) })
			alone := processorTime(t, c.alone)
			trip := processorTime(t, s.echo(c.ask, c.body))
			beside = all - alone - trip
			t.Logf("%s: %v of processor time, of which the session takes %v and the way %v", c.name, all, alone, trip)
			if beside <= time.Millisecond/2 {
				break
			}
		}
		if beside > time.Millisecond/2 {
			t.Errorf("%s: %v of processor time beside the session and the way", c.name, beside)
		}
	}
}

// processorTime is what a call takes of the processor once all is warm: the least mean of some series.
func processorTime(t *testing.T, call func() error) time.Duration {
	t.Helper()
	if err := call(); err != nil {
		t.Fatal(err)
	}
	const times = 30
	least := time.Hour
	for range 4 {
		var before, after syscall.Rusage
		errs := syscall.Getrusage(syscall.RUSAGE_SELF, &before)
		for range times {
			errs = errors.Join(errs, call())
		}
		if err := errors.Join(errs, syscall.Getrusage(syscall.RUSAGE_SELF, &after)); err != nil {
			t.Fatal(err)
		}
		least = min(least, time.Duration(after.Utime.Nano()+after.Stime.Nano()-before.Utime.Nano()-before.Stime.Nano())/times)
	}
	return least
}

// succeed asks a question that has an answer.
func (s *served) succeed(name, body string) error {
	if status, doc := s.ask(name, body); status != http.StatusOK {
		return fmt.Errorf("%d %v", status, doc)
	}
	return nil
}

// echo returns a function that asks a server for an answer which it already has.
func (s *served) echo(name, body string) func() error {
	s.t.Helper()
	answer, err := http.Post(s.url+"ask/"+name, "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	known := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			w.Header().Set("Content-Type", "application/json")
			w.Write(text)
		}
	}))
	s.t.Cleanup(known.Close)
	other := &served{t: s.t, url: known.URL + "/"}
	return func() error { return other.succeed(name, body) }
}

// TestWarmQuestionsDoNotGrow: what a warm question allocates beside the search is bits of a set at most, some bytes for 8 nodes:
// neither levels nor distances are read into memory of their own, and nodes that no page shows are not looked at.
func TestWarmQuestionsDoNotGrow(t *testing.T) {
	dev, err := openDevice("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, scale := range []int{14, long.Count(16, 17, 20)} {
		gen, err := generate.Parse(fmt.Sprintf("kron:%d", scale))
		if err != nil {
			t.Fatal(err)
		}
		g, err := gen.Build(t.Context(), generate.Options{Seed: 1, Weights: [2]uint32{1, 63}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := newResident(t.Context(), dev, g, "", &serveCmd{Parallel: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.ahead.Close(); err != nil {
			t.Fatal(err)
		}
		r.o.Engine = session.WavesEngine // as on a GPU
		if r.ahead, err = session.New(t.Context(), dev, g, r.o); err != nil {
			t.Fatal(err)
		}
		most := busiest(g)
		targets, _ := g.Row(most)
		from, to := []string{fmt.Sprint(most)}, []string{fmt.Sprint(targets[len(targets)-1])}
		for name, ask := range map[string]func() (any, error){
			"reach":   func() (any, error) { return askReach(t.Context(), r, reachQuestion{From: from}) },
			"between": func() (any, error) { return askBetween(t.Context(), r, betweenQuestion{From: from, To: to}) },
			"path":    func() (any, error) { return askPath(t.Context(), r, pathQuestion{From: from, To: to}) },
			"paths":   func() (any, error) { return askPaths(t.Context(), r, pathsQuestion{From: from, To: to}) },
			"taint": func() (any, error) {
				return askTaint(t.Context(), r, taintQuestion{Sources: []taintSource{{Nodes: from}}, Sinks: to})
			},
		} {
			least, size := uint64(1<<62), 0
			for range 4 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				answer, err := ask()
				if err != nil {
					t.Fatal(name, err)
				}
				b, err := json.Marshal(answer)
				if err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				least, size = min(least, after.TotalAlloc-before.TotalAlloc), len(b)
			}
			t.Logf("%d nodes, %s: %d bytes allocated, %d of JSON", g.Nodes(), name, least, size)
			if most := uint64(256<<10 + g.Nodes()); least > most || size > 32<<10 {
				t.Errorf("%d nodes, %s: %d bytes allocated, at most %d; %d of JSON", g.Nodes(), name, least, most, size)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// busiest is the node with the most arcs.
func busiest(g *graph.CSR) (most uint32) {
	row := func(v uint32) int { return g.First(v+1) - g.First(v) }
	for v := range uint32(g.Nodes()) {
		if row(v) > row(most) {
			most = v
		}
	}
	return most
}
