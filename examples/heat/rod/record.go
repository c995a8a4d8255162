package rod

import "github.com/govyre/vyre"

// Cells is the length of the rod.
const Cells = 64

const mostRounds = 100_000

// Record records the sequence "heat": it uploads a rod, lets heat flow two steps a round until nothing moves, and reads the rod.
// The device decides on each round. All memory is the sequence's own.
func Record(dev vyre.Device, relax vyre.Kernel) *vyre.Sequence {
	s := dev.NewSequence("heat")
	a, b, moved := vyre.Scratch[uint32](s, Cells), vyre.Scratch[uint32](s, Cells), vyre.Scratch[uint32](s, 1)
	grid, host := vyre.Cover(relax, Cells), make([]byte, 4*Cells)
	s.Upload(a.All(), host, vyre.IfChanged)
	s.Fill(moved.All(), 1, 4)
	s.While(moved.All(), mostRounds, func() {
		s.Fill(moved.All(), 0, 4)
		s.Launch(relax, grid, a.All(), b.All(), moved.All())
		s.Launch(relax, grid, b.All(), a.All(), moved.All())
	})
	s.Read(a.All(), host)
	return s
}
