package session

import (
	"context"
	"errors"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/cycles"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// strong makes strong components, by several plans over the same labels.
type strong struct {
	*analysis
	sources, ends        *megakernel.Plan // take nodes away to which no arc comes, and that no arc leaves
	colours, gathers     *megakernel.Plan // hand on colours; label what leads back
	back                 *image
	label, count, colour driver.Buffer
}

// wantStrong counts its memory.
func wantStrong(s *runner) *strong {
	o := &strong{analysis: s.analysis("strong components"), back: s.back}
	n := 4 * int64(s.g.Nodes())
	o.want(&o.label, n, "strong components")
	o.want(&o.count, n, "arcs of strong components")
	o.want(&o.colour, n, "colours")
	o.bytes += 3 * planRoom
	if o.back == nil {
		o.back = s.turned()
		o.want(&o.back.memory, o.back.bytes(), "reverse")
	}
	return o
}

func newStrong(ctx context.Context, s *runner) (*strong, error) {
	o := wantStrong(s)
	p, err := cycles.Unpack(s.g.Masks() != nil)
	if err == nil {
		err = o.open()
	}
	if err != nil {
		return nil, err
	}
	if o.back != s.back {
		if err := s.put(ctx, o.back); err != nil {
			return nil, errors.Join(err, o.Close())
		}
	}
	return o, o.plans(ctx, p)
}

// plans makes the plans, each of which is one launch where the device drives the rounds.
func (o *strong) plans(ctx context.Context, p cycles.Programs) error {
	s := o.s
	label, colour, queued, list, lengths, filter := driver.All(o.label), driver.All(o.colour), driver.All(o.count), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	clear := megakernel.Wave{Program: p.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), 3))), Args: []driver.Arg{driver.U32(0), label, queued, lengths}}
	before := func(p *ir.Program) megakernel.Wave {
		return megakernel.Wave{Program: p, Phase: megakernel.Before, Domain: s.answerDomain(), Args: []driver.Arg{label, colour, list, lengths}}
	}
	round := func(of *image, args ...driver.Arg) []driver.Arg {
		all := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, of.arrays()...)
		return append(append(all, args...), list, lengths, megakernel.Vote{}, megakernel.Edges{})
	}
	over := megakernel.Spread(lengths, uint32(s.g.Nodes()))
	colours := []megakernel.Wave{clear, before(p.Open), {Program: p.Colour, Domain: over, Args: round(s.forward, filter, label, colour, queued)}}
	gathers := []megakernel.Wave{clear, before(p.Roots), {Program: p.Gather, Domain: over, Args: round(o.back, filter, label, colour)}}
	for _, m := range []struct {
		to    **megakernel.Plan
		waves []megakernel.Wave
		deps  []megakernel.Dependency
	}{
		{&o.sources, peelWaves(s, p, cycles.ByNode, 0, s.forward, o.label, o.count), peelDependencies},
		{&o.ends, peelWaves(s, p, cycles.ByNode, 0, o.back, o.label, o.count), peelDependencies},
		{&o.colours, colours, peelDependencies[:1]},
		{&o.gathers, gathers, peelDependencies[:1]},
	} {
		if err := o.plan(ctx, m.waves, m.deps, megakernel.Options{MaxRounds: peelRounds(s.g)}); err != nil {
			return err
		}
		*m.to = o.p
	}
	return nil
}

// all labels all nodes. Each turn labels one component at least, so that turns come to an end.
func (o *strong) all(ctx context.Context, filter uint32) (Run, error) {
	fill := o.s.dev.NewSequence(o.s.o.Label + " strong components")
	fill.Fill(driver.All(o.label), math.MaxUint32, 4)
	if _, err := fill.Once(ctx); err != nil {
		return Run{}, err
	}
	var sum Run
	for {
		for k, p := range []*megakernel.Plan{o.sources, o.ends, o.colours, o.gathers} {
			o.p = p
			r, err := o.run(ctx, filter)
			if err == nil {
				err = o.s.ended("strong components", r)
			}
			if err != nil {
				return Run{}, err
			}
			sum = sum.and(r)
			if k == 2 && r.Record.Items == 0 {
				return sum, nil // no node is open
			}
		}
	}
}
