// Command heat ships a sequence: the bundle in it has a loop of launches that another program recorded. It records the loop
// again, on any device, without the kernel's source, and finds how long two rods take to come to rest, both at the same time.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/aot"
)

// heat.vyk is written by the folder make; a go:generate line of the folder rod runs it.
//
//go:embed heat.vyk
var shipped string

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	flag.Parse()
	if err := run(context.Background(), *device); err != nil {
		log.Fatal(err)
	}
}

const cells = 64

func run(ctx context.Context, device string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	bundle, err := aot.Open(shipped)
	if err != nil {
		return err
	}
	heat, err := bundle.Record(ctx, dev, "heat", vyre.CompileOptions{})
	if err != nil {
		return err
	}
	defer heat.Close()
	warm := []uint32{1 << 10, 1 << 20}
	var rods, got [][]uint32
	for _, w := range warm {
		rod := make([]uint32, cells)
		rod[0], rod[len(rod)-1] = w, 500
		rods, got = append(rods, rod), append(got, make([]uint32, cells))
	}
	rounds, err := relaxAll(ctx, heat, rods, got)
	if err != nil {
		return err
	}
	for i, rod := range rods {
		want, steps := relax(rod)
		if !slices.Equal(got[i], want) || rounds[i] != steps {
			return errors.New("the rod differs from that of a plain loop")
		}
		fmt.Printf("ends of %d and 500: at rest after %d rounds, with %d in the middle\n", warm[i], rounds[i], got[i][cells/2])
	}
	return nil
}

// relaxAll runs the sequence for all rods at the same time, as a batch. Where the host decides on each round, which no graph
// can wait for, they take turns. It returns how many rounds each took.
func relaxAll(ctx context.Context, heat *aot.Recording, rods, got [][]uint32) (rounds []uint64, err error) {
	in, out := heat.Inputs[0], heat.Outputs[0]
	if err := errors.Join(in.Set(vyre.Bytes(rods[0])), out.Set(vyre.Bytes(got[0]))); err != nil {
		return nil, err
	}
	graph, err := heat.Capture(vyre.CaptureOptions{})
	if errors.Is(err, vyre.Unsupported) {
		for i := range rods {
			if err := errors.Join(in.Set(vyre.Bytes(rods[i])), out.Set(vyre.Bytes(got[i]))); err != nil {
				return nil, err
			}
			if _, err := heat.Run(ctx); err != nil {
				return nil, err
			}
			rounds = append(rounds, heat.Loops[0].Iterations())
		}
		return rounds, nil
	} else if err != nil {
		return nil, err
	}
	var rows []vyre.Row
	for i := range rods {
		rows = append(rows, vyre.Row{Inputs: [][]byte{vyre.Bytes(rods[i])}, Outputs: [][]byte{vyre.Bytes(got[i])}})
	}
	results, err := graph.RunBatch(ctx, rows)
	for _, r := range results {
		rounds = append(rounds, r.Loops[0].Iterations)
	}
	return rounds, err
}

// relax is what the device does, two steps a round until nothing moves.
func relax(rod []uint32) (now []uint32, rounds uint64) {
	now = slices.Clone(rod)
	for moved := true; moved; rounds++ {
		moved = false
		for range 2 {
			next := slices.Clone(now)
			for i := 1; i+1 < len(now); i++ {
				next[i] = (now[i-1] + 2*now[i] + now[i+1] + 2) / 4
				moved = moved || next[i] != now[i]
			}
			now = next
		}
	}
	return now, rounds
}
