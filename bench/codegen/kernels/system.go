package kernels

import "github.com/govyre/vyre/gpu"

// system is eight linear equations: the coefficients of eight unknowns, and what they come to.
type system [8][9]float64

// solved solves the system by elimination with the largest pivot of each column; ok is false if it is singular.
func (s system) solved() (x [8]float64, ok bool) {
	for k := range s {
		pivot := k
		for r := k + 1; r < len(s); r++ {
			if gpu.Abs(s[r][k]) > gpu.Abs(s[pivot][k]) {
				pivot = r
			}
		}
		if s[pivot][k] == 0 {
			return x, false
		}
		s[k], s[pivot] = s[pivot], s[k]
		for r := k + 1; r < len(s); r++ {
			factor := s[r][k] / s[k][k]
			for c := k + 1; c < len(s[r]); c++ {
				s[r][c] = gpu.FMA(-factor, s[k][c], s[r][c])
			}
		}
	}
	for k := len(s) - 1; k >= 0; k-- {
		rest := s[k][8]
		for c := k + 1; c < len(x); c++ {
			rest = gpu.FMA(-s[k][c], x[c], rest)
		}
		x[k] = rest / s[k][k]
	}
	return x, true
}

// Solve solves systems of eight linear equations. The same element of all systems stands beside one another. A singular
// system is marked, and its solution is zero. An invocation has a system.
//
//vyre:kernel workgroup=128
func Solve(t gpu.Thread, systems, solutions []float64, singular []uint32) {
	i, n := t.Global().X, uint32(len(singular))
	if i >= n {
		return
	}
	var s system
	for r := range s {
		for c := range s[r] {
			s[r][c] = systems[uint32(9*r+c)*n+i]
		}
	}
	x, ok := s.solved()
	mark := uint32(0)
	if !ok {
		x = [8]float64{}
		mark = 1
	}
	for k, v := range x {
		solutions[uint32(k)*n+i] = v
	}
	singular[i] = mark
}
