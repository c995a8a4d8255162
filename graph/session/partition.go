package session

import (
	"iter"
)

// Components says which nodes hang together.
type Components struct {
	Run    Run
	labels []uint32
	sizes  []uint32 // by label; 0 for a node that is no label
	count  int
	most   uint32 // the label of the greatest
}

// partition counts the components that have the labels, each the smallest node of its component.
func partition(labels []uint32, r Run) *Components {
	c := &Components{Run: r, labels: labels, sizes: make([]uint32, len(labels))}
	same, n := uint32(0), uint32(0) // nodes in a row with one label, which are counted together
	for _, label := range labels {
		if label != same {
			c.sizes[same] += n
			same, n = label, 0
		}
		n++
	}
	if n > 0 {
		c.sizes[same] += n
	}
	for label, size := range c.sizes {
		if size > 0 {
			c.count++
		}
		if size > c.sizes[c.most] {
			c.most = uint32(label)
		}
	}
	return c
}

// Count returns how many components there are.
func (c *Components) Count() int { return c.count }

// Labels returns for each node the smallest one of its component. It must not be written.
func (c *Components) Labels() []uint32 { return c.labels }

// Size returns how many nodes the component has whose smallest node that is; 0 if it is not the smallest of one.
func (c *Components) Size(label uint32) int {
	if int64(label) >= int64(len(c.sizes)) {
		return 0
	}
	return int(c.sizes[label])
}

// Largest returns the label of the component that has most nodes, the smallest label of several, and how many it has.
func (c *Components) Largest() (label uint32, nodes int) { return c.most, c.Size(c.most) }

// All are the components by ascending label, with how many nodes each has.
func (c *Components) All() iter.Seq2[uint32, int] {
	return func(yield func(uint32, int) bool) {
		for label, size := range c.sizes {
			if size > 0 && !yield(uint32(label), int(size)) {
				return
			}
		}
	}
}
