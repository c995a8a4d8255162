package graph

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"

	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/internal/guard"
)

// Portion is one of equal parts of some work, which several cores share.
type Portion struct {
	number, parts uint64
	kept          *[]uint64 // memory that a worker has from one portion to the next
	*polls
}

// polls looks at a context now and then: nanoseconds of work must not cost a look each.
type polls struct {
	ctx context.Context
	n   uint64
	end bool
}

// eachPoll is how many steps of a loop are between two looks, each some 10 to 100 ns.
const eachPoll = 1 << 12

// mostBytes is how many bytes are copied, hashed or written between two looks, for some milliseconds.
const mostBytes = 16 << 20

// Ended reports whether the context has ended. Long loops ask it in each step, and return if so.
func (p *polls) Ended() bool { return p.passed(1) }

// passed is ended for so many steps, which are at most eachPoll in a loop that may be long.
func (p *polls) passed(steps uint64) bool {
	if p.n += steps; p.n >= eachPoll {
		p.look()
	}
	return p.end
}

// look looks at the context now.
func (p *polls) look() bool {
	p.n = 0
	if p.ctx.Err() != nil {
		p.end = true
	}
	return p.end
}

// First reports whether the portion is the first one: work that is made in one piece belongs to that.
func (p Portion) First() bool { return p.number == 0 }

// all takes the error of work that portions shared: the context has ended if there is one.
func (p *polls) all(err error) { p.end = p.end || err != nil }

// err is the error of the context if a look has seen it.
func (p *polls) err() error {
	if p.end {
		return p.ctx.Err()
	}
	return nil
}

// pieces are the numbers from first up to last in pieces of at most eachPoll, each with its beginning and its end, until the
// context ends. One piece that is empty stands for no numbers, so that many empty rows are counted, too.
func (p *polls) pieces(first, last uint64) iter.Seq2[uint64, uint64] {
	return func(yield func(from, to uint64) bool) {
		for from := first; ; {
			to := min(from+eachPoll, max(last, first))
			if p.passed(to-from+1) || !yield(from, to) || to >= last {
				return
			}
			from = to
		}
	}
}

// errOf is the error of work on a graph that its context has ended or does not let begin; nil if it lasts.
func errOf(ctx context.Context, work string) error {
	if err := turn.Err(ctx); err != nil {
		return fmt.Errorf("graph: %s: %w", work, err)
	}
	return nil
}

// Of returns which of n pieces belong to the portion.
func (p Portion) Of(n uint64) (from, to uint64) {
	each := (n + p.parts - 1) / p.parts
	return min(p.number*each, n), min((p.number+1)*each, n)
}

// alone is below how many pieces one core does the work sooner than several are told of it.
const alone = 1 << 14

// portions calls do for portions of so much work, on all cores that Go may use, and returns when all are done. One core has one
// portion, several have several each: parts of equal size need not take equally long. If do panics on any of them, portions does.
// The error is that of the context; then not all was done.
func portions(ctx context.Context, pieces uint64, do func(Portion)) error {
	workers := uint64(runtime.GOMAXPROCS(0))
	if workers == 1 || pieces < alone {
		do(Portion{0, 1, new([]uint64), &polls{ctx: ctx}})
		return ctx.Err()
	}
	parts := 8 * workers
	var next atomic.Uint64
	var all guard.Group
	for range workers {
		all.Go(func() {
			kept, polls := new([]uint64), &polls{ctx: ctx}
			for k := next.Add(1) - 1; k < parts && ctx.Err() == nil; k = next.Add(1) - 1 {
				do(Portion{k, parts, kept, polls})
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

// unending looks at no context.
func unending() *polls { return &polls{ctx: context.Background()} }
