package megakernel

import (
	"cmp"
	"context"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// Alter makes a cooperative plan run another program: its own one, with the text changed.
func (p *Plan) Alter(ctx context.Context, change func(string) string) error {
	var err error
	p.runner, err = p.launchedOnce(ctx, "altered", func() (*ir.Program, error) {
		program, err := p.Fuse()
		if err != nil {
			return nil, err
		}
		altered, err := text.Parse("altered", change(text.Of(program)))
		if err != nil {
			return nil, err
		}
		return altered[0], nil
	})
	return err
}

// SharedBytes is what a block of the plan's largest program has.
func (p *Plan) SharedBytes() (n int) {
	for _, c := range p.closers {
		if k, ok := c.(driver.Kernel); ok {
			n = max(n, k.Resources().Shared)
		}
	}
	return n
}

// Fuse writes the program of a cooperative plan anew.
func (p *Plan) Fuse() (*ir.Program, error) { return fuse(p.o.Label, &p.frame, p.enter()) }

// RunPoisoned runs one round of a host loop, and before each group overwrites what of the arena nobody needs from there on.
// What is needed is forgotten so many groups early.
func (p *Plan) RunPoisoned(ctx context.Context, early int) error {
	l := p.runner.(*whiles).loop
	s := p.sequence("poisoned")
	l.opening(s)
	for k, g := range l.phase[EveryRound] {
		group := len(l.phase[Before]) + k
		var needed []driver.Range
		var arena driver.Buffer
		for _, m := range p.temps {
			arena = m.Buffer
			if m.Kept || m.phases&(m.phases-1) != 0 || m.first < group && group <= m.last-early {
				needed = append(needed, m.Range)
			}
		}
		slices.SortFunc(needed, func(a, b driver.Range) int { return cmp.Compare(a.Off, b.Off) })
		at := int64(0)
		for _, r := range append(needed, driver.Part(arena, arena.Len(), 0)) {
			if r.Off > at {
				s.Fill(driver.Part(arena, at, r.Off-at), 0xa5a5a5a5, 4)
			}
			at = max(at, r.Off+r.Len)
		}
		s.Launch(g.kernel, driver.Groups(l.blocks), g.args...)
	}
	_, err := s.Run(ctx)
	return err
}

// Texts are those of the plan's kernels for the driver of a GPU.
func (p *Plan) Texts() (all []string) {
	for _, c := range p.closers {
		if k, ok := c.(driver.Kernel); ok {
			all = append(all, k.Artifact().Text)
		}
	}
	return all
}
