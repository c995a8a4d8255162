package graph_test

import (
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/megakernel"
)

// engines asks small graphs of kernels and of the host's cores, and of a session that chooses: by costs, and by a trial.
func (f *figures) engines() {
	costs, err := megakernel.Calibrate(f.ctx, f.dev)
	if err != nil {
		f.Fatal(err)
	}
	f.Logf("%+v", *costs)
	for _, name := range []string{"icfg:2,4,2", "chain:1000", "uniform:10", "grid:32x32", "grid:64x64", "icfg:32,32,8", "ladder:4000x16", "chain:65536", "skew:65536", "kron:16"} {
		s := f.subject(f.sized(name))
		want := f.hosted("engines", s)
		h := new(megakernel.History)
		for _, c := range []struct {
			by string
			o  graph.SessionOptions
		}{{"native", graph.SessionOptions{Engine: graph.NativeEngine}}, {"waves", graph.SessionOptions{Engine: graph.WavesEngine}},
			{"costs", graph.SessionOptions{Costs: costs}}, {"trial", graph.SessionOptions{Costs: costs, Expected: h}}} {
			session := f.session(s, c.o)
			var r *graph.Reached
			l := line{duty: "engines", question: "set", by: c.by, times: f.timed(session, func() (err error) {
				r, err = session.Reach(f.ctx, s.query)
				return err
			})}
			l.reached, l.digest = r.Count(), setOf(s.g, r)
			l.note, _, _ = strings.Cut(session.Explain(), "\n")
			f.print(s, l)
			f.right(s, l, want.set)
			if c.by == "waves" {
				if err := session.Trial(f.ctx, s.query, h); err != nil {
					f.Fatal(err)
				}
			}
			f.close(session)
		}
	}
}
