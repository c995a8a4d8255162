package kernels

import (
	"math"

	"github.com/govyre/vyre/gpu"
)

// Neighbour is the number of a point, and the square of how far away it is.
type Neighbour struct {
	Point    uint32
	Distance float32
}

// branch is a part of a tree that is still to be searched: its root, the axis that splits it, and the square of how far
// away the plane before it is.
type branch struct {
	root, axis uint32
	gap        float32
}

// Nearest finds the nearest of some points to each query (Friedman, Bentley, Finkel, "An Algorithm for Finding Best
// Matches in Logarithmic Expected Time", 1977). The points are a k-d tree: below point k are 2k+1 and 2k+2, on either
// side of it along x, y or z in turn. It has at most 24 levels.
//
//vyre:kernel workgroup=128
func Nearest(t gpu.Thread, tree, queries [][3]float32, nearest []Neighbour) {
	i := t.Global().X
	if i >= uint32(len(queries)) {
		return
	}
	q := queries[i]
	best := Neighbour{Distance: math.MaxFloat32}
	var stack [24]branch
	depth := 1 // the root is on the stack
	for depth > 0 {
		depth--
		b := stack[depth]
		if b.gap >= best.Distance {
			continue
		}
		for b.root < uint32(len(tree)) {
			p := tree[b.root]
			if d := distance(p, q); d < best.Distance {
				best = Neighbour{b.root, d}
			}
			near, far := 2*b.root+1, 2*b.root+2
			away := q[b.axis] - p[b.axis]
			if away > 0 {
				near, far = far, near
			}
			b.root, b.axis = near, (b.axis+1)%3
			if gap := away * away; gap < best.Distance && far < uint32(len(tree)) {
				stack[depth] = branch{far, b.axis, gap}
				depth++
			}
		}
	}
	nearest[i] = best
}

// distance is the square of how far two points are apart.
func distance(a, b [3]float32) float32 {
	var sum float32
	for k := range a {
		d := a[k] - b[k]
		sum = gpu.FMA(d, d, sum)
	}
	return sum
}
