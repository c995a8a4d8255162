package megakernel

import (
	"fmt"
	"math"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

// grid is how many blocks a launch of a kernel has where all must be resident at once.
func (p *Plan) grid(k driver.Kernel) (uint32, error) {
	occupied := k.Occupancy(0)
	limit, n := occupied.Cooperative, p.o.Blocks
	switch n {
	case 0:
		n = uint32(min(limit, p.dev.Caps().Units))
	case AllBlocks:
		n = uint32(limit)
	}
	if int64(n) > int64(limit) || n == 0 {
		r := k.Resources()
		return 0, problem(p.dev, driver.InvalidArgument, "F11", -1, "options",
			fmt.Sprintf("%d blocks of %d threads, %d are resident at once, with %d registers a thread and %d bytes of shared memory a block; %s bound them", n, p.threads, limit, r.Registers, r.Shared, occupied.Limit),
			"leave Options.Blocks out, or take fewer or smaller blocks")
	}
	return n, nil
}

// fitsShared refuses a program whose arrays are more than a block can have.
func (p *Plan) fitsShared(program *ir.Program) error {
	have := uint64(p.dev.Caps().SharedOptin)
	need := program.SharedBytes()
	if need <= have {
		return nil
	}
	var most *step
	var bytes uint64
	for k := range p.steps {
		for _, s := range []*step{&p.steps[k], p.steps[k].stay} {
			if s == nil {
				continue
			}
			if n := s.sharedBytes(); most == nil || n > bytes {
				most, bytes = s, n
			}
		}
	}
	err := problem(p.dev, driver.OutOfMemory, "F6", most.id, fmt.Sprintf("wave %d %s", most.id, most.Program.Name()),
		fmt.Sprintf("the shared arrays of the waves take %d bytes of a block, of which it has %d; those of this wave alone take %d", need, have, bytes),
		"make them smaller, or of the same element types as those of other waves, which use the same memory in turn")
	err.Requested, err.Available = int64(min(need, math.MaxInt64)), int64(have)
	return err
}

// sharedBytes is what the wave's arrays take.
func (s *step) sharedBytes() uint64 {
	n := s.Program.SharedBytes()
	for _, a := range s.Program.Arrays() {
		if a.Shared && a.Len == ir.RestLen {
			n += s.rest * uint64(a.Type.Size())
		}
	}
	return n
}

// explainOrder says which waves leave other bits when their invocations come in another order: those that add floats.
func (p *Plan) explainOrder(s *strings.Builder) {
	for k := range p.steps {
		w := &p.steps[k]
		for r := range ir.Row(w.Program.Rows()) {
			if w.Program.Op(r) == ir.OpAtomicAdd && w.Program.Type(r).IsFloat() {
				fmt.Fprintf(s, "not bit-stable: wave %d %s adds floats in any order (%v)\n", w.id, w.Program.Name(), w.Program.Pos(r))
				break
			}
		}
	}
}
