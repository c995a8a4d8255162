package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// part is chains that share a launch: one, or several with barriers of the grid between.
type part struct {
	chains []*chain
	temps  uint64           // bytes of the temps in its arena
	fused  *megakernel.Plan // of several chains
	kernel driver.Kernel    // of one
	grid   driver.Grid
	args   []driver.Arg
}

// step is what a run does without the host in between, and what the host does before and after.
type step struct {
	feed, take func(context.Context) error
	seq        *driver.Sequence // launches
	fused      *megakernel.Plan // or one with barriers
}

// build makes chains of the planned groups, parts of the chains, and steps of the parts.
func (p *Pipeline) build(ctx context.Context) error {
	for _, g := range p.plan.Groups {
		p.beginning(g[0])
		chains, begin := p.chains(g), len(p.parts)
		if err := p.share(ctx, chains); err != nil {
			return err
		}
		p.schedule(p.parts[begin:], p.stages[g[0]].Feed, p.stages[g[len(g)-1]].Take)
	}
	for i := range p.steps {
		if s := p.steps[i].seq; s != nil {
			if err := s.Prepare(); err != nil {
				return err
			}
		}
	}
	return nil
}

var byOptions = &why{"options", "the options say so"}

// chains makes the stages of a group as few programs as is legal, from the first to the last.
func (p *Pipeline) chains(g []int) (chains []*chain) {
	for k, i := range g {
		s := p.stages[i]
		if k > 0 {
			w := &p.ways[i]
			if p.o.Fusion != Fused {
				w.inline = byOptions
			} else {
				w.inline = p.apart(chains[len(chains)-1], s)
			}
			if w.inline == nil {
				w.follows = inlined
				chains[len(chains)-1].add(s)
				continue
			}
		}
		chains = append(chains, newChain(s))
	}
	return chains
}

// beginning says why a group that was planned begins with the stage.
func (p *Pipeline) beginning(i int) {
	if i == 0 {
		return
	}
	w, before, s := &p.ways[i], p.stages[i-1], p.stages[i]
	switch {
	case s.Feed != nil:
		w.launch = &why{"feed", "the host gives it something"}
	case before.Take != nil:
		w.launch = &why{"take", fmt.Sprintf("the host takes what %v puts out", before)}
	default:
		w.launch = &why{"layout", fmt.Sprintf("its groups are of another size than those of %v", before)}
	}
}

