package main

import "github.com/govyre/vyre/gpu"

// Mandelbrot draws a part of the Mandelbrot set into an RGBA image, w pixels wide: the point cx, cy
// of the complex plane in the middle, scale from one pixel to the next.
//
//vyre:kernel workgroup=16x16
func Mandelbrot(t gpu.Thread, w uint32, cx, cy, scale float64, limit uint32, img []uint8) {
	h := uint32(len(img)) / 4 / w
	x, y := t.Global().X, t.Global().Y
	if x >= w || y >= h {
		return
	}
	n, size := escape(cx+float64((float64(x)-float64(w)/2)*scale), cy+float64((float64(y)-float64(h)/2)*scale), limit)
	p := (y*w + x) * 4
	if n < limit {
		img[p], img[p+1], img[p+2] = colour(n, size)
	}
	img[p+3] = 255
}

// escape follows z ← z² + c until z has left a circle of radius 8, and returns after how many steps
// that was, and |z|². The conversions keep Go, where it runs the function
// natively, from rounding a product and a sum only once; a device never does.
func escape(re, im float64, limit uint32) (n uint32, size float64) {
	var zr, zi float64
	for n < limit && size <= 64 {
		zr, zi = float64(zr*zr)-float64(zi*zi)+re, float64(2*zr*zi)+im
		size = float64(zr*zr) + float64(zi*zi)
		n++
	}
	return n, size
}

// colour makes the steps a smooth number, and runs through the colours with its logarithm.
func colour(n uint32, size float64) (r, g, b uint8) {
	steps := float32(n) + 1 - gpu.Log2(gpu.Log2(float32(size))/2)
	at := gpu.Log2(steps) / 0.7
	return shade(at), shade((at + 0.2) * 0.9), shade((at + 1.7) * 0.7)
}

func shade(at float32) uint8 { return uint8((1 - gpu.Cos(at)) * 127.5) }
