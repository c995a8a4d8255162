package ifds

import (
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/ifds/internal/tabulation"
	"github.com/govyre/vyre/graph/internal/little"
)

// image is a program as kernels have it: arrays of words in one buffer, each from a line of 256 bytes on. In the place of a node
// stands its item, the first word of its row. Arcs that are not allowed are left out, and so are returns, unless they may be taken
// without a call.
type image struct {
	x      *index
	free   bool     // they may
	base   []uint32 // of each procedure, the number of its first entry
	memory driver.Buffer
}

// The arrays, as the kernel has them.
const (
	offsetsArray = iota
	numbersArray
	startsArray
	targetsArray
	tagsArray
	fromArray
	wordsArray
	bitArray
	beginArray
	endArray
	callersArray
	returnFromArray
	returnToArray
	entriesArray
	arrays
)

func newImage(x *index, free bool) *image {
	m := &image{x: x, free: free, base: make([]uint32, len(x.entry)+1)}
	for of, list := range x.entry {
		m.base[of+1] = m.base[of] + uint32(len(list))
	}
	return m
}

// entryCount is how many entries there are.
func (m *image) entryCount() int { return int(m.base[len(m.base)-1]) }

// arcs is how many are kept.
func (m *image) arcs() int {
	n := m.x.inside + len(m.x.callers)
	if m.free {
		n += len(m.x.returns)
	}
	return n
}

// wide reports whether there are nodes with several words.
func (m *image) wide() bool { return m.x.total > uint64(m.x.Nodes()) }

// sizes are how many words the arrays have, each one at least: an argument has bytes.
func (m *image) sizes() [arrays]int {
	x, calls := m.x, len(m.x.callers)
	n := [arrays]int{offsetsArray: x.Nodes() + 1, targetsArray: m.arcs(), tagsArray: m.arcs(), fromArray: calls, wordsArray: calls, bitArray: calls,
		beginArray: calls, endArray: calls, callersArray: m.entryCount() + 1, returnFromArray: len(x.returns), returnToArray: len(x.returns), entriesArray: int(x.exitWords)}
	if m.wide() {
		n[numbersArray], n[startsArray] = int(x.total), x.Nodes()
	}
	for k := range n {
		n[k] = max(n[k], 1)
	}
	return n
}

// places are where the arrays stand, in bytes, and where they end.
func (m *image) places() (at [arrays]int64, end int64) {
	for k, n := range m.sizes() {
		at[k] = end
		end = (end + 4*int64(n) + 255) / 256 * 256
	}
	return at, end
}

// args are the arguments that stand for the program.
func (m *image) args() (args []driver.Arg) {
	at, _ := m.places()
	for k, n := range m.sizes() {
		args = append(args, driver.Part(m.memory, at[k], 4*int64(n)))
	}
	return args
}

// What kernels count: the words of all rows in 30 bits, because a list has two halves; arcs in 31; and what a warp shares out in 32.
const (
	mostItems = 1 << 30
	mostArcs  = 1 << 31
	mostInRow = 1 << 26
)

// portions is how many of so many arcs or calls a list has in a round at most: of each word of a node with more arcs, and for each
// exit of each entry with more calls.
func (m *image) portions(portion uint32) (n uint64) {
	x, cut := m.x, func(things uint32) uint64 {
		if things <= portion {
			return 0
		}
		return (uint64(things) + uint64(portion) - 1) / uint64(portion)
	}
	exits := make([]uint64, len(x.words)) // of each procedure
	for u := range uint32(x.Nodes()) {
		of := x.procedures[u]
		if x.first[u] < x.exitWords {
			exits[of]++
		}
		targets := x.Row(u)
		if uint64(len(targets)) <= uint64(portion) {
			continue
		}
		kept := uint32(0)
		for k, v := range targets {
			if w := x.way(u, v, k); w != closed && (w != returns || m.free) {
				kept++
			}
		}
		n += uint64(x.words[of]) * cut(kept)
	}
	for of, list := range x.entry {
		for _, e := range list {
			n += exits[of] * cut(x.calls[e+1]-x.calls[e])
		}
	}
	return n
}

