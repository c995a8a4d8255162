package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/internal/flows"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// The class: memory that a file is mapped into belongs to whoever can write the file. Each way of reading it meets each way of
// losing it, on the caller's goroutine and on those of the package, and the process goes on.

// mappedGraph is a program's graph in a file, with everything that questions ask for.
func mappedGraph(t *testing.T) (path string, g *graph.CSR) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("a fault of a mapped file is known to be a signal with an address on Linux; here nobody has looked")
	}
	path = filepath.Join(t.TempDir(), "x.vyg")
	if err := os.WriteFile(path, mappedBytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	g = graphtest.Must(graph.Open(path))
	t.Cleanup(func() { g.Close() })
	return path, g
}

var mappedBytes = sync.OnceValue(func() []byte {
	made := graphtest.Must(generate.Graph(context.Background(), "icfg:40,24,7", generate.Options{Seed: 3}))
	names := make([]string, made.Nodes())
	for i := range names {
		names[i] = strings.Repeat("n", i%17)
	}
	d := made.Data()
	d.Names, d.Positions = graph.NewStrings(names), graph.NewStrings(names)
	d.Tags, d.Weights = make([]uint32, made.Nodes()), make([]uint32, made.Arcs())
	var b bytes.Buffer
	graphtest.Must(graphtest.Must(made.With(d)).Encode(context.Background(), &b))
	return b.Bytes()
})

// losses are the ways of losing it.
var losses = map[string]func(path string) error{
	"truncated": func(path string) error { return os.Truncate(path, 0) },
	"half":      func(path string) error { return os.Truncate(path, 8192) },
	"rewritten": func(path string) error { return rewrite(path, 0x7f) },
	"zeros":     func(path string) error { return rewrite(path, 0) },
}

// rewrite writes other bytes in place.
func rewrite(path string, with byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte{with}, int(info.Size())))
	return errors.Join(err, f.Close())
}

// lookAt is one of an open session.
type lookAt struct {
	name string
	ask  func() error
}

func second[T any](_ T, err error) error { return err }

// sessionQuestions are those of a session.
func sessionQuestions(ctx context.Context, s *session.Session) []lookAt {
	q := session.Query{Seeds: []uint32{0, 9}}
	fixpoint, notMade := session.NewFixpoint(ctx, s, flows.Shortest{}, graphtest.Must(flows.RoundShortestProgram()), session.FixpointOptions{})
	return []lookAt{
		{"Reach", func() error { return second(s.Reach(ctx, q)) }},
		{"Batch", func() error {
			return second(s.Batch(ctx, []session.Query{q, {Seeds: []uint32{5}}, {Seeds: []uint32{5}, Kinds: 1}}))
		}},
		{"Start", func() error {
			p, err := s.Start(ctx, q)
			if err != nil {
				return err
			}
			return second(p.Wait(ctx))
		}},
		{"Levels", func() error { return second(s.Levels(ctx, q)) }},
		{"Path", func() error { _, err := s.Path(ctx, q, []uint32{50}); return err }},
		{"Tree", func() error { return second(s.Tree(ctx, q)) }},
		{"Components", func() error { return second(s.Components(ctx, 0)) }},
		{"StrongComponents", func() error { return second(s.StrongComponents(ctx, 0)) }},
		{"TopologicalLevels", func() error { return second(s.TopologicalLevels(ctx, 0)) }},
		{"Dominators", func() error { return second(s.Dominators(ctx, []uint32{0}, 0)) }},
		{"Fixpoint", func() error {
			if notMade != nil {
				return notMade
			}
			return second(fixpoint.Run(ctx, session.Start[uint64]{Seeds: []uint32{0}, Values: []uint64{0}, Others: 1 << 40}))
		}},
	}
}

