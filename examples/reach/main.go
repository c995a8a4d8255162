// Command reach finds what can be reached from a node of a road network, in every way that package
// megakernel has to drive the rounds of a search, and in the one that has no rounds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/kernel/packed"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

//go:generate go run ../../cmd/vyre gen .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	name := flag.String("graph", "road:64x64", "graph to search, such as road:1024x1024, kron:16 or skew:65536")
	times := flag.Bool("times", false, "print how long each way takes")
	flag.Parse()
	if err := run(context.Background(), *device, *name, *times); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, device, name string, times bool) error {
	g, err := graph.Generate(name, graph.Options{Seed: 1})
	if err != nil {
		return err
	}
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	s, err := upload(dev, g)
	if err != nil {
		return err
	}
	waves, err := s.waves()
	if err != nil {
		return err
	}
	levels, err := graph.Levels(g, []uint32{0}, graph.AllKinds)
	if err != nil {
		return err
	}

	fmt.Printf("%s: %d nodes, %d arcs\n", name, g.Nodes(), g.Arcs())
	for how := megakernel.HostLoop; how <= megakernel.Drained; how++ {
		p, err := megakernel.New(ctx, dev.Device, waves, nil, megakernel.Options{Label: "reach", Topology: how})
		if err != nil {
			return err
		}
		rec, err := p.Run(ctx)
		if err != nil {
			return err
		}
		got := make([]uint32, s.seen.Len())
		if err := s.seen.ReadInto(ctx, got); err != nil {
			return err
		}
		for v, level := range levels {
			if reached := got[v/32]>>(v%32)&1 == 1; reached != (level != graph.None) {
				return fmt.Errorf("%v: node %d differs from a search on one core", how, v)
			}
		}
		fmt.Printf("%-15v %d reached in %d rounds, %d arcs looked at", how, rec.Items, rec.Rounds, rec.Edges)
		if times {
			fmt.Printf(", %v", p.Result().Wall)
		}
		fmt.Println()
		if err := p.Close(); err != nil {
			return err
		}
	}
	return nil
}

// search is a graph on a device, with what a search of it needs.
type search struct {
	nodes, arcs                           int
	offsets, targets, seen, list, lengths *vyre.Buffer[uint32]
}

func upload(dev *vyre.Device, g *graph.CSR) (*search, error) {
	s := &search{nodes: g.Nodes(), arcs: g.Arcs()}
	var errs [5]error
	s.offsets, errs[0] = vyre.Upload(dev, g.Offsets())
	s.targets, errs[1] = vyre.Upload(dev, g.Targets())
	s.seen, errs[2] = vyre.Alloc[uint32](dev, (s.nodes+31)/32)
	s.list, errs[3] = vyre.Alloc[uint32](dev, 2*s.nodes)
	s.lengths, errs[4] = vyre.Alloc[uint32](dev, 3)
	return s, errors.Join(errs[:]...)
}

// waves says what runs: Begin once, then rounds, of one block alone where little is left, or the drain.
func (s *search) waves() ([]megakernel.Wave, error) {
	begin, err1 := packed.Program(beginProgram)
	round, err2 := packed.Program(roundProgram)
	stay, err3 := packed.Program(stayProgram)
	drain, err4 := packed.Program(drainProgram)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	n := uint32(s.nodes)
	offsets, targets, seen, list, lengths := s.offsets.All(), s.targets.All(), s.seen.All(), s.list.All(), s.lengths.All()
	return []megakernel.Wave{{
		Program: begin,
		Args:    []vyre.Arg{vyre.Value(uint32(0)), seen, list, lengths},
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
