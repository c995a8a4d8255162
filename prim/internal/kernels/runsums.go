package kernels

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/prim/internal/block"
)

// runOf is ordered, for the programs of this file.
type runOf struct {
	block.Integers[uint32]
	flip uint32
}

func (o runOf) Apply(a, b uint32) uint32 { return o.Integers.Apply(a^o.flip, b^o.flip) ^ o.flip }

func (o runOf) Identity() uint32 { return o.Integers.Identity() ^ o.flip }

// ReduceRuns combines the values of runs of equal keys.
//
//vyre:kernel workgroup=256 big=keys,values,outKeys,out types=T:uint8|uint16|uint32
func ReduceRuns[T gpu.Integer](t gpu.Thread, op, flip uint32, limit, n uint64, at []uint32, keys []T, values []uint32, outKeys []T, out, count []uint32, state []uint64) {
	keyCells, cells := block.Cells[T]{Quads: gpu.Shared[[4]T](t, block.Quads)}, block.Cells[uint32]{Quads: gpu.Shared[[4]uint32](t, block.Quads)}
	part := gpu.Shared[uint64](t, block.Warps)
	o := runOf{block.Integers[uint32]{Op: op}, flip}
	block.ReduceRuns(t, o, keys, values, block.Length(limit, n, at), outKeys, out, count, state, keyCells, cells, part)
}

// ReduceLongRuns is ReduceRuns of keys of 64 bits.
//
//vyre:kernel workgroup=256 big=keys,values,outKeys,out
func ReduceLongRuns(t gpu.Thread, op, flip uint32, limit, n uint64, at []uint32, keys []uint64, values []uint32, outKeys []uint64, out, count []uint32, state []uint64) {
	keyCells, cells := block.Cells[uint64]{Pairs: gpu.Shared[[2]uint64](t, block.Pairs)}, block.Cells[uint32]{Quads: gpu.Shared[[4]uint32](t, block.Quads)}
	part := gpu.Shared[uint64](t, block.Warps)
	o := runOf{block.Integers[uint32]{Op: op}, flip}
	block.ReduceRuns(t, o, keys, values, block.Length(limit, n, at), outKeys, out, count, state, keyCells, cells, part)
}
