package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// copiesOf is a graph many times over, beside each other.
func copiesOf(t *testing.T, g *graph.CSR, copies int) *graph.CSR {
	n := uint32(g.Nodes())
	return graphtest.Must(graph.FromFunc(t.Context(), n*uint32(copies), uint64(g.Arcs()*copies), true, func(p graph.Portion, emit graph.Emit) {
		for from, to := p.Of(uint64(copies)); from < to; from++ {
			graphtest.Allowed(g, graph.AllKinds, func(u, v uint32) { emit(uint32(from)*n+u, uint32(from)*n+v, 1) })
		}
	}))
}

// procedureArcs are some arcs inside a procedure of icfg:P,B,F.
func procedureArcs(g *graph.CSR, procedure, nodes uint32) (arcs []flow.Arc) {
	graphtest.Allowed(g, graph.AllKinds, func(u, v uint32) {
		if u/nodes == procedure && v/nodes == procedure && u%3 == 0 {
			arcs = append(arcs, flow.Arc{From: u, To: v})
		}
	})
	return arcs
}

// An edit looks at what it changes: as much of a graph as of one that has many times as many nodes and arcs.
func TestEditsTakeWhatTheyChange(t *testing.T) {
	const procedures, nodes = 16, 32 * 5
	one := graphtest.Must(generate.Graph(t.Context(), "icfg:16,32,4", generate.Options{Seed: 1, Directed: true}))
	sizes := []int{6, 48}
	if long.Enabled() {
		sizes = append(sizes, 320)
	}
	for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
		var first []uint64
		for _, copies := range sizes {
			if engine == session.WavesEngine && copies > 48 {
				continue
			}
			g := copiesOf(t, one, copies)
			s := graphtest.Must(session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{Engine: engine, Queries: 1, Seeds: 1}))
			c := graphtest.Must(s.Closure(t.Context(), session.ClosureOptions{Rows: true}))
			graphtest.Must(c.Add(t.Context(), nil)) // which prepares edits
			pairs, plus := c.Pairs(), c.PairsPlus()
			var did []uint64
			least, moved := time.Hour, uint64(0)
			for procedure := range uint32(procedures) {
				arcs := procedureArcs(g, procedure, nodes)
				for _, do := range []func() (int, error){func() (int, error) { return c.Remove(t.Context(), arcs) }, func() (int, error) { return c.Add(t.Context(), arcs) }} {
					before, began, sums := c.Run().Record, time.Now(), s.Totals()
					rows := graphtest.Must(do())
					least = min(least, time.Since(began))
					moved = max(moved, s.Totals().Uploaded-sums.Uploaded)
					after := c.Run().Record
					if after.Items-before.Items != uint64(rows) {
						t.Errorf("%v: %d rows, %d items", engine, rows, after.Items-before.Items)
					}
					did = append(did, uint64(rows), after.Edges-before.Edges)
				}
			}
			t.Logf("%v, %d arcs: at most %d rows and %d arcs an edit, %d bytes up, the fastest in %v", engine, g.Arcs(), every(did, 0), every(did, 1), moved, least)
			if first == nil {
				first = did
			}
			if !slices.Equal(did, first) {
				t.Errorf("%v, %d arcs: rows and arcs of edits are %v, in a smaller graph %v", engine, g.Arcs(), did, first)
			}
			if c.Pairs() != pairs || c.PairsPlus() != plus {
				t.Errorf("%v: %d and %d pairs after there and back, %d and %d before", engine, c.Pairs(), c.PairsPlus(), pairs, plus)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// every is the greatest of every second number.
func every(list []uint64, from int) (most uint64) {
	for i := from; i < len(list); i += 2 {
		most = max(most, list[i])
	}
	return most
}

// isNewClosure compares what a closure came to with one that was made of its graph.
func isNewClosure(t *testing.T, c *session.Closure, kinds uint32) {
	t.Helper()
	s := graphtest.Must(session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), graphtest.Must(c.Graph(t.Context())), session.Options{Engine: session.NativeEngine, Queries: 1, Seeds: 1}))
	defer s.Close()
	fresh := graphtest.Must(s.Closure(t.Context(), session.ClosureOptions{Kinds: kinds}))
	of := func(c *session.Closure) [5]uint64 {
		return [5]uint64{c.Pairs(), c.PairsPlus(), uint64(c.Components()), uint64(c.Between()), uint64(c.Heights())}
	}
	if got, want := of(c), of(fresh); got != want {
		t.Fatalf("%d, a new closure has %d", got, want)
	}
}

