package graph_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/underway"
)

// scan is a call that goes over all arcs of a graph, with an answer that can be compared.
type scan struct {
	name string
	of   func(ctx context.Context, open func() *graph.CSR) (any, error)
}

// scans lists all of them. A graph remembers what it found, so each call opens it anew.
var scans = []scan{
	{"Verify", func(ctx context.Context, open func() *graph.CSR) (any, error) { return nil, open().Verify(ctx) }},
	{"Shape", func(ctx context.Context, open func() *graph.CSR) (any, error) { return open().Shape(ctx) }},
	{"Symmetric", func(ctx context.Context, open func() *graph.CSR) (any, error) { return open().Symmetric(ctx) }},
	{"Digest", func(ctx context.Context, open func() *graph.CSR) (any, error) { return open().Digest(ctx) }},
	{"Reverse", func(ctx context.Context, open func() *graph.CSR) (any, error) { return digested(open().Reverse(ctx)) }},
	{"Without", func(ctx context.Context, open func() *graph.CSR) (any, error) {
		return digested(open().Without(ctx, []uint32{1}))
	}},
	{"Rebuild", func(ctx context.Context, open func() *graph.CSR) (any, error) {
		g, _, err := open().Rebuild(ctx, graph.BuildOptions{Symmetric: true, Dedup: true, NoSelf: true})
		return digested(g, err)
	}},
	{"FromBlocks", func(ctx context.Context, open func() *graph.CSR) (any, error) {
		to := open().Targets()
		g, _, err := graph.FromBlocks(ctx, 1<<17, []graph.Block{{From: to, To: slices.Repeat([]uint32{3}, len(to))}}, graph.BuildOptions{})
		return digested(g, err)
	}},
	{"New", func(ctx context.Context, open func() *graph.CSR) (any, error) {
		g := open()
		return digested(graph.New(ctx, g.Offsets(), g.Targets(), g.Masks()))
	}},
	{"Levels", func(ctx context.Context, open func() *graph.CSR) (any, error) {
		g := open()
		levels, err := graph.Levels(ctx, g, []uint32{0, uint32(g.Nodes() / 2)}, graph.AllKinds)
		return graph.Digest32(levels), err
	}},
	{"DeviceBytes", func(ctx context.Context, open func() *graph.CSR) (any, error) {
		return session.DeviceBytes(ctx, open(), session.Options{Levels: true})
	}},
	{"Encode", func(ctx context.Context, open func() *graph.CSR) (any, error) {
		var b bytes.Buffer
		_, err := open().Encode(ctx, &b)
		if err != nil {
			return nil, err
		}
		return b.String(), nil
	}},
}

func digested(g *graph.CSR, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return g.Digest(context.Background())
}

// TestEveryScanOfAGraphCanBeCancelled: the class is a call that takes as long as there are arcs. In memory and in a mapped
// file, with and without kinds, for many short rows and for one long one: the context is looked at once in some thousand arcs, after
// its end there are few more looks, and the same graph then answers as if nothing had been.
func TestEveryScanOfAGraphCanBeCancelled(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"star:40000", "grid:15000x1", "icfg:32,64,8"} {
		made := graphtest.Must(generate.Graph(t.Context(), name, generate.Options{Seed: 1}))
		path := filepath.Join(dir, "g.vyg")
		graphtest.Must(files.Save(t.Context(), path, made, files.Vyre))
		for where, open := range map[string]func() *graph.CSR{
			"memory": func() *graph.CSR {
				return graphtest.Must(graph.New(context.Background(), made.Offsets(), made.Targets(), made.Masks()))
			},
			"file": func() *graph.CSR {
				g := graphtest.Must(graph.Open(path))
				t.Cleanup(func() { g.Close() })
				return g
			},
		} {
			for _, s := range scans {
				s.cancelled(t, name+" in "+where+": "+s.name, open)
			}
		}
	}
}

