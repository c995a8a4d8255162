package graph_test

import (
	"fmt"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/megakernel"
)

// ifds solves made-up programs: of many procedures with few entries, and of few with hundreds. Beside the device is one core of the
// host, as sessions have it. Both have the program ready; how long that took stands in the note.
func (f *figures) ifds() {
	for _, c := range []struct {
		name  string
		seeds int // facts that hold where the program begins
	}{{"icfg:1024,64,16", 1}, {"icfg:4096,64,16", 1}, {"icfg:16384,64,16", 1}, {"icfg:16,256,1024", 1025}} {
		s := f.subject(f.sized(c.name))
		seeds := make([]uint32, min(c.seeds, s.g.Nodes()))
		for v := range seeds {
			seeds[v] = uint32(v)
		}
		o := ifds.Options{Seeds: len(seeds), Engine: graph.NativeEngine, Entries: true}
		_, rows := f.ifdsLine(s, nil, seeds, o)
		o.Entries = false
		host, _ := f.ifdsLine(s, nil, seeds, o)
		f.print(s, host)
		o.Engine = graph.WavesEngine
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
}

// ifdsLine measures one way, and returns the digest of entries, if they were asked for.
func (f *figures) ifdsLine(s subject, dev driver.Device, seeds []uint32, o ifds.Options) (l line, rows string) {
	f.Helper()
	began := time.Now()
	session, err := ifds.NewSession(f.ctx, dev, s.g, o)
	if err != nil {
		f.Fatalf("%s: %v", s.name, err)
	}
	ready := time.Since(began).Round(time.Millisecond)
	var solution *ifds.Solution
	var device []time.Duration
	t := f.timed(nil, func() (err error) {
		if solution, err = session.Solve(f.ctx, seeds); err == nil {
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
			if entries = append(append(entries, v, uint32(len(list))), list...); seed {
				entries = append(entries, graph.None)
			}
		}
	}
	rec := solution.Run.Record
	l = line{duty: "ifds", question: "ifds", by: "one core", times: t, levels: int(rec.Rounds), reached: len(nodes), bytes: session.Bytes(), digest: short(graph.Digest32(nodes))}
	if dev != nil {
		l.by = dev.Name()
		if o.Blocks == megakernel.AllBlocks {
			l.by += ", all blocks"
		}
	}
	l.note = fmt.Sprintf("ready in %v; %d path edges, %d words taken, %d arcs; %d barriers, %d rounds by one block", ready, solution.PathEdges(), rec.Items, rec.Edges, rec.Barriers, rec.TailRounds)
	if err := session.Close(); err != nil {
		f.Error(err)
	}
	return l, short(graph.Digest32(entries))
}
