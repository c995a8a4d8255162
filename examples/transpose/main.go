// Command transpose turns a matrix around its diagonal, tile by tile through shared memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

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
	transpose, err := CompileTranspose(ctx, dev)
	if err != nil {
		return err
	}

	const w, h = 1000, 700 // no multiples of the tile
	in, out := make([]float32, w*h), make([]float32, w*h)
	for i := range in {
		in[i] = float32(i)
	}
	if _, err := transpose.Run(ctx, vyre.Cover(transpose, w, h), w, h, in, out); err != nil {
		return err
	}

	for y := range h {
		for x := range w {
			if got, want := out[x*h+y], in[y*w+x]; got != want {
				return fmt.Errorf("row %d, column %d is %v, want %v", x, y, got, want)
			}
		}
	}
	fmt.Printf("a %d × %d matrix is transposed right\n", w, h)
	return nil
}
