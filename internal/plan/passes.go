package plan

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/govyre/vyre/driver"
)

// Pass is something that may be done to make runs faster, and what is known of it by measurement.
type Pass struct {
	Name      string
	Mandatory bool   // it is taken whatever it saves
	Instead   string // passes that have the same one exclude each other; empty is of none
	Needs     string // the pass without which it makes no sense; empty is none

	Unknown Verdict // NoEvidence or StaleEvidence; empty if the figures below are to be believed
	Speedup uint64  // time without it by time with it, in 1/10000

	PlanningNS, ScratchBytes  uint64 // what it costs, once
	Frontier, Reuse, Readback uint64 // the least of the sample with which it pays
}

// PassSample is what is known of the runs to come.
type PassSample struct {
	Frontier   uint64 // items of the largest round
	Reuse      uint64 // runs of the plan
	Readback   uint64 // bytes of a run that need not be read
	BaselineNS uint64 // of a run without any pass
}

// PassRequest is what passes are chosen from.
type PassRequest struct {
	Passes                   []Pass
	Sample                   PassSample
	PlanningNS, ScratchBytes uint64 // budgets
}

// Verdict says what became of a pass.
type Verdict string

// The verdicts. Of several that would do a pass has the first one.
const (
	Taken                  Verdict = "taken"
	NoEvidence             Verdict = "no-evidence"
	StaleEvidence          Verdict = "stale-evidence"
	NotProfitable          Verdict = "not-profitable" // alone, or beside what was taken
	FrontierBelowThreshold Verdict = "frontier-below-threshold"
	ReuseBelowThreshold    Verdict = "reuse-below-threshold"
	ReadbackBelowThreshold Verdict = "readback-below-threshold"
	NeedsAnother           Verdict = "needs-another"
	OtherTaken             Verdict = "other-taken" // one that excludes it
	PlanningBudgetExceeded Verdict = "planning-budget-exceeded"
	ScratchBudgetExceeded  Verdict = "scratch-budget-exceeded"
)

// Passes is a choice.
type Passes struct {
	Taken    []int     // places in the request: mandatory ones, then by what they save, then by name
	Verdicts []Verdict // of each pass of the request
	Saved    []uint64  // nanoseconds of all runs, less planning; 0 if it saves nothing

	PlanningNS, ScratchBytes uint64
	Projection               uint64 // how much faster runs are expected to be, in 1/10000

	order, free []int
}

// mostExact is the number of passes up to which every set is looked at.
const mostExact = 16

const passesOp = "plan passes"

// one is a speed-up of 1.
const one = 10000

// PlanPasses chooses the passes that together save most, of those that are known to pay, within two budgets: every set of
// up to 16 passes is looked at, more are taken one after another by what each saves. The time saved is that of all runs,
// by the product of speed-ups, less planning. A threshold is a gate, not a merit.
//
// Errors: duplicate, unknown, needs, alternatives, overflow, all that there are, as driver.Problems; then over_budget
// "planning" and "scratch" of what is mandatory.
func PlanPasses(in PassRequest, into *Passes) error {
	into.reset(len(in.Passes))
	s := passChoice{PassRequest: in, out: into}
	if ps := s.check(); len(ps) > 0 {
		into.reset(0)
		return ps
	}
	if err := s.gate(); err != nil {
		into.reset(0)
		return err
	}
	s.choose()
	s.settle()
	return nil
}

func (p *Passes) reset(n int) {
	*p = Passes{Taken: p.Taken[:0], Verdicts: zeroed(p.Verdicts, n), Saved: zeroed(p.Saved, n), Projection: one, order: p.order[:0], free: p.free[:0]}
}

// passChoice is a choice in the making.
type passChoice struct {
	PassRequest
	out  *Passes
	all  uint64 // nanoseconds of all runs without any pass
	best passSet
}

// passSet is some of the passes that are free to be taken, as a mask, with what they come to.
type passSet struct {
	mask                          uint32
	planning, scratch, projection uint64
}

func (s *passChoice) refuse(i int, msg, fix, code string) *driver.Error {
	name := s.Passes[i].Name
	return Refusal(passesOp, driver.InvalidArgument, "pass "+name, msg, fix, Reason{Code: code, Index: i, What: name})
}

// find returns the place of a pass, or -1.
func (s *passChoice) find(name string) int {
	for i := range s.Passes {
		if s.Passes[i].Name == name {
			return i
		}
	}
	return -1
}

