// Command mandelbrot draws a spiral at the edge of the Mandelbrot set into out.png.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"

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
	width, height = 640, 400
	cx, cy        = -0.74335, 0.13135
	scale         = 1.0 / 1024 / 224
	limit         = 2000
)

func run(ctx context.Context, device, file string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	mandelbrot, err := CompileMandelbrot(ctx, dev)
	if err != nil {
		return err
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	if _, err := mandelbrot.Run(ctx, vyre.Cover(mandelbrot, width, height), width, cx, cy, scale, limit, img.Pix); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := png.Encode(f, img); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}

	steps, want := draw()
	if !bytes.Equal(img.Pix, want.Pix) {
		return fmt.Errorf("%s is wrong: it differs from what a loop over the pixels gives", file)
	}
	fmt.Printf("%d × %d pixels in %d steps, every one right\n", width, height, steps)
	return nil
}

// draw calls the functions of the kernel from an ordinary loop. Logarithm and cosine of
// package gpu have the same bits here as on every device.
func draw() (steps int, img *image.RGBA) {
	img = image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			n, size := escape(cx+(float64(x)-width/2)*scale, cy+(float64(y)-height/2)*scale, limit)
			steps += int(n)
			c := color.RGBA{A: 255}
			if n < limit {
				c.R, c.G, c.B = colour(n, size)
			}
			img.SetRGBA(x, y, c)
		}
	}
	return steps, img
}
