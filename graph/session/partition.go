package session

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
)

// Components says which nodes hang together. What it does not say without being asked is found when a call asks, and kept. A
// Components is for one goroutine.
type Components struct {
	Run Run
	tally
	s      *Session
	kinds  uint32
	strong bool
	labels []uint32 // once they were read
	sizes  []uint32 // by label; 0 for a node that is no label
}

// tally is how many components there are, and the label and the size of the greatest, the smallest label of several.
type tally struct {
	count int
	most  uint32
	size  int
}

// sizesOf counts nodes by label.
func sizesOf(labels []uint32) (sizes []uint32) {
	sizes = make([]uint32, len(labels))
	same, n := uint32(0), uint32(0) // nodes in a row with one label, which are counted together
	for _, label := range labels {
		if label != same {
			sizes[same] += n
			same, n = label, 0
		}
		n++
	}
	if n > 0 {
		sizes[same] += n
	}
	return sizes
}

// on has the labels, each the smallest node of its component.
func (c *Components) on(labels []uint32, r Run) {
	c.Run, c.labels, c.sizes, c.tally = r, labels, sizesOf(labels), tally{}
	for label, size := range c.sizes {
		if size > 0 {
			c.count++
		}
		if int(size) > c.size {
			c.most, c.size = uint32(label), int(size)
		}
	}
}

// find has an engine find labels, whose labels come back in any case.
func (c *Components) find(ctx context.Context, by engine) error {
	ask := by.weak
	if c.strong {
		ask = by.strong
	}
	labels, r, err := ask(ctx, c.kinds)
	if err == nil {
		c.on(labels, r)
	}
	return err
}

// Count returns how many components there are.
func (c *Components) Count() int { return c.count }

// Largest returns the label of the component that has most nodes, the smallest label of several, and how many it has.
func (c *Components) Largest() (label uint32, nodes int) { return c.most, c.size }

// Labels returns for each node the smallest one of its component, in dst if that has room for it.
//
// Errors: those of the device.
func (c *Components) Labels(ctx context.Context, dst []uint32) ([]uint32, error) {
	if err := made(c.s); err != nil {
		return nil, err
	}
	if c.labels == nil {
		return c.read(ctx, slices.Grow(dst[:0], c.s.resident.g.Nodes())[:c.s.resident.g.Nodes()])
	}
	return append(dst[:0], c.labels...), nil
}

// read reads the labels, which are found again if others took their memory.
func (c *Components) read(ctx context.Context, dst []uint32) (labels []uint32, err error) {
	set := c.s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	if labels, err = by.labels(ctx, c, dst); err != nil {
		return nil, err
	}
	return labels, nil
}

// counts counts the nodes of each component.
func (c *Components) counts(ctx context.Context) ([]uint32, error) {
	if c.sizes == nil {
		labels, err := c.Labels(ctx, nil)
		if err != nil {
			return nil, err
		}
		c.labels, c.sizes = labels, sizesOf(labels)
	}
	return c.sizes, nil
}

// Size returns how many nodes the component has whose smallest node that is; 0 if it is not the smallest of one.
//
// Errors: those of Labels.
func (c *Components) Size(ctx context.Context, label uint32) (int, error) {
	sizes, err := c.counts(ctx)
	if err != nil || int64(label) >= int64(len(sizes)) {
		return 0, err
	}
	return int(sizes[label]), nil
}

// All are the components by ascending label, with how many nodes each has.
//
// Errors: those of Labels.
func (c *Components) All(ctx context.Context) (iter.Seq2[uint32, int], error) {
	sizes, err := c.counts(ctx)
	return func(yield func(uint32, int) bool) {
		for label, size := range sizes {
			if size > 0 && !yield(uint32(label), int(size)) {
				return
			}
		}
	}, err
}

// Sizes are how many nodes components have, falling, with how many components have so many.
//
// Errors: those of Labels.
func (c *Components) Sizes(ctx context.Context) (iter.Seq2[int, int], error) {
	sizes, err := c.counts(ctx)
	of := map[int]int{}
	for _, n := range sizes {
		if n > 0 {
			of[int(n)]++
		}
	}
	return func(yield func(int, int) bool) {
		for _, n := range slices.SortedFunc(maps.Keys(of), func(a, b int) int { return cmp.Compare(b, a) }) {
			if !yield(n, of[n]) {
				return
			}
		}
	}, err
}
