// Command sobel draws the edges of a photograph of a lake into out.png.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"log"
	"os"

	"github.com/govyre/vyre"
)

//go:generate go run ../../internal/gen/generate .

//go:embed lake.png
var lake []byte

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	out := flag.String("out", "out.png", "picture to write")
	flag.Parse()
	if err := run(context.Background(), *device, *out); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, device, file string) error {
	photo, err := png.Decode(bytes.NewReader(lake))
	if err != nil {
		return err
	}
	in := image.NewRGBA(photo.Bounds())
	draw.Draw(in, in.Rect, photo, image.Point{}, draw.Src)
	out := image.NewRGBA(in.Rect)
	w, h := in.Rect.Dx(), in.Rect.Dy()

	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	sobel, err := CompileSobel(ctx, dev)
	if err != nil {
		return err
	}
	if _, err := sobel.Run(ctx, vyre.Cover(sobel, w, h), uint32(w), in.Pix, out.Pix); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := png.Encode(f, out); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}

	if want := edges(in); !bytes.Equal(out.Pix, want.Pix) {
		return fmt.Errorf("%s is wrong: it differs from what a loop over the pixels gives", file)
	}
	fmt.Printf("%d × %d pixels, every one right\n", w, h)
	return nil
}
