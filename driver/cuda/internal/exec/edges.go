package exec

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// touch is a part of a buffer that a command reads or writes.
type touch struct {
	key      uint64 // identity of the buffer
	from, to int64
	writes   bool
}

// touches is all that a command touches.
type touches struct {
	list []touch
	all  bool // it has its place between all that is before and all that comes after
}

var everything = touches{all: true}

// mine returns the touch of memory of the runner that is no buffer, and that one command at a time may have.
func mine(key uint64) touch { return touch{key: ^key, to: 1, writes: true} }

// Keys of such memory. Buffers number up from 1.
func (r *lowered) keyOfUnits() uint64          { return 0 } // of launches that need all of the device's units
func (r *lowered) keyOfBlock(l *launch) uint64 { return 1 + 2*uint64(l.cmd.Index) }
func (r *lowered) keyOfRecords(l *launch) uint64 {
	return 2 + 2*uint64(l.cmd.Index)
}
func (r *lowered) keyOfControl(c *loop) uint64 {
	return 1 + 2*uint64(len(r.launches)) + uint64(c.control)
}

// touchesOf returns what an operation touches, loops with all of their bodies. Besides buffers that is what launches share
// that do not run one after the other:
//   - Two that need all groups to run at once would wait for each other's places.
//   - The rounds of an unrolled loop have one barrier block and one record for traps, traces and checks a launch.
//   - A loop that the device decides on has one control record.
func (r *lowered) touchesOf(o *op) touches {
	var t touches
	driver.Touches(o.cmd, func(m driver.Range, writes bool) {
		t.list = append(t.list, touch{m.Buffer.ID(), m.Off, m.End(), writes})
	})
	units := func(o *op) bool { return o.launch != nil && o.launch.resident }
	if l := o.launch; l != nil {
		if l.barrier >= 0 {
			t.list = append(t.list, mine(r.keyOfBlock(l)))
		}
		if l.trap >= 0 || l.trace >= 0 || l.checks >= 0 {
			t.list = append(t.list, mine(r.keyOfRecords(l)))
		}
	}
	if units(o) || o.loop != nil && some(o.loop.body, units) {
		t.list = append(t.list, mine(r.keyOfUnits()))
	}
	if o.loop != nil && o.loop.control >= 0 {
		t.list = append(t.list, mine(r.keyOfControl(o.loop)))
	}
	return t
}

// planned is a node that has no edges yet: a launch of moves, or what add adds.
type planned struct {
	touches
	moves *moves
	add   func(deps []cu.GraphNode) (cu.GraphNode, error)
}

// merged puts moves that follow each other into one node: in a chain as many as it takes, else those that come after the same
// node, so that none waits for more than it has to.
func merged(list []planned, overlap bool) []planned {
	var after []int
	if overlap {
		after = afterOf(list)
	}
	all := list[:0]
	last := -1 // that the last node of all comes after, if it overlaps
	for i, n := range list {
		if n.moves != nil && len(all) > 0 {
			to := &all[len(all)-1]
			if to.moves != nil && (!overlap || after[i] == last) && to.moves.add(n.moves.list[0]) {
				to.all = to.all || n.all
				to.list = append(to.list, n.list...)
				continue
			}
		}
		if all = append(all, n); overlap {
			last = after[i]
		}
	}
	return all
}

// afterOf returns the latest node that each one depends on, but for moves directly before it; -1 without one.
func afterOf(list []planned) []int {
	o, after := newBranches(touchesOfAll(list), 1), make([]int, len(list))
	first := 0 // of the moves that follow each other
	for i := range list {
		if list[i].moves == nil || i > 0 && list[i-1].moves == nil {
			first = i
		}
		deps := o.before(&list[i].touches)
		after[i] = deps.latest()
		if after[i] >= first && i > first {
			after[i] = after[i-1]
		}
		o.add(&list[i].touches)
	}
	return after
}

func touchesOfAll(list []planned) []touches {
	all := make([]touches, len(list))
	for i := range list {
		all[i] = list[i].touches
	}
	return all
}

// place adds the planned nodes with their edges: one chain, which the driver launches in almost no time, or to let commands
// overlap a few.
func (b *nodes) place() error {
	list := merged(b.list, b.overlap)
	b.list = nil
	var o *branches
	if b.overlap {
		o = newBranches(touchesOfAll(list), branchesOf(len(list)))
	}
	added := make([]cu.GraphNode, 0, len(list))
	var deps []cu.GraphNode
	for i := range list {
		n := &list[i]
		deps = deps[:0]
		switch {
		case o != nil:
			for _, from := range o.add(&n.touches) {
				deps = append(deps, added[from])
			}
		case i > 0:
			deps = append(deps, added[i-1])
		}
		add := n.add
		if n.moves != nil {
			add = b.moving(n.moves)
		}
		node, err := add(deps)
		if err != nil {
			return err
		}
		added = append(added, node)
	}
	return nil
}
