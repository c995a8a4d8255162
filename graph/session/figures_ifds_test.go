package session_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/megakernel"
)

// ifds solves made-up programs: of many procedures with few entries each, and of few with a thousand. Beside the device is one core of
// the host, as sessions have it. Both have the program ready; how long that took stands in the note.
func (f *figures) ifds() {
	f.ifdsOf(f.subject(f.sized("icfg:1024,64,16")), 1)
	f.ifdsOf(f.subject(f.sized("icfg:4096,64,16")), 1)
	f.ifdsOf(f.subject(f.sized("icfg:16384,64,16")), 1)
	c := layered{procedures: 4, entries: 1024, layers: 14}
	if f.tiny {
		c = layered{procedures: 2, entries: 80, layers: 3}
	}
	f.ifdsOf(subject{name: fmt.Sprintf("layered:%d,%d,%d", c.procedures, c.entries, c.layers), g: c.graph(f.T)}, int(c.entries))
}

// layered is a program of few procedures with many entries. Each calls the next one from its last layer but one, at one site for
// every entry, and nodes of a layer lead to two of the next, so that deep ones follow from many entries.
type layered struct{ procedures, entries, layers uint32 }

func (l layered) graph(t *testing.T) *graph.CSR {
	r := rand.New(rand.NewPCG(1, 2))
	var b graph.Block
	add := func(from, to, mask, site uint32) {
		b.From, b.To, b.Masks, b.Sites = append(b.From, from), append(b.To, to), append(b.Masks, mask), append(b.Sites, site)
	}
	node := func(p, layer, k uint32) uint32 { return (p*l.layers+layer)*l.entries + k }
	var of []uint32
	for p := range l.procedures {
		for layer := range l.layers {
			for k := range l.entries {
				of = append(of, p)
				if layer+1 == l.layers {
					continue
				}
				add(node(p, layer, k), node(p, layer+1, k), graph.KindAssign, graph.NoSite)
				add(node(p, layer, k), node(p, layer+1, r.Uint32N(l.entries)), graph.KindAssign, graph.NoSite)
				if layer+2 == l.layers && p+1 < l.procedures {
					site := p*l.entries + k
					add(node(p, layer, k), node(p+1, 0, k), graph.KindCall, site)
					add(node(p+1, l.layers-1, k), node(p, layer+1, k), graph.KindCallReturn, site)
				}
			}
		}
	}
	g, _, err := graph.FromBlocks(t.Context(), int64(len(of)), []graph.Block{b}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d := g.Data()
	d.Procedures = of
	if g, err = g.With(d); err != nil {
		t.Fatal(err)
	}
	return g
}

// ifdsOf measures a program from so many facts at its beginning, which are its first nodes.
func (f *figures) ifdsOf(s subject, facts int) {
	f.Helper()
	seeds := make([]uint32, min(facts, s.g.Nodes()))
	for v := range seeds {
		seeds[v] = uint32(v)
	}
	o := ifds.Options{Seeds: len(seeds), Engine: session.NativeEngine, Entries: true}
	_, rows := f.ifdsLine(s, nil, seeds, o)
	o.Entries = false
	host, _ := f.ifdsLine(s, nil, seeds, o)
	f.print(s, host)
	o.Engine = session.WavesEngine
	for _, o.Blocks = range []uint32{0, megakernel.AllBlocks} {
		l, _ := f.ifdsLine(s, f.dev, seeds, o)
		f.print(s, l)
		f.right(s, l, host.digest)
	}
	o.Entries = true
	l, got := f.ifdsLine(s, f.dev, seeds, o)
	if l.by += ", with entries"; got != rows {
		f.Errorf("%s, rows by %s: %s, the host has %s", s.name, l.by, got, rows)
	}
	f.print(s, l)
}

// ifdsLine measures one way, and returns the digest of entries, if they were asked for.
func (f *figures) ifdsLine(s subject, dev driver.Device, seeds []uint32, o ifds.Options) (l line, rows string) {
	f.Helper()
	began := time.Now()
	on, err := ifds.NewSession(f.ctx, dev, s.g, o)
	if err != nil {
		f.Fatalf("%s: %v", s.name, err)
	}
	ready := time.Since(began).Round(time.Millisecond)
	var solution *ifds.Solution
	var device []time.Duration
	t := f.timed(nil, func() (err error) {
		if solution, err = on.Solve(f.ctx, seeds); err == nil {
			device = append(device, solution.Run.Result.Device)
		}
		return err
	})
	t.device = device[1:] // the first one is not counted
	var nodes, entries []uint32
	for v := range solution.Nodes() {
		nodes = append(nodes, v)
		if o.Entries {
			list, seed := solution.Entries(v)
			fold := uint32(2166136261)
			for _, e := range list {
				fold = (fold ^ e) * 16777619
			}
			if entries = append(entries, v, uint32(len(list)), fold); seed {
				entries = append(entries, graph.None)
			}
		}
	}
	rec := solution.Run.Record
	l = line{duty: "ifds", question: "ifds", by: "one core", times: t, levels: int(rec.Rounds), reached: len(nodes), bytes: on.Bytes(), digest: graphtest.Short(graph.Digest32(nodes))}
	if dev != nil {
		l.by = dev.Name()
		if o.Blocks == megakernel.AllBlocks {
			l.by += ", all blocks"
		}
	}
	l.note = fmt.Sprintf("ready in %v; %d path edges, %d words taken, %d arcs; %d barriers, %d rounds by one block", ready, solution.PathEdges(), rec.Items, rec.Edges, rec.Barriers, rec.TailRounds)
	if err := on.Close(); err != nil {
		f.Error(err)
	}
	return l, graphtest.Short(graph.Digest32(entries))
}
