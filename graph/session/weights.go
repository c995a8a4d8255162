package session

import (
	"context"
	"errors"

	"github.com/govyre/vyre/driver"
)

// weights are those of the graph's arcs, on the device.
type weights struct {
	*analysis
	memory driver.Buffer
}

// wantWeights counts their memory, none if the graph has none.
func wantWeights(s *runner) *weights {
	w := &weights{analysis: s.analysis("weights")}
	n := 4 * int64(len(s.g.Data().Weights))
	if n == 0 {
		w.bytes = 0
		return w
	}
	w.want(&w.memory, n, "weights")
	return w
}

func newWeights(ctx context.Context, s *runner) (*weights, error) {
	w := wantWeights(s)
	if err := w.open(); err != nil {
		return nil, err
	}
	words := make([]byte, w.memory.Len())
	putWords(words, s.g.Data().Weights)
	if err := s.write(ctx, driver.All(w.memory), words); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}
