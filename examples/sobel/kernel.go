package main

import "github.com/govyre/vyre/gpu"

// luma is the brightness of the pixel at x, y of an RGBA image, 0 to 255; beyond the border the
// nearest pixel counts.
func luma(img []uint8, w, h, x, y int32) int32 {
	x = min(max(x, 0), w-1)
	y = min(max(y, 0), h-1)
	p := (y*w + x) * 4
	return (77*int32(img[p]) + 150*int32(img[p+1]) + 29*int32(img[p+2])) / 256
}

// Sobel draws the edges of the RGBA image in, w pixels wide, to out: the steeper the
// brightness at a pixel, the more of its colour is left.
//
//vyre:kernel workgroup=16x16
func Sobel(t gpu.Thread, w uint32, in, out []uint8) {
	h := int32(uint32(len(in)) / 4 / w)
	iw := int32(w)
	x, y := int32(t.Global().X), int32(t.Global().Y)
	if x >= iw || y >= h {
		return
	}
	var gx, gy int32
	for d := int32(-1); d <= 1; d++ {
		weight := 2 - d*d
		gx += weight * (luma(in, iw, h, x+1, y+d) - luma(in, iw, h, x-1, y+d))
		gy += weight * (luma(in, iw, h, x+d, y+1) - luma(in, iw, h, x+d, y-1))
	}
	edge := int32(min(gpu.Sqrt(float32(gx*gx+gy*gy)), 255))
	p := (y*iw + x) * 4
	for c := range int32(3) {
		out[p+c] = uint8(min(int32(in[p+c])*edge/64, 255))
	}
	out[p+3] = 255
}
