// Command scan finds where each of half a million records of different lengths starts, in one
// launch: the running sum of all lengths before it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"

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

func run(ctx context.Context, device string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	scan, err := CompileScan(ctx, dev)
	if err != nil {
		return err
	}

	// A kernel with a grid barrier needs all its workgroups at work together: few, that walk far.
	const n, groups = 500_000, 8
	lengths := make([]uint32, n)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range lengths {
		lengths[i] = rng.Uint32N(100)
	}
	ends, starts := make([]uint32, n), make([]uint32, groups)
	if _, err := scan.Run(ctx, vyre.Grid{groups, 1, 1}, lengths, ends, starts); err != nil {
		return err
	}

	var end uint32
	for i, length := range lengths {
		if end += length; ends[i] != end {
			return fmt.Errorf("record %d ends at %d, want %d", i, ends[i], end)
		}
	}
	fmt.Printf("%d records take %d bytes; the last starts at %d: all right\n", n, ends[n-1], ends[n-2])
	return nil
}
