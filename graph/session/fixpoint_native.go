package session

import (
	"context"
	"slices"
	"time"

	"github.com/govyre/vyre/graph/cpu"
	"github.com/govyre/vyre/megakernel"
)

// openNative makes it one that the host's cores find, where that is the session's engine.
func (x *Fixpoint[T]) openNative(ctx context.Context) (err error) {
	if err := x.set.enter(ctx); err != nil {
		return err
	}
	defer x.set.exit(&err)
	x.a.bytes = 0
	x.a.closers = []closer{} // open, and nothing to close
	x.set.keep(x.a)
	return nil
}

func (x *Fixpoint[T]) runNative(ctx context.Context, start Start[T], nodes []uint32, values []T) (*Fixed[T], error) {
	s, began := x.set, time.Now()
	facts := slices.Clone(start.All)
	if start.All == nil {
		facts = slices.Repeat([]T{start.Others}, s.g.Nodes())
		for i, v := range nodes {
			facts[v] = values[i]
		}
	}
	weights := s.g.Data().Weights
	if len(weights) == 0 {
		weights = nil
	}
	stats, settled, err := cpu.Fixpoint(ctx, s.host.e, x.along, x.join, weights, s.kinds(Query{Kinds: start.Kinds}), nodes, start.All != nil, facts, x.rounds)
	if err != nil {
		return nil, err
	}
	r := s.host.ran(began, stats)
	if !settled {
		r.Record.Status = megakernel.BudgetSpent
	}
	return &Fixed[T]{Run: r, facts: facts}, nil
}
