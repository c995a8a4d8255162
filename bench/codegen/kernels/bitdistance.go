package kernels

import "github.com/govyre/vyre/gpu"

// BitDistance compares a word of 64 letters with texts of any length, by Myers' algorithm: a column of the table is two
// words of 64 bits. A workgroup has a word; its invocations share where each letter stands in it, and have a text each.
//
//vyre:kernel workgroup=64
func BitDistance(t gpu.Thread, words, letters []uint8, starts, distances []uint32) {
	at := gpu.Shared[uint64](t, 256)
	l, word := t.Local().X, t.Group().X
	for c := l; c < 256; c += 64 {
		mask := uint64(0)
		for k := range uint32(64) {
			if uint32(words[word*64+k]) == c {
				mask |= 1 << k
			}
		}
		at[c] = mask
	}
	t.Barrier()
	texts := uint32(len(starts)) - 1
	for text := l; text < texts; text += 64 {
		up, down := ^uint64(0), uint64(0)
		distance := uint32(64)
		for k := starts[text]; k < starts[text+1]; k++ {
			same := at[letters[k]]
			v := same | down
			h := (same&up + up) ^ up | same
			more, less := down|^(h|up), up&h
			if more>>63 != 0 {
				distance++
			} else if less>>63 != 0 {
				distance--
			}
			more, less = more<<1|1, less<<1
			up, down = less|^(v|more), more&v
		}
		distances[word*texts+text] = distance
	}
}
