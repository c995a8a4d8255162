// Command heat ships a sequence: the bundle in it has a loop of launches that another program recorded. It records the loop
// again, on any device, without the kernel's source, and finds how long two rods take to come to rest.
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
	in, out, rounds := heat.Inputs[0], heat.Outputs[0], heat.Loops[0]

	for _, warm := range []uint32{1 << 10, 1 << 20} {
		rod := make([]uint32, cells)
		rod[0], rod[len(rod)-1] = warm, 500
		got := make([]uint32, len(rod))
		if err := errors.Join(in.Set(vyre.Bytes(rod)), out.Set(vyre.Bytes(got))); err != nil {
			return err
		}
		if _, err := heat.Run(ctx); err != nil {
			return err
		}
		want, steps := relax(rod)
		if !slices.Equal(got, want) || rounds.Iterations() != steps {
			return errors.New("the rod differs from that of a plain loop")
		}
		fmt.Printf("ends of %d and 500: at rest after %d rounds, with %d in the middle\n", warm, rounds.Iterations(), got[len(got)/2])
	}
	return nil
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
