package plan

import (
	"math"
	"slices"
)

// History is what runs of one analysis over inputs of one size on one device came to. Plans are chosen by it: passes by
// what was measured with them and without, where there is enough of that, else topologies by costs and the averages.
type History struct {
	Workload

	Programs           Key     // digest of what ran; nothing that was measured of something else counts
	Plans, PlanRuns    uint64  // that were observed, but for trials
	Frontier, Readback float64 // averages of runs in rounds: items of the largest round, bytes that the host reads if it drives them
	Ways               []Way
}

// Offered is a pass that an execution has.
type Offered struct {
	Name    string
	Version int    // of what it does; times of another one do not count
	Instead string // see Pass
	Needs   string // the pass without which it makes no sense, and whose runs it is compared with; empty is runs without any
}

// Way is what runs with a pass, and with what it needs, came to. That of the empty name is without any.
type Way struct {
	Offered
	Times                    []uint64 // of the newest runs, in nanoseconds, the oldest first
	PlanningNS, ScratchBytes uint64   // of the last plan
	Won                      bool     // there was a run that took less than those without usually do
	Frontier, Reuse          uint64   // the least averages with which that was so
	Readback                 uint64
	Projected, Measured      []uint64 // of the last runs that were chosen by evidence
}

// Sizes of a way.
const (
	fewestTimes = 10 // with less there is no evidence
	mostTimes   = 32 // that are kept
	mostJobs    = 10 // projections that are held against times
)

// way returns what is known of a name, nil if nothing is.
func (h *History) way(name string) *Way {
	k := slices.IndexFunc(h.Ways, func(w Way) bool { return w.Name == name })
	if k < 0 {
		return nil
	}
	return &h.Ways[k]
}

// Begin takes a plan that was made, by what it took to make it and the bytes that it has beside its waves. What was
// measured of other programs, or of another version, is forgotten.
func (h *History) Begin(programs Key, pass Offered, planningNS, scratchBytes uint64) {
	if h.Programs != programs {
		h.Programs, h.Ways = programs, nil
	}
	w := h.way(pass.Name)
	if w == nil {
		h.Ways = append(h.Ways, Way{})
		w = &h.Ways[len(h.Ways)-1]
	}
	if w.Offered != pass {
		*w = Way{Offered: pass}
	}
	w.PlanningNS, w.ScratchBytes = planningNS, scratchBytes
}

// ObserveRounds takes a run in rounds into the averages, as Workload.Observe does.
func (h *History) ObserveRounds(rounds, tailRounds, groupNS, frontier, readback float64) {
	weight := h.Workload.Observe(rounds, tailRounds, groupNS)
	h.Frontier += weight * (frontier - h.Frontier)
	h.Readback += weight * (readback - h.Readback)
}

// Ran takes a run in a way that began. Projected is what it was expected to take, 0 if it was not chosen by evidence.
func (h *History) Ran(name string, ns, projected uint64) {
	w := h.way(name)
	if w == nil || ns == 0 {
		return
	}
	if w.Times = append(w.Times, ns); len(w.Times) > mostTimes {
		w.Times = w.Times[1:]
	}
	if len(w.Times) == fewestTimes && w.off() {
		w.Projected, w.Measured = nil, nil // it is measured anew
	}
	if without := h.without(w); name != "" && without != nil && len(without.Times) > 0 && ns < without.quantile(50) {
		s := h.sample(0)
		if !w.Won {
			w.Frontier, w.Reuse, w.Readback = math.MaxUint64, math.MaxUint64, math.MaxUint64
		}
		w.Won = true
		w.Frontier, w.Reuse, w.Readback = min(w.Frontier, s.Frontier), min(w.Reuse, s.Reuse), min(w.Readback, s.Readback)
	}
	if projected == 0 {
		return
	}
	if w.Projected, w.Measured = append(w.Projected, projected), append(w.Measured, ns); len(w.Projected) > mostJobs {
		w.Projected, w.Measured = w.Projected[1:], w.Measured[1:]
	}
	if w.off() {
		w.Times = nil // what they promised was not so
	}
}

// Time returns the time that so many of a hundred of the newest runs in a way do not exceed; false if there is no evidence.
func (h *History) Time(of Offered, percent int) (ns uint64, known bool) {
	w := h.way(of.Name)
	if w.unknown(of) != "" {
		return 0, false
	}
	return w.quantile(percent), true
}

