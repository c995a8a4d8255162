package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// alone is how the plan of a query alone is made: by what was measured, where somebody has.
func (s *resident) alone() megakernel.Options {
	if !s.free || s.o.Expected == nil {
		return megakernel.Options{Topology: s.o.Topology, Blocks: s.o.blocks}
	}
	return megakernel.Options{Expected: s.o.Expected, Runs: s.expectedRuns(), Costs: s.o.Costs}
}

func (s *resident) expectedRuns() uint64 {
	if s.o.Runs > 0 {
		return s.o.Runs
	}
	return uint64(s.o.Queries)
}

// Trial answers a query in every way in which the rounds of a query alone can be driven, and on the cores of the host, ten
// times each, and takes what that came to into h. A session of this graph, or of one of its kind and size, chooses by it if it has it in
// Options.Expected. Queries that labels answer are not among these ways, and go on to be answered so.
// megakernel.KeepHistory keeps what was measured beside compiled kernels.
//
// Errors: those of Batch, and of megakernel.Trial.
func (s *Session) Trial(ctx context.Context, q Query, h *megakernel.History) (err error) {
	if err := s.made(); err != nil {
		return err
	}
	if q, err = s.resident.settle(0, q); err != nil {
		return err
	}
	if h == nil {
		return s.resident.refuse("there is no history to take times into", "pass a pointer to an empty one")
	}
	first := s.sets.first()
	k, err := first.begin(ctx, "a trial", func(*runner) uint64 { return 0 })
	if err != nil {
		return err
	}
	defer first.exit(&err)
	if err := k.try(ctx, q, h); err != nil {
		return err
	}
	return first.tryNative(ctx, q, h)
}

// try drives the rounds of a query in every way.
func (k *kernels) try(ctx context.Context, q Query, h *megakernel.History) error {
	p, err := waves.Unpack(k.g.Masks() != nil, k.wide())
	if err != nil {
		return err
	}
	k.stage.turn(0, 0, 1)
	k.stage.query(0, q)
	n := turnBytes + 4*k.stride
	if err := k.write(ctx, driver.Part(k.questions, 0, int64(n)), k.questionBytes[:n]); err != nil {
		return err
	}
	again := k.dev.NewSequence(k.o.Label + ", trial")
	defer again.Close()
	again.Fill(k.turn, 0, 4)
	return megakernel.Trial(ctx, k.dev, k.waves(p), dependencies, megakernel.Options{Label: k.o.Label + " trial"}, h, func(ctx context.Context) error {
		_, err := again.Run(ctx)
		return err
	})
}
