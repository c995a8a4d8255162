package graph

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"github.com/govyre/vyre/graph/internal/mix"
)

// Symmetric reports whether every arc stands in the graph the other way round, too, with the same mask and as often. It looks
// at every arc once, in order and on all cores, and compares two sums of 64 bits over the arcs with those over the arcs turned
// round. They tell a graph that is not symmetric from one that is but for a chance of some 2⁻¹²⁸, and no file can be made to meet
// it: the sums begin with numbers that are drawn anew in each process. It does so once.
//
// Errors: those of Verify.
func (g *CSR) Symmetric() (both bool, err error) {
	if err := g.Verify(); err != nil {
		return false, err
	}
	g.turned.Lock()
	defer g.turned.Unlock()
	if !g.looked {
		if err := g.Read(func() error {
			g.both = g.same()
			return nil
		}); err != nil {
			return false, err
		}
		g.looked = true
	}
	return g.both, nil
}

// drawnKeys are the numbers that sums begin with.
var drawnKeys = [2]uint64{rand.Uint64(), rand.Uint64()}

// same compares the sums.
func (g *CSR) same() bool {
	var differs [2]atomic.Uint64
	_ = portions(context.Background(), uint64(g.Arcs()), func(p Portion) {
		var there, back [2]uint64
		for u, last := p.Of(uint64(g.Nodes())); u < last; u++ {
			targets, masks := g.row(uint32(u))
			for k, v := range targets {
				mask := uint64(1)
				if masks != nil {
					mask = uint64(masks[k])
				}
				for i, key := range drawnKeys {
					there[i] += mix.Mix64(mix.Mix64(u<<32|uint64(v)+key) + mask)
					back[i] += mix.Mix64(mix.Mix64(uint64(v)<<32|u+key) + mask)
				}
			}
		}
		for i := range differs {
			differs[i].Add(there[i] - back[i])
		}
	})
	return differs[0].Load() == 0 && differs[1].Load() == 0
}
