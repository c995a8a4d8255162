// Command congruence closes an e-graph on a device: a few unions make other terms equal, and those others, until nothing is
// left to unite. Then the graph, which stays on the device, gets more unions.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/egraph/device"
)

func main() {
	log.SetFlags(0)
	name := flag.String("device", "auto", "device to run on")
	rows := flag.Int("rows", 1000, "rows of the graph, 16 at least")
	times := flag.Bool("times", false, "print how long the device takes")
	flag.Parse()
	if err := run(context.Background(), *name, max(16, *rows), *times); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, name string, rows int, times bool) error {
	g, err := terms(rows)
	if err != nil {
		return err
	}
	im, err := device.Build(g)
	if err != nil {
		return err
	}
	dev, err := vyre.Open(name)
	if err != nil {
		return err
	}
	defer dev.Close()
	s, err := device.Open(ctx, dev, im)
	if err != nil {
		return err
	}
	defer s.Close()

	r, err := s.Canonicalise(ctx, nil, device.Options{})
	if err != nil {
		return err
	}
	fmt.Printf("%d rows in %d classes: %v after %d rounds\n", im.Rows(), im.Classes(), r.Status, r.Rounds)
	fmt.Printf("%d unions given, %v by round: %d classes, %d different rows, digest %016x\n", r.Pending, r.PerRound(), r.Classes, r.Live, r.Digest())
	if times {
		fmt.Println("  ", r.Device)
	}

	// The host agrees.
	if err := g.Rebuild(); err != nil {
		return err
	}
	if g.Digest() != r.Digest() {
		return fmt.Errorf("the device has digest %016x, the host %016x", r.Digest(), g.Digest())
	}

	var more [][2]uint32
	for leaf := range uint32(rows / 16) {
		more = append(more, [2]uint32{0, leaf})
	}
	r, err = s.Canonicalise(ctx, more, device.Options{})
	if err != nil {
		return err
	}
	fmt.Printf("with half of the leaves equal: %d unions given, %v by round, %d classes, digest %016x\n", r.Pending, r.PerRound(), r.Classes, r.Digest())
	return nil
}
