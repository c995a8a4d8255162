package main

import (
	"math"

	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/gpu/random"
)

//go:generate go -C ../.. run ./internal/gen/generate bench/prim

// What inputs are made of words.
const (
	wordInput    = iota // word i
	longInput           // words 2i and 2i+1
	uniformInput        // a float32 of word i, or a float64 of two
	topInput            // the top byte
	flagInput           // the lowest bit
	indexInput
	runsInput   // runs of 1, 3 and 4 elements
	sparseInput // 24 bits of a word, in all of its bytes: many are equal if there are many
	evenInput   // ascending, with random distances; even
	oddInput    // likewise, of other words; odd
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
		case sparseInput:
			x[i] = w[i] & 0x3f3f3f3f
		case evenInput:
			x[i] = uint32(32*i) + w[i]&30
		case oddInput:
			x[i] = uint32(32*i) + w[uint64(len(x))+i]&30 + 1
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

// Offsets makes offsets of rows, len(x)-1 in number, which is a power of two, of n elements: as long as the rows of a Kronecker graph
// are expected to be, whose edges begin in the first half of its nodes with probability 0.76, and so on within each half.
//
//vyre:kernel workgroup=256 big=x
func Offsets(t gpu.Thread, n uint64, x []uint32) {
	const upper = 3264175145 // 0.76, as all parts here times 1<<32
	rows := uint64(len(x)) - 1
	for i := t.GlobalIndex(); i <= rows; i += 256 * uint64(t.Groups().X) {
		before, part := uint64(0), uint64(1<<32)
		if i == rows {
			before = part
		}
		for bit := rows / 2; bit > 0; bit /= 2 {
			first := part * upper >> 32
			if i&bit != 0 {
				before += first
				part -= first
			} else {
				part = first
			}
		}
		x[i] = uint32(before * n >> 32)
	}
}

// Kinds of elements of matrices.
const (
	byteElement = iota
	halfElement
	brainElement
	floatElement
	doubleElement
)

// Whole makes whole numbers from -4 to 3, of words from some place on, as elements of a matrix.
//
//vyre:kernel workgroup=256 big=w,x
func Whole(t gpu.Thread, kind uint32, from uint64, w []uint32, x []uint8) {
	size := uint64(1)
	switch kind {
	case halfElement, brainElement:
		size = 2
	case floatElement:
		size = 4
	case doubleElement:
		size = 8
	}
	for i := t.GlobalIndex(); i < uint64(len(x))/size; i += 256 * uint64(t.Groups().X) {
		v := int32(w[from+i]&7) - 4
		bits := uint64(v)
		switch kind {
		case halfElement:
			bits = uint64(gpu.ToFloat16(float32(v)).Bits())
		case brainElement:
			bits = uint64(gpu.ToBFloat16(float32(v)).Bits())
		case floatElement:
			bits = uint64(math.Float32bits(float32(v)))
		case doubleElement:
			bits = math.Float64bits(float64(v))
		}
		for k := range size {
			x[i*size+k] = uint8(bits >> (8 * k))
		}
	}
}
