package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// Permutation puts the numbers below n into a random order: that in which they are if each draws 64 bits and they are sorted by
// these, of equals the lesser number first. It is the same for a source and n everywhere. I is the type of the numbers.
type Permutation[I uint32 | uint64] struct {
	draw *Random[uint64]
	sort *sorter
}

// NewPermutation makes a permutation of at most max numbers.
func NewPermutation[I uint32 | uint64](ctx context.Context, dev vyre.Device, max int) (*Permutation[I], error) {
	m, err := begin(dev, fmt.Sprintf("Permutation[%s]", typeName[I]()), max)
	if err != nil {
		return nil, err
	}
	if sizeOf[I]() == 4 && m.max > 1<<32 {
		return nil, m.refuse("numbers of 32 bits", "make a Permutation[uint64]")
	}
	programs := sortPrograms{kernels.SortPairsFew4Program, kernels.SortPairsGroup4Program, kernels.SortPairs4Program}
	if sizeOf[I]() == 8 {
		programs = sortPrograms{kernels.SortPairsFew8Program, kernels.SortPairsGroup8Program, kernels.SortPairs8Program}
	}
	s, err := newSorter(ctx, m, block.Unsigned, "uint64", 8, int(sizeOf[I]()), SortOptions{}, programs, map[string]uint64{"iota": 1})
	if err != nil {
		return nil, err
	}
	draw, err := NewRandom[uint64](ctx, dev, Words, max)
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return &Permutation[I]{draw, s}, nil
}

func (p *Permutation[I]) scratchBytes() int64 {
	if unmade(nil, p) {
		return 0
	}
	return 16*int64(p.sort.max) + p.sort.scratchBytes()
}

// Record appends a permutation of the numbers below n, drawn from a place on, into out[:n].
func (p *Permutation[I]) Record(seq *vyre.Sequence, n Length, from Source, out *vyre.Buffer[I]) *RandomStep {
	if unmade(seq, p) {
		return &RandomStep{new(Step)}
	}
	st := p.sort.step(seq, n, out.Len(), out.Bytes())
	room := max(1, int(p.sort.max))
	draws, sorted := vyre.Scratch[uint64](seq, room), vyre.Scratch[uint64](seq, room)
	drawn := p.draw.Record(seq, n, from, draws)
	p.sort.record(seq, st, n, draws.Bytes(), st.nowhere, sorted.Bytes(), out.Bytes())
	st.launches = append(drawn.launches, st.launches...) // the first one is that of the draws, which SetSource sets
	return &RandomStep{st}
}

// Close gives the kernels up, as that of the others does.
func (p *Permutation[I]) Close() error {
	if unmade(nil, p) {
		return nil
	}
	err := p.sort.Close()
	if e := p.draw.Close(); err == nil {
		err = e
	}
	return err
}
