package kernels

import "github.com/govyre/vyre/gpu"

// Word is 32 letters.
type Word [32]uint8

// EditDistance counts, for each pair of words, the letters that must be inserted, deleted or exchanged to make one of the
// other (Wagner and Fischer, "The String-to-String Correction Problem", 1974). Of the table it keeps one row.
//
//vyre:kernel workgroup=128
func EditDistance(t gpu.Thread, first, second []Word, distances []uint32) {
	i := t.Global().X
	if i >= uint32(len(distances)) {
		return
	}
	to := second[i]
	var row [len(to) + 1]uint32
	for k := range row {
		row[k] = uint32(k)
	}
	for j, letter := range first[i] {
		diagonal := row[0]
		row[0] = uint32(j) + 1
		for k, other := range to {
			cost := diagonal
			if letter != other {
				cost++
			}
			diagonal = row[k+1]
			row[k+1] = min(cost, row[k]+1, diagonal+1)
		}
	}
	distances[i] = row[len(to)]
}
