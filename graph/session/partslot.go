package session

import (
	"context"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/guard"
	"github.com/govyre/vyre/megakernel"
)

// partSlot is where a part stands.
type partSlot struct {
	in                             *partSlots
	part                           int // -1 if there is none
	used                           uint64
	visit, offsets, targets, masks driver.Buffer
	window                         *megakernel.Plan
	plans                          [visitings]*megakernel.Plan // nil until they are needed
}

// arrival is a part on its way.
type arrival struct {
	slot *partSlot
	part int
	err  chan error
}

// partSlots are those of a session, which parts come to.
type partSlots struct {
	s      *runner
	l      *laidOut
	rows   rows
	list   []*partSlot
	clock  uint64
	coming *arrival // a part that is being put into a slot
}

// holding returns the slot that a part is in, nil if there is none.
func (p *partSlots) holding(part int) *partSlot {
	for _, t := range p.list {
		if t.part == part {
			return t
		}
	}
	return nil
}

// oldest returns the slot that was used last longest ago, but for one that stays.
func (p *partSlots) oldest(stays *partSlot) (oldest *partSlot) {
	for _, t := range p.list {
		if t != stays && (oldest == nil || t.used < oldest.used) {
			oldest = t
		}
	}
	return oldest
}

// fetch has a part come to the device, unless it is there, in the place of any but one.
func (p *partSlots) fetch(ctx context.Context, part int, stays *partSlot) {
	if p.coming != nil || p.holding(part) != nil {
		return
	}
	if t := p.oldest(stays); t != nil {
		t.part = -1
		a := &arrival{slot: t, part: part, err: make(chan error, 1)}
		p.coming = a
		guard.Go(func() { a.err <- t.load(ctx, part) }, func(p *guard.Panic) { a.err <- p })
	}
}

// arrived notes what became of a part that was on its way. One that did not come is as one that nobody sent for.
func (p *partSlots) arrived(err error, sum *Run) {
	a := p.coming
	if p.coming = nil; err == nil {
		a.slot.part = a.part
		p.came(a.part, sum)
	}
}

// Settle waits for a part that is on its way for a call that is over.
func (p *partSlots) Settle(ctx context.Context) error {
	a := p.coming
	if a == nil {
		return nil
	}
	select {
	case err := <-a.err:
		p.arrived(err, &Run{})
	case <-ctx.Done():
		return ctx.Err()
	}
	return a.slot.window.Settle(ctx)
}

// wait waits for a part that is on its way to memory that is going to be closed.
func (p *partSlots) wait() error {
	a := p.coming
	if p.coming = nil; a == nil {
		return nil
	}
	return <-a.err
}

// order puts parts first that are on the device.
func (p *partSlots) order(list []int) {
	there := func(k int) int {
		if p.holding(k) != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b int) int { return there(a) - there(b) })
}

// ready returns the slot with a part, and puts it there if it is not.
func (p *partSlots) ready(ctx context.Context, part int, sum *Run) (*partSlot, error) {
	if p.coming != nil {
		p.arrived(<-p.coming.err, sum)
	}
	t := p.holding(part)
	if t == nil {
		t = p.oldest(nil)
		t.part = -1
		if err := t.load(ctx, part); err != nil {
			return nil, err
		}
		t.part = part
		p.came(part, sum)
	}
	p.clock++
	t.used = p.clock
	return t, nil
}

// came counts a part that was put on the device.
func (p *partSlots) came(part int, sum *Run) {
	sum.Streamed += p.bytesOf(part)
	p.s.moved.uploaded += p.bytesOf(part) + 4*waves.VisitWords
}

// arcsOf returns which arcs a part has, bytesOf what they take.
func (p *partSlots) arcsOf(part int) (first, last uint64) {
	end := min(p.l.cuts[part+1]*32, uint32(p.s.g.Nodes()))
	return p.rows.at(p.l.cuts[part] * 32), p.rows.at(end)
}

func (p *partSlots) bytesOf(part int) uint64 {
	first, last := p.arcsOf(part)
	return (last - first) * p.s.arcBytes()
}

// load puts a part into the slot, beside what else the session does.
func (t *partSlot) load(ctx context.Context, part int) error {
	s, cuts := t.in.s, t.in.l.cuts
	first, last := t.in.arcsOf(part)
	err := driver.Write(ctx, driver.All(t.visit), little.Bytes([]uint32{cuts[part], cuts[part+1], 0}))
	if err == nil && first < last {
		err = upload(ctx, s.g, t.targets, 0, little.Bytes(s.g.Targets()[first:last]))
		if err == nil && t.masks != nil {
			err = upload(ctx, s.g, t.masks, 0, little.Bytes(s.g.Masks()[first:last]))
		}
	}
	if err != nil {
		return err
	}
	_, err = t.window.Run(ctx)
	return err
}
