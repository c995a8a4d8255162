package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
)

// inTurn makes a session that is asked all questions in turn.
func inTurn(g *graph.CSR, o session.Options, all []question) faults.Maker {
	return func(ctx context.Context, dev driver.Device) (made faults.Object, err error) {
		s, err := session.New(ctx, dev, g, o)
		if err != nil {
			return made, err
		}
		next := 0
		made.Kinds, made.Close = len(all), s.Close
		made.Run = func(ctx context.Context) error {
			q := all[next%len(all)]
			next++
			got, err := q.ask(ctx, s)
			if err == nil && !slices.Equal(got, q.want) {
				err = fmt.Errorf("%w: %s is %v, want %v", faults.ErrWrong, q.name, got, q.want)
			}
			return err
		}
		return made, nil
	}
}

// The class: an error does not say that nothing was done. A session answers the next question, and the one that failed, right after
// any call failed, before or after its effect.
func TestASessionAnswersRightAfterAFailure(t *testing.T) {
	t.Parallel()
	first := long.Seed(t, 1)
	for i, c := range endings {
		if !strings.HasPrefix(c.device, "cuda-sim") || c.name != "host's loop" && !long.Enabled() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := weighted(t, graphtest.RandomGraph(t, 6, 12, true))
			if c.symmetric {
				g = weighted(t, graphtest.Both(t, graphtest.RandomGraph(t, 6, 12, false)))
			}
			all, o := everyQuestion(t, g), c.o
			if o.Engine, o.Levels, o.Queries = session.WavesEngine, true, 3; c.parts > 0 {
				g = weighted(t, graphtest.RandomGraph(t, 6, 80, true))
				all = everyQuestion(t, g)[:partsAnswer]
				o.SetPartArcs(c.parts)
			}
			config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: i%2 == 0}
			faults.Sweep{Config: config, Faults: faults.Sizes(2, 1500), Seed: first + uint64(i), Make: inTurn(g, o, all)}.Run(t)
		})
	}
}
