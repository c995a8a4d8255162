package cuda

import "github.com/govyre/vyre/driver"

// scope is a list of commands that a graph runs equally often: all those outside of While loops, or
// those in the body of one but not of another in it. What they count is added up beforehand, for a
// replay takes less time than looking at each of its commands.
type scope struct {
	counts   []metricCount // of what setters do not change
	uploads  []repeated
	launches driver.LaunchSum
}

type metricCount struct {
	metric driver.Metric
	n      uint64
}

// repeated is an upload that happens so often when its scope runs once.
type repeated struct {
	cmd   *driver.UploadCmd
	times uint64
}

// inScope is where a launch is in a scope, and how often it happens when that runs once.
type inScope struct {
	scope *scope
	at    int
	times uint64
}

// scopes has those of a plan.
type scopes struct {
	outer  scope
	whiles []scope   // by Plan.Whiles
	places []inScope // by Plan.Launches
}

// sum adds everything up anew.
func (s *scopes) sum(p *driver.Plan) {
	if s.places == nil {
		s.whiles, s.places = make([]scope, len(p.Whiles)), make([]inScope, len(p.Launches))
	}
	s.outer.reset()
	for i := range s.whiles {
		s.whiles[i].reset()
	}
	s.list(&s.outer, p.Cmds, 1)
}

func (s *scope) reset() {
	s.counts, s.uploads = s.counts[:0], s.uploads[:0]
	s.launches.Reset()
}

// list adds commands that happen n times when the scope runs once.
func (s *scopes) list(to *scope, cmds []driver.Cmd, n uint64) {
	for _, c := range cmds {
		switch c := c.(type) {
		case *driver.FillCmd:
			to.add(driver.Fills, n)
			to.add(driver.FillBytes, n*uint64(c.Dst.Len))
		case *driver.UploadCmd:
			to.uploads = append(to.uploads, repeated{c, n})
		case *driver.CopyCmd:
			to.add(driver.Copies, n)
			to.add(driver.CopyBytes, n*uint64(c.Dst.Len))
		case *driver.ReadCmd:
			to.add(driver.Reads, n)
			to.add(driver.ReadBytes, n*uint64(c.Src.Len))
			to.add(driver.ReadGapBytes, n*uint64(c.Gap))
		case *driver.LaunchCmd:
			at := to.launches.Add(c, n)
			if s.places != nil { // else nobody changes the launch where it is
				s.places[c.Index] = inScope{to, at, n}
			}
		case *driver.LoopCmd:
			if c.While {
				s.list(&s.whiles[c.Index], c.Body, 1)
				continue
			}
			to.add(driver.LoopIterationsGraph, n*c.Count)
			s.list(to, c.Body, n*c.Count)
		}
	}
}

func (s *scope) add(m driver.Metric, n uint64) {
	for i := range s.counts {
		if s.counts[i].metric == m {
			s.counts[i].n += n
			return
		}
	}
	s.counts = append(s.counts, metricCount{m, n})
}

// changed takes over a launch that a setter changed.
func (s *scopes) changed(c *driver.LaunchCmd) {
	in := &s.places[c.Index]
	in.scope.launches.Set(in.at, c, in.times)
}

// count counts n runs of a scope.
func (r *runner) count(s *scope, n uint64) {
	if n == 0 {
		return
	}
	t := r.plan.Tally
	for _, c := range s.counts {
		t.Count(c.metric, n*c.n)
	}
	for _, u := range s.uploads {
		if r.resident.Send[u.cmd.Index] {
			t.Count(driver.Uploads, n*u.times)
			t.Count(driver.UploadBytes, n*u.times*uint64(u.cmd.Dst.Len))
		}
	}
	t.CountSum(&s.launches, r.captured, n)
}
