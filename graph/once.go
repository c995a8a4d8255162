package graph

import (
	"context"
	"sync"

	"github.com/govyre/vyre/graph/internal/turn"
)

// once is what is found once about a graph, by the first caller whose context lasts for it. Others wait meanwhile, as long as
// their own contexts do. The zero value is ready.
type once[T any] struct {
	mu    sync.Mutex
	turn  turn.Turn
	known bool // written by who has the turn
	value T
}

// get returns what find found, now or earlier. After an error the next caller begins anew.
func (o *once[T]) get(ctx context.Context, find func() (T, error)) (T, error) {
	o.mu.Lock()
	if o.turn == nil {
		o.turn = turn.New()
	}
	mine := o.turn
	o.mu.Unlock()
	var none T
	if err := mine.Take(ctx); err != nil {
		return none, err
	}
	defer mine.Give()
	if o.known {
		return o.value, nil
	}
	v, err := find()
	if err != nil {
		return none, err
	}
	o.value, o.known = v, true
	return v, nil
}
