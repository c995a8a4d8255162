package session

import (
	"context"

	"github.com/govyre/vyre/megakernel"
)

// Trial answers a query in every way in which the rounds of a query alone can be driven, and on the cores of the host, ten
// times each, and takes what that came to into h. A session of this graph, or of one of its kind and size, chooses by it if it has it in
// Options.Expected. Queries that labels answer are not among these ways, and go on to be answered so.
// megakernel.KeepHistory keeps what was measured beside compiled kernels.
//
// Errors: those of Batch, and of megakernel.Trial.
func (s *Session) Trial(ctx context.Context, q Query, h *megakernel.History) (err error) {
	if err := made(s); err != nil {
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
