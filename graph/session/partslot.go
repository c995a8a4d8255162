package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/guard"
)

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
		guard.Go(func() { a.err <- t.load(ctx, part) }, func(p *guard.Panic) { a.err <- p })
	}
}

// arrived notes what became of a part that was on its way. One that did not come is as one that nobody sent for.
func (p *parts) arrived(err error, sum *Run) {
	a := p.coming
	if p.coming = nil; err == nil {
		a.slot.part = a.part
		p.came(a.part, sum)
	}
}

// settle waits for a part that is on its way for a call that is over.
func (p *parts) settle(ctx context.Context) error {
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

// ready returns the slot with a part, and puts it there if it is not.
func (p *parts) ready(ctx context.Context, part int, sum *Run) (*partSlot, error) {
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
func (p *parts) came(part int, sum *Run) {
	sum.Streamed += p.bytesOf(part)
	p.s.moved.uploaded += p.bytesOf(part) + 4*waves.VisitWords
}

// arcsOf returns which arcs a part has, bytesOf what they take.
func (p *parts) arcsOf(part int) (first, last uint64) {
	end := min(int(p.cuts[part+1])*32, p.s.g.Nodes())
	return p.s.firstArc(int(p.cuts[part]) * 32), p.s.firstArc(end)
}

func (p *parts) bytesOf(part int) uint64 {
	first, last := p.arcsOf(part)
	return (last - first) * p.s.arcBytes()
}

// load puts a part into the slot, beside what else the session does.
func (t *partSlot) load(ctx context.Context, part int) error {
	p := t.p
	first, last := p.arcsOf(part)
	err := driver.Write(ctx, driver.All(t.visit), little.Bytes([]uint32{p.cuts[part], p.cuts[part+1], 0}))
	if err == nil && first < last {
		err = upload(ctx, p.s.g, t.targets, little.Bytes(p.s.g.Targets()[first:last]))
		if err == nil && t.masks != nil {
			err = upload(ctx, p.s.g, t.masks, little.Bytes(p.s.g.Masks()[first:last]))
		}
	}
	if err != nil {
		return err
	}
	_, err = t.window.Run(ctx)
	return err
}
