package kernels

import (
	"math"

	"github.com/govyre/vyre/gpu"
)

// Triangle is three corners.
type Triangle struct{ A, B, C vec }

// Ray is where a ray begins, and its direction.
type Ray struct{ From, Along vec }

// Hit is how far away a ray meets a triangle, and which.
type Hit struct {
	Distance float32
	Triangle uint32
}

const missed = math.MaxFloat32

// Rays finds the nearest triangle that each ray meets.
//
//vyre:kernel workgroup=128
func Rays(t gpu.Thread, triangles []Triangle, rays []Ray, hits []Hit) {
	i := t.Global().X
	if i >= uint32(len(hits)) {
		return
	}
	ray := rays[i]
	nearest := Hit{missed, ^uint32(0)}
	for k, tri := range triangles {
		if d := ray.distance(tri); d < nearest.Distance {
			nearest = Hit{d, uint32(k)}
		}
	}
	hits[i] = nearest
}

// distance is how far away the ray meets the triangle (Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle
// Intersection", 1997).
func (r Ray) distance(tri Triangle) float32 {
	e, f := tri.B.minus(tri.A), tri.C.minus(tri.A)
	p := r.Along.cross(f)
	det := e.dot(p)
	if gpu.Abs(det) < 1e-8 {
		return missed // along the plane
	}
	inv := 1 / det
	s := r.From.minus(tri.A)
	u := s.dot(p) * inv
	if u < 0 || u > 1 {
		return missed
	}
	q := s.cross(e)
	v := r.Along.dot(q) * inv
	if v < 0 || u+v > 1 {
		return missed
	}
	d := f.dot(q) * inv
	if d < 0 {
		return missed // behind
	}
	return d
}
