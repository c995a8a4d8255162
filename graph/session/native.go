package session

import (
	"context"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// native is the engine of the host's cores.
type native struct {
	s       *runner
	e       *cpu.Engine
	why     string   // it answers
	reached []uint32 // levels of a query alone, kept for the next one
	weighed *weighed // nil until paths are asked for
}

func newNative(s *runner, why string) *native { return &native{s: s, e: s.hostEngine(), why: why} }

// ran is how it went, since some time, and counts it.
func (n *native) ran(began time.Time, s cpu.Stats) Run {
	r := Run{Engine: NativeEngine, Record: megakernel.Record{Status: megakernel.Converged, Rounds: uint32(s.Rounds)}, Result: driver.Result{Timing: driver.Timing{Wall: time.Since(began)}}}
	n.s.totals.add(r)
	return r
}

// batch puts those together that allow the same kinds of arcs, up to 64.
func (n *native) batch(ctx context.Context, queries []Query, all []*Reached) error {
	s := n.s
	if len(queries) == 1 {
		s.groups = plan.Queries{Groups: append(s.groups.Groups[:0], plan.QueryGroup{})}
		return n.alone(ctx, queries[0], all[0])
	}
	s.groupByKinds(queries, 64)
	for _, g := range s.groups.Groups {
		if err := n.turn(ctx, queries, g.Queries, all); err != nil {
			return err
		}
	}
	return nil
}

// alone answers one query.
func (n *native) alone(ctx context.Context, q Query, r *Reached) error {
	s, began := n.s, time.Now()
	if n.reached == nil {
		n.reached = make([]uint32, s.g.Nodes())
	}
	r.renew(q, s.words(), n.why)
	stats, err := n.e.Levels(ctx, q.Seeds, s.kinds(q), n.reached)
	if q.Count {
		r.count = int(stats.Reached)
	} else {
		r.count = reachedWords(n.reached, r.words)
	}
	r.Run = n.ran(began, stats)
	return err
}

// turn answers queries of the same kinds.
func (n *native) turn(ctx context.Context, queries []Query, turn []int, all []*Reached) error {
	s, began := n.s, time.Now()
	if len(turn) == 1 {
		return n.alone(ctx, queries[turn[0]], all[turn[0]])
	}
	seeds := make([][]uint32, len(turn))
	for k, i := range turn {
		seeds[k] = queries[i].Seeds
		all[i].renew(queries[i], s.words(), n.why)
		clear(all[i].words)
	}
	seen := make([]uint64, s.g.Nodes())
	stats, err := n.e.Lanes(ctx, seeds, s.kinds(queries[turn[0]]), seen)
	if err != nil {
		return err
	}
	run := n.ran(began, stats)
	for _, i := range turn {
		all[i].Run = run
	}
	for v, w := range seen {
		for k, i := range turn {
			if w>>k&1 == 0 {
				continue
			}
			if all[i].count++; !queries[i].Count {
				all[i].words[v/32] |= 1 << (v % 32)
			}
		}
	}
	return nil
}

func (n *native) levels(ctx context.Context, q Query) ([]uint32, Run, error) {
	began, level := time.Now(), n.reached
	if level == nil || !q.Count {
		level = make([]uint32, n.s.g.Nodes())
	}
	if q.Count {
		n.reached = level
	}
	stats, err := n.e.Levels(ctx, q.Seeds, n.s.kinds(q), level)
	return level, n.ran(began, stats), err
}

func (n *native) parents(ctx context.Context, levels []uint32, kinds uint32) ([]uint32, Run, error) {
	began, parent := time.Now(), make([]uint32, n.s.g.Nodes())
	err := n.e.Parents(ctx, levels, kinds, parent)
	return parent, n.ran(began, cpu.Stats{}), err
}

func (n *native) near(ctx context.Context, q Query, arcs uint32) ([]Nearby, Run, error) {
	began := time.Now()
	list, err := n.e.Near(ctx, q.Seeds, n.s.kinds(q), arcs, nil)
	return list, n.ran(began, cpu.Stats{}), err
}

func (n *native) components(ctx context.Context, c *Components) error { return c.find(ctx, n) }

func (n *native) labels(_ context.Context, c *Components, _ []uint32) ([]uint32, error) {
	return c.labels, nil
}

func (n *native) weak(ctx context.Context, kinds uint32) ([]uint32, Run, error) {
	began, label := time.Now(), make([]uint32, n.s.g.Nodes())
	err := n.e.Components(ctx, kinds, label)
	return label, n.ran(began, cpu.Stats{}), err
}

func (n *native) strong(ctx context.Context, kinds uint32) ([]uint32, Run, error) {
	began, label := time.Now(), make([]uint32, n.s.g.Nodes())
	err := n.e.StrongComponents(ctx, kinds, label)
	return label, n.ran(began, cpu.Stats{}), err
}

func (n *native) topological(ctx context.Context, kinds uint32) ([]uint32, Run, error) {
	began, level := time.Now(), make([]uint32, n.s.g.Nodes())
	stats, err := n.e.TopologicalLevels(ctx, kinds, level)
	return level, n.ran(began, stats), err
}

func (n *native) bits(ctx context.Context, f BitFlow, gen, kill, in []uint64) (Run, error) {
	began, e := time.Now(), n.e
	if f.Backward && !n.s.symmetric {
		back := n.s.turned()
		if err := back.turn(ctx); err != nil {
			return Run{}, err
		}
		e = cpu.New(hostArrays(back.g), cpu.Graph{}, cpu.Options{})
	}
	stats, err := e.Bits(ctx, f.Words, gen, kill, n.s.kinds(Query{Kinds: f.Kinds}), in)
	return n.ran(began, stats), err
}

func (n *native) dominators(ctx context.Context, roots []uint32, kinds uint32, idom []uint32) (DominatorShares, Run, error) {
	began := time.Now()
	_, err := n.e.Dominators(ctx, roots, kinds, idom)
	return DominatorShares{}, n.ran(began, cpu.Stats{}), err
}
