// Command nbody lets 500 bodies attract each other and watches their energy. All steps are one
// sequence: the bodies stay on the device, the host waits once.
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

const (
	bodies = 500
	pairs  = 10 // of steps
	dt     = 0.01
)

func run(ctx context.Context, device string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	step, err := CompileStep(ctx, dev)
	if err != nil {
		return err
	}

	pos, vel := cluster(bodies)
	before := energy(pos, vel)
	wantPos, wantVel := slices.Clone(pos), slices.Clone(vel)
	posBuf, err1 := vyre.Upload(ctx, dev, pos)
	nextBuf, err2 := vyre.Alloc[[4]float32](dev, bodies)
	velBuf, err3 := vyre.Upload(ctx, dev, vel)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	seq := dev.NewSequence("steps")
	grid := vyre.Cover(step, bodies)
	seq.Repeat(pairs, func() {
		step.Launch(seq, grid, dt, posBuf, nextBuf, velBuf)
		step.Launch(seq, grid, dt, nextBuf, posBuf, velBuf)
	})
	seq.Read(posBuf.All(), vyre.Bytes(pos))
	seq.Read(velBuf.All(), vyre.Bytes(vel))
	if _, err := seq.Run(ctx); err != nil {
		return err
	}

	for range 2 * pairs {
		move(wantPos, wantVel)
	}
	if !slices.Equal(pos, wantPos) || !slices.Equal(vel, wantVel) {
		return errors.New("the bodies are not where two nested loops put them")
	}
	after := energy(pos, vel)
	fmt.Printf("%d bodies, %d steps: every position is right\n", bodies, 2*pairs)
	fmt.Printf("energy %.4f before, %.4f after: a drift of %.3f %%\n", before, after, 100*(after-before)/before)
	return nil
}
