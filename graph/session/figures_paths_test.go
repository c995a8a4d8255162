package session_test

import (
	"fmt"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/megakernel"
)

// drawn is a subject with weights, or without the arcs back.
func (f *figures) drawn(name string, o generate.Options) subject {
	f.Helper()
	o.Seed = 1
	p := graphtest.Must(generate.Parse(f.sized(name)))
	return subject{p.String(), graphtest.Must(p.Build(f.ctx, o)), session.Query{Seeds: p.Seeds(o)}}
}

// paths asks for distances, and for parents, by kernels and by the host's cores.
func (f *figures) paths() {
	for _, name := range []string{"road:1024x1024", "road:4096x4096", "grid:1024x1024", "kron:20", "uniform:20"} {
		s, digests := f.drawn(name, generate.Options{Weights: [2]uint32{1, 63}}), [2]string{}
		for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
			on := f.session(s, session.Options{Engine: engine})
			var p *session.Paths
			ask := func() (err error) {
				p, err = on.Paths(f.ctx, s.query)
				return err
			}
			l := line{duty: "paths", question: "distances", by: fmt.Sprint(engine), times: f.timed(on, ask), bytes: on.Bytes()}
			l.reached, l.levels, l.note = p.Reached, int(p.Run.Record.Rounds), fmt.Sprintf("farthest %d; weights 1-63; %d arcs", p.Farthest, p.Run.Record.Edges)
			l.digest = graphtest.Short(graph.Digest64(graphtest.Must(p.Distances(f.ctx, nil))))
			f.print(s, l)
			parents := line{duty: "paths", question: "parents", by: l.by}
			parents.times = f.timed(on, func() error {
				all, err := p.Parents(f.ctx, nil)
				parents.digest = graphtest.Short(graph.Digest32(all))
				return err
			})
			f.print(s, parents)
			if engine == session.NativeEngine {
				digests = [2]string{l.digest, parents.digest}
			}
			f.right(s, l, digests[0])
			f.right(s, parents, digests[1])
			f.close(on)
		}
	}
}

// strong asks for strong components of directed graphs, and for weak ones, whose labels stay on the device.
func (f *figures) strong() {
	for _, name := range []string{"kron:20", "skew:1048576", "ladder:65536x16", "road:1024x1024", "road:4096x4096"} {
		s, found := f.drawn(name, generate.Options{Directed: true}), map[string][3]string{}
		for engine, topology := range map[session.Engine]megakernel.Topology{session.NativeEngine: megakernel.Auto, session.WavesEngine: megakernel.Cooperative} {
			on := f.session(s, session.Options{Engine: engine, Topology: topology}) // with one of one's own no labels are kept
			for question, ask := range map[string]func() (*session.Components, error){
				"strong components": func() (*session.Components, error) { return on.StrongComponents(f.ctx, 0) },
				"weak components":   func() (*session.Components, error) { return on.Components(f.ctx, 0) },
			} {
				var c *session.Components
				l := line{duty: "strong", question: question, by: fmt.Sprint(engine), times: f.timed(on, func() (err error) {
					c, err = ask()
					return err
				})}
				_, most := c.Largest()
				l.reached, l.levels, l.note = c.Count(), int(c.Run.Record.Rounds), fmt.Sprintf("the largest of %d; %d bytes read", most, c.Run.Read)
				l.digest = graphtest.Short(graph.Digest32(graphtest.Must(c.Labels(f.ctx, nil))))
				f.print(s, l)
				if other, there := found[question]; there && other != [3]string{l.digest, fmt.Sprint(c.Count()), fmt.Sprint(most)} {
					f.Errorf("%s: %d %s by %v, the greatest of %d, digest %s; the other engine has %v", s.name, c.Count(), question, engine, most, l.digest, other)
				}
				found[question] = [3]string{l.digest, fmt.Sprint(c.Count()), fmt.Sprint(most)}
			}
			f.close(on)
		}
	}
}
