package graph

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"github.com/govyre/vyre/driver"
)

// batch answers queries that allow the same kinds of arcs together, as many as there are lanes for.
func (p *parts) batch(ctx context.Context, queries []Query, all []*Reached) error {
	p.s.groupByKinds(queries, p.laidOut.lanes)
	for _, g := range p.s.groups.Groups {
		var err error
		if len(g.Queries) == 1 {
			err = p.reach(ctx, queries[g.Queries[0]], all[g.Queries[0]])
		} else {
			err = p.together(ctx, queries, g.Queries, all)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reach searches each part to its own end before it leaves it: what comes to the device is used for all that it leads to.
func (p *parts) reach(ctx context.Context, q Query, r *Reached) error {
	began := time.Now()
	r.renew(q, p.s.words(), p.why())
	if err := p.begun(ctx, p.set(q.Seeds), p.s.kinds(q)); err != nil {
		return err
	}
	if err := p.search(ctx, searchPart, &r.Run); err != nil {
		return err
	}
	reached, err := readWords(ctx, driver.All(p.reached))
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

// set is nodes as bits.
func (p *parts) set(nodes []uint32) []uint32 {
	words := make([]uint32, p.s.words())
	for _, v := range nodes {
		words[v/32] |= 1 << (v % 32)
	}
	return words
}

// answered has how long all of it took, and counts it.
func (p *parts) answered(r *Run, began time.Time) {
	r.Engine, r.Topology, r.Parts = WavesEngine, p.count.Topology(), p.parts()
	r.Result.Wall = time.Since(began)
	p.s.totals.add(*r)
}

// levels visits all parts that have nodes of a level before it goes on to the next one.
func (p *parts) levels(ctx context.Context, q Query) (levels []uint32, r Run, err error) {
	began := time.Now()
	if err = p.begun(ctx, p.set(q.Seeds), p.s.kinds(q)); err != nil {
		return nil, r, err
	}
	for level := uint32(0); ; level++ {
		list, err := p.active(ctx)
		if err != nil {
			return nil, r, err
		}
		if len(list) == 0 {
			break
		}
		// What the level finds is not gone on from yet, in whatever part it is.
		err = p.recorded(ctx, "level", func(q *driver.Sequence) { q.Copy(driver.All(p.open), driver.All(p.reached)) })
		if err != nil {
			return nil, r, err
		}
		if err := p.sweep(ctx, list, levelPart, level, &r); err != nil {
			return nil, r, err
		}
		r.Record.Rounds = level + 1
	}
	levels, err = readWords(ctx, driver.All(p.labels))
	p.answered(&r, began)
	return levels, r, err
}

// weak joins the ends of the arcs of each part, once.
func (p *parts) weak(ctx context.Context, kinds uint32) (labels []uint32, r Run, err error) {
	began := time.Now()
	every, n := make([]uint32, p.s.words()), p.s.g.Nodes()
	for w := range every {
		every[w] = ^uint32(0) >> (max(32*w+32, n) - n)
	}
	if err = p.begun(ctx, every, kinds); err != nil {
		return nil, r, err
	}
	if _, err = p.finish(ctx, p.own); err != nil {
		return nil, r, err
	}
	list := make([]int, p.parts())
	for k := range list {
		list[k] = k
	}
	p.order(list)
	if err = p.sweep(ctx, list, linkPart, 0, &r); err != nil {
		return nil, r, err
	}
	if _, err = p.finish(ctx, p.flatten); err != nil {
		return nil, r, err
	}
	labels, err = readWords(ctx, driver.All(p.labels))
	p.answered(&r, began)
	return labels, r, err
}

// What takes arcs in both directions, or one after another, has no parts.
func (p *parts) strong(context.Context, uint32) ([]uint32, Run, error) {
	return nil, Run{}, p.lacks("the search for strong components")
}

func (p *parts) topological(context.Context, uint32) ([]uint32, Run, error) {
	return nil, Run{}, p.lacks("the search for topological levels")
}

func (p *parts) parents(context.Context, []uint32, uint32) ([]uint32, Run, error) {
	return nil, Run{}, p.lacks("the search for parents")
}

func (p *parts) dominators(context.Context, []uint32, uint32, []uint32) (DominatorShares, Run, error) {
	return DominatorShares{}, Run{}, p.lacks("the search for dominators")
}

func (p *parts) bits(context.Context, BitFlow, []uint64, []uint64, []uint64) (Run, error) {
	return Run{}, p.lacks("the flow of bits")
}

// holding returns the slot that a part is in, nil if there is none.
func (p *parts) holding(part int) *partSlot {
	for _, t := range p.slots {
		if t.part == part {
			return t
		}
	}
	return nil
}

// oldest returns the slot that was used last longest ago, but for one that stays.
func (p *parts) oldest(stays *partSlot) (oldest *partSlot) {
	for _, t := range p.slots {
		if t != stays && (oldest == nil || t.used < oldest.used) {
			oldest = t
		}
	}
	return oldest
}

// fetch has a part come to the device, unless it is there, in the place of any but one.
func (p *parts) fetch(ctx context.Context, part int, stays *partSlot) {
	if p.coming != nil || p.holding(part) != nil {
		return
	}
	if t := p.oldest(stays); t != nil {
		t.part = -1
		a := &arrival{slot: t, part: part, err: make(chan error, 1)}
		p.coming = a
		go func() { a.err <- t.load(ctx, part) }()
	}
}

// ready returns the slot with a part, and puts it there if it is not.
func (p *parts) ready(ctx context.Context, part int, sum *Run) (*partSlot, error) {
	if a := p.coming; a != nil {
		p.coming = nil
		if err := <-a.err; err == nil {
			a.slot.part = a.part
			sum.Streamed += p.bytesOf(a.part)
		} else if a.part == part {
			return nil, err
		}
	}
	t := p.holding(part)
	if t == nil {
		t = p.oldest(nil)
		t.part = -1
		if err := t.load(ctx, part); err != nil {
			return nil, err
		}
		t.part = part
		sum.Streamed += p.bytesOf(part)
	}
	p.clock++
	t.used = p.clock
	return t, nil
}

// arcsOf returns which arcs a part has, bytesOf what they take.
func (p *parts) arcsOf(part int) (first, last uint64) {
	end := min(int(p.cuts[part+1])*32, p.s.g.Nodes())
	return p.s.g.rows.at(int(p.cuts[part]) * 32), p.s.g.rows.at(end)
}

func (p *parts) bytesOf(part int) uint64 {
	first, last := p.arcsOf(part)
	return (last - first) * p.s.arcBytes()
}

// load puts a part into the slot.
func (t *partSlot) load(ctx context.Context, part int) error {
	p := t.p
	first, last := p.arcsOf(part)
	err := driver.Write(ctx, driver.All(t.visit), bytesOf([]uint32{p.cuts[part], p.cuts[part+1], 0}))
	if err == nil && first < last {
		err = driver.Write(ctx, driver.Part(t.targets, 0, 4*int64(last-first)), bytesOf(p.s.g.Targets()[first:last]))
		if err == nil && t.masks != nil {
			err = driver.Write(ctx, driver.Part(t.masks, 0, 4*int64(last-first)), bytesOf(p.s.g.Masks()[first:last]))
		}
	}
	if err != nil {
		return err
	}
	if _, err = t.window.Run(ctx); err != nil {
		err = errors.Join(err, t.window.Reset(ctx))
	}
	return err
}
