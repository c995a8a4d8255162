package driver

import "iter"

// changes lists the launches of a plan that setters have changed, the latest first. However many
// runners a plan has, each finds what it has not seen yet without looking at the other launches:
// it remembers the clock, and goes on from there.
type changes struct {
	clock  uint64 // of the latest change; 0 before there was one
	latest *LaunchCmd
}

// change is the place of a launch in the list. A launch that never changed is not in it.
type change struct {
	at           uint64 // what the clock then was; 0 if never
	newer, older *LaunchCmd
}

// Clock grows with every change that a setter makes: who remembers it has one number to compare, and finds
// what changed since by ChangedSince, Rehosted and Recounted.
func (p *Plan) Clock() uint64 { return p.changes.clock }

// tick is the clock of one more change.
func (p *Plan) tick() uint64 {
	p.changes.clock++
	return p.changes.clock
}

// ChangedSince yields the launches that changed after the clock was as given, each once. Among
// them are those of which only Domain is another one, so that Changed is what it was.
func (p *Plan) ChangedSince(clock uint64) iter.Seq[*LaunchCmd] {
	return func(yield func(*LaunchCmd) bool) {
		for c := p.changes.latest; c != nil && c.change.at > clock && yield(c); {
			c = c.change.older
		}
	}
}

// mark moves a launch that changes to the front.
func (p *Plan) mark(c *LaunchCmd) {
	c.change.at = p.tick()
	first := p.changes.latest
	if first == c {
		return
	}
	if o := c.change.older; o != nil {
		o.change.newer = c.change.newer
	}
	if n := c.change.newer; n != nil {
		n.change.older = c.change.older
	}
	c.change.newer, c.change.older = nil, first
	if first != nil {
		first.change.newer = c
	}
	p.changes.latest = c
}
