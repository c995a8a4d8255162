// Command reach finds which functions of a Go program can be called from one of them, in every way that
// package megakernel has to drive the rounds of a search, and in the one that has no rounds.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/megakernel"
)

//go:generate go run ../../internal/gen/generate .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	name := flag.String("graph", "../programs/go.vyg.zst", "graph to search: a file, or a generated one such as road:1024x1024, kron:16 or skew:65536")
	from := flag.String("from", "cmd/go.main", "name of the node to begin with; the first one, where nodes have no names")
	times := flag.Bool("times", false, "print how long each way takes")
	flag.Parse()
	if err := run(context.Background(), *device, *name, *from, *times); err != nil {
		log.Fatal(err)
	}
}

// load reads a graph, or generates one, and finds the node to begin with.
func load(ctx context.Context, name, from string) (g *graph.CSR, start uint32, err error) {
	if _, missing := os.Stat(name); missing != nil {
		g, err = generate.Graph(ctx, name, generate.Options{Seed: 1})
		return g, 0, err
	}
	if g, _, err = files.Open(ctx, name, files.Options{NoWeights: true}); err != nil {
		return nil, 0, err
	}
	for start = range uint32(g.Nodes()) {
		if g.Name(start) == from {
			return g, start, nil
		}
	}
	return nil, 0, fmt.Errorf("%s has no node %s", name, from)
}

func run(ctx context.Context, device, name, from string, times bool) error {
	g, start, err := load(ctx, name, from)
	if err != nil {
		return err
	}
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	s, err := upload(ctx, dev, g)
	if err != nil {
		return err
	}
	waves, err := s.waves(start)
	if err != nil {
		return err
	}
	levels, err := graph.Levels(ctx, g, []uint32{start}, graph.AllKinds)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d nodes, %d arcs, from %d %s\n", name, g.Nodes(), g.Arcs(), start, g.Name(start))
	for how := megakernel.HostLoop; how <= megakernel.Drained; how++ {
		p, err := megakernel.New(ctx, dev, waves, nil, megakernel.Options{Label: "reach", Topology: how})
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
		fmt.Printf("%v: %v\n", how, rec)
		if times {
			fmt.Printf("\t%v\n", p.Result().Wall)
		}
		if err := p.Close(); err != nil {
			return err
		}
	}
	return nil
}