func (s scan) cancelled(t *testing.T, name string, open func() *graph.CSR) {
	t.Helper()
	counting, cancel := underway.Counting()
	defer cancel()
	g := open()
	want, err := s.of(counting, func() *graph.CSR { return g })
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	all := counting.Times()
	bytes, quick := g.Bytes(), s.name == "Verify" || s.name == "Digest" || s.name == "DeviceBytes"
	if least := int(bytes / 4 / 40_000); all < least && !quick || all < 1 {
		t.Errorf("%s: %d bytes, and %d looks at the context", name, bytes, all)
	}
	for _, at := range []int{1, all / 2, all * 3 / 4} {
		g := open()
		ctx, cancel := underway.At(max(at, 1), 0)
		got, err := s.of(ctx, func() *graph.CSR { return g })
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled at look %d of %d: %v, %v", name, at, all, got, err)
		}
		if more := ctx.Times() - at; more > 4*runtime.GOMAXPROCS(0)+8 {
			t.Errorf("%s, cancelled at look %d of %d: %d more looks", name, at, all, more)
		}
		if got, err := s.of(t.Context(), func() *graph.CSR { return g }); err != nil || got != want {
			t.Errorf("%s, after it was cancelled at look %d of %d: %v; the answer is as before: %v", name, at, all, err, got == want)
		}
	}
}

// TestAScanThatWaitsForAnotherEndsWithItsContext: two calls want the same thing of a graph, and only one looks for it. The other
// waits no longer than its context lasts, and the first is not disturbed.
//
//ci:race WaitsForAnother|Parallel|Goroutines|AnyCall
func TestAScanThatWaitsForAnotherEndsWithItsContext(t *testing.T) {
	var file bytes.Buffer
	graphtest.Must(graphtest.Must(generate.Graph(t.Context(), "star:100000", generate.Options{})).Encode(t.Context(), &file))
	for name, call := range map[string]func(context.Context, *graph.CSR) error{
		"Verify":    func(ctx context.Context, g *graph.CSR) error { return g.Verify(ctx) },
		"Symmetric": func(ctx context.Context, g *graph.CSR) error { _, err := g.Symmetric(ctx); return err },
		"Encode":    func(ctx context.Context, g *graph.CSR) error { _, err := g.Encode(ctx, io.Discard); return err },
	} {
		g := graphtest.Must(graph.Decode("g.vyg", file.Bytes()))
		first := &pausing{Context: t.Context(), at: 3, reached: make(chan struct{}), goOn: make(chan struct{})}
		done := make(chan error)
		go func() { done <- call(first, g) }()
		<-first.reached
		waiting, cancel := underway.At(2, 0) // it has begun, and waits
		err := call(waiting, g)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, which waits for another: %v", name, err)
		}
		close(first.goOn)
		if err := errors.Join(<-done, call(t.Context(), g)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSessionsOfAnEndedContextSayCanceled, also when it ends while the graph is being looked at.
func TestSessionsOfAnEndedContextSayCanceled(t *testing.T) {
	var file bytes.Buffer
	graphtest.Must(graphtest.Must(generate.Graph(t.Context(), "star:100000", generate.Options{})).Encode(t.Context(), &file))
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.Must(graph.Decode("g.vyg", file.Bytes()))
	for _, at := range []int{1, 2, 10, 30} {
		ctx, cancel := underway.At(at, 0)
		_, err := session.New(ctx, dev, g, session.Options{})
		cancel()
		if !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at look %d: %v", at, err)
		}
	}
	if err := graphtest.Must(session.New(t.Context(), dev, g, session.Options{})).Close(); err != nil {
		t.Error(err)
	}
}

// pausing is a context that stops whoever looks at it for the at-th time until it may go on.
type pausing struct {
	context.Context
	looks         atomic.Int64
	at            int64
	reached, goOn chan struct{}
}

func (p *pausing) Err() error {
	if p.looks.Add(1) == p.at {
		close(p.reached)
		<-p.goOn
	}
	return p.Context.Err()
}
