package closure

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Settle puts every class right under its root, and marks the rows that are the smallest of their key. The walks do not halve
// the way: a late store of that kind could put an old ancestor over a root that another invocation has written.
//
//vyre:kernel workgroup=256
func Settle(t gpu.Thread, n, classes uint32, staged, parent []uint32, slots []uint64, at, live, header []uint32) {
	roots, rows := uint32(0), uint32(0)
	for v := t.Global().X; v < classes; v += t.Groups().X * 256 {
		up := gpu.AtomicLoad(&parent[v])
		if up == v {
			roots++
			continue
		}
		root := up
		for p := gpu.AtomicLoad(&parent[root]); p != root; p = gpu.AtomicLoad(&parent[root]) {
			root = p
		}
		if root != up {
			gpu.AtomicStore(&parent[v], root)
		}
	}
	for base := t.Group().X*256 + t.Warp()*32; base < n; base += t.Groups().X * 256 {
		i := base + t.Lane()
		word := t.Ballot(i < n && uint32(slots[gpu.At(at, i)]) == i)
		if t.Lane() == 0 {
			live[base/32] = word
			rows += uint32(bits.OnesCount32(word))
		}
	}
	add(t, header, Classes, roots)
	add(t, header, Live, rows)
	if t.Global().X == 0 { // the next run has nothing staged
		staged[StagedPairs] = 0
		staged[StagedAnew] = 0
	}
}
