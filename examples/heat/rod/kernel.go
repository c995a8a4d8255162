// Package rod has the kernel and the sequence that the example heat ships.
package rod

import "github.com/govyre/vyre/gpu"

//go:generate go run ../../../internal/gen/generate --programs .
//go:generate go run ../make -o ../heat.vyk

// Relax lets heat flow between neighbours for one step. The ends of the rod keep theirs. moved becomes 1 if any cell changes.
//
//vyre:kernel workgroup=64
func Relax(t gpu.Thread, from, to, moved []uint32) {
	i := t.Global().X
	if i >= uint32(len(from)) {
		return
	}
	now := from[i]
	next := now
	if i > 0 && i+1 < uint32(len(from)) {
		next = (from[i-1] + 2*now + from[i+1] + 2) / 4
	}
	to[i] = next
	if next != now {
		gpu.AtomicStore(&moved[0], 1)
	}
}
