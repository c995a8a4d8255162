package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
)

// maxPixels bounds a picture before its pixels are read or written: 64 megapixels.
const maxPixels = 64 << 20

// readPicture reads a PNG as red, green, blue, opacity: four u8 or one u32 a pixel, or as
// four f32 between 0 and 1.
func readPicture(t ir.Type, name string, file []byte) ([]byte, *picture, error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if cfg.Width > maxPixels || cfg.Height > maxPixels || cfg.Width*cfg.Height > maxPixels {
		return nil, nil, fmt.Errorf("%s has %d × %d pixels, more than %d", name, cfg.Width, cfg.Height, maxPixels)
	}
	src, err := png.Decode(bytes.NewReader(file))
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
	w, h, high := strings.Cut(s[i+5:], "x")
	size = new(picture)
	if size.w, err = strconv.Atoi(w); err == nil && high {
		size.h, err = strconv.Atoi(h)
	}
	if err != nil || size.w <= 0 || size.h < 0 || high && size.h == 0 {
		return "", nil, fmt.Errorf("%q: want FILE.png:WIDTH or FILE.png:WIDTHxHEIGHT", s)
	}
	if size.w > maxPixels || size.h > maxPixels || size.w*max(size.h, 1) > maxPixels {
		return "", nil, fmt.Errorf("%q: a picture has at most %d pixels", s, maxPixels)
	}
	return s[:i+4], size, nil
}

// fit returns the size of the picture that n elements make, and whether it has colours: four u8 or one u32 a
// pixel are colour; one u8, bool or float is grey.
func (size picture) fit(t ir.Type, n int) (_ picture, colour bool, err error) {
	switch t {
	case ir.U8, ir.U32, ir.Bool, ir.F32, ir.F64:
	default:
		return size, false, fmt.Errorf("a picture is made of u8, u32, bool, f32 or f64, not %s", t)
	}
	pixels := n
	colour = t == ir.U32
	if t == ir.U8 && (size.h == 0 && n%(4*size.w) == 0 || n == 4*size.w*size.h) {
		pixels, colour = n/4, true
	}
	if size.h == 0 {
		size.h = pixels / size.w
	}
	if pixels == 0 || size.w*size.h != pixels {
		return size, colour, fmt.Errorf("%d × %d pixels do not fit a buffer of %d %s", size.w, size.h, n, t)
	}
	return size, colour, nil
}

// encodePicture makes a PNG of a buffer; floats and bools are brightness from 0 to 1.
func encodePicture(t ir.Type, b []byte, size picture) ([]byte, error) {
	size, colour, err := size.fit(t, len(b)/t.Size())
	if err != nil {
		return nil, err
	}
	var img image.Image
	if colour {
		img = &image.NRGBA{Pix: b, Stride: 4 * size.w, Rect: image.Rect(0, 0, size.w, size.h)}
	} else {
		grey := image.NewGray(image.Rect(0, 0, size.w, size.h))
		for i := range size.w * size.h {
			grey.SetGray(i%size.w, i/size.w, color.Gray{Y: greyOf(t, t.ReadElem(b[i*t.Size():]))})
		}
		img = grey
	}
	var out bytes.Buffer
	err = png.Encode(&out, img)
	return out.Bytes(), err
}

// greyOf turns one element into a brightness.
func greyOf(t ir.Type, bits uint64) uint8 {
	var v float64
	switch t {
	case ir.U8:
		return uint8(bits)
	case ir.Bool:
		if bits != 0 {
			return 255
		}
		return 0
	case ir.F32:
		v = float64(math.Float32frombits(uint32(bits)))
	case ir.F64:
		v = math.Float64frombits(bits)
	}
	if !(v > 0) {
		return 0
	}
	return uint8(min(v, 1)*255 + 0.5)
}
