package graph

import (
	"context"
	"math/bits"
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

// mirrored are sums over arcs, and over the same arcs turned round.
type mirrored struct{ there, back [2]uint64 }

func (m *mirrored) arc(u, v uint64, mask uint32) {
	key, other := drawnKeys[0], drawnKeys[1]
	there := mix.Mix64(mix.Mix64(u<<32|v+key) + uint64(mask))
	back := mix.Mix64(mix.Mix64(v<<32|u+key) + uint64(mask))
	m.there[0] += there
	m.back[0] += back
	upper, _ := bits.Mul64(there, there^other)
	m.there[1] += upper
	upper, _ = bits.Mul64(back, back^other)
	m.back[1] += upper
}

// sums adds up those of portions.
type sums [2]atomic.Uint64

func (s *sums) add(m mirrored) {
	for i := range s {
		s[i].Add(m.there[i] - m.back[i])
	}
}

func (s *sums) equal() bool { return s[0].Load() == 0 && s[1].Load() == 0 }

// same compares the sums.
func (g *arrays) same(ctx context.Context) (bool, error) {
	if g.file != nil && g.file.found.symmetric.Load() {
		return true, nil // as Verify found
	}
	var all sums
	err := portions(ctx, uint64(g.Arcs()), func(p Portion) {
		var own mirrored
		for u, last := p.Of(uint64(g.Nodes())); u < last && !p.end; u++ {
			targets, masks := g.row(uint32(u))
			for from, to := range p.pieces(0, uint64(len(targets))) {
				for k := from; k < to; k++ {
					own.arc(u, uint64(targets[k]), orOne(masks, int(k)))
				}
			}
		}
		all.add(own)
	})
	return all.equal(), err
}