// edits makes a random sequence of them, and compares the closure with a new one after each.
func edits(t *testing.T, dev driver.Device, engine session.Engine, seed uint64, n, turns int, o session.Options) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 8))
	g := graphtest.RandomGraph(t, seed, n, seed%2 == 0)
	kinds := []uint32{0, 5}[seed/2%2]
	o.Engine, o.Queries, o.Seeds, o.Levels = engine, 1, 1, true
	s, err := session.New(t.Context(), dev, g, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.OnRun(func(r driver.Result) {
		for _, f := range r.Reports {
			t.Errorf("%s: %s", f.Kernel, f.Text)
		}
	})
	c, err := s.Closure(t.Context(), session.ClosureOptions{Kinds: kinds, Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	isClosure(t, c, kinds, 5)
	samePaths(t, s, c, kinds, 5)
	few := 0
	for turn := range turns {
		var arcs []flow.Arc
		now := graphtest.Must(c.Graph(t.Context()))
		add := r.IntN(2) == 0 || now.Arcs() == 0
		for range 1 + r.IntN(3) {
			a := flow.Arc{From: r.Uint32N(uint32(n)), To: r.Uint32N(uint32(n)), Mask: 1 << r.Uint32N(3)}
			if !add {
				k := r.IntN(now.Arcs())
				for now.First(a.From+1) <= k || now.First(a.From) > k {
					a.From = (a.From + 1) % uint32(n)
				}
				a.To, a.Mask = now.Targets()[k], 1
				if now.Masks() != nil {
					a.Mask = now.Masks()[k]
				}
				if slices.Contains(arcs, a) {
					continue
				}
			}
			arcs = append(arcs, a)
		}
		was, wasPlus := c.Pairs(), c.PairsPlus()
		do, undo := c.Add, c.Remove
		if !add {
			do, undo = c.Remove, c.Add
		}
		rows, err := do(t.Context(), arcs)
		if err != nil {
			t.Fatalf("seed %d, turn %d, add %v %v: %v", seed, turn, add, arcs, err)
		}
		if rows < c.Components() {
			few++
		}
		isClosure(t, c, kinds, 7)
		isNewClosure(t, c, kinds)
		if turn%3 == 0 { // there and back is nothing
			if _, err := undo(t.Context(), arcs); err != nil {
				t.Fatal(err)
			}
			if c.Pairs() != was || c.PairsPlus() != wasPlus || graphtest.Must(graphtest.Must(c.Graph(t.Context())).Digest(t.Context())) != graphtest.Must(now.Digest(t.Context())) {
				t.Fatalf("seed %d, turn %d: %d and %d pairs after there and back, %d and %d before", seed, turn, c.Pairs(), c.PairsPlus(), was, wasPlus)
			}
			isClosure(t, c, kinds, 7)
		}
	}
	if turns > 8 && few == 0 && !o.Parts {
		t.Errorf("seed %d: every edit made all rows again", seed)
	}
}

func TestEditedClosuresAreNewOnes(t *testing.T) {
	for seed := range long.Seeds(t, 6, 40, 1000) {
		edits(t, checked(t, "cpu", cpu.Seeded(seed)), session.WavesEngine, seed, 20+int(seed*37%90), 12, session.Options{Topology: megakernel.Cooperative})
		edits(t, graphtest.OpenDevice(t, "cpu"), session.NativeEngine, seed, 20+int(seed*37%90), 12, session.Options{})
	}
	for _, device := range devices() {
		if device != "cpu" {
			edits(t, checked(t, device, cpu.Seeded(3)), session.WavesEngine, 2, 40, 3, session.Options{Topology: megakernel.HostLoop})
		}
	}
}

func TestAnyCallOfAClosureMayFail(t *testing.T) {
	g := copiesOf(t, graphtest.RandomGraph(t, 6, 4, true), 5) // so that an edit makes few rows again
	o := session.Options{Engine: session.WavesEngine, Queries: 1, Seeds: 1, Topology: megakernel.HostLoop}
	arcs := []flow.Arc{{From: 3, To: 4}, {From: 0, To: 7}}
	n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}}, failing(151, 111), func(sim *cusim.Driver) error {
		return onSession(sim, g, o, func(ctx context.Context, s *session.Session) error {
			var c *session.Closure
			step := 0
			return faults.Twice(ctx, func() (err error) {
				for ; step < 4; step++ { // where a call failed, it is made again
					switch step {
					case 0:
						c, err = s.Closure(ctx, session.ClosureOptions{Rows: true})
					case 1:
						err = few(c, arcs, c.Add)(ctx)
					case 2:
						err = few(c, arcs[:1], c.Remove)(ctx)
					case 3:
						err = sameRows(ctx, c)
					}
					if err != nil {
						return err
					}
				}
				return sameRows(ctx, c)
			})
		})
	}, 719, cu.OutOfMemory)
	if t.Logf("%d times", n); n < 3 && !testing.Short() {
		t.Errorf("only %d calls failed", n)
	}
}

// few makes an edit, which must not make all rows again.
func few(c *session.Closure, arcs []flow.Arc, edit func(context.Context, []flow.Arc) (int, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		rows, err := edit(ctx, arcs)
		if err == nil && (rows == 0 || rows == c.Components()) {
			return fmt.Errorf("%w: %d rows of %d", faults.ErrWrong, rows, c.Components())
		}
		return err
	}
}

// sameRows compares rows and counts with the oracle.
func sameRows(ctx context.Context, c *session.Closure) error {
	g, err := c.Graph(ctx)
	if err != nil {
		return err
	}
	rows, plus := closureOf(g, 0)
	if c.PairsPlus() != plus {
		return fmt.Errorf("%w: %d pairs, want %d", faults.ErrWrong, c.PairsPlus(), plus)
	}
	for u, row := range rows {
		r, err := c.Row(ctx, uint32(u))
		if err != nil {
			return err
		}
		for v, yes := range row {
			if r.Contains(uint32(v)) != yes {
				return fmt.Errorf("%w: %d → %d", faults.ErrWrong, u, v)
			}
		}
	}
	return nil
}
