package interp

import "github.com/govyre/vyre/ir"

// PrepareUnshared is Prepare with a slot of its own for every value.
func PrepareUnshared(p *ir.Program) (*Kernel, error) { return prepare(p, nil, false) }

// Parallel returns the (destination, source) pairs that do the copies dst[i] ← src[i]
// at once, one after the other.
func Parallel(dst, src []int32, temp int32) [][2]int32 {
	moves, _ := parallel(dst, src, temp)
	var pairs [][2]int32
	for _, m := range moves {
		pairs = append(pairs, [2]int32{m.dst, m.src})
	}
	return pairs
}
