package waves

import "github.com/govyre/vyre/gpu"

// Words in front of the seeds of a fixpoint.
const (
	StartAll   = 0 // 1 if all nodes have facts already, and all are looked at
	StartCount = 1 // how many are looked at in the first round
	StartHead  = 2
)

// ClearFacts gives all nodes the fact start[0], or lists them all.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func ClearFacts[T uint32 | uint64](t gpu.Thread, staged []uint32, start, facts []T, queued, list, lengths []uint32) {
	i := t.Global().X
	if i < uint32(len(facts)) {
		queued[i] = 0
		if staged[StartAll] != 0 {
			list[i] = i
		} else {
			facts[i] = start[0]
		}
	}
	if i < 3 {
		lengths[i] = 0
		if i == 0 {
			lengths[i] = staged[StartCount]
		}
	}
}

// SeedFacts lists the seeds, which are different nodes, and gives them their facts.
//
//vyre:kernel workgroup=256 types=T:uint32|uint64
func SeedFacts[T uint32 | uint64](t gpu.Thread, staged []uint32, start, facts []T, list []uint32) {
	if i := t.Global().X; staged[StartAll] == 0 && i < staged[StartCount] {
		v := staged[StartHead+i]
		facts[v] = start[1+i]
		list[i] = v
	}
}
