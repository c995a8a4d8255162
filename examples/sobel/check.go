package main

import (
	"image"
	"math"
)

// edges is what the kernel computes, as a loop over the pixels.
func edges(in *image.RGBA) *image.RGBA {
	out := image.NewRGBA(in.Rect)
	w, h := in.Rect.Dx(), in.Rect.Dy()
	at := func(x, y int) int { return in.PixOffset(min(max(x, 0), w-1), min(max(y, 0), h-1)) }
	grey := func(x, y int) int {
		p := in.Pix[at(x, y):]
		return (77*int(p[0]) + 150*int(p[1]) + 29*int(p[2])) / 256
	}
	for y := range h {
		for x := range w {
			gx := grey(x+1, y-1) + 2*grey(x+1, y) + grey(x+1, y+1) - grey(x-1, y-1) - 2*grey(x-1, y) - grey(x-1, y+1)
			gy := grey(x-1, y+1) + 2*grey(x, y+1) + grey(x+1, y+1) - grey(x-1, y-1) - 2*grey(x, y-1) - grey(x+1, y-1)
			edge := min(int(math.Sqrt(float64(gx*gx+gy*gy))), 255)
			p := at(x, y)
			for c := range 3 {
				out.Pix[p+c] = uint8(min(int(in.Pix[p+c])*edge/64, 255))
			}
			out.Pix[p+3] = 255
		}
	}
	return out
}
