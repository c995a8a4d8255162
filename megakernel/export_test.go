package megakernel

import (
	"context"

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
