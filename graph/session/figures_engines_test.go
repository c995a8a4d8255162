package session_test

import (
	"strings"

	"github.com/govyre/vyre/graph/session"
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
			o  session.Options
		}{{"native", session.Options{Engine: session.NativeEngine}}, {"waves", session.Options{Engine: session.WavesEngine}},
			{"costs", session.Options{Costs: costs}}, {"trial", session.Options{Costs: costs, Expected: h}}} {
			on := f.session(s, c.o)
			var r *session.Reached
			l := line{duty: "engines", question: "set", by: c.by, times: f.timed(on, func() (err error) {
				r, err = on.Reach(f.ctx, s.query)
				return err
			})}
			l.reached, l.digest = r.Count(), setOf(s.g, r)
			l.note, _, _ = strings.Cut(on.Explain(), "\n")
			f.print(s, l)
			f.right(s, l, want.set)
			if c.by == "waves" {
				if err := on.Trial(f.ctx, s.query, h); err != nil {
					f.Fatal(err)
				}
			}
			f.close(on)
		}
	}
}
