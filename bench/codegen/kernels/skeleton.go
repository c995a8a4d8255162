package kernels

import "github.com/govyre/vyre/gpu"

// quaternion is a rotation.
type quaternion struct{ w, x, y, z float32 }

// times is the rotation b and then a.
func (a quaternion) times(b quaternion) quaternion {
	return quaternion{
		gpu.FMA(-a.z, b.z, gpu.FMA(-a.y, b.y, gpu.FMA(-a.x, b.x, a.w*b.w))),
		gpu.FMA(-a.z, b.y, gpu.FMA(a.y, b.z, gpu.FMA(a.x, b.w, a.w*b.x))),
		gpu.FMA(a.z, b.x, gpu.FMA(a.y, b.w, gpu.FMA(-a.x, b.z, a.w*b.y))),
		gpu.FMA(a.z, b.w, gpu.FMA(-a.y, b.x, gpu.FMA(a.x, b.y, a.w*b.z))),
	}
}

func (a quaternion) rotates(v vec) vec {
	axis := vec{a.x, a.y, a.z}
	u := axis.cross(v).times(2)
	return v.plus(a.w, u).plus(1, axis.cross(u))
}

// unit is a with length 1.
func (a quaternion) unit() quaternion {
	k := 1 / gpu.Sqrt(gpu.FMA(a.w, a.w, gpu.FMA(a.x, a.x, gpu.FMA(a.y, a.y, a.z*a.z))))
	return quaternion{a.w * k, a.x * k, a.y * k, a.z * k}
}

// Motion turns, then moves.
type Motion struct {
	Turn  quaternion
	Shift vec
}

// then is what m and after it n do.
func (m Motion) then(n Motion) Motion {
	return Motion{n.Turn.times(m.Turn), n.Shift.plus(1, n.Turn.rotates(m.Shift))}
}

// Joint is a joint of a figure: where it is as its parent sees it, and the number of that; the root has a negative one.
type Joint struct {
	Motion
	Parent int32
}

const figureJoints = 64

// Skeleton places the joints of figures in the world. Each figure has 64 joints; an invocation has a joint.
//
//vyre:kernel workgroup=128
func Skeleton(t gpu.Thread, joints []Joint, world []Motion) {
	i := t.Global().X
	if i >= uint32(len(world)) {
		return
	}
	figure := joints[i/figureJoints*figureJoints:][:figureJoints]
	j := figure[i%figureJoints]
	at := j.Motion
	for j.Parent >= 0 {
		j = figure[j.Parent]
		at = at.then(j.Motion)
	}
	at.Turn = at.Turn.unit()
	world[i] = at
}