// share makes one launch of chains where that is legal, and several where it is not: a chain that cannot stand beside
// others gets a launch of its own.
func (p *Pipeline) share(ctx context.Context, chains []*chain) error {
	switch len(chains) {
	case 0:
		return nil
	case 1:
		return p.single(ctx, chains[0])
	}
	at, no, err := p.fuse(ctx, chains)
	if err != nil || no == nil {
		return err
	}
	if at < 0 {
		for k, c := range chains {
			if k > 0 {
				p.ways[c.stages[0].id].launch = no
			}
			if err := p.single(ctx, c); err != nil {
				return err
			}
		}
		return nil
	}
	for k := max(at, 1); k <= min(at+1, len(chains)-1); k++ {
		p.ways[chains[k].stages[0].id].launch = no
	}
	for _, some := range [][]*chain{chains[:at], chains[at : at+1], chains[at+1:]} {
		if err := p.share(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// illegal are the rules of package megakernel that a launch of its own does not have.
var illegal = []string{"F2", "F3", "F4", "F6", "F7", "F11", "F13"}

// fuse makes one cooperative launch of several chains. If that is not legal it says why, and which of them cannot stand
// beside others; -1 if that is none in particular.
func (p *Pipeline) fuse(ctx context.Context, chains []*chain) (at int, no *why, err error) {
	if p.o.Fusion == Separate {
		return -1, byOptions, nil
	}
	if !p.dev.Caps().GridBarrier {
		return -1, &why{"barrier", p.dev.Name() + " has no barrier of the grid"}, nil
	}
	waves := make([]megakernel.Wave, len(chains))
	var deps []megakernel.Dependency
	for k, c := range chains {
		if waves[k], err = p.wave(c, chains); err != nil {
			return 0, nil, err
		}
		for before := range k {
			if p.ordered(chains[before], c) {
				deps = append(deps, megakernel.Dependency{Before: before, After: k})
			}
		}
	}
	m, err := megakernel.New(ctx, p.dev, waves, deps, megakernel.Options{Label: fmt.Sprintf("%s from stage %d", p.o.Label, chains[0].stages[0].id),
		Topology: megakernel.Cooperative, Tail: megakernel.TailNever, MaxRounds: 1, Optimise: p.o.Optimise})
	if err != nil {
		var r *Reason
		if errors.As(err, &r) && slices.Contains(illegal, r.Code) {
			return r.Index, &why{r.Code, first(err).Msg}, nil
		}
		return 0, nil, err
	}
	p.closers = append(p.closers, m)
	p.add(&part{chains: chains, fused: m})
	return 0, nil, nil
}

// first is the error of which a caller is told.
func first(err error) *driver.Error {
	var ps driver.Problems
	if errors.As(err, &ps) && len(ps) > 0 {
		return ps[0]
	}
	var e *driver.Error
	errors.As(err, &e)
	return e
}

// ordered reports whether a chain has to wait for another.
func (p *Pipeline) ordered(a, b *chain) bool {
	for _, s := range a.stages {
		for _, t := range b.stages {
			if p.orders(s, t) {
				return true
			}
		}
	}
	return false
}

// within reports whether a binding is a temp of which only these chains know.
func (p *Pipeline) within(k int, chains []*chain) bool {
	b, last := &p.bindings[k], chains[len(chains)-1].stages
	return b.temp != nil && b.first >= chains[0].stages[0].id && b.last <= last[len(last)-1].id
}

// lasts reports whether a binding needs memory in any of the chains.
func (p *Pipeline) lasts(k int, chains []*chain) bool {
	return slices.ContainsFunc(chains, func(c *chain) bool {
		if r := p.register(c, k); r != nil {
			return r.kept
		}
		return c.uses[k].any()
	})
}

// wave is a chain as package megakernel takes it. Temps of which only the launch knows are the launch's.
func (p *Pipeline) wave(c *chain, all []*chain) (megakernel.Wave, error) {
	s := c.stages[0]
	w := megakernel.Wave{Program: s.Program, Domain: megakernel.Fixed(s.Items)}
	given := func(k int) (driver.Arg, error) {
		if p.within(k, all) {
			return *p.bindings[k].temp, nil
		}
		return p.rangeOf(k)
	}
	if !s.items {
		for k, a := range s.Args {
			if k < len(s.args) && s.args[k].binding >= 0 {
				var err error
				if a, err = given(s.args[k].binding); err != nil {
					return w, err
				}
			}
			w.Args = append(w.Args, a)
		}
		return w, nil
	}
	program, params, err := p.write(c, false)
	if err != nil {
		return w, p.broken(c, err)
	}
	w.Program = program
	for _, k := range params {
		a, err := given(k)
		if err != nil {
			return w, err
		}
		w.Args = append(w.Args, a)
	}
	return w, nil
}

// broken is the error of a chain whose program does not hold.
func (p *Pipeline) broken(c *chain, err error) error {
	return &driver.Error{Op: "plan", Label: p.o.Label, Device: p.dev.Name(), Kind: driver.InvalidProgram, Path: c.stages[0].String(),
		Msg: "the stages do not make a program: " + err.Error(), Fix: "the rule that was broken says what to change", Err: err}
}

// rangeOf is the memory of a binding. A temp that passes from launch to launch gets some.
func (p *Pipeline) rangeOf(k int) (driver.Range, error) {
	b := &p.bindings[k]
	if b.memory.Buffer == nil {
		buffer, err := p.dev.Alloc(b.bytes(), driver.AllocOptions{Label: fmt.Sprintf("%s %v", p.o.Label, b)})
		if err != nil {
			return driver.Range{}, err
		}
		p.closers = append(p.closers, buffer)
		p.memory += uint64(b.bytes())
		b.memory = driver.All(buffer)
	}
	return b.memory, nil
}

// single makes a launch of one chain.
func (p *Pipeline) single(ctx context.Context, c *chain) error {
	s := c.stages[0]
	q := &part{chains: []*chain{c}, grid: driver.Groups(s.Items)}
	program, args := s.Program, s.Args
	var params []int // binding of each parameter, -1 for scalars
	if s.items {
		var err error
		if program, params, err = p.write(c, true); err != nil {
			return p.broken(c, err)
		}
		q.grid, args = driver.Cover(uint64(s.Items), threads), make([]driver.Arg, len(params))
	} else {
		for _, a := range s.args {
			params = append(params, a.binding)
		}
		if s.Items == 0 {
			q.grid = driver.EmptyGrid()
		}
	}
	q.args = append(q.args, args...)
	for k, binding := range params {
		if binding < 0 {
			continue
		}
		r, err := p.rangeOf(binding)
		if err != nil {
			return err
		}
		q.args[k] = r
	}
	var err error
	if q.kernel, err = p.dev.Compile(ctx, program, driver.Options{Optimise: p.o.Optimise, Label: program.Name()}); err != nil {
		return err
	}
	p.closers = append(p.closers, q.kernel)
	p.add(q)
	return nil
}

// add makes a part the next launch.
func (p *Pipeline) add(q *part) {
	for k, c := range q.chains {
		for i, s := range c.stages {
			w := &p.ways[s.id]
			if w.part = len(p.parts); k > 0 && i == 0 {
				w.follows = afterBarrier
			}
		}
	}
	for k := range p.bindings {
		if q.fused != nil && p.within(k, q.chains) && p.lasts(k, q.chains) {
			q.temps += uint64(p.bindings[k].bytes())
		}
	}
	p.parts = append(p.parts, q)
}

// schedule makes steps of the parts of a group. The host acts before the first and after the last one.
func (p *Pipeline) schedule(parts []*part, feed, take func(context.Context) error) {
	for _, q := range parts {
		switch n := len(p.steps); {
		case q.fused != nil:
			p.steps = append(p.steps, step{feed: feed, fused: q.fused})
		case n > 0 && feed == nil && p.steps[n-1].seq != nil && p.steps[n-1].take == nil:
			p.steps[n-1].launch(q)
		default:
			seq := p.dev.NewSequence(fmt.Sprintf("%s from stage %d", p.o.Label, q.chains[0].stages[0].id))
			p.steps = append(p.steps, step{feed: feed, seq: seq})
			p.steps[n].launch(q)
		}
		feed = nil
	}
	p.steps[len(p.steps)-1].take = take
}

func (s *step) launch(q *part) { s.seq.Launch(q.kernel, q.grid, q.args...) }

// run runs a step, and waits for it.
func (s *step) run(ctx context.Context, p *Pipeline) error {
	if s.feed != nil {
		if err := s.feed(ctx); err != nil {
			return err
		}
	}
	var r driver.Result
	var err error
	if s.fused != nil {
		var rec megakernel.Record
		rec, err = s.fused.Run(ctx)
		r = s.fused.Result()
		p.rounds.Rounds += rec.Rounds
		p.rounds.Barriers += rec.Barriers
	} else if err = s.seq.Settle(ctx); err == nil { // of a run whose context ended
		r, err = s.seq.Run(ctx)
	}
	p.last.Timing = p.last.Timing.Add(r.Timing)
	p.last.Traces = append(p.last.Traces, r.Traces...)
	p.last.Reports = append(p.last.Reports, r.Reports...)
	p.last.TracesDropped += r.TracesDropped
	if err != nil || s.take == nil {
		return err
	}
	return s.take(ctx)
}
