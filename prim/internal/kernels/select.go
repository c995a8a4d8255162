package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// Select8 moves what a stencil of 8 bits, or of a few such words, chooses.
//
//vyre:kernel workgroup=256 big=stencil,x,out,places types=T:uint8|uint16|uint32|uint64|block.Wide
func Select8[T any](t gpu.Thread, by, words uint32, inPlace, payload, others bool, wordsOfPlace uint32, end, lengths bool, limit, n uint64, at []uint32, x, out []T, stencil []uint8, places, count []uint32, total, state []uint64) {
	part, local := gpu.Shared[uint32](t, block.Warps), gpu.Shared[uint16](t, block.SelectTile)
	how := block.Selection{By: by, Words: words, InPlace: inPlace, Payload: payload, Others: others, Places: wordsOfPlace, End: end, Lengths: lengths}
	block.SelectAll(t, how, stencil, x, block.Length(limit, n, at), out, places, count, total, state, part, local)
}

// Select16 moves what a stencil of 16 bits, or of a few such words, chooses.
//
//vyre:kernel workgroup=256 big=stencil,x,out,places types=T:uint8|uint16|uint32|uint64|block.Wide
func Select16[T any](t gpu.Thread, by, words uint32, inPlace, payload, others bool, wordsOfPlace uint32, end, lengths bool, limit, n uint64, at []uint32, x, out []T, stencil []uint16, places, count []uint32, total, state []uint64) {
	part, local := gpu.Shared[uint32](t, block.Warps), gpu.Shared[uint16](t, block.SelectTile)
	how := block.Selection{By: by, Words: words, InPlace: inPlace, Payload: payload, Others: others, Places: wordsOfPlace, End: end, Lengths: lengths}
	block.SelectAll(t, how, stencil, x, block.Length(limit, n, at), out, places, count, total, state, part, local)
}

// Select32 moves what a stencil of 32 bits, or of a few such words, chooses.
//
//vyre:kernel workgroup=256 big=stencil,x,out,places types=T:uint8|uint16|uint32|uint64|block.Wide
func Select32[T any](t gpu.Thread, by, words uint32, inPlace, payload, others bool, wordsOfPlace uint32, end, lengths bool, limit, n uint64, at []uint32, x, out []T, stencil []uint32, places, count []uint32, total, state []uint64) {
	part, local := gpu.Shared[uint32](t, block.Warps), gpu.Shared[uint16](t, block.SelectTile)
	how := block.Selection{By: by, Words: words, InPlace: inPlace, Payload: payload, Others: others, Places: wordsOfPlace, End: end, Lengths: lengths}
	block.SelectAll(t, how, stencil, x, block.Length(limit, n, at), out, places, count, total, state, part, local)
}
