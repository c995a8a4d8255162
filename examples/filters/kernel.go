package main

import "github.com/govyre/vyre/gpu"

// channels takes a pixel apart: red, green and blue, 0 to 255.
func channels(p uint32) (r, g, b uint32) { return p & 255, p >> 8 & 255, p >> 16 & 255 }

// pixel puts it together. What is brighter than 255 is 255.
func pixel(r, g, b uint32) uint32 {
	return min(r, 255) | min(g, 255)<<8 | min(b, 255)<<16 | 255<<24
}

// contrast makes dark darker and light lighter.
func contrast(p uint32) uint32 {
	r, g, b := channels(p)
	return pixel(steep(r), steep(g), steep(b))
}

// steep goes through 0, 128 and 255, and is steepest at 128.
func steep(v uint32) uint32 {
	if v < 128 {
		return v * v / 128
	}
	return 255 - (255-v)*(255-v)/128
}

// sepia is the picture in shades of brown.
func sepia(p uint32) uint32 {
	r, g, b := channels(p)
	return pixel((101*r+197*g+48*b)/256, (89*r+176*g+43*b)/256, (70*r+137*g+34*b)/256)
}

// vignette is darker, the farther pixel i of a picture is from its middle.
func vignette(p, i, w, h uint32) uint32 {
	x, y := 2*int32(i%w)-int32(w), 2*int32(i/w)-int32(h)
	far := uint32(x*x)/(w*w/128) + uint32(y*y)/(h*h/128) // 256 in the corners
	light := 256 - min(far*3/4, 256)
	r, g, b := channels(p)
	return pixel(r*light/256, g*light/256, b*light/256)
}

// Contrast changes every pixel by contrast.
//
//vyre:kernel workgroup=256
func Contrast(t gpu.Thread, in, out []uint32) {
	if i := t.Global().X; i < uint32(len(out)) {
		out[i] = contrast(in[i])
	}
}

// Sepia changes every pixel by sepia.
//
//vyre:kernel workgroup=256
func Sepia(t gpu.Thread, in, out []uint32) {
	if i := t.Global().X; i < uint32(len(out)) {
		out[i] = sepia(in[i])
	}
}

// Vignette changes every pixel by vignette.
//
//vyre:kernel workgroup=256
func Vignette(t gpu.Thread, w, h uint32, in, out []uint32) {
	if i := t.Global().X; i < uint32(len(out)) {
		out[i] = vignette(in[i], i, w, h)
	}
}
