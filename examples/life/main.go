// Command life plays a thousand generations of Conway's Game of Life in one launch, from
// five cells, and draws the world into out.png: what lives, and what lived before.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"log"
	"math/bits"
	"os"
	"slices"

	"github.com/govyre/vyre"
)

//go:generate go run ../../internal/gen/generate .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	out := flag.String("out", "out.png", "picture to write")
	flag.Parse()
	if err := run(context.Background(), *device, *out); err != nil {
		log.Fatal(err)
	}
}

const (
	side        = 256 // cells
	words       = side / 32
	generations = 1024
)

func run(ctx context.Context, device, file string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	life, err := CompileLife(ctx, dev)
	if err != nil {
		return err
	}

	cells := make([]uint32, words*side)
	for y, row := range []string{".**", "**.", ".*."} { // the R-pentomino
		for x, c := range row {
			if c == '*' {
				set(cells, side/2+x, side/2+y)
			}
		}
	}
	want := play(cells, generations)

	between, glow := make([]uint32, len(cells)), make([][4]uint32, len(cells))
	if _, err := life.Run(ctx, vyre.Cover(life, len(cells)), words, generations, cells, between, glow); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := png.Encode(f, picture(cells, glow)); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}

	if !slices.Equal(cells, want) {
		return errors.New("the cells differ from those that a loop counts one by one")
	}
	alive := 0
	for _, c := range cells {
		alive += bits.OnesCount32(c)
	}
	fmt.Printf("after %d generations %d cells live, every one right\n", generations, alive)
	return nil
}
