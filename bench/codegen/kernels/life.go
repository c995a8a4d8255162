package kernels

import "github.com/govyre/vyre/gpu"

// neighbours counts the live neighbours of 64 cells, in binary. Eight of them count as none: either way the cell is
// dead.
type neighbours struct{ ones, twos, fours uint64 }

func (n neighbours) with(cells uint64) neighbours {
	carry := n.ones & cells
	n.ones ^= cells
	n.fours ^= n.twos & carry
	n.twos ^= carry
	return n
}

// Life makes the next generation of Conway's game of life (Gardner, "The Fantastic Combinations of John Conway's New
// Solitaire Game", 1970) on a torus. A word is 64 cells of a row, the leftmost in its lowest bit. An invocation has a
// word.
//
//vyre:kernel workgroup=32x8
func Life(t gpu.Thread, width, height uint32, now, next []uint64) {
	x, y := t.Global().X, t.Global().Y
	if x >= width || y >= height {
		return
	}
	var n neighbours
	for dy := range uint32(3) {
		start := (y + height + dy - 1) % height * width
		row := now[start : start+width]
		left, here, right := row[(x+width-1)%width], row[x], row[(x+1)%width]
		n = n.with(here<<1 | left>>63).with(here>>1 | right<<63)
		if dy != 1 {
			n = n.with(here)
		}
	}
	next[y*width+x] = n.twos &^ n.fours & (n.ones | now[y*width+x])
}
