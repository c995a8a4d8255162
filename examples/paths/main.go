// Command paths finds the shortest and the widest ways from a node of a road network to all others: two analyses of its own,
// each a method of a line or two, that run as fixpoints over a graph on the device.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/ir"
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
	g, err := generate.Graph(ctx, name, generate.Options{Seed: 1})
	if err == nil {
		g, err = g.With(graph.Data{Weights: weights(g)})
	}
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

	far, err := solve(ctx, s, Shortest{}, RoundShortestProgram, 0, math.MaxUint64)
	if err != nil {
		return err
	}
	wide, err := solve(ctx, s, Widest{}, RoundWidestProgram, math.MaxUint32, 0)
	if err != nil {
		return err
	}
	if err := check(g, far, wide); err != nil {
		return err
	}
	node := uint32(g.Nodes() - 1)
	for v, x := range far {
		if x != math.MaxUint64 && (far[node] == math.MaxUint64 || x > far[node]) {
			node = uint32(v)
		}
	}
	fmt.Printf("the farthest node that can be reached is %d, %d away\n", node, far[node])
	fmt.Printf("the widest way there has %d everywhere\n", wide[node])
	return nil
}

// weights are lengths of roads, the same both ways.
func weights(g *graph.CSR) []uint32 {
	w := make([]uint32, 0, g.Arcs())
	for u := range uint32(g.Nodes()) {
		targets, _ := g.Row(u)
		for _, v := range targets {
			w = append(w, 1+(min(u, v)*2654435761^max(u, v)*40503)>>7%1000)
		}
	}
	return w
}

// solve runs an analysis from node 0 on.
func solve[T flow.Word, F flow.Flow[T]](ctx context.Context, s *session.Session, f F, program func() (*ir.Program, error), first, others T) ([]T, error) {
	p, err := program()
	if err != nil {
		return nil, err
	}
	x, err := session.NewFixpoint(ctx, s, f, p, session.FixpointOptions{})
	if err != nil {
		return nil, err
	}
	found, err := x.Run(ctx, session.Start[T]{Seeds: []uint32{0}, Values: []T{first}, Others: others})
	if err = errors.Join(err, x.Close()); err != nil {
		return nil, err
	}
	if !found.Settled() {
		return nil, fmt.Errorf("facts still change after %d rounds", found.Run.Record.Rounds)
	}
	return found.Facts(), nil
}
