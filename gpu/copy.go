package gpu

import (
	"fmt"
	"unsafe"
)

// pending is an asynchronous copy that no wait has brought yet.
type pending struct {
	batch  uint32
	arrive func()
}

// CopyAsync copies n elements, 4, 8 or 16 bytes that begin at element n·j of src, to element n·i of a shared array. The copy
// arrives at any time until CopyWait returns that waits for its batch; until then, neither this invocation nor another one reads or
// writes the destination, or writes the source. Others read it after a barrier behind that wait. Elements beyond the end
// of src arrive as zero, and a destination that the array does not have whole is left out. dst and src are whole: no part of a slice.
func CopyAsync[T Scalar](t Thread, dst []T, i uint32, src []T, j uint32, n int) {
	var v T
	if bytes := n * int(unsafe.Sizeof(v)); bytes != 4 && bytes != 8 && bytes != 16 {
		panic(fmt.Sprintf("gpu: CopyAsync: %d elements of %T; a copy has 4, 8 or 16 bytes", n, v))
	}
	to, from := uint64(i)*uint64(n), uint64(j)*uint64(n)
	if to+uint64(n) > uint64(len(dst)) {
		return
	}
	t.inv.copies = append(t.inv.copies, pending{t.inv.batches, func() {
		there := 0
		if from < uint64(len(src)) {
			there = copy(dst[to:to+uint64(n)], src[from:])
		}
		clear(dst[to+uint64(there) : to+uint64(n)])
	}})
}

// CopyCommit closes a batch: the copies of this invocation since the last call.
func CopyCommit(t Thread) { t.inv.batches++ }

// CopyWait waits until at most n batches of this invocation have not arrived, the youngest ones. n is a constant, at most 62.
// A kernel waits for all of its copies, on every way to its end.
func CopyWait(t Thread, n int) {
	kept := t.inv.copies[:0]
	for _, c := range t.inv.copies {
		if uint64(c.batch)+uint64(n) >= uint64(t.inv.batches) {
			kept = append(kept, c)
		} else {
			c.arrive()
		}
	}
	t.inv.copies = kept
}
