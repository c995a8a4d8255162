package exec

import (
	"github.com/govyre/vyre/driver"

	"github.com/govyre/vyre/internal/metric"
)

// sum is what operations count that run equally often: those of a segment outside of the loops that the device
// decides on, or those in one of these. It is added up beforehand: a run takes less time than looking at each of
// its operations.
type sum struct {
	counts   []metricCount // of what setters do not change
	uploads  []repeated
	launches driver.LaunchSum
}

type metricCount struct {
	metric driver.Metric
	n      uint64
}

// repeated is an upload that makes so many copies when its sum is counted once.
type repeated struct {
	cmd           *driver.UploadCmd
	copies, times uint64
}

// summand is where a launch is in a sum, and how often it happens when that is counted once.
type summand struct {
	sum   *sum
	at    int
	times uint64
}

// addUp makes all sums anew.
func (r *lowered) addUp() {
	for i := range r.whiles {
		r.whiles[i].reset()
	}
	r.addSegments(r.segments)
}

func (r *lowered) addSegments(list []*segment) {
	for _, s := range list {
		s.sum.reset()
		r.add(&s.sum, s.ops, 1, r.captured)
		r.addSegments(s.body)
	}
}

func (s *sum) reset() {
	s.counts, s.uploads = s.counts[:0], s.uploads[:0]
	s.launches.Reset()
}

// add adds operations that happen n times when the sum is counted once; decided says that the device decides on
// their rounds.
func (r *lowered) add(to *sum, ops []op, n uint64, decided bool) {
	for i := range ops {
		switch o := &ops[i]; o.kind {
		case kindFill:
			if o.cmd != nil {
				to.add(metric.Fills, n)
				to.add(metric.FillBytes, n*uint64(o.fill.bytes))
			}
		case kindUpload:
			to.uploads = append(to.uploads, repeated{o.up, r.transfers.uploads(o.up), n})
		case kindCopy:
			to.add(metric.Copies, n)
			to.add(metric.CopyBytes, n*uint64(o.copy.Bytes))
		case kindRead:
			copies, bytes, gap := r.transfers.reads(o.down)
			to.add(metric.Reads, n*copies)
			to.add(metric.ReadBytes, n*bytes)
			to.add(metric.ReadGapBytes, n*gap)
		case kindLaunch:
			o.launch.in = summand{to, to.launches.Add(o.launch.cmd, n), n}
		case kindRepeat:
			rounds := n * o.loop.Count
			if decided {
				to.add(metric.LoopIterationsGraph, rounds)
			} else {
				to.add(metric.LoopIterations, rounds)
			}
			r.add(to, o.loop.body, rounds, decided)
		case kindWhile:
			r.add(&r.whiles[o.loop.Index], o.loop.body, 1, true)
		}
	}
}

func (s *sum) add(m driver.Metric, n uint64) {
	for i := range s.counts {
		if s.counts[i].metric == m {
			s.counts[i].n += n
			return
		}
	}
	s.counts = append(s.counts, metricCount{m, n})
}

// changed takes over a launch that a setter changed.
func (in *summand) changed(c *driver.LaunchCmd) { in.sum.launches.Set(in.at, c, in.times) }

// count counts n times what a sum is of.
func (r *lowered) count(s *sum, n uint64) {
	if n == 0 {
		return
	}
	t := r.plan.Tally
	for _, c := range s.counts {
		t.Count(c.metric, n*c.n)
	}
	for _, u := range s.uploads {
		if r.transfers.resident.Send[u.cmd.Index] {
			t.Count(metric.Uploads, n*u.copies*u.times)
			t.Count(metric.UploadBytes, n*u.times*uint64(u.cmd.Dst.Len))
		}
	}
	t.CountSum(&s.launches, r.captured, n)
}
