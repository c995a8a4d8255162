package main

import (
	"context"
	"errors"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

// search is a graph on a device, with what a search of it needs.
type search struct {
	nodes, arcs                           int
	offsets, targets, seen, list, lengths *vyre.Buffer[uint32]
}

func upload(ctx context.Context, dev vyre.Device, g *graph.CSR) (*search, error) {
	s := &search{nodes: g.Nodes(), arcs: g.Arcs()}
	var errs [5]error
	s.offsets, errs[0] = vyre.Upload(ctx, dev, g.Offsets())
	s.targets, errs[1] = vyre.Upload(ctx, dev, g.Targets())
	s.seen, errs[2] = vyre.Alloc[uint32](dev, (s.nodes+31)/32)
	s.list, errs[3] = vyre.Alloc[uint32](dev, 2*s.nodes)
	s.lengths, errs[4] = vyre.Alloc[uint32](dev, 3)
	return s, errors.Join(errs[:]...)
}

// waves says what runs, from a node: Begin once, then rounds, of one block alone where little is left, or the drain.
func (s *search) waves(from uint32) ([]megakernel.Wave, error) {
	begin, err1 := vyreKernels.Program("Begin")
	round, err2 := vyreKernels.Program("Round")
	stay, err3 := vyreKernels.Program("Stay")
	drain, err4 := vyreKernels.Program("Drain")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	n := uint32(s.nodes)
	offsets, targets, seen, list, lengths := s.offsets.All(), s.targets.All(), s.seen.All(), s.list.All(), s.lengths.All()
	return []megakernel.Wave{{
		Program: begin,
		Args:    []vyre.Arg{vyre.Value(from), seen, list, lengths},
		Domain:  megakernel.Fixed(max(n/32+1, 3)),
		Phase:   megakernel.Before,
	}, {
		Program: round,
		Args:    []vyre.Arg{megakernel.Round{}, megakernel.Size{}, offsets, targets, seen, list, lengths, megakernel.Vote{}, megakernel.Edges{}},
		Domain:  megakernel.Spread(lengths, n),
		Stay: &megakernel.Stay{
			Program: stay,
			Args:    []vyre.Arg{megakernel.Round{}, megakernel.Size{}, megakernel.Limit{}, megakernel.Many{}, offsets, targets, seen, list, lengths, megakernel.Edges{}, megakernel.Result{}},
		},
		Drain: &megakernel.Drain{
			Program: drain,
			Args:    []vyre.Arg{offsets, targets, seen, list, lengths, megakernel.Slots{}, megakernel.Control{}},
			Slots:   arcs.Slots(uint64(s.nodes), uint64(s.arcs)),
		},
	}}, nil
}
