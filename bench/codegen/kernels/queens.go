package kernels

import "github.com/govyre/vyre/gpu"

// board is a row of a chess board that queens above it attack: by column and along both diagonals. free are the columns
// still to be tried.
type board struct{ columns, down, up, free uint32 }

// with is the next row after a queen is placed.
func (b board) with(queen, all uint32) board {
	b.columns |= queen
	b.down = (b.down | queen) << 1
	b.up = (b.up | queen) >> 1
	b.free = all &^ (b.columns | b.down | b.up)
	return b
}

// Queens counts the ways to place n queens, at most 20, on a board of n × n such that none attacks another. The digits of
// an invocation's number in base n are the columns of so many given queens; it finds the others by backtracking.
//
//vyre:kernel workgroup=128
func Queens(t gpu.Thread, n, given uint32, counts []uint32) {
	i := t.Global().X
	if i >= uint32(len(counts)) {
		return
	}
	all := uint32(1)<<n - 1
	b := board{free: all}
	rest := i
	for range given {
		queen := uint32(1) << (rest % n)
		if b.free&queen == 0 {
			counts[i] = 0
			return
		}
		b = b.with(queen, all)
		rest /= n
	}
	var stack [20]board
	var depth, found uint32
	for {
		if b.free == 0 {
			if depth == 0 {
				break
			}
			depth--
			b = stack[depth]
			continue
		}
		queen := b.free & -b.free
		b.free ^= queen
		if given+depth+1 == n {
			found++
			continue
		}
		stack[depth] = b
		depth++
		b = b.with(queen, all)
	}
	counts[i] = found
}
