package graph

import (
	"context"
	"fmt"
)

// Levels searches breadth-first from all seeds at once, along the arcs that the filter allows, on one core. It returns
// the level of every node: 0 for seeds, None for nodes that were not reached. It is what every other search is
// compared with.
//
// Errors: a seed that is no node; those of Verify.
func Levels(ctx context.Context, g *CSR, seeds []uint32, filter uint32) (levels []uint32, err error) {
	if err := g.Verify(ctx); err != nil {
		return nil, err
	}
	p := &polls{ctx: ctx}
	err = g.Read(func() (err error) {
		levels, err = g.levels(p, seeds, filter)
		return err
	})
	if p.end {
		err = errOf(ctx, "levels")
	}
	if err != nil {
		return nil, err
	}
	return levels, nil
}

func (g *arrays) levels(p *polls, seeds []uint32, filter uint32) ([]uint32, error) {
	levels := make([]uint32, g.Nodes())
	for i := range levels {
		levels[i] = None
	}
	queue := make([]uint32, 0, len(seeds))
	for i, s := range seeds {
		if uint64(s) >= uint64(len(levels)) {
			return nil, fmt.Errorf("graph: seed %d is node %d, but n = %d", i, s, len(levels))
		}
		if levels[s] == None {
			levels[s] = 0
			queue = append(queue, s)
		}
	}
	var next []uint32
	for level := uint32(1); len(queue) > 0; level++ {
		next = next[:0]
		for _, u := range queue {
			targets, masks := g.row(u)
			if masks == nil && filter&1 == 0 {
				continue
			}
			for from, to := range p.pieces(0, uint64(len(targets))) {
				for i := from; i < to; i++ {
					if v := targets[i]; levels[v] == None && (masks == nil || masks[i]&filter != 0) {
						levels[v] = level
						next = append(next, v)
					}
				}
			}
			if p.end {
				return nil, p.err()
			}
		}
		queue, next = next, queue
	}
	return levels, nil
}

// Bitset returns which nodes were reached: bit u%64 of word u/64 for node u.
func Bitset(levels []uint32) []uint64 {
	set := make([]uint64, (len(levels)+63)/64)
	for u, level := range levels {
		if level != None {
			set[u/64] |= 1 << (u % 64)
		}
	}
	return set
}
