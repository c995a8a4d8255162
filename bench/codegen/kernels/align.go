package kernels

import "github.com/govyre/vyre/gpu"

const longestQuery = 64

// Alignment is the best local alignment of two texts: its score, and where it ends in both.
type Alignment struct {
	Score         int32
	Query, Target uint16
}

// Align compares a query of up to 64 letters with each target (Smith and Waterman, 1981; Gotoh, 1982). A letter against
// another scores scores[a*letters+b]. The first letter of a gap costs open, each other one extend. Target i is
// targets[starts[i]:starts[i+1]].
//
//vyre:kernel workgroup=64
func Align(t gpu.Thread, letters uint32, open, extend int32, scores []int8, query []uint8, starts []uint32, targets []uint8, best []Alignment) {
	i := t.Global().X
	if i >= uint32(len(best)) {
		return
	}
	var ending, gap [longestQuery]int32 // of the last target letter's row, by query letter
	var top Alignment
	for k, letter := range targets[starts[i]:starts[i+1]] {
		row := scores[uint32(letter)*letters:][:letters]
		var diagonal, left, across int32
		for j, q := range query {
			gap[j] = max(ending[j]-open, gap[j]-extend)
			across = max(left-open, across-extend)
			score := max(0, diagonal+int32(row[q]), gap[j], across)
			diagonal, ending[j], left = ending[j], score, score
			if score > top.Score {
				top = Alignment{score, uint16(j + 1), uint16(k + 1)}
			}
		}
	}
	best[i] = top
}
