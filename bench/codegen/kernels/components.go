package kernels

import "github.com/govyre/vyre/gpu"

// The components of a graph take two launches: Hook joins the trees of both ends of each arc, Flatten points every node to
// the root of its tree, which is the component's least node. parent begins with each node as its own root.

// Hook hangs the greater root of an arc's two ends onto the lesser one.
//
//vyre:kernel workgroup=256
func Hook(t gpu.Thread, arcs [][2]uint32, parent []uint32) {
	i := t.Global().X
	if i >= uint32(len(arcs)) {
		return
	}
	a, b := root(parent, arcs[i][0]), root(parent, arcs[i][1])
	for a != b {
		low, high := min(a, b), max(a, b)
		was := gpu.AtomicCompareExchange(&parent[high], high, low)
		if was == high {
			return
		}
		a, b = root(parent, was), root(parent, low) // somebody else was first
	}
}

// Flatten replaces the parent of each node by its root.
//
//vyre:kernel workgroup=256
func Flatten(t gpu.Thread, parent []uint32) {
	v := t.Global().X
	if v < uint32(len(parent)) {
		gpu.AtomicStore(&parent[v], root(parent, v))
	}
}

// root follows parents to the node that is its own.
func root(parent []uint32, v uint32) uint32 {
	for {
		p := gpu.AtomicLoad(&parent[v])
		if p == v {
			return v
		}
		v = p
	}
}
