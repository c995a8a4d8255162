package queue

import "github.com/govyre/vyre/gpu"

// move copies the items of a ring to a larger one, where their tickets have other slots.
//
//vyre:kernel workgroup=256
func move(t gpu.Thread, control []uint64, from, to []Item) {
	tail, have, want := control[wordTail], uint64(len(from)), uint64(len(to))
	for ticket := control[wordHead] + uint64(t.Global().X); ticket < tail; ticket += uint64(t.Groups().X * 256) {
		to[ticket%want] = from[ticket%have]
	}
}

// mark says of every slot of a ring in which nobody works which ticket is next.
//
//vyre:kernel workgroup=256
func mark(t gpu.Thread, control, sequence []uint64) {
	head, tail, capacity := control[wordHead], control[wordTail], uint64(len(sequence))
	for k := uint64(t.Global().X); k < capacity; k += uint64(t.Groups().X * 256) {
		ticket := head + k
		next := ticket
		if ticket < tail {
			next++
		}
		sequence[ticket%capacity] = next
	}
}

// restore puts deferred items at the end of a ring in which nobody works, and counts its credits.
//
//vyre:kernel workgroup=256
func restore(t gpu.Thread, sequence []uint64, items []Item, control []uint64, deferred []Item) {
	head, tail, n, capacity := control[wordHead], control[wordTail], control[wordDeferred], uint64(len(sequence))
	for k := uint64(t.Local().X); k < n; k += 256 {
		items[(tail+k)%capacity] = deferred[k]
		sequence[(tail+k)%capacity] = tail + k + 1
	}
	t.Barrier()
	if t.Local().X == 0 {
		ready := tail + n - head
		control[wordTail] = tail + n
		control[wordReady] = ready
		control[wordFree] = capacity - ready
		control[wordPeak] = max(control[wordPeak], ready)
		control[wordRestored] += n
		control[wordDeferred] = 0
		control[wordStop] = 0
	}
}
