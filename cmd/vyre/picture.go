package main

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
)

// maxPixels bounds a picture before its pixels are read or written: 64 megapixels.
const maxPixels = 64 << 20

// readPicture reads a PNG as red, green, blue, opacity: four u8 or one u32 a pixel, or as
// four f32 between 0 and 1.
func readPicture(t ir.Type, name string) ([]byte, *picture, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	cfg, err := png.DecodeConfig(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if cfg.Width > maxPixels || cfg.Height > maxPixels || cfg.Width*cfg.Height > maxPixels {
		return nil, nil, fmt.Errorf("%s has %d × %d pixels, more than %d", name, cfg.Width, cfg.Height, maxPixels)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, nil, err
	}
	src, err := png.Decode(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, cfg.Width, cfg.Height))
	draw.Draw(img, img.Bounds(), src, src.Bounds().Min, draw.Src)
	size := &picture{cfg.Width, cfg.Height}
	switch t {
	case ir.U8, ir.U32:
		return img.Pix, size, nil
	case ir.F32:
		b := make([]byte, 0, 4*len(img.Pix))
		for _, v := range img.Pix {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)/255))
		}
		return b, size, nil
	}
	return nil, nil, fmt.Errorf("%s: a picture becomes a buffer of u8, u32 or f32, not %s", name, t)
}

// pictureSize splits "FILE.png:WIDTHxHEIGHT" or "FILE.png:WIDTH".
func pictureSize(s string) (file string, size *picture, err error) {
	i := strings.LastIndex(strings.ToLower(s), ".png")
	if i < 0 || i+4 == len(s) {
		return s, nil, nil
	}
	if s[i+4] != ':' {
		return s, nil, nil
	}
	w, h, _ := strings.Cut(s[i+5:], "x")
	size = new(picture)
	if size.w, err = strconv.Atoi(w); err == nil && h != "" {
		size.h, err = strconv.Atoi(h)
	}
	if err != nil || size.w <= 0 || size.h < 0 || h != "" && size.h == 0 {
		return "", nil, fmt.Errorf("%q: want FILE.png:WIDTH or FILE.png:WIDTHxHEIGHT", s)
	}
	if size.w > maxPixels || size.h > maxPixels || size.w*max(size.h, 1) > maxPixels {
		return "", nil, fmt.Errorf("%q: a picture has at most %d pixels", s, maxPixels)
	}
	return s[:i+4], size, nil
}

// writePicture writes a buffer as a PNG: four u8 or one u32 a pixel as colour; one u8,
// bool or float a pixel as grey, floats and bools from 0 to 1.
func writePicture(name string, t ir.Type, b []byte, size picture) error {
	n := len(b) / t.Size()
	pixels := n
	colour := t == ir.U32
	if t == ir.U8 && (size.h == 0 && n%(4*size.w) == 0 || n == 4*size.w*size.h) {
		pixels, colour = n/4, true
	}
	if size.h == 0 {
		size.h = pixels / size.w
	}
	if size.w*size.h != pixels {
		return fmt.Errorf("%s: %d × %d pixels do not fit a buffer of %d %s", name, size.w, size.h, n, t)
	}
	var img image.Image
	if colour {
		img = &image.NRGBA{Pix: b, Stride: 4 * size.w, Rect: image.Rect(0, 0, size.w, size.h)}
	} else {
		grey := image.NewGray(image.Rect(0, 0, size.w, size.h))
		for i := range pixels {
			v, err := greyOf(t, element(b[i*t.Size():], t))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			grey.SetGray(i%size.w, i/size.w, color.Gray{Y: v})
		}
		img = grey
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := png.Encode(f, img); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// greyOf turns one element into a brightness.
func greyOf(t ir.Type, bits uint64) (uint8, error) {
	var v float64
	switch t {
	case ir.U8:
		return uint8(bits), nil
	case ir.Bool:
		if bits != 0 {
			return 255, nil
		}
		return 0, nil
	case ir.F32:
		v = float64(math.Float32frombits(uint32(bits)))
	case ir.F64:
		v = math.Float64frombits(bits)
	default:
		return 0, fmt.Errorf("a picture is made of u8, u32, bool, f32 or f64, not %s", t)
	}
	if !(v > 0) {
		return 0, nil
	}
	return uint8(min(v, 1)*255 + 0.5), nil
}
