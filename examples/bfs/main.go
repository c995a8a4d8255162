// Command bfs finds how far every node of a graph is from node 0, one launch a level. The graph
// stays on the device; of each level, only the number of new nodes comes back.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"

	"github.com/govyre/vyre"
)

//go:generate go run ../../internal/gen/generate .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	flag.Parse()
	if err := run(context.Background(), *device); err != nil {
		log.Fatal(err)
	}
}

const unreached = ^uint32(0)

func run(ctx context.Context, device string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	expand, err := CompileExpand(ctx, dev)
	if err != nil {
		return err
	}

	offsets, arcs := randomGraph(20_000)
	n := len(offsets) - 1
	depth := slices.Repeat([]uint32{unreached}, n)
	depth[0] = 0
	offsetsBuf, err1 := vyre.Upload(ctx, dev, offsets)
	arcsBuf, err2 := vyre.Upload(ctx, dev, arcs)
	depthBuf, err3 := vyre.Upload(ctx, dev, depth)
	foundBuf, err4 := vyre.Alloc[uint32](dev, 1)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}

	// One level, checked once and run again and again with another argument.
	found := make([]uint32, 1)
	seq := dev.NewSequence("level")
	seq.Fill(foundBuf.All(), 0, 4)
	step := expand.Launch(seq, vyre.Cover(expand, n), 0, offsetsBuf, arcsBuf, depthBuf, foundBuf)
	seq.Read(foundBuf.All(), vyre.Bytes(found))
	for level := uint32(0); ; level++ {
		if err := step.SetArg(0, vyre.Value(level)); err != nil {
			return err
		}
		if _, err := seq.Run(ctx); err != nil {
			return err
		}
		if found[0] == 0 {
			break
		}
		fmt.Printf("%5d nodes at depth %d\n", found[0], level+1)
	}
	if err := depthBuf.ReadInto(ctx, depth); err != nil {
		return err
	}

	if want := search(offsets, arcs); !slices.Equal(depth, want) {
		return errors.New("the depths differ from those of a search with a queue")
	}
	fmt.Printf("%d nodes, %d arcs: every depth is right\n", n, len(arcs))
	return nil
}
