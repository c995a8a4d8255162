package transfer

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/driver/cuda/internal/pause"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cu"
)

const (
	// chunkBytes is what one goroutine copies at a time: the bus takes as long for it as for some
	// calls of the driver.
	chunkBytes = 1 << 20
	// ringSlots is how many chunks a ring has: as many as are being copied, and those that
	// the GPU has before it while one of them is late.
	ringSlots = 32
	// ringBatch is how many chunks the GPU gets at once, unless it is about to have nothing to do.
	ringBatch = 4
	// ringBusy is how many batches keep the GPU busy while another is enqueued.
	ringBusy = 2
	// ringAhead is how many chunks have to be claimed for the enqueuing goroutine to leave the
	// copying to others.
	ringAhead = 4
)

// Ring is a staging ring of one direction.
type Ring struct {
	of   *Rings
	turn timeline.Gate // held alone during one transfer, whatever that waits for

	// memory and marks are obtained on first use.
	memory pinned.Memory
	marks  [ringSlots]cu.Event
	made   bool

	transfer
	chunks
	helpers atomic.Int32                 // copiers that were called and have not left
	broken  atomic.Pointer[driver.Error] // what a copier of the transfer panicked with

	// batches are those that the GPU may still be at: count of them from oldest on, in a circle.
	// A batch has the mark of the same index after it.
	batches       [ringSlots]int64 // the number of the first chunk
	oldest, count int64
}

// transfer is the one that has the ring: one of up and down, from its first chunk on.
type transfer struct {
	up    *driver.UploadCmd
	down  *driver.ReadCmd
	at    cu.Ptr
	total int64
	first int64
	sent  int64 // chunks below went to the stream
	done  int64 // chunks below have been copied
}

// make obtains the ring. The context is current.
func (g *Ring) make() error {
	if g.made {
		return nil
	}
	g.slots = g.of.Slots
	var err error
	if g.memory.Size == 0 {
		if g.memory, err = g.of.pool.Get(g.slots * g.of.Chunk); err != nil {
			return err
		}
	}
	for i := range g.slots {
		if g.marks[i] == 0 {
			if g.marks[i], err = g.of.gpu.Driver.EventCreate(cu.EventDisableTiming); err != nil {
				return err
			}
		}
	}
	g.made = true
	return nil
}

// Upload enqueues an upload. It returns when the host's bytes have been taken.
func (g *Ring) Upload(b *timeline.Submitter, c *driver.UploadCmd) error {
	return g.carry(b, c, nil, c.Dst)
}

// Read enqueues a read and delivers it. It returns when that is done, which is after all work
// in front of it.
func (g *Ring) Read(b *timeline.Submitter, c *driver.ReadCmd) error {
	return g.carry(b, nil, c, c.Src)
}

func (g *Ring) carry(b *timeline.Submitter, up *driver.UploadCmd, down *driver.ReadCmd, on driver.Range) error {
	if err := g.turn.Lock(context.Background(), b.Quit, true); err != nil {
		return err
	}
	defer g.turn.Unlock(true)
	if err := g.make(); err != nil {
		return err
	}
	first := g.announce((on.Len + g.of.Chunk - 1) / g.of.Chunk)
	g.transfer = transfer{up, down, memory.AddressOf(on), on.Len, first, first, first}
	g.broken.Store(nil)
	defer g.quiet()
	if err := g.move(b); err != nil {
		return err
	}
	if failed := g.broken.Load(); failed != nil {
		return failed
	}
	return nil
}

// move carries the transfer through, unless Close of the sequence has stopped waiting. The thread stays
// bound: a chunk takes a few microseconds once the work in front is over.
func (g *Ring) move(b *timeline.Submitter) error {
	end := g.end.Load()
	var p pause.Pause
	for g.up != nil && g.sent < end || g.down != nil && g.done < end {
		if b.GaveUp.Load() {
			return timeline.ErrGaveUp
		}
		if failed := g.broken.Load(); failed != nil {
			return failed
		}
		moved := false
		for g.done < end && g.finished(g.done) {
			g.done++
			moved = true
		}
		if n := g.batch(); n > 0 {
			if err := g.send(b, n); err != nil {
				return err
			}
			moved = true
		}
		over, err := g.ask()
		if err != nil {
			return err
		}
		g.offer()
		if !moved && !over && !g.help() {
			p.Rest()
		} else {
			p = pause.Pause{}
		}
	}
	return nil
}

// passed returns the number of the first chunk that the GPU may still be at.
func (g *Ring) passed() int64 {
	if g.count > 0 {
		return g.batches[g.oldest]
	}
	return g.sent
}

