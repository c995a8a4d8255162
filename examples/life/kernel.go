package main

import "github.com/govyre/vyre/gpu"

// Life plays an even number of generations of Conway's Game of Life in one launch, with a
// grid barrier after each. The world is a torus, w words wide; a bit of a word is a cell.
// a holds the cells before and after, b those between. glow keeps four bits a cell, a word
// for each: 15 while the cell lives, then one less every 64 generations.
//
//vyre:kernel workgroup=256
func Life(t gpu.Thread, w, generations uint32, a, b []uint32, glow [][4]uint32) {
	for g := uint32(0); g < generations; g += 2 {
		advance(t, w, a, b, glow, g%64 == 0)
		t.GridBarrier()
		advance(t, w, b, a, glow, false)
		t.GridBarrier()
	}
}

// advance plays one generation: to becomes what follows from.
func advance(t gpu.Thread, w uint32, from, to []uint32, glow [][4]uint32, fade bool) {
	n := uint32(len(from))
	for i := t.Global().X; i < n; i += t.Groups().X * t.GroupSize().X {
		x := i % w
		row := i - x
		alive := next(from, (row+n-w)%n, row, (row+w)%n, x, w)
		to[i] = alive
		glow[i] = light(glow[i], alive, fade)
	}
}

// next returns word x of a row, one generation later. It counts the neighbours of all 32 cells at once:
// a bit of aOne and of aTwo is a digit of the number of neighbours that a cell has above.
func next(cells []uint32, above, row, below, x, w uint32) uint32 {
	a0, a1, a2 := around(cells, above, x, w)
	b0, b1, b2 := around(cells, row, x, w)
	c0, c1, c2 := around(cells, below, x, w)
	aOne, aTwo := add(a0, a1, a2)
	bOne, bTwo := add(b0, b2, 0)
	cOne, cTwo := add(c0, c1, c2)
	one, two := add(aOne, bOne, cOne)
	// A cell lives with three neighbours, or with two if it lived before: with a single two
	// among the four, and a one or itself.
	single := (aTwo ^ bTwo ^ cTwo ^ two) &^ (aTwo&bTwo | cTwo&two)
	return single & (one | b1)
}

// around returns word x of a row three times: with the left neighbour of each cell in its
// place, as it is, and with the right neighbour.
func around(cells []uint32, row, x, w uint32) (left, self, right uint32) {
	self = cells[row+x]
	left = self<<1 | cells[row+(x+w-1)%w]>>31
	right = self>>1 | cells[row+(x+1)%w]<<31
	return left, self, right
}

// add adds three bits at each place of a word.
func add(a, b, c uint32) (one, two uint32) { return a ^ b ^ c, a&b | (a^b)&c }

// light is the glow of cells after a generation.
func light(glow [4]uint32, alive uint32, fade bool) [4]uint32 {
	if fade {
		borrow := glow[0] | glow[1] | glow[2] | glow[3] // nothing fades below 0
		for k := range 4 {
			glow[k], borrow = glow[k]^borrow, borrow&^glow[k]
		}
	}
	for k := range 4 {
		glow[k] |= alive
	}
	return glow
}
