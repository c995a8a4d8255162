package cases

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/gpu/random"
)

// Draws takes random numbers of every kind.
//
//vyre:kernel workgroup=32
func Draws(t gpu.Thread, seed uint64, stream uint64, words []uint32, uniform []float64, normal []float32) {
	i := t.Global().X
	if i >= uint32(len(words)) {
		return
	}
	words[i] = random.Word(seed, stream, uint64(i))
	b := random.Block(seed, stream+1, uint64(i)<<33)
	uniform[i] = float64(random.Uniform(b[0])) + random.Uniform64(b[1], b[2]) + float64(random.Below(b[3], 1000))
	x, y := random.Normal(b[0], b[1])
	u, v := random.Normal64(b[0], b[1], b[2], b[3])
	normal[i] = x + 8*y + float32(64*u) + float32(512*v) + float32(random.Below64(b[2], b[3], 1<<40))
}
