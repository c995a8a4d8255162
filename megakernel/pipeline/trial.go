package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// How far stages are joined is a choice among passes that exclude each other, as topologies are: none is a launch for
// each stage. What is measured of them is kept as a megakernel.History, and chosen from by the same rules.

// fusionPasses are the passes, by Fusion; that of Separate is none.
var fusionPasses = [...]plan.Offered{
	Fused:    {Name: "inlined", Version: 1, Instead: "fusion"},
	Barriers: {Name: "barriers", Version: 1, Instead: "fusion"},
	Separate: {Version: 1},
}

// Sizes of a trial: runs that are not timed, and those that are, which are as many as evidence takes.
const (
	warmRuns  = 3
	trialRuns = 10
)

// Trial runs stages joined as far as is legal, with barriers alone, and apart, ten times each, and takes that into h.
// Pipelines of the same stages that expect h choose by it from then on (see Options.Expected). Which of these is tried is
// no option, so options may not ask for one.
//
// Errors: those of New and Run. What was measured before stays in h.
func Trial(ctx context.Context, dev driver.Device, stages []Stage, o Options, h *megakernel.History) error {
	if o.Label == "" {
		o.Label = "pipeline"
	}
	if o.Fusion != Fused {
		return driver.Problems{(&looker{dev: dev, label: o.Label}).problem("trial", -1, "options", "a trial of one fusion", "leave Fusion out: all of them are tried")}
	}
	o.Expected = nil
	for _, f := range []Fusion{Separate, Barriers, Fused} {
		o.Fusion = f
		if err := try(ctx, dev, stages, o, h); err != nil {
			return err
		}
	}
	return nil
}

func try(ctx context.Context, dev driver.Device, stages []Stage, o Options, h *megakernel.History) (err error) {
	p, err := New(ctx, dev, stages, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	for k := range warmRuns + trialRuns {
		if err := p.Run(ctx); err != nil {
			return err
		}
		if k >= warmRuns {
			p.observe(h, true)
		}
	}
	return nil
}

// Observe takes the last run into what is known of the way in which it ran, and of how often pipelines run.
func (p *Pipeline) Observe(h *megakernel.History) { p.observe(h, false) }

func (p *Pipeline) observe(h *megakernel.History, trial bool) {
	way := fusionPasses[p.o.Fusion]
	if p.begun != h {
		have, _ := p.TempBytes()
		h.Begin(p.ran(), way, uint64(p.planning), have)
		if !trial {
			h.Plans++
		}
		p.begun = h
	}
	if !trial {
		h.PlanRuns++
	}
	h.Ran(way.Name, uint64(p.last.Wall), p.projected)
}

// ran is the digest of what runs: evidence of something else is none.
func (p *Pipeline) ran() plan.Key {
	var id plan.Identity
	var s strings.Builder
	fmt.Fprintf(&s, "pipeline %q %d", p.o.Optimise, p.o.Budget)
	for _, st := range p.stages {
		id.Waves = append(id.Waves, plan.WaveIdentity{Program: st.Program.Digest(), Items: uint64(st.Items)})
		fmt.Fprintf(&s, "|%v %v", st.Feed != nil, st.Take != nil)
		for _, a := range st.args {
			fmt.Fprintf(&s, " %d", a.binding)
		}
	}
	id.Options = s.String()
	var keyer plan.Keyer
	return keyer.Key(&id)
}

// choose settles how far stages are joined by what runs came to, if that is known of every way and of how often the
// pipeline will run.
func (p *Pipeline) choose() error {
	h := p.o.Expected
	if h == nil || p.o.Fusion != Fused || h.Programs != p.ran() {
		return nil
	}
	in := h.Request(fusionPasses[:Separate], p.o.Runs)
	var chosen plan.Passes
	if err := plan.PlanPasses(in, &chosen); err != nil {
		return err
	}
	if p.choice = chosen.Explain(&in); in.Sample.Reuse == 0 || !chosen.Known() {
		return nil
	}
	p.o.Fusion = Separate
	for f := range fusionPasses[:Separate] {
		if slices.Contains(chosen.Taken, f) {
			p.o.Fusion = Fusion(f)
		}
	}
	p.projected = chosen.Projected(in.Sample.BaselineNS)
	return nil
}
