package session

import (
	"context"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// doing is what a visit is made of beside the list of the nodes to go on from.
type doing struct {
	round  *ir.Program
	args   []driver.Arg  // between those of the part and those of the list
	from   driver.Buffer // what is reached; what levels begin with, which has not what they found
	rounds uint32        // at most; 0 is up to the end
	level  bool          // nodes to go on from get the level of the visit
}

// doing returns what a visit does.
func (p *parts) doing(what visiting) doing {
	switch w := p.programs; what {
	case levelPart:
		return doing{round: w.Round, args: ranges(p.reached, p.filter), from: p.open, rounds: 1, level: true}
	case linkPart:
		return doing{round: w.Link, args: ranges(p.filter, p.labels), from: p.reached}
	case lanesPart:
		return doing{round: w.Lanes.Round, args: ranges(p.lanes.seen, p.lanes.queued, p.filter), from: p.reached}
	case parentsPart:
		return doing{round: w.Parents, args: ranges(p.filter, p.labels), from: p.reached}
	case incomingPart:
		return doing{round: w.Incoming, args: ranges(p.filter), from: p.reached}
	case peelPart:
		return doing{round: w.Peel, args: ranges(p.filter, p.reached), from: p.open, level: true}
	default:
		return doing{round: w.Round, args: ranges(p.reached, p.filter), from: p.reached}
	}
}

// The waves of a visit, by number, and what waits for what.
const (
	openPartWave = iota
	listPartWave
	roundPartWave
	lastPartWave
)

// plan returns a slot's plan for a visit.
func (p *parts) plan(t *partSlot, what visiting) (*megakernel.Plan, error) {
	to := &t.plans[what]
	if *to != nil {
		return *to, nil
	}
	do := p.doing(what)
	words := megakernel.Fixed(max(p.widest, 3))
	open := megakernel.Wave{Program: p.programs.Open, Phase: megakernel.Before, Domain: words, Args: ranges(t.visit, do.from, p.done, p.front, p.lengths)}
	args := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, ranges(t.offsets, t.targets)...)
	if t.masks != nil {
		args = append(args, driver.All(t.masks))
	}
	args = append(append(append(args, do.args...), ranges(p.list, p.lengths)...), megakernel.Vote{}, megakernel.Edges{})
	list := []megakernel.Wave{
		openPartWave:  open,
		listPartWave:  {Program: p.programs.List, Phase: megakernel.Before, Domain: megakernel.Fixed(min((p.widest+7)/8, 1024)), Args: ranges(t.visit, p.front, p.list, p.lengths)},
		roundPartWave: {Program: do.round, Domain: megakernel.Spread(driver.All(p.lengths), uint32(p.s.g.Nodes())), Args: args},
	}
	deps := []megakernel.Dependency{{Before: openPartWave, After: listPartWave}}
	switch {
	case do.level:
		list = append(list, megakernel.Wave{Program: p.programs.Level, Phase: megakernel.Before, Domain: megakernel.Fixed(32 * p.widest), Args: ranges(t.visit, p.front, p.labels)})
		deps = append(deps, megakernel.Dependency{Before: openPartWave, After: lastPartWave})
	case what == searchPart: // what was found within the part has been gone on from
		open.Phase = megakernel.After
		list = append(list, open)
	case what == lanesPart:
		list = append(list, p.closeLanes(t.visit, megakernel.After))
	}
	var err error
	*to, err = p.planned(list, deps, do.rounds)
	return *to, err
}

// sweep visits parts, each once. While one is visited, the next comes to the device.
func (p *parts) sweep(ctx context.Context, list []int, what visiting, level uint32, sum *Run) error {
	for i, k := range list {
		began := time.Now()
		t, err := p.slots.ready(ctx, k, sum)
		sum.Link += time.Since(began)
		if err != nil {
			return err
		}
		if i+1 < len(list) {
			p.slots.fetch(ctx, list[i+1], t)
		}
		m, err := p.plan(t, what)
		if err != nil {
			return err
		}
		if err := p.s.write(ctx, driver.All(t.visit), little.Bytes([]uint32{p.cuts[k], p.cuts[k+1], level})); err != nil {
			return err
		}
		r, err := p.s.finish(ctx, m)
		if err != nil {
			return err
		}
		if p.doing(what).rounds == 0 {
			if err := p.s.ended("searches of parts", r); err != nil {
				return err
			}
		}
		*sum = sum.and(r)
	}
	return nil
}