// graphQuestions are those that need no session.
func graphQuestions(ctx context.Context, dev driver.Device, g *graph.CSR) []lookAt {
	q := session.Query{Seeds: []uint32{0, 9}}
	taint := session.TaintQuery{Sources: []session.Source{{Label: "a", Nodes: []uint32{0}}}, Sinks: []uint32{40, 50}, Sanitizers: []session.Sanitizer{{Nodes: []uint32{7}}}, Paths: 2}
	return []lookAt{
		{"Verify", func() error { return g.Verify(ctx) }},
		{"Shape", func() error { return second(g.Shape(ctx)) }},
		{"Symmetric", func() error { return second(g.Symmetric(ctx)) }},
		{"Reverse", func() error { return second(g.Reverse(ctx)) }},
		{"Without", func() error { return second(g.Without(ctx, []uint32{1})) }},
		{"Rebuild", func() error { _, _, err := g.Rebuild(ctx, graph.BuildOptions{Dedup: true}); return err }},
		{"Encode", func() error { return second(g.Encode(ctx, io.Discard)) }},
		{"Levels", func() error { return second(graph.Levels(ctx, g, q.Seeds, graph.AllKinds)) }},
		{"NewSession", func() error { return second(session.New(ctx, dev, g, session.Options{Levels: true})) }},
		{"Between", func() error { return second(session.Between(ctx, dev, g, q, []uint32{50}, session.Options{})) }},
		{"Ask", func() error {
			_, _, err := session.Ask(ctx, dev, []session.Question{{Graph: g, Query: q}}, session.Options{})
			return err
		}},
		{"Taint", func() error { return second(session.Taint(ctx, dev, g, taint, session.Options{})) }},
		{"ifds.Solve", func() error { return second(ifds.Solve(ctx, g, q.Seeds, ifds.Options{Unbalanced: true})) }},
		{"ifds.Taint", func() error { return second(ifds.Taint(ctx, dev, g, taint, session.Options{})) }},
		{"Read", func() error {
			return g.Read(func() error {
				sum := uint32(0)
				for u := range g.Nodes() {
					targets, _ := g.Row(uint32(u))
					for _, v := range targets {
						sum += v + g.Targets()[sum%uint32(g.Arcs())]
					}
				}
				return nil
			})
		}},
	}
}

// glance calls what has no error to return.
func glance(g *graph.CSR) {
	for u := range min(uint32(g.Nodes()), 300) {
		g.Row(u)
		g.First(u)
		g.Name(u)
		g.Position(u)
	}
	g.Digest(context.Background())
	g.Masks()
	g.Bytes()
	g.Data()
	session.DeviceBytes(context.Background(), g, session.Options{Levels: true})
}

