package session

import (
	"context"
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/cycles"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// strong makes strong components, in one loop.
type strong struct {
	*analysis
	counted
	label, least           driver.Buffer
	in, out, wasIn, wasOut driver.Buffer // signatures, of the phase and of the one before it
	state, told, rated     driver.Buffer
}

// wantStrong counts its memory.
func wantStrong(s *runner) *strong {
	o := &strong{analysis: s.analysis("strong components")}
	n := 4 * int64(s.g.Nodes())
	o.want(&o.label, n, "strong components")
	o.want(&o.least, n, "names of strong components")
	o.want(&o.in, n, "what leads to nodes")
	o.want(&o.out, n, "where nodes lead")
	o.want(&o.wasIn, n, "what led to nodes")
	o.want(&o.wasOut, n, "where nodes led")
	o.want(&o.state, 4*cycles.StateWords, "phases")
	o.want(&o.told, 4*cycles.ToldWords, "nodes by phase")
	o.want(&o.rated, 8, "arcs of a pivot")
	o.wantTally(o.analysis)
	return o
}

func newStrong(ctx context.Context, s *runner) (*strong, error) {
	o := wantStrong(s)
	p, err := cycles.Unpack(s.g.Masks() != nil)
	counts, failed := waves.UnpackCounts()
	if err = errors.Join(err, failed); err == nil {
		err = o.open()
	}
	if err != nil {
		return nil, err
	}
	label, least, in, out, wasIn, wasOut := driver.All(o.label), driver.All(o.least), driver.All(o.in), driver.All(o.out), driver.All(o.wasIn), driver.All(o.wasOut)
	state, told, rated, list, lengths := driver.All(o.state), driver.All(o.told), driver.All(o.rated), driver.All(s.list), driver.All(s.lengths)
	n := uint32(s.g.Nodes())
	round := append([]driver.Arg{megakernel.Round{}, driver.U32(flag(s.shallow))}, maskedArrays(s.forward)...)
	round = append(round, driver.All(s.filter), label, least, in, out, wasIn, wasOut, list, lengths, state, told, rated, megakernel.Vote{}, megakernel.Edges{})
	all := []megakernel.Wave{
		{Program: p.Begin, Phase: megakernel.Before, Domain: megakernel.Fixed(max(n, cycles.StateWords, cycles.ToldWords)), Args: []driver.Arg{label, least, in, out, wasIn, wasOut, list, lengths, state, told, rated}},
		{Program: p.Sign, Domain: megakernel.Spread(lengths, n), Args: round},
		{Program: p.Name, Phase: megakernel.After, Domain: megakernel.Fixed(n), Args: []driver.Arg{label, least, s.sizes(), driver.All(o.tally)}},
	}
	deps := []megakernel.Dependency{{Before: 2, After: 3}, {Before: 3, After: 4}}
	return o, o.plan(ctx, append(all, o.tallyWaves(s, counts, o.label)...), deps, s.wideOptions(megakernel.Options{MaxRounds: 1 << 31, Tail: megakernel.TailNever}))
}

// all labels all nodes.
func (o *strong) all(ctx context.Context, filter uint32) (Run, error) {
	o.of = nil
	r, err := o.run(ctx, filter)
	if err == nil {
		err = o.s.ended("strong components", r)
	}
	return r, err
}
