// Package sample has kernels with every kind of parameter, and the launchers generated for
// them. Its tests run both.
package sample

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/internal/gen/internal/sample/unit"
)

//go:generate go run ../../../../internal/gen/generate .

// ID is a defined type.
type ID uint32

// Count is a defined type over an integer as wide as the host's.
type Count int

// Scalars adds up what it gets; each parameter gives its own bits.
//
//vyre:kernel workgroup=1
func Scalars(t gpu.Thread, a bool, b int8, c int16, d int32, e int64, f int, g uint8, h uint16, i uint32, j uint64, k uint,
	l float32, m float64, n gpu.Float16, o gpu.BFloat16, p ID, q unit.Metre, r Count, sums []float64) {
	if a {
		sums[0] = 1
	}
	sums[1] = float64(b) + float64(c) + float64(d) + float64(e) + float64(f)
	sums[2] = float64(g) + float64(h) + float64(i) + float64(j) + float64(k)
	sums[3] = float64(l) + m + float64(n.Float32()) + float64(o.Float32())
	sums[4] = float64(p) + float64(unit.Double(q)) + float64(r)
}

// Elements copies one buffer of each kind.
//
//vyre:kernel workgroup=32
func Elements(t gpu.Thread, flags, flagsOut []bool, ids, idsOut []ID, halves, halvesOut []gpu.Float16, lengths, lengthsOut []unit.Metre,
	ints, intsOut []int, pairs, pairsOut [][2]uint16, points, pointsOut [][4]float32) {
	i := t.Global().X
	if i >= uint32(len(ids)) {
		return
	}
	flagsOut[i] = !flags[i]
	idsOut[i] = ids[i] + 1
	halvesOut[i] = halves[i].Neg()
	lengthsOut[i] = unit.Double(lengths[i])
	intsOut[i] = -ints[i]
	pairsOut[i] = [2]uint16{pairs[i][1], pairs[i][0]}
	p := points[i]
	pointsOut[i] = [4]float32{p[3], p[2], p[1], p[0]}
}

// Even stores to elements of even index only.
//
//vyre:kernel workgroup=16
func Even(t gpu.Thread, out []uint32) {
	if i := t.Global().X; i < uint32(len(out)) && i%2 == 0 {
		out[i] = i
	}
}

// Scale multiplies in place.
//
//vyre:kernel workgroup=64 types=T:float32|int64|ID
func Scale[T float32 | int64 | ID](t gpu.Thread, by T, x []T) {
	if i := t.Global().X; i < uint32(len(x)) {
		x[i] *= by
	}
}

// Fill stores one value everywhere.
//
//vyre:kernel workgroup=64 types=T:bool|gpu.Float16
func Fill[T gpu.Scalar](t gpu.Thread, v T, x []T) {
	if i := t.Global().X; i < uint32(len(x)) {
		x[i] = v
	}
}

// Reverse turns each group's share around, through shared memory as long as the launch says.
//
//vyre:kernel workgroup=8
func Reverse(t gpu.Thread, x []int32) {
	part := gpu.SharedRest[int32](t)
	l := t.Local().X
	part[l] = x[t.Global().X]
	t.Barrier()
	x[t.Global().X] = part[7-l]
}

// Names has parameters called like things in a launcher.
//
//vyre:kernel workgroup=2x2x2
func Names(gpuThread gpu.Thread, vyre, k, seq, ctx, grid, packed uint32, _ float32, context, s []uint32) {
	if gpuThread.GlobalIndex() < uint64(len(s)) {
		s[gpuThread.GlobalIndex()] = vyre + 10*k + 100*seq + 1000*ctx + 10000*grid + 100000*packed + context[0]
	}
}

// Particle is a struct with padding, a nested one and arrays.
type Particle struct {
	Pos   [3]float32
	Mass  float64
	Spin  struct{ Axis, Rate float32 }
	Alive bool
	_     uint16
	Near  [2]ID
}

// Step is what Move takes by value.
type Step struct {
	By    [3]float32
	Scale float64
	grow  int
}

// Move moves particles.
//
//vyre:kernel workgroup=32
func Move(t gpu.Thread, s Step, ps []Particle, points [][3]float32) {
	i := t.Global().X
	if i >= uint32(len(ps)) || !ps[i].Alive {
		return
	}
	ps[i].Mass *= s.Scale
	ps[i].Spin.Rate += 1
	ps[i].Near[1] = ps[i].Near[0] + ID(s.grow)
	for a := range 3 {
		ps[i].Pos[a] += s.By[a]
		points[i][a] = ps[i].Pos[a]
	}
}

// Mix swaps the parts of pairs of a defined type.
//
//vyre:kernel workgroup=32
func Mix(t gpu.Thread, x [][2]ID) {
	if i := t.Global().X; i < uint32(len(x)) {
		x[i] = [2]ID{x[i][1], x[i][0]}
	}
}

// Wave has complex numbers in all places of a signature.
type Wave struct {
	At   complex64
	Gain [2]complex128
}

// Turn multiplies complex numbers.
//
//vyre:kernel workgroup=32
func Turn(t gpu.Thread, by complex128, w Wave, x []complex64, ws []Wave) {
	if i := t.Global().X; i < uint32(len(x)) {
		x[i] = x[i]*complex64(by) + w.At
		ws[i].Gain[1] = ws[i].Gain[0] * w.Gain[i&1]
	}
}

//vyre:kernel workgroup=4 name=private
func hidden(t gpu.Thread, x []uint8) { x[t.Global().X]++ }
