package transfer

import (
	"runtime"
	"sync"

	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
)

// Rings are the staging rings of a device. What is set of them is set before the first transfer.
type Rings struct {
	Up, Down Ring
	// Staged is the size up to which a transfer has a place in the staging of its sequence, Chunk the size of
	// a chunk. A ring has so many Slots for chunks, and the GPU gets a Batch of them at once.
	Staged, Chunk, Slots, Batch int64
	// Copiers is how many goroutines help to copy host memory: one processor does not keep up with
	// the bus. They start with the first large transfer. To be woken takes a goroutine longer than a
	// chunk takes the bus, so it is called once, takes chunk after chunk by itself, and sleeps again
	// only when a transfer has had nothing for it for a while.
	Copiers int

	gpu   *primary.Context
	pool  *pinned.Pool
	start sync.Once
	calls chan *Ring // each asks a copier to come
	ended sync.WaitGroup
}

// stagedBytes is the size up to which a transfer is staged.
const stagedBytes = 256 << 10

// NewRings returns the rings of a context, which obtain memory from a pool on first use.
func NewRings(gpu *primary.Context, pool *pinned.Pool) *Rings {
	r := &Rings{Staged: stagedBytes, Chunk: chunkBytes, Slots: ringSlots, Batch: ringBatch,
		Copiers: copierCount(runtime.GOMAXPROCS(0)), gpu: gpu, pool: pool}
	r.Up.of, r.Down.of = r, r
	return r
}

// Drop ends the copiers and gives the memory back; a lost context has taken it.
func (r *Rings) Drop(note func(error)) {
	r.stop()
	r.Up.drop(note)
	r.Down.drop(note)
}
