//vyre:library

package frontiers

// Work is what a wave runs over: items of frontiers, those of one after those of another.
type Work struct {
	Starts []uint32 // first item of each frontier, and the end of the last
	Places []uint32 // of each frontier in the list that New was given
}

// Find returns to which frontier item i of the wave belongs, and which of its items it is. A kernel
// asks with t.Global().X.
func (w Work) Find(i uint32) (place, item uint32) {
	k, end := uint32(0), uint32(len(w.Places))
	for end-k > 1 {
		middle := k + (end-k)/2
		if w.Starts[middle] <= i {
			k = middle
		} else {
			end = middle
		}
	}
	return w.Places[k], i - w.Starts[k]
}
