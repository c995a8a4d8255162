package codegen

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/gpu"
)

// Kernels of the second lot on what lies in space.

func skeleton(s Size) *Problem {
	const joints = 64
	figures := pick(s, 16, 2<<10, 128<<10)
	some := random(70)
	parts := floats(71, 8*joints*figures) // turn, shift, parent
	for i := range joints * figures {
		turn := parts[8*i : 8*i+4]
		var length float64
		for _, v := range turn {
			length += float64(v) * float64(v)
		}
		for k := range turn {
			turn[k] = float32(float64(turn[k]) / math.Sqrt(length))
		}
		// Limbs: a parent is one of the four joints before.
		parent := int32(-1)
		if j := i % joints; j > 0 {
			parent = int32(j) - 1 - int32(some.below(uint32(min(j, 4))))
		}
		parts[8*i+7] = math.Float32frombits(uint32(parent))
	}
	in, out := buffer("joints", In, parts), output("world", 28*joints*figures)
	return &Problem{
		N: fmt.Sprintf("%d figures of %d joints", figures, joints), Buffers: []*Buffer{in, out}, Bytes: in.Bytes + out.Bytes,
		Approximate: true,
		Steps:       []Step{{"Skeleton", [3]uint32{uint32(joints * figures / 128), 1, 1}, args(in, out)}},
		Want: func() map[*Buffer][]byte {
			world := make([]float32, 7*joints*figures)
			var at [joints][7]float64 // from the root on
			for i := range joints * figures {
				var own [7]float64
				for k := range own {
					own[k] = float64(parts[8*i+k])
				}
				if parent := int32(math.Float32bits(parts[8*i+7])); parent >= 0 {
					own = moved(at[parent], own)
				}
				at[i%joints] = own
				for k, v := range own {
					world[7*i+k] = float32(v)
				}
			}
			return map[*Buffer][]byte{out: bytesOf(world)}
		},
	}
}

// moved is a turn and a shift as the parent sees them, in the world where the parent is.
func moved(parent, own [7]float64) (out [7]float64) {
	// The columns of the rotation matrix of a quaternion are where it turns the axes.
	w, x, y, z := parent[0], parent[1], parent[2], parent[3]
	matrix := [3][3]float64{
		{1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y)},
	}
	out[0] = w*own[0] - x*own[1] - y*own[2] - z*own[3]
	for r, row := range matrix {
		j, k := (r+1)%3, (r+2)%3
		out[1+r] = w*own[1+r] + parent[1+r]*own[0] + parent[1+j]*own[1+k] - parent[1+k]*own[1+j]
		out[4+r] = parent[4+r] + row[0]*own[4] + row[1]*own[5] + row[2]*own[6]
	}
	return out
}

func kdTree(s Size) *Problem {
	points, n := pick(s, 1<<10-1, 1<<17-1, 1<<20-1), pick(s, 512, 256<<10, 8<<20)
	where := valuesOf[[3]float32](bytesOf(floats(72, 3*points)))
	tree := make([][3]float32, points)
	grow(tree, 0, 0, where)
	queries := valuesOf[[3]float32](bytesOf(floats(73, 3*n)))
	bt, bq, out := buffer("tree", In, tree), buffer("queries", In, queries), output("nearest", 8*n)
	return &Problem{
		N: fmt.Sprintf("%d queries, %d points", n, points), Buffers: []*Buffer{bt, bq, out}, Bytes: bt.Bytes + bq.Bytes + out.Bytes,
		Steps: []Step{{"Nearest", [3]uint32{uint32(n / 128), 1, 1}, args(bt, bq, out)}},
		Want: func() map[*Buffer][]byte {
			nearest := make([]uint32, 2*n)
			for i, q := range queries {
				best, which := float32(math.MaxFloat32), 0
				for k, p := range tree {
					x, y, z := p[0]-q[0], p[1]-q[1], p[2]-q[2]
					if d := gpu.FMA(z, z, gpu.FMA(y, y, float32(x*x))); d < best {
						best, which = d, k
					}
				}
				nearest[2*i], nearest[2*i+1] = uint32(which), math.Float32bits(best)
			}
			return map[*Buffer][]byte{out: bytesOf(nearest)}
		},
	}
}

// grow makes a k-d tree of points, one less than a power of two, which lose their order.
func grow(tree [][3]float32, root, axis int, points [][3]float32) {
	if len(points) == 0 {
		return
	}
	slices.SortFunc(points, func(a, b [3]float32) int { return cmp.Compare(a[axis], b[axis]) })
	middle := len(points) / 2
	tree[root] = points[middle]
	grow(tree, 2*root+1, (axis+1)%3, points[:middle])
	grow(tree, 2*root+2, (axis+1)%3, points[middle+1:])
}