// check looks for passes that contradict each other.
func (s *passChoice) check() (ps driver.Problems) {
	var ok bool
	if s.all, ok = mul(s.Sample.BaselineNS, s.Sample.Reuse); !ok {
		ps = append(ps, Overflow(passesOp, "sample", "nanoseconds of all runs", -1))
	}
	for i := range s.Passes {
		p := &s.Passes[i]
		if s.find(p.Name) != i {
			ps = append(ps, s.refuse(i, "it is given twice", "give each pass a name of its own", "duplicate"))
		}
		if p.Mandatory && p.Instead != "" && slices.ContainsFunc(s.Passes[:i], func(q Pass) bool { return q.Mandatory && q.Instead == p.Instead }) {
			ps = append(ps, s.refuse(i, "another one that is mandatory excludes it", "ask for one of them", "alternatives"))
		}
		if p.Needs == "" {
			continue
		}
		switch k := s.find(p.Needs); {
		case k < 0 || k == i:
			ps = append(ps, s.refuse(i, fmt.Sprintf("it needs %q, which there is not", p.Needs), "give that pass, too", "unknown"))
		case p.Mandatory && !s.Passes[k].Mandatory:
			ps = append(ps, s.refuse(i, fmt.Sprintf("it is mandatory, and needs %q, which is not", p.Needs), "make both mandatory", "needs"))
		}
	}
	return ps
}

// gate takes what is mandatory, and says of the others whether they may be taken at all.
func (s *passChoice) gate() error {
	s.best.projection = one
	for i := range s.Passes {
		p := &s.Passes[i]
		s.out.Saved[i] = s.saved(p)
		s.out.order = append(s.out.order, i)
		if s.out.Verdicts[i] = s.verdict(p, s.out.Saved[i]); p.Mandatory {
			s.out.Verdicts[i] = Taken
		}
	}
	slices.SortFunc(s.out.order, func(i, k int) int {
		a, b := &s.Passes[i], &s.Passes[k]
		return cmp.Or(cmp.Compare(bit(b.Mandatory), bit(a.Mandatory)), cmp.Compare(s.out.Saved[k], s.out.Saved[i]), cmp.Compare(a.Name, b.Name))
	})
	for _, i := range s.out.order {
		p := &s.Passes[i]
		if !p.Mandatory {
			if s.out.Verdicts[i] == "" {
				s.out.free = append(s.out.free, i)
			}
			continue
		}
		next, why := s.with(s.best, p)
		switch why {
		case PlanningBudgetExceeded:
			return OverBudget(passesOp, "pass "+p.Name, "planning", i, capped(s.best.planning, p.PlanningNS), s.PlanningNS, "allow it more time, or do without it")
		case ScratchBudgetExceeded:
			return OverBudget(passesOp, "pass "+p.Name, "scratch", i, capped(s.best.scratch, p.ScratchBytes), s.ScratchBytes, "allow it more memory, or do without it")
		}
		s.best = next
	}
	return nil
}

// verdict says why a pass cannot be taken, if there is a reason in the pass itself.
func (s *passChoice) verdict(p *Pass, saved uint64) Verdict {
	switch {
	case p.Unknown != "":
		return p.Unknown
	case p.Speedup <= one || saved == 0:
		return NotProfitable
	case s.Sample.Frontier < p.Frontier:
		return FrontierBelowThreshold
	case s.Sample.Reuse < p.Reuse:
		return ReuseBelowThreshold
	case s.Sample.Readback < p.Readback:
		return ReadbackBelowThreshold
	}
	return ""
}

// saved is what a pass saves alone.
func (s *passChoice) saved(p *Pass) uint64 {
	if p.Unknown != "" {
		return 0
	}
	gain := s.gain(p.Speedup)
	return gain - min(gain, p.PlanningNS)
}

// gain is what runs take less by a speed-up.
func (s *passChoice) gain(speedup uint64) uint64 {
	if speedup <= one {
		return 0
	}
	return share(s.all, speedup, speedup-one)
}

