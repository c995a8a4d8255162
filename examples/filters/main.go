// Command filters makes an old photograph of a new one, into out.png: three filters, which package pipeline runs as one launch.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"log"
	"os"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/pipeline"
)

//go:generate go run ../../internal/gen/generate .

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	in := flag.String("in", "../sobel/lake.png", "picture to read")
	out := flag.String("out", "out.png", "picture to write")
	explain := flag.Bool("explain", false, "print how the filters became launches")
	flag.Parse()
	if err := run(context.Background(), *device, *in, *out, *explain); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, device, in, out string, explain bool) error {
	picture, err := read(in)
	if err != nil {
		return err
	}
	w, h := uint32(picture.Rect.Dx()), uint32(picture.Rect.Dy())
	pixels := make([]uint32, w*h)
	for i := range pixels {
		pixels[i] = binary.LittleEndian.Uint32(picture.Pix[4*i:])
	}
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	old, err := filter(ctx, dev, pixels, w, h, explain)
	if err != nil {
		return err
	}
	for i, p := range pixels {
		if want := vignette(sepia(contrast(p)), uint32(i), w, h); old[i] != want {
			return fmt.Errorf("pixel %d is %#x, filters one after the other make it %#x", i, old[i], want)
		}
		binary.LittleEndian.PutUint32(picture.Pix[4*i:], old[i])
	}
	if err := write(out, picture); err != nil {
		return err
	}
	fmt.Printf("%d × %d pixels, each as if the filters were run one after the other\n", w, h)
	return nil
}

// filter runs the filters. The pictures between them are temps, which never exist: each pixel stays in a register.
func filter(ctx context.Context, dev vyre.Device, pixels []uint32, w, h uint32, explain bool) ([]uint32, error) {
	contrast, err1 := vyreKernels.Program("Contrast")
	sepia, err2 := vyreKernels.Program("Sepia")
	vignette, err3 := vyreKernels.Program("Vignette")
	in, err4 := vyre.Upload(ctx, dev, pixels)
	out, err5 := vyre.Alloc[uint32](dev, len(pixels))
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	n := w * h
	clear, brown := megakernel.Temp{ID: 1, Bytes: 4 * int64(n)}, megakernel.Temp{ID: 2, Bytes: 4 * int64(n)}
	p, err := pipeline.New(ctx, dev, []pipeline.Stage{
		{Program: contrast, Args: []vyre.Arg{in.All(), clear}, Items: n},
		{Program: sepia, Args: []vyre.Arg{clear, brown}, Items: n},
		{Program: vignette, Args: []vyre.Arg{vyre.Value(w), vyre.Value(h), brown, out.All()}, Items: n},
	}, pipeline.Options{})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := p.Run(ctx); err != nil {
		return nil, err
	}
	if explain {
		fmt.Print(p.Explain())
	}
	return out.Read(ctx)
}

func read(file string) (*image.RGBA, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	photo, err := png.Decode(f)
	if err != nil {
		return nil, err
	}
	picture := image.NewRGBA(image.Rect(0, 0, photo.Bounds().Dx(), photo.Bounds().Dy()))
	draw.Draw(picture, picture.Rect, photo, photo.Bounds().Min, draw.Src)
	return picture, nil
}

func write(file string, picture image.Image) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := png.Encode(f, picture); err != nil {
		return err
	}
	return f.Close()
}
