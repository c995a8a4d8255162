package session

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// partEngine is the engine of a graph in parts.
type partEngine struct{ p *parts }

func (e partEngine) topology() megakernel.Topology { return e.p.count.Topology() }

func (e partEngine) parts() int { return e.p.parts() }

func (e partEngine) explain() string { return "" }

func (e partEngine) forget() error { return nil }

// batch answers queries that allow the same kinds of arcs together, as many as there are lanes for.
func (e partEngine) batch(ctx context.Context, queries []Query, all []*Reached) error {
	p := e.p
	p.s.groupByKinds(queries, p.laidOut.lanes)
	for _, g := range p.s.groups.Groups {
		var err error
		if len(g.Queries) == 1 {
			err = e.reach(ctx, queries[g.Queries[0]], all[g.Queries[0]])
		} else {
			err = e.together(ctx, queries, g.Queries, all)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reach searches each part to its own end before it leaves it: what comes to the device is used for all that it leads to.
func (e partEngine) reach(ctx context.Context, q Query, r *Reached) error {
	p := e.p
	began := p.begins()
	r.renew(q, p.s.words(), p.why())
	if err := p.begun(ctx, nodeSet(p.s.words(), q.Seeds), p.s.kinds(q)); err != nil {
		return err
	}
	if err := p.search(ctx, searchPart, &r.Run); err != nil {
		return err
	}
	reached, err := p.s.readWords(ctx, driver.All(p.reached))
	if err != nil {
		return err
	}
	for _, w := range reached {
		r.count += bits.OnesCount32(w)
	}
	copy(r.words, reached) // none if the query counts
	p.answered(&r.Run, began)
	return nil
}

// search visits parts until there is none in which a search has to go on.
func (p *parts) search(ctx context.Context, what visiting, sum *Run) error {
	for {
		list, err := p.active(ctx)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := p.sweep(ctx, list, what, 0, sum); err != nil {
			return err
		}
	}
}

// nodeSet is nodes as bits, in so many words.
func nodeSet(words int, nodes []uint32) []uint32 {
	set := make([]uint32, words)
	for _, v := range nodes {
		set[v/32] |= 1 << (v % 32)
	}
	return set
}

// begins is when an answer was begun, and what had been moved by then.
type begins struct {
	at    time.Time
	moved moved
}

func (p *parts) begins() begins { return begins{time.Now(), p.s.moved} }

// answered has how long all of it took, and what was moved for it, and counts it.
func (p *parts) answered(r *Run, began begins) {
	r.Engine, r.Topology, r.Parts = WavesEngine, p.count.Topology(), p.parts()
	r.Result.Wall = time.Since(began.at)
	p.s.moved.since(began.moved, r)
	p.s.totals.add(*r)
}

// levels visits all parts that have nodes of a level before it goes on to the next one.
func (e partEngine) levels(ctx context.Context, q Query) ([]uint32, Run, error) {
	p := e.p
	began := p.begins()
	if err := p.begun(ctx, nodeSet(p.s.words(), q.Seeds), p.s.kinds(q)); err != nil {
		return nil, Run{}, err
	}
	var r Run
	err := p.byLevels(ctx, levelPart, &r)
	return p.labelled(ctx, began, r, err)
}

// byLevels labels what is reached, level by level.
func (p *parts) byLevels(ctx context.Context, what visiting, sum *Run) error {
	for level := uint32(0); ; level++ {
		list, err := p.active(ctx)
		if err != nil || len(list) == 0 {
			return err
		}
		// What the level finds is not gone on from yet, in whatever part it is.
		err = p.recorded(ctx, "level", func(q *driver.Sequence) { q.Copy(driver.All(p.open), driver.All(p.reached)) })
		if err != nil {
			return err
		}
		if err := p.sweep(ctx, list, what, level, sum); err != nil {
			return err
		}
		sum.Record.Rounds = level + 1
	}
}

// labelled reads what nodes were labelled with, and ends an answer that began then.
func (p *parts) labelled(ctx context.Context, began begins, r Run, err error) ([]uint32, Run, error) {
	if err != nil {
		return nil, r, err
	}
	labels, err := p.s.readWords(ctx, driver.All(p.labels))
	p.answered(&r, began)
	return labels, r, err
}

// everywhere begins with all nodes, and visits each part once.
func (p *parts) everywhere(ctx context.Context, what visiting, kinds uint32, sum *Run) error {
	every, n := make([]uint32, p.s.words()), p.s.g.Nodes()
	for w := range every {
		every[w] = ^uint32(0) >> (max(32*w+32, n) - n)
	}
	if err := p.begun(ctx, every, kinds); err != nil {
		return err
	}
	if what == linkPart {
		if _, err := p.s.finish(ctx, p.own); err != nil {
			return err
		}
	}
	list := make([]int, p.parts())
	for k := range list {
		list[k] = k
	}
	p.slots.order(list)
	return p.sweep(ctx, list, what, 0, sum)
}

// weak joins the ends of the arcs of each part, once.
func (e partEngine) components(ctx context.Context, c *Components) error { return c.find(ctx, e) }

func (e partEngine) labels(_ context.Context, c *Components, _ []uint32) ([]uint32, error) {
	return c.labels, nil
}

func (e partEngine) weak(ctx context.Context, kinds uint32) ([]uint32, Run, error) {
	p := e.p
	began, r := p.begins(), Run{}
	err := p.everywhere(ctx, linkPart, kinds, &r)
	if err == nil {
		_, err = p.s.finish(ctx, p.flatten)
	}
	return p.labelled(ctx, began, r, err)
}

// words are a word a node, in the half of the list that no wave appends to which finds nothing to go on from.
func (p *parts) words() driver.Range {
	n := 4 * int64(p.s.g.Nodes())
	return driver.Part(p.list, n, n)
}

// topological counts the arcs that come to each node, visiting each part once, and takes nodes away level by level.
func (e partEngine) topological(ctx context.Context, kinds uint32) ([]uint32, Run, error) {
	p := e.p
	began, r := p.begins(), Run{}
	err := p.recorded(ctx, "order", func(q *driver.Sequence) { q.Fill(p.words(), 0, 4) })
	if err == nil {
		err = p.everywhere(ctx, incomingPart, kinds, &r)
	}
	if err == nil {
		_, err = p.s.finish(ctx, p.top)
	}
	if err == nil {
		err = p.recorded(ctx, "sources", func(q *driver.Sequence) { q.Fill(driver.All(p.done), 0, 4) })
	}
	if err == nil {
		err = p.byLevels(ctx, peelPart, &r)
	}
	return p.labelled(ctx, began, r, err)
}

// parents follow levels, which are on the device: each part that has nodes with one is visited once more.
func (e partEngine) parents(ctx context.Context, _ []uint32, _ uint32) ([]uint32, Run, error) {
	p := e.p
	began, r := p.begins(), Run{}
	err := p.recorded(ctx, "parents", func(q *driver.Sequence) {
		q.Fill(driver.All(p.done), 0, 4)
		q.Fill(p.words(), uint64(graph.None), 4)
	})
	if err != nil {
		return nil, r, err
	}
	list, err := p.active(ctx)
	if err == nil {
		err = p.sweep(ctx, list, parentsPart, 0, &r)
	}
	if err != nil {
		return nil, r, err
	}
	parents, err := p.s.readWords(ctx, p.words())
	p.answered(&r, began)
	return parents, r, err
}

// What takes arcs in both directions has no parts.
func (e partEngine) strong(context.Context, uint32) ([]uint32, Run, error) {
	_, err := e.whole("a search for strong components", func(whole *runner) uint64 { return wantStrong(whole).bytes })
	return nil, Run{}, err
}

func (e partEngine) dominators(context.Context, []uint32, uint32, []uint32) (DominatorShares, Run, error) {
	_, err := e.whole("a search for dominators", func(whole *runner) uint64 {
		w := wantProcedures(whole, nil)
		return w.bytes + w.beside
	})
	return DominatorShares{}, Run{}, err
}

func (e partEngine) bits(_ context.Context, f BitFlow, _, _, _ []uint64) (Run, error) {
	_, err := e.whole("a flow of bits", func(whole *runner) uint64 { return wantBits(whole, f).bytes })
	return Run{}, err
}

// together answers queries that allow the same kinds of arcs: each part that is visited is searched for all of them.
func (e partEngine) together(ctx context.Context, queries []Query, group []int, all []*Reached) error {
	p := e.p
	began, s, l := p.begins(), p.s, &p.lanes
	l.stage.turn(0, 0, len(group))
	for k, i := range group {
		l.stage.query(k, queries[i])
	}
	staged := 4 * len(group) * s.stride
	if err := p.s.write(ctx, driver.Part(l.staged, 0, int64(staged)), l.stage.bytes[:staged]); err != nil {
		return err
	}
	err := p.recorded(ctx, "begin together", func(q *driver.Sequence) {
		for _, b := range []driver.Buffer{l.seen, l.queued, l.turn, l.counts, l.nowhere, p.reached, p.done, p.lengths} {
			q.Fill(driver.All(b), 0, 4)
		}
	})
	if err != nil {
		return err
	}
	var run Run
	if _, err = p.s.finish(ctx, l.seed); err != nil {
		return err
	}
	if err = p.search(ctx, lanesPart, &run); err != nil {
		return err
	}
	for _, i := range group {
		all[i].renew(queries[i], s.words(), p.why())
		if _, err = p.s.finish(ctx, l.answer); err != nil {
			return err
		}
		if queries[i].Count {
			continue
		}
		set, err := p.s.readWords(ctx, driver.All(p.front))
		if err != nil {
			return err
		}
		copy(all[i].words, set)
	}
	counts, err := p.s.readWords(ctx, driver.All(l.counts))
	if err != nil {
		return err
	}
	p.answered(&run, began)
	for k, i := range group {
		all[i].Run, all[i].count = run, int(counts[k])
	}
	return nil
}

// whole refuses what a graph in parts is not asked, with what a session takes that has all of the graph on the device, and more for
// that.
func (e partEngine) whole(what string, more func(whole *runner) uint64) (*kernels, error) {
	p, s := e.p, e.p.s
	refused := &driver.Error{Op: "session", Label: s.o.Label, Device: s.dev.Name(), Kind: driver.Unsupported, Fix: onTheHost,
		Msg: fmt.Sprintf("%s needs all of the graph on the device, which is in %d parts", what, p.parts())}
	if s.g.WideOffsets() != nil { // no budget would do
		return nil, refused
	}
	all := &resident{footprint: s.footprint, dev: s.dev, symmetric: s.symmetric}
	all.o.Budget, all.native = math.MaxUint64, false
	all.size()
	var err error
	if all.memory, err = plan.PlanSession(all.request()); err != nil {
		return nil, err
	}
	need := all.memory.PeakBytes + more(&runner{resident: all})
	refused.Kind, refused.Requested, refused.Available = driver.OutOfMemory, int64(need), int64(min(s.o.Budget, math.MaxInt64))
	refused.Msg += fmt.Sprintf(": %d bytes of %d", need, s.o.Budget)
	refused.Fix = "raise session.Options.Budget to that, on a device that has them; " + refused.Fix
	return nil, refused
}