// with adds a pass to a set, or says which budget it does not fit. What is not believed changes no projection.
func (s *passChoice) with(set passSet, p *Pass) (passSet, Verdict) {
	planning, ok := add(set.planning, p.PlanningNS)
	if !ok || planning > s.PlanningNS {
		return set, PlanningBudgetExceeded
	}
	scratch, ok := add(set.scratch, p.ScratchBytes)
	if !ok || scratch > s.ScratchBytes {
		return set, ScratchBudgetExceeded
	}
	set.planning, set.scratch = planning, scratch
	if p.Unknown == "" && p.Speedup > 0 {
		set.projection = max(share(set.projection, one, p.Speedup), 1)
	}
	return set, ""
}

// better reports whether a set saves more than another one; of equal sets the one that was there first stays.
func (s *passChoice) better(a, b passSet) bool {
	// gain(a) - planning(a) > gain(b) - planning(b), with what is subtracted on the other side.
	left, leftCarry := bits.Add64(s.gain(a.projection), b.planning, 0)
	right, rightCarry := bits.Add64(s.gain(b.projection), a.planning, 0)
	return leftCarry > rightCarry || leftCarry == rightCarry && left > right
}

// choose finds the set of free passes to take.
func (s *passChoice) choose() {
	if len(s.out.free) <= mostExact {
		s.subsets(0, s.best)
		for k, i := range s.out.free {
			if s.best.mask>>k&1 != 0 {
				s.out.Verdicts[i] = Taken
			}
		}
		return
	}
	// One after another, and again: a pass may need one that stands behind it.
	for again := true; again; {
		again = false
		for k, i := range s.out.free {
			if next, why := s.extend(s.best, k); why == "" && s.needed(i, 0) && s.better(next, s.best) {
				s.best, s.out.Verdicts[i], again = next, Taken, true
			}
		}
	}
}

// subsets looks at all sets that have what set has, and any of the free passes from number k on.
func (s *passChoice) subsets(k int, set passSet) {
	if k == len(s.out.free) {
		if s.better(set, s.best) && s.whole(set.mask) {
			s.best = set
		}
		return
	}
	if next, why := s.extend(set, k); why == "" {
		next.mask |= 1 << k
		s.subsets(k+1, next)
	}
	s.subsets(k+1, set)
}

// extend adds free pass k to a set, or says why that cannot be.
func (s *passChoice) extend(set passSet, k int) (passSet, Verdict) {
	i := s.out.free[k]
	p := &s.Passes[i]
	if s.out.Verdicts[i] == Taken {
		return set, OtherTaken
	}
	for j := range s.Passes {
		if p.Instead != "" && s.Passes[j].Instead == p.Instead && j != i && s.taken(j, set.mask) {
			return set, OtherTaken
		}
	}
	return s.with(set, p)
}

// taken reports whether a pass is taken already, or is among the free ones of mask.
func (s *passChoice) taken(i int, mask uint32) bool {
	if s.out.Verdicts[i] == Taken {
		return true
	}
	k := slices.Index(s.out.free, i)
	return mask != 0 && k >= 0 && mask>>k&1 != 0
}

// needed reports whether what a pass needs is taken, or is among the free ones of mask.
func (s *passChoice) needed(i int, mask uint32) bool {
	need := s.Passes[i].Needs
	return need == "" || s.taken(s.find(need), mask)
}

// whole reports whether what the free passes of mask need is there.
func (s *passChoice) whole(mask uint32) bool {
	for k, i := range s.out.free {
		if mask>>k&1 != 0 && !s.needed(i, mask) {
			return false
		}
	}
	return true
}

// settle says of each pass that was free why it was not taken, and adds up those that were.
func (s *passChoice) settle() {
	for k, i := range s.out.free {
		if s.out.Verdicts[i] == Taken {
			continue
		}
		_, why := s.extend(passSet{planning: s.best.planning, scratch: s.best.scratch}, k)
		switch {
		case !s.needed(i, 0):
			why = NeedsAnother
		case why == "":
			why = NotProfitable
		}
		s.out.Verdicts[i] = why
	}
	sum := passSet{projection: one}
	for _, i := range s.out.order {
		if s.out.Verdicts[i] == Taken {
			sum, _ = s.with(sum, &s.Passes[i])
			s.out.Taken = append(s.out.Taken, i)
		}
	}
	s.out.PlanningNS, s.out.ScratchBytes, s.out.Projection = sum.planning, sum.scratch, sum.projection
}

// Projected is how long a run is expected to take.
func (p *Passes) Projected(baselineNS uint64) uint64 { return share(baselineNS, p.Projection, one) }
