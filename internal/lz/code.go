package lz

import (
	"cmp"
	"errors"
	"slices"
)

// maxBits is the length of the longest code: a table of all has 4096 entries.
const maxBits = 12

// lengths gives each symbol the length of its code, 0 if it does not occur.
func lengths(counts []int) []uint8 {
	counts = slices.Clone(counts)
	for {
		if of, ok := huffman(counts); ok {
			return of
		}
		for i, n := range counts { // flatter, so that the rarest get shorter codes
			if n > 0 {
				counts[i] = n/2 + 1
			}
		}
	}
}

// huffman joins the two rarest nodes until one is left. ok is false if a code is too long.
func huffman(counts []int) (of []uint8, ok bool) {
	type node struct{ count, parent int }
	var nodes []node
	var leaves, symbols []int
	for s, n := range counts {
		if n > 0 {
			leaves, symbols, nodes = append(leaves, len(nodes)), append(symbols, s), append(nodes, node{count: n})
		}
	}
	of = make([]uint8, len(counts))
	if len(symbols) == 1 {
		of[symbols[0]] = 1
	}
	slices.SortStableFunc(leaves, func(a, b int) int { return cmp.Compare(nodes[a].count, nodes[b].count) })
	var joined []int // also in the order of their counts
	rarest := func() (n int) {
		if len(joined) == 0 || len(leaves) > 0 && nodes[leaves[0]].count <= nodes[joined[0]].count {
			n, leaves = leaves[0], leaves[1:]
		} else {
			n, joined = joined[0], joined[1:]
		}
		return n
	}
	for len(leaves)+len(joined) > 1 {
		a, b := rarest(), rarest()
		nodes[a].parent, nodes[b].parent = len(nodes), len(nodes)
		joined = append(joined, len(nodes))
		nodes = append(nodes, node{count: nodes[a].count + nodes[b].count})
	}
	for i, s := range symbols {
		depth := 0
		for n := i; nodes[n].parent > 0; n = nodes[n].parent {
			depth++
		}
		if depth > maxBits {
			return nil, false
		}
		of[s] = max(of[s], uint8(depth))
	}
	return of, true
}

// inOrder calls f with each code: shorter ones first, and those of one length in the order of their symbols.
func inOrder(of []uint8, f func(symbol int, code uint, length uint8)) {
	code := uint(0)
	for length := uint8(1); length <= maxBits; length++ {
		code <<= 1
		for s, n := range of {
			if n == length {
				f(s, code, length)
				code++
			}
		}
	}
}

// codes are those of the symbols.
func codes(of []uint8) []uint {
	list := make([]uint, len(of))
	inOrder(of, func(symbol int, code uint, _ uint8) { list[symbol] = code })
	return list
}

// entry is what bits begin with: a symbol, shifted left by 4, and the length of its code. 0 is no code.
type entry uint16

var errCodes = errors.New("the codes are not those of a tree")

// table has an entry for each of the values of maxBits bits.
func table(of []uint8) (*[1 << maxBits]entry, error) {
	all := 0
	for _, n := range of {
		if n > 0 {
			all += 1 << (maxBits - n)
		}
	}
	if all > 1<<maxBits {
		return nil, errCodes
	}
	t := new([1 << maxBits]entry)
	inOrder(of, func(symbol int, code uint, length uint8) {
		first := code << (maxBits - length)
		for i := range uint(1) << (maxBits - length) {
			t[first+i] = entry(symbol<<4) | entry(length)
		}
	})
	return t, nil
}
