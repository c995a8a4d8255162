package main

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/gpu/random"
)

//go:generate go -C ../.. run -tags bootstrap ./cmd/vyre gen bench/prim

// What inputs are made of words.
const (
	wordInput    = iota // word i
	longInput           // words 2i and 2i+1
	uniformInput        // a float32 of word i, or a float64 of two
	topInput            // the top byte
	flagInput           // the lowest bit
	indexInput
	runsInput // runs of four elements on average
)

// Input32 makes inputs of 32 bits.
//
//vyre:kernel workgroup=256 big=w,x
func Input32(t gpu.Thread, kind uint32, w, x []uint32) {
	for i := t.GlobalIndex(); i < uint64(len(x)); i += 256 * uint64(t.Groups().X) {
		switch kind {
		case indexInput:
			x[i] = uint32(i)
		case runsInput:
			x[i] = uint32(i / 4)
			if i%8 == 0 {
				x[i]++
			}
		default:
			x[i] = w[i]
		}
	}
}

// Input64 makes inputs of 64 bits.
//
//vyre:kernel workgroup=256 big=w,x
func Input64(t gpu.Thread, kind uint32, w []uint32, x []uint64) {
	for i := t.GlobalIndex(); i < uint64(len(x)); i += 256 * uint64(t.Groups().X) {
		if x[i] = i; kind != indexInput {
			x[i] = uint64(w[2*i+1])<<32 | uint64(w[2*i])
		}
	}
}

// Input8 makes inputs of 8 bits.
//
//vyre:kernel workgroup=256 big=w,x
func Input8(t gpu.Thread, kind uint32, w []uint32, x []uint8) {
	for i := t.GlobalIndex(); i < uint64(len(x)); i += 256 * uint64(t.Groups().X) {
		if x[i] = uint8(w[i] & 1); kind == topInput {
			x[i] = uint8(w[i] >> 24)
		}
	}
}

// InputFloat makes inputs of floats.
//
//vyre:kernel workgroup=256 big=w,x
func InputFloat(t gpu.Thread, w []uint32, x []float32) {
	for i := t.GlobalIndex(); i < uint64(len(x)); i += 256 * uint64(t.Groups().X) {
		x[i] = random.Uniform(w[i])
	}
}

// InputDouble makes inputs of floats of 64 bits.
//
//vyre:kernel workgroup=256 big=w,x
func InputDouble(t gpu.Thread, w []uint32, x []float64) {
	for i := t.GlobalIndex(); i < uint64(len(x)); i += 256 * uint64(t.Groups().X) {
		x[i] = random.Uniform64(w[2*i], w[2*i+1])
	}
}