// Best returns the way whose runs usually take least, and what half of them do not exceed; nil if there is no evidence of
// any, as of a nil history.
func (h *History) Best() (best *Way, ns uint64) {
	if h == nil {
		return nil, 0
	}
	for k := range h.Ways {
		w := &h.Ways[k]
		if w.unknown(w.Offered) != "" {
			continue
		}
		if took := w.quantile(50); best == nil || took < ns {
			best, ns = w, took
		}
	}
	return best, ns
}

// without is the way that a pass is compared with.
func (h *History) without(w *Way) *Way { return h.way(w.Needs) }

// off reports whether ten runs took a quarter more or less time than was projected.
func (w *Way) off() bool {
	return len(w.Projected) >= mostJobs && math.Abs(w.deviation()) > 0.25
}

// deviation is how much longer the last runs took than was projected, as a part of that.
func (w *Way) deviation() float64 {
	var projected, measured float64
	for k := range w.Projected {
		projected += float64(w.Projected[k])
		measured += float64(w.Measured[k])
	}
	if projected == 0 {
		return 0
	}
	return measured/projected - 1
}

// quantile returns the time that so many of a hundred runs do not exceed.
func (w *Way) quantile(percent int) uint64 {
	sorted := slices.Sorted(slices.Values(w.Times))
	return sorted[max((len(sorted)*percent+99)/100, 1)-1]
}

// unknown says why a way is no evidence, if it is none.
func (w *Way) unknown(of Offered) Verdict {
	switch {
	case w == nil || w.Offered != of:
		return NoEvidence
	case w.off():
		return StaleEvidence
	case len(w.Times) < fewestTimes:
		return NoEvidence
	}
	return ""
}

// sample is what runs are expected to be, so many of a plan, or as many as there were on average.
func (h *History) sample(runs uint64) PassSample {
	if runs == 0 && h.Plans > 0 {
		runs = max(h.PlanRuns/h.Plans, 1)
	}
	s := PassSample{Frontier: whole(h.Frontier), Readback: whole(h.Readback), Reuse: runs}
	if w := h.way(""); w != nil && len(w.Times) > 0 {
		s.BaselineNS = w.quantile(50)
	}
	return s
}

func whole(x float64) uint64 { return uint64(math.Round(min(max(x, 0), 1<<53))) }

// Request is what passes are chosen from, of those that are offered. Runs is how many a plan will do; 0 is as many as
// others did on average.
func (h *History) Request(offered []Offered, runs uint64) PassRequest {
	in := PassRequest{Sample: h.sample(runs), PlanningNS: math.MaxUint64, ScratchBytes: math.MaxUint64}
	for _, o := range offered {
		in.Passes = append(in.Passes, h.pass(o))
	}
	return in
}

// pass is what is known of a pass: its speed-up is that of the best tenth of runs without to the worst of those with it.
func (h *History) pass(o Offered) Pass {
	p := Pass{Name: o.Name, Instead: o.Instead, Needs: o.Needs}
	with, without := h.way(o.Name), h.way(o.Needs)
	if p.Unknown = with.unknown(o); p.Unknown != "" {
		return p
	}
	if p.Unknown = NoEvidence; without == nil {
		return p
	}
	if p.Unknown = without.unknown(without.Offered); p.Unknown != "" {
		return p
	}
	p.Speedup = share(without.quantile(10), with.quantile(90), one)
	p.PlanningNS = with.PlanningNS - min(with.PlanningNS, without.PlanningNS)
	p.ScratchBytes = with.ScratchBytes - min(with.ScratchBytes, without.ScratchBytes)
	if with.Won {
		p.Frontier, p.Reuse, p.Readback = with.Frontier, with.Reuse, with.Readback
	}
	return p
}

// Known reports whether every pass was judged by evidence.
func (p *Passes) Known() bool {
	return !slices.Contains(p.Verdicts, NoEvidence) && !slices.Contains(p.Verdicts, StaleEvidence)
}

// Plausible reports whether runs can have come to this, for histories that were read.
func (h *History) Plausible() bool {
	for _, x := range [...]float64{h.Rounds, h.TailRounds, h.GroupNS, h.DrainNS, h.Frontier, h.Readback} {
		if !(x >= 0) || math.IsInf(x, 0) {
			return false
		}
	}
	for k := range h.Ways {
		w := &h.Ways[k]
		if h.way(w.Name) != w || len(w.Times) > mostTimes || len(w.Projected) > mostJobs || len(w.Projected) != len(w.Measured) ||
			slices.Contains(w.Times, 0) || slices.Contains(w.Projected, 0) {
			return false
		}
	}
	return true
}
