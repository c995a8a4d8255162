package kernels

import "github.com/govyre/vyre/gpu"

// Automaton states that mean the same for every pattern.
const (
	matchBegins = 0
	matchFailed = 1
)

// Found is where a pattern matches in a line; From is negative if it does not.
type Found struct{ From, To int32 }

// LogMatch finds the leftmost, then longest match of a pattern in each line of a log. The pattern is an automaton: the
// letter c leads from a state to next[state*kinds+kind[c]]. Line i is text[starts[i]:starts[i+1]].
//
//vyre:kernel workgroup=128
func LogMatch(t gpu.Thread, kinds uint32, kind []uint8, next []uint16, accepts []bool, starts []uint32, text []uint8, found []Found) {
	i := t.Global().X
	if i >= uint32(len(found)) {
		return
	}
	line := text[starts[i]:starts[i+1]]
	for from := range line {
		if length, ok := matchedPrefix(kinds, kind, next, accepts, line[from:]); ok {
			found[i] = Found{int32(from), int32(from + length)}
			return
		}
	}
	found[i] = Found{-1, -1}
}

// matchedPrefix is the length of the longest match at the beginning of a text.
func matchedPrefix(kinds uint32, kind []uint8, next []uint16, accepts []bool, text []uint8) (length int, ok bool) {
	state := uint16(matchBegins)
	for at, c := range text {
		state = next[uint32(state)*kinds+uint32(kind[c])]
		if state == matchFailed {
			break
		}
		if accepts[state] {
			length, ok = at+1, true
		}
	}
	return length, ok
}
