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
func (g *CSR) Symmetric(ctx context.Context) (both bool, err error) {
	if err := g.Verify(ctx); err != nil {
		return false, err
	}
	both, err = g.both.get(ctx, func() (both bool, err error) {
		err = g.Read(func() (err error) {
			both, err = g.same(ctx)
			return err
		})
		return both, err
	})
	if ended := errOf(ctx, "symmetry"); err != nil && ended != nil {
		err = ended
	}
	return both, err
}

// drawnKeys are the numbers that sums begin with.
var drawnKeys = [2]uint64{rand.Uint64(), rand.Uint64()}

// same compares the sums.
func (g *arrays) same(ctx context.Context) (bool, error) {
	var differs [2]atomic.Uint64
	err := portions(ctx, uint64(g.Arcs()), func(p Portion) {
		var there, back [2]uint64
		for u, last := p.Of(uint64(g.Nodes())); u < last && !p.end; u++ {
			targets, masks := g.row(uint32(u))
			for from, to := range p.pieces(0, uint64(len(targets))) {
				for k := from; k < to; k++ {
					v, mask := targets[k], uint64(orOne(masks, int(k)))
					for i, key := range drawnKeys {
						there[i] += mix.Mix64(mix.Mix64(u<<32|uint64(v)+key) + mask)
						back[i] += mix.Mix64(mix.Mix64(uint64(v)<<32|u+key) + mask)
					}
				}
			}
		}
		for i := range differs {
			differs[i].Add(there[i] - back[i])
		}
	})
	return differs[0].Load() == 0 && differs[1].Load() == 0, err
}
