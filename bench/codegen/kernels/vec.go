package kernels

import "github.com/govyre/vyre/gpu"

// vec is a point or a direction in space.
type vec struct{ x, y, z float32 }

func (a vec) minus(b vec) vec { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }

func (a vec) times(k float32) vec { return vec{a.x * k, a.y * k, a.z * k} }

// plus is a + k·b, each element rounded once.
func (a vec) plus(k float32, b vec) vec {
	return vec{gpu.FMA(k, b.x, a.x), gpu.FMA(k, b.y, a.y), gpu.FMA(k, b.z, a.z)}
}

func (a vec) dot(b vec) float32 { return gpu.FMA(a.x, b.x, gpu.FMA(a.y, b.y, a.z*b.z)) }

func (a vec) cross(b vec) vec {
	return vec{
		gpu.FMA(a.y, b.z, -(a.z * b.y)),
		gpu.FMA(a.z, b.x, -(a.x * b.z)),
		gpu.FMA(a.x, b.y, -(a.y * b.x)),
	}
}
