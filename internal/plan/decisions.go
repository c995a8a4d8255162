package plan

import (
	"context"
	"sync"
)

// Decisions keeps what was chosen, by key and buckets, and remembers for each subject what was chosen last, so that
// Select leans towards it. It may be used from any goroutine.
type Decisions struct {
	chosen *Cache[Decision]
	last   *Cache[*lastChosen]
}

type lastChosen struct {
	mu       sync.Mutex
	previous Previous
}

// NewDecisions returns a memory of so many decisions and of as many subjects.
func NewDecisions(capacity int) *Decisions {
	return &Decisions{chosen: NewCache[Decision](capacity, nil), last: NewCache[*lastChosen](capacity, nil)}
}

// Select returns the decision for a key in the buckets of in, choosing if there is none. Subject stands for graph,
// analysis and device together; the last decision about it takes the place of in.Previous.
func (d *Decisions) Select(ctx context.Context, key, subject Key, in SelectRequest) (Decision, error) {
	last, err := d.last.Get(ctx, subject, func() (*lastChosen, uint64, error) { return new(lastChosen), 0, nil })
	if err != nil {
		return Decision{}, err
	}
	defer last.Release()
	l := last.Value()
	l.mu.Lock()
	in.Previous = l.previous
	l.mu.Unlock()
	e, err := d.chosen.Get(ctx, in.Buckets().In(key), func() (Decision, uint64, error) {
		chosen, err := Select(in)
		return chosen, 0, err
	})
	if err != nil {
		return Decision{}, err
	}
	defer e.Release()
	l.mu.Lock()
	l.previous = Previous{e.value.Shape, e.value.Topology}
	l.mu.Unlock()
	return e.value, nil
}

// Stats returns how the decisions were used.
func (d *Decisions) Stats() CacheStats { return d.chosen.Stats() }
