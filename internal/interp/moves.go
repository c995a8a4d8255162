package interp

// parallel orders the copies dst[i] ← src[i], which happen at once, so that they can be
// done one after the other. A cycle is opened through the slot temp; the second result
// says whether that was needed.
func parallel(dst, src []int32, temp int32) (moves []move, usesTemp bool) {
	type pending struct{ dst, src int32 }
	var todo []pending
	reads := make(map[int32]int) // slot → copies that still read it
	for i := range dst {
		if dst[i] != src[i] {
			todo = append(todo, pending{dst[i], src[i]})
			reads[src[i]]++
		}
	}
	for len(todo) > 0 {
		kept := todo[:0]
		for _, m := range todo {
			if reads[m.dst] == 0 {
				moves = append(moves, move(m))
				reads[m.src]--
			} else {
				kept = append(kept, m)
			}
		}
		if len(kept) == len(todo) {
			// Only cycles are left. Saving one destination lets its writer go first.
			saved := kept[0].dst
			moves = append(moves, move{temp, saved})
			usesTemp = true
			for i := range kept {
				if kept[i].src == saved {
					kept[i].src = temp
				}
			}
			reads[temp], reads[saved] = reads[saved], 0
		}
		todo = kept
	}
	return moves, usesTemp
}
