package session_test

import (
	"fmt"
	"sync"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
)

// insideKinds are the arcs of icfg that stay in a procedure: control, and from a call to what follows it.
const insideKinds = 1<<9 | 1<<14

// dominators finds those of all procedures of programs whose procedures have about 30, 200, 1,000, 4,000 and 10,000 nodes. Beside
// the device are one core of the host, as sessions have it, and all cores, each with a share of the procedures.
func (f *figures) dominators() {
	for _, c := range []struct{ procedures, places int }{{65536, 15}, {16384, 100}, {4096, 500}, {1024, 2000}, {256, 5000}} {
		if f.tiny {
			c.procedures, c.places = 9, min(c.places, 40)
		}
		s := f.subject(fmt.Sprintf("icfg:%d,%d,1", c.procedures, c.places))
		roots := make([]uint32, c.procedures)
		for p := range roots {
			roots[p] = uint32(2 * p * c.places)
		}
		want := f.dominatorsOnHost(s, roots, 1)
		workers := cpu.New(cpu.Graph{}, cpu.Graph{}, cpu.Options{}).Workers()
		f.right(s, f.dominatorsOnHost(s, roots, workers), want.digest)
		on := f.session(s, session.Options{Engine: session.WavesEngine})
		var d *session.Dominators
		ask := func() (err error) {
			d, err = on.Dominators(f.ctx, roots, insideKinds)
			return err
		}
		l := line{duty: "dominators", question: "dominators", by: f.dev.Name(), times: f.timed(on, ask), bytes: on.Bytes()}
		l.levels, l.reached, l.digest = int(d.Run.Record.Rounds), len(d.Order()), graphtest.Short(graph.Digest32(d.Immediate()))
		l.note = fmt.Sprintf("%+v; %d sets made of %d arcs", d.Shares, d.Run.Record.Items, d.Run.Record.Edges)
		f.print(s, l)
		f.right(s, l, want.digest)
		f.close(on)
	}
}

// dominatorsOnHost has so many cores each take a share of the roots, and puts together what they found.
func (f *figures) dominatorsOnHost(s subject, roots []uint32, workers int) line {
	f.Helper()
	found, errs := make([][]uint32, workers), make([]error, workers)
	for w := range found {
		found[w] = make([]uint32, s.g.Nodes())
	}
	t := f.timed(nil, func() error {
		var all sync.WaitGroup
		for w := range found {
			all.Go(func() {
				e := cpu.New(hostArrays(s.g), cpu.Graph{}, cpu.Options{Workers: 1})
				_, errs[w] = e.Dominators(f.ctx, roots[w*len(roots)/workers:(w+1)*len(roots)/workers], insideKinds, found[w])
			})
		}
		all.Wait()
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, idom := range found[1:] {
		for v, u := range idom {
			if u != graph.None {
				found[0][v] = u
			}
		}
	}
	l := line{duty: "dominators", question: "dominators", by: fmt.Sprintf("graph/cpu on %d cores", workers), times: t, digest: graphtest.Short(graph.Digest32(found[0]))}
	f.print(s, l)
	return l
}