// batch returns how many chunks to give the GPU now: those that were copied, or those that have
// room. Small ones only if it has little to do.
func (g *Ring) batch() int64 {
	limit := g.done
	if g.down != nil {
		limit = min(g.end.Load(), g.done+g.slots, g.passed()+g.slots)
	}
	whole := min(g.of.Batch, g.slots-g.sent%g.slots, g.end.Load()-g.sent)
	n := min(limit-g.sent, whole)
	if n < whole && g.count >= ringBusy {
		return 0
	}
	return n
}

// send enqueues the next n chunks, which lie side by side, and a mark after them.
func (g *Ring) send(b *timeline.Submitter, n int64) error {
	drv, s := g.of.gpu.Driver, b.Stream.Handle
	off := (g.sent - g.first) * g.of.Chunk
	host, size := unsafe.Pointer(&g.slot(g.sent)[0]), min(n*g.of.Chunk, g.total-off)
	at := (g.oldest + g.count) % g.slots
	var err error
	if g.up != nil {
		err = drv.MemcpyHtoDAsync(g.at+cu.Ptr(off), host, size, s)
	} else {
		err = drv.MemcpyDtoHAsync(host, g.at+cu.Ptr(off), size, s)
	}
	if err == nil {
		err = drv.EventRecord(g.marks[at], s)
	}
	if err != nil {
		b.Stream.Empty("start") // no mark tells when the GPU has left the chunks
		return err
	}
	g.batches[at] = g.sent
	g.count++
	g.sent += n
	return nil
}

// ask looks whether the GPU has finished the oldest batch.
func (g *Ring) ask() (over bool, err error) {
	if g.count == 0 {
		return false, nil
	}
	if over, err = g.of.gpu.Driver.EventQuery(g.marks[g.oldest]); over && err == nil {
		g.oldest = (g.oldest + 1) % g.slots
		g.count--
	}
	return over, err
}

// offer lets chunks be copied to which the GPU has left room, or that it has filled.
func (g *Ring) offer() {
	limit := g.passed()
	if g.up != nil {
		limit = min(g.end.Load(), limit+g.slots)
	}
	if limit > g.open.Load() {
		g.open.Store(limit)
	}
	if claimed := g.claimed.Load(); claimed < limit {
		g.of.call(g, g.end.Load()-claimed-1) // one is for this goroutine
	}
}

// help copies a chunk if few others do.
func (g *Ring) help() bool {
	if g.claimed.Load()-g.done >= ringAhead {
		return false
	}
	n, ok := g.claim()
	if ok {
		g.copy(n)
	}
	return ok
}

// slot returns the place of a chunk.
func (g *Ring) slot(n int64) []byte {
	at := n % g.slots * g.of.Chunk
	return g.memory.Bytes(at + g.of.Chunk)[at:]
}

// copy copies a chunk that the caller has claimed, between its place and the host's memory. The chunk is
// over whatever happens: the transfer waits for it.
func (g *Ring) copy(n int64) {
	defer g.finish(n)
	defer func() {
		if v := recover(); v != nil {
			g.broken.Store(primary.Caught("transfer", "", v))
		}
	}()
	from := (n - g.first) * g.of.Chunk
	to := min(from+g.of.Chunk, g.total)
	slot := g.slot(n)
	if g.up != nil {
		for _, p := range g.up.Pieces {
			// What the piece and the chunk have in common.
			if lo, hi := max(p.At, from), min(p.At+p.Len, to); lo < hi {
				copy(slot[lo-from:hi-from], p.Input.Bytes()[p.From+lo-p.At:])
			}
		}
	} else {
		for _, v := range g.down.Views {
			dst := v.Output.Bytes()
			if lo, hi := max(v.Off, from), min(v.Off+int64(len(dst)), to); lo < hi {
				copy(dst[lo-v.Off:hi-v.Off], slot[lo-from:])
			}
		}
	}
}

// quiet ends the transfer, finished or not, and returns when nobody is at the host's memory.
func (g *Ring) quiet() {
	last := g.revoke()
	for n := g.done; n < last; n++ {
		for p := (pause.Pause{}); !g.finished(n); {
			p.Rest()
		}
	}
	g.up, g.down = nil, nil
}

// drop gives the memory back; a lost context has taken it.
func (g *Ring) drop(note func(error)) {
	if g.of.gpu.Lost() {
		g.of.pool.Abandon(g.memory)
	} else {
		for _, m := range g.marks {
			if m != 0 {
				note(g.of.gpu.Driver.EventDestroy(m))
			}
		}
		note(g.of.pool.Put(g.memory))
	}
	g.memory, g.marks, g.made, g.count = pinned.Memory{}, [ringSlots]cu.Event{}, false, 0
}