// TestAFileThatChangesIsAnError asks everything of graphs and sessions that were open when their file changed, twice.
func TestAFileThatChangesIsAnError(t *testing.T) {
	for what, lose := range losses {
		for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
			if engine == session.WavesEngine && what != "half" && !long.Enabled() {
				continue // kernels take a second to compile
			}
			t.Run(what+"/"+engine.String(), func(t *testing.T) {
				ctx, dev := t.Context(), graphtest.OpenDevice(t, "cpu")
				path, g := mappedGraph(t)
				s := graphtest.Must(session.New(ctx, dev, g, session.Options{Levels: true, Engine: engine, Parallel: 2, Queries: 4, Seeds: 4}))
				of := graphtest.Must(ifds.NewSession(ctx, dev, g, ifds.Options{Unbalanced: true, Engine: engine}))
				list := append(sessionQuestions(ctx, s), lookAt{"ifds", func() error { return second(of.Solve(ctx, []uint32{0})) }})
				for _, q := range list {
					if err := q.ask(); err != nil {
						t.Fatalf("%s of a file that is whole: %v", q.name, err)
					}
				}
				tree, dominators, back := graphtest.Must(s.Tree(ctx, session.Query{Seeds: []uint32{0}})), graphtest.Must(s.Dominators(ctx, []uint32{0}, 0)), graphtest.Must(g.Reverse(t.Context()))
				reached := uint32(slices.Index(tree.Levels(), 1))
				if err := lose(path); err != nil {
					t.Fatal(err)
				}
				list = append(list, graphQuestions(ctx, dev, g)...)
				list = append(list, graphQuestions(ctx, dev, back)[:8]...)
				list = append(list, lookAt{"Tree.Path", func() error { return second(tree.Path(reached)) }},
					lookAt{"Frontier", func() error { return second(dominators.Frontier(0)) }})
				for range 2 {
					for _, q := range list {
						var changed *graph.ChangedError
						if err := q.ask(); !errors.As(err, &changed) || changed.File != path || !strings.Contains(err.Error(), "changed or was truncated") {
							t.Errorf("%s: %v", q.name, err)
						}
					}
					glance(g)
					glance(back)
				}
				if err := g.Close(); !errors.Is(err, driver.Busy) {
					t.Errorf("closed under its sessions: %v", err)
				}
				if err := errors.Join(s.Close(), of.Close(), g.Close(), g.Close()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestNothingIsVerifiedOfAFileThatChanged asks each question first of all: what notices is not what came before.
func TestNothingIsVerifiedOfAFileThatChanged(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	for what, lose := range losses {
		for i := range 15 {
			path, g := mappedGraph(t)
			if i%2 == 0 { // else it was never verified
				if err := g.Verify(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				glance(g)
			}
			q := graphQuestions(t.Context(), dev, g)[i]
			if err := q.ask(); err == nil {
				t.Errorf("%s, %s: no error", what, q.name)
			}
			if err := g.Close(); err != nil {
				t.Errorf("%s, %s: %v", what, q.name, err)
			}
		}
	}
}

// TestAGraphIsClosedWhenNobodyUsesIt names who does.
func TestAGraphIsClosedWhenNobodyUsesIt(t *testing.T) {
	ctx, dev := t.Context(), graphtest.OpenDevice(t, "cpu")
	_, g := mappedGraph(t)
	data := g.Data()
	data.Weights = nil
	closers := map[string]func() error{}
	for label, of := range map[string]*graph.CSR{"own": g, "with": graphtest.Must(g.With(data)), "back": graphtest.Must(g.Reverse(t.Context())), "without": graphtest.Must(g.Without(t.Context(), []uint32{3}))} {
		s := graphtest.Must(session.New(ctx, dev, of, session.Options{Label: label, Parallel: 2}))
		closers[label] = s.Close
	}
	closers["program"] = graphtest.Must(ifds.NewSession(ctx, nil, g, ifds.Options{Label: "program", Unbalanced: true})).Close
	release := graphtest.Must(g.Hold("who reads its rows"))
	closers["who reads its rows"] = func() error { release(); release(); return nil }
	for label, closeIt := range closers {
		err := g.Close()
		if label != "who reads its rows" {
			label = fmt.Sprintf("session %q", label)
		}
		if !errors.Is(err, driver.Busy) || !strings.Contains(err.Error(), label) {
			t.Errorf("%s is open: %v", label, err)
		}
		if err := closeIt(); err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil && strings.Contains(err.Error(), label) {
			t.Errorf("%s is closed: %v", label, err)
		}
	}
	if err := g.Read(func() error { return g.Close() }); !errors.Is(err, driver.Closed) {
		t.Errorf("it was closed when the last let go of it: %v", err)
	}
	glance(g)
	for _, q := range graphQuestions(ctx, dev, g) {
		if err := q.ask(); !errors.Is(err, driver.Closed) {
			t.Errorf("%s of a closed graph: %v", q.name, err)
		}
	}
}

// TestAGraphIsNotClosedUnderACall that reads it.
func TestAGraphIsNotClosedUnderACall(t *testing.T) {
	_, g := mappedGraph(t)
	if err := g.Read(func() error { return g.Close() }); !errors.Is(err, driver.Busy) || !strings.Contains(err.Error(), "a call that goes over its arcs") {
		t.Errorf("closed under Read: %v", err)
	}
	defer func() {
		if p := recover(); p == nil {
			t.Error("what a caller panics with is lost")
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	g.Read(func() error { panic("of the caller") })
}

// TestTheTimeOfAFileAloneIsNoChange: whoever touches it has not written it.
func TestTheTimeOfAFileAloneIsNoChange(t *testing.T) {
	path, g := mappedGraph(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		later := info.ModTime().Add(1e9)
		if err := errors.Join(g.Verify(t.Context()), os.Chtimes(path, later, later), g.Verify(t.Context())); err != nil {
			t.Error(err)
		}
	}
}

// TestZeroValuesAreErrors calls every method of what only functions make, and was not made: an error or nothing, and nobody waits.
func TestZeroValuesAreErrors(t *testing.T) {
	for _, v := range []any{&session.Session{}, &session.Fixpoint[uint32]{}, &session.Pending{}, &session.Reached{}, &session.Tree{}, &session.Dominators{}, &session.Components{}, &session.Paths{}, &session.Closure{},
		&session.Topological{}, &session.BitSets{}, &session.Fixed[uint32]{}, &graph.CSR{}, &graph.Strings{}, &ifds.Session{}, &ifds.Solution{}} {
		of := reflect.ValueOf(v)
		for i := range of.NumMethod() {
			m := of.Method(i)
			name := fmt.Sprintf("%T.%s", v, of.Type().Method(i).Name)
			if slices.Contains([]string{"OnRun", "PartLanes", "Memory", "Read"}, of.Type().Method(i).Name) || name == "*graph.CSR.Row" {
				continue // of tests; a node that there is not; a function that is nil
			}
			args := make([]reflect.Value, m.Type().NumIn())
			for k := range args {
				args[k] = reflect.New(m.Type().In(k)).Elem()
				if m.Type().In(k) == reflect.TypeFor[context.Context]() {
					args[k] = reflect.ValueOf(t.Context())
				} else if m.Type().In(k) == reflect.TypeFor[io.Writer]() {
					args[k] = reflect.ValueOf(io.Discard)
				}
			}
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s: %v", name, p)
					}
				}()
				call := m.Call
				if m.Type().IsVariadic() {
					call = m.CallSlice
				}
				out := call(args)
				_, empty := v.(*graph.CSR) // which is a graph, of no nodes
				if !empty && len(args) > 0 && args[0].Type().Implements(reflect.TypeFor[context.Context]()) && out[len(out)-1].IsNil() {
					t.Errorf("%s: no error", name)
				}
			}()
		}
	}
}
