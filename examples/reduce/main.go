// Command reduce adds up a million numbers: each workgroup in shared memory, the host the rest.
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
	sum, err := CompileSum(ctx, dev)
	if err != nil {
		return err
	}

	const n, groups = 1 << 20, 64
	x := make([]int64, n)
	var want int64
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range x {
		x[i] = rng.Int64N(2_000_001) - 1_000_000
		want += x[i]
	}

	parts := make([]int64, groups)
	if _, err := sum.Run(ctx, vyre.Grid{groups, 1, 1}, x, parts); err != nil {
		return err
	}
	var got int64
	for _, p := range parts {
		got += p
	}
	if got != want {
		return fmt.Errorf("the sum is %d, want %d", got, want)
	}
	fmt.Printf("the sum of %d numbers, by %d workgroups, is %d: right\n", n, groups, got)
	return nil
}