// countable says what kernels cannot count of the program, or nothing.
func (m *image) countable(portions uint64) string {
	x := m.x
	widest, most := uint64(0), uint64(x.longest)
	for of, words := range x.words {
		widest, most = max(widest, uint64(words)), max(most, uint64(len(x.entry[of])))
	}
	for entry := range x.bit {
		most = max(most, uint64(x.calls[entry+1]-x.calls[entry]))
	}
	for _, at := range x.sites {
		most = max(most, uint64(at.to-at.from)*widest)
	}
	switch {
	case x.total > mostItems:
		return fmt.Sprintf("rows have %d words together, and kernels count %d", x.total, mostItems)
	case m.arcs() > mostArcs:
		return fmt.Sprintf("there are %d arcs, and kernels count %d", m.arcs(), int64(mostArcs))
	case portions > mostItems:
		return fmt.Sprintf("long rows and callers are in %d portions, and kernels count %d", portions, mostItems)
	case most > mostInRow:
		return fmt.Sprintf("a node has %d arcs, callers or words to return to, and kernels count %d", most, mostInRow)
	}
	return ""
}

// bytes is the image.
func (m *image) bytes() []byte {
	at, end := m.places()
	host, x, n := make([]byte, end), m.x, m.sizes()
	var a [arrays][]uint32
	for k := range a {
		a[k] = make([]uint32, 0, n[k])
	}
	call := make([]uint32, x.Arcs()) // of each arc that is one, its number
	for _, list := range x.entry {
		for _, e := range list {
			a[callersArray] = append(a[callersArray], uint32(len(a[fromArray])))
			for _, c := range x.callers[x.calls[e]:x.calls[e+1]] {
				call[c.arc] = uint32(len(a[fromArray]))
				back := x.returnsTo(c)
				a[fromArray] = append(a[fromArray], uint32(x.first[c.from]))
				a[wordsArray] = append(a[wordsArray], x.words[x.procedures[c.from]])
				a[bitArray] = append(a[bitArray], x.bit[e])
				a[beginArray] = append(a[beginArray], uint32(back.from))
				a[endArray] = append(a[endArray], uint32(back.to))
			}
		}
	}
	a[callersArray] = append(a[callersArray], uint32(len(a[fromArray])))
	for _, r := range x.returns {
		a[returnFromArray] = append(a[returnFromArray], uint32(x.first[r.from]))
		a[returnToArray] = append(a[returnToArray], uint32(x.first[r.to]))
	}
	number := uint32(0)
	for u := range x.inOrder() {
		first, of := x.first[u], x.procedures[u]
		a[offsetsArray] = append(a[offsetsArray], uint32(len(a[targetsArray])))
		m.row(u, call, &a)
		if m.wide() {
			a[startsArray] = append(a[startsArray], uint32(first))
			for range x.words[of] {
				a[numbersArray] = append(a[numbersArray], number)
			}
		}
		if first < x.exitWords {
			for w := range x.words[of] {
				a[entriesArray] = append(a[entriesArray], m.base[of]+64*w-1) // bit 0 is none
			}
		}
		number++
	}
	a[offsetsArray] = append(a[offsetsArray], uint32(len(a[targetsArray])))
	for k := range a {
		copy(host[at[k]:], little.Bytes(a[k]))
	}
	return host
}

// row puts down the arcs of a node.
func (m *image) row(u uint32, call []uint32, a *[arrays][]uint32) {
	x := m.x
	targets := x.Row(u)
	for k, v := range targets {
		tag := uint32(tabulation.InnerTag)
		switch x.way(u, v, k) {
		case closed:
			continue
		case returns:
			if !m.free {
				continue
			}
			tag = tabulation.FreeTag
		case shared:
			tag = tabulation.SharedTag
		case calls:
			tag = tabulation.CallTag + call[x.First(u)+k]
		}
		a[targetsArray], a[tagsArray] = append(a[targetsArray], uint32(x.first[v])), append(a[tagsArray], tag)
	}
}

// summaries turns those of the device, as numbers of entries and items of exits, into nodes.
func (m *image) summaries(list []uint64) []summary {
	entries := make([]uint32, 0, m.entryCount())
	for _, of := range m.x.entry {
		entries = append(entries, of...)
	}
	exits := make([]uint32, m.x.exitWords)
	for u := range m.x.inOrder() {
		if m.x.first[u] >= m.x.exitWords {
			break
		}
		exits[m.x.first[u]] = u
	}
	all := make([]summary, len(list))
	for i, s := range list {
		all[i] = summary{entries[s>>32], exits[uint32(s)]}
	}
	return all
}
