package exec

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// order decides which nodes a new one comes after: the last one, which makes a chain that the
// driver launches in almost no time; or, to let commands overlap, those that touch the same bytes.
type order struct {
	overlap bool
	nodes   []orderedNode
	last    [1]cu.GraphNode
	some    bool
}

type orderedNode struct {
	node cu.GraphNode
	t    touches
}

// overlapMost bounds the nodes that are compared with each other: what comes after them makes a
// chain again. Edges grow by the square of it.
const overlapMost = 2048

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

// pseudo is the key of the i'th piece of memory that is no buffer. Buffers number up from 1.
func pseudo(i int) uint64 { return ^uint64(i) }

// before returns the nodes that one with these touches comes after. The slice is good until add.
func (o *order) before(t touches) []cu.GraphNode {
	if !o.some {
		return nil
	}
	if !o.overlap {
		return o.last[:]
	}
	t = o.bounded(t)
	var deps []cu.GraphNode
	for i := len(o.nodes) - 1; i >= 0; i-- {
		n := &o.nodes[i]
		if n.t.all {
			// It came after everything before it.
			return append(deps, n.node)
		}
		if t.all || t.conflicts(n.t) {
			deps = append(deps, n.node)
		}
	}
	return deps
}

func (o *order) add(n cu.GraphNode, t touches) {
	o.last[0], o.some = n, true
	if o.overlap {
		o.nodes = append(o.nodes, orderedNode{n, o.bounded(t)})
	}
}

func (o *order) bounded(t touches) touches {
	if len(o.nodes) >= overlapMost {
		return everything
	}
	return t
}

func (t touches) conflicts(o touches) bool {
	for _, a := range t.list {
		for _, b := range o.list {
			if a.key == b.key && (a.writes || b.writes) && a.from < b.to && b.from < a.to {
				return true
			}
		}
	}
	return false
}

// touchesOf returns what a command touches, loops with all of their bodies.
func touchesOf(c driver.Cmd) touches {
	var t touches
	driver.Touches(c, func(r driver.Range, writes bool) {
		t.list = append(t.list, touch{r.Buffer.ID(), r.Off, r.End(), writes})
	})
	return t
}
