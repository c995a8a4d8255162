// Command paths finds the shortest and the widest ways from a node of a road network to all others. The shortest are a question
// to the session. The widest are an analysis of its own, a method of a line, that runs as a fixpoint over the graph on the device.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/session"
)

//go:generate go run ../../internal/gen/generate --programs .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	name := flag.String("graph", "road:64x64", "graph whose arcs get weights, such as road:1024x1024")
	flag.Parse()
	if err := run(context.Background(), *device, *name); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, device, name string) (err error) {
	g, err := generate.Graph(ctx, name, generate.Options{Seed: 1, Weights: [2]uint32{1, 1000}})
	if err != nil {
		return err
	}
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	s, err := session.New(ctx, dev, g, session.Options{Queries: 1, Seeds: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	fmt.Printf("%s: %d nodes, %d arcs\n", name, g.Nodes(), g.Arcs())

	paths, err := s.Paths(ctx, session.Query{Seeds: []uint32{0}})
	if err != nil {
		return err
	}
	far, err := paths.Distances(ctx, nil)
	if err != nil {
		return err
	}
	wide, err := widest(ctx, s)
	if err != nil {
		return err
	}
	if err := check(g, far, wide); err != nil {
		return err
	}
	node := slices.Index(far, paths.Farthest)
	path, _, err := paths.To(ctx, uint32(node))
	if err != nil {
		return err
	}
	fmt.Printf("the farthest node that can be reached is %d, %d away in %d steps\n", node, far[node], len(path)-1)
	fmt.Printf("the widest way there has %d everywhere\n", wide[node])
	return nil
}

// widest runs the analysis from node 0 on.
func widest(ctx context.Context, s *session.Session) ([]uint32, error) {
	p, err := RoundWidestProgram()
	if err != nil {
		return nil, err
	}
	x, err := session.NewFixpoint(ctx, s, Widest{}, p, session.FixpointOptions{})
	if err != nil {
		return nil, err
	}
	found, err := x.Run(ctx, session.Start[uint32]{Seeds: []uint32{0}, Values: []uint32{math.MaxUint32}})
	if err = errors.Join(err, x.Close()); err != nil {
		return nil, err
	}
	if !found.Settled() {
		return nil, fmt.Errorf("facts still change after %d rounds", found.Run.Record.Rounds)
	}
	return found.Facts(), nil
}
