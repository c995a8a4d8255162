package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// parents finds those of all nodes, from levels that are on the device.
type parents struct {
	*analysis
	memory driver.Buffer
}

func newParents(ctx context.Context, s *runner, levels driver.Buffer) (*parents, error) {
	p := &parents{analysis: s.analysis("parents")}
	p.want(&p.memory, 4*int64(s.g.Nodes()), "parents")
	program, err := waves.ParentsProgram()
	if err == nil {
		err = p.open()
	}
	if err != nil {
		return nil, err
	}
	args := append(maskedArrays(s.back), driver.All(s.filter), driver.All(levels), driver.All(p.memory))
	return p, p.plan(ctx, []megakernel.Wave{{Program: program, Domain: megakernel.Fixed(uint32(s.g.Nodes())), Args: args}}, nil, megakernel.Options{})
}
