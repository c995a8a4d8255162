package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// alone is how the plan of a query alone is made: by what was measured, where somebody has.
func (s *Session) alone() megakernel.Options {
	if !s.free || s.o.Expected == nil {
		return megakernel.Options{Topology: s.o.Topology, Blocks: s.o.blocks}
	}
	return megakernel.Options{Expected: s.o.Expected, Runs: s.expectedRuns(), Costs: s.o.Costs}
}

func (s *Session) expectedRuns() uint64 {
	if s.o.Runs > 0 {
		return s.o.Runs
	}
	return uint64(s.o.Queries)
}

// drains reports whether a query alone is a drain, or may become one.
func (s *Session) drains() bool {
	if s.one != nil {
		return s.one.Topology() == megakernel.Drained
	}
	return s.o.Topology == megakernel.Drained
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
	if q, err = s.settle(0, q); err != nil {
		return err
	}
	if h == nil {
		return s.refuse("there is no history to take times into", "pass a pointer to an empty one")
	}
	if err := s.begin(ctx, "a trial", func(*Session) uint64 { return 0 }); err != nil {
		return err
	}
	defer s.exit(&err)
	p, err := waves.Unpack(s.g.Masks() != nil, s.wide())
	if err != nil {
		return err
	}
	s.stageTurn(0, 0, 1)
	s.stageQuery(0, q)
	if err := s.write(ctx, driver.Part(s.questions, 0, int64(turnBytes+4*s.stride)), s.questionBytes[:turnBytes+4*s.stride]); err != nil {
		return err
	}
	again := s.dev.NewSequence(s.o.Label + ", trial")
	defer again.Close()
	again.Fill(s.turn, 0, 4)
	err = megakernel.Trial(ctx, s.dev, s.waves(p), dependencies, megakernel.Options{Label: s.o.Label + " trial"}, h, func(ctx context.Context) error {
		_, err := again.Run(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return s.tryNative(ctx, q, h)
}
