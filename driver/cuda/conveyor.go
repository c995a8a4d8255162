package cuda

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/driver/cuda/internal/pause"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
)

const (
	// chunkBytes is what one goroutine copies at a time: the bus takes as long for it as for some
	// calls of the driver.
	chunkBytes = 1 << 20
	// conveyorSlots is how many chunks a ring has: as many as are being copied, and those that
	// the GPU has before it while one of them is late.
	conveyorSlots = 32
	// conveyorBatch is how many chunks the GPU gets at once, unless it is about to have nothing to do.
	conveyorBatch = 4
	// conveyorBusy is how many batches keep the GPU busy while another is enqueued.
	conveyorBusy = 2
	// conveyorAhead is how many chunks have to be claimed for the enqueuing goroutine to leave the
	// copying to others.
	conveyorAhead = 4
)

// conveyor moves large host memory that the GPU does not reach, in one direction, through a ring
// of pinned chunks: while the GPU copies some, the host copies others. The goroutine that enqueues a
// run makes all calls of the driver; copiers copy, and it does, too, where they are few or not awake
// yet. Runs use the conveyor one after the other, and find in the ring what the GPU still does for earlier ones.
type conveyor struct {
	dev   *Device
	chunk int64         // chunkBytes
	most  int64         // conveyorBatch
	turn  timeline.Gate // held alone during one transfer, whatever that waits for
	// ring and marks are made on first use.
	ring  pinned.Memory
	marks [conveyorSlots]cu.Event
	made  bool

	chunks
	helpers atomic.Int32 // copiers that were called and have not left

	// The transfer: one of up and down, from its first chunk on.
	up    *driver.UploadCmd
	down  *driver.ReadCmd
	at    cu.Ptr
	total int64
	first int64

	sent int64 // chunks below went to the stream
	done int64 // chunks below have been copied
	// batches are those that the GPU may still be at: count of them from oldest on, in a circle.
	// A batch has the mark of the same index behind it.
	batches       [conveyorSlots]int64 // the number of the first chunk
	oldest, count int64
}

func (g *conveyor) init(d *Device) {
	g.dev, g.chunk, g.slots, g.most = d, chunkBytes, conveyorSlots, conveyorBatch
}

// make obtains the ring. The context is current.
func (g *conveyor) make() error {
	if g.made {
		return nil
	}
	d := g.dev
	var err error
	if g.ring.Size == 0 {
		if g.ring, err = d.pinned.Get(g.slots * g.chunk); err != nil {
			return err
		}
	}
	for i := range g.slots {
		if g.marks[i] == 0 {
			if g.marks[i], err = d.gpu.Driver.EventCreate(cu.EventDisableTiming); err != nil {
				return err
			}
		}
	}
	g.made = true
	return nil
}

// upload enqueues an upload. It returns when the host's bytes have been taken.
func (g *conveyor) upload(r *runner, c *driver.UploadCmd) error {
	return g.transfer(r, c, nil, c.Dst)
}

// read enqueues a read and delivers it. It returns when that is done, which is after all work
// in front of it.
func (g *conveyor) read(r *runner, c *driver.ReadCmd) error {
	return g.transfer(r, nil, c, c.Src)
}

func (g *conveyor) transfer(r *runner, up *driver.UploadCmd, down *driver.ReadCmd, on driver.Range) error {
	if err := g.turn.Lock(context.Background(), r.Quit, true); err != nil {
		return err
	}
	defer g.turn.Unlock(true)
	if err := g.make(); err != nil {
		return err
	}
	g.up, g.down, g.at, g.total = up, down, memory.AddressOf(on), on.Len
	g.first = g.announce((on.Len + g.chunk - 1) / g.chunk)
	g.sent, g.done = g.first, g.first
	defer g.quiet()
	return g.move(r)
}

// move carries the transfer through, unless Close of the runner has stopped waiting. The thread stays
// bound: a chunk takes a few microseconds once the work in front is over.
func (g *conveyor) move(r *runner) error {
	end := g.end.Load()
	var p pause.Pause
	for g.up != nil && g.sent < end || g.down != nil && g.done < end {
		if r.GaveUp.Load() {
			return timeline.ErrGaveUp
		}
		moved := false
		for g.done < end && g.finished(g.done) {
			g.done++
			moved = true
		}
		if n := g.batch(); n > 0 {
			if err := g.send(r, n); err != nil {
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
func (g *conveyor) passed() int64 {
	if g.count > 0 {
		return g.batches[g.oldest]
	}
	return g.sent
}

// batch returns how many chunks to give the GPU now: those that were copied, or those that have
// room. Small ones only if it has little to do.
func (g *conveyor) batch() int64 {
	limit := g.done
	if g.down != nil {
		limit = min(g.end.Load(), g.done+g.slots, g.passed()+g.slots)
	}
	whole := min(g.most, g.slots-g.sent%g.slots, g.end.Load()-g.sent)
	n := min(limit-g.sent, whole)
	if n < whole && g.count >= conveyorBusy {
		return 0
	}
	return n
}

// send enqueues the next n chunks, which lie side by side, and a mark behind them.
func (g *conveyor) send(r *runner, n int64) error {
	drv, s := g.dev.gpu.Driver, r.Stream.Handle
	off := (g.sent - g.first) * g.chunk
	host, size := unsafe.Pointer(&g.slot(g.sent)[0]), min(n*g.chunk, g.total-off)
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
		// No mark tells when the GPU has left the chunks. If this fails, too, the device is lost.
		_ = drv.StreamSynchronize(s)
		return err
	}
	g.batches[at] = g.sent
	g.count++
	g.sent += n
	return nil
}

// ask looks whether the GPU has finished the oldest batch.
func (g *conveyor) ask() (over bool, err error) {
	if g.count == 0 {
		return false, nil
	}
	if over, err = g.dev.gpu.Driver.EventQuery(g.marks[g.oldest]); over && err == nil {
		g.oldest = (g.oldest + 1) % g.slots
		g.count--
	}
	return over, err
}

// offer lets chunks be copied to which the GPU has left room, or that it has filled.
func (g *conveyor) offer() {
	limit := g.passed()
	if g.up != nil {
		limit = min(g.end.Load(), limit+g.slots)
	}
	if limit > g.open.Load() {
		g.open.Store(limit)
	}
	if claimed := g.claimed.Load(); claimed < limit {
		g.dev.copiers.call(g, g.end.Load()-claimed-1) // one is for this goroutine
	}
}

// help copies a chunk if few others do.
func (g *conveyor) help() bool {
	if g.claimed.Load()-g.done >= conveyorAhead {
		return false
	}
	n, ok := g.claim()
	if ok {
		g.copy(n)
	}
	return ok
}

// slot returns the place of a chunk.
func (g *conveyor) slot(n int64) []byte {
	at := n % g.slots * g.chunk
	return g.ring.Bytes(at + g.chunk)[at:]
}

// copy copies a chunk that the caller has claimed, between its place and the host's memory.
func (g *conveyor) copy(n int64) {
	from := (n - g.first) * g.chunk
	to := min(from+g.chunk, g.total)
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
	g.finish(n)
}

// quiet ends the transfer, finished or not, and returns when nobody is at the host's memory.
func (g *conveyor) quiet() {
	last := g.revoke()
	for n := g.done; n < last; n++ {
		for p := (pause.Pause{}); !g.finished(n); {
			p.Rest()
		}
	}
	g.up, g.down = nil, nil
}

// drop gives the ring back; a lost context has taken it.
func (g *conveyor) drop(note func(error)) {
	if g.dev.gpu.Lost() {
		g.dev.pinned.Abandon(g.ring)
	} else {
		for _, m := range g.marks {
			if m != 0 {
				note(g.dev.gpu.Driver.EventDestroy(m))
			}
		}
		note(g.dev.pinned.Put(g.ring))
	}
	g.ring, g.marks, g.made, g.count = pinned.Memory{}, [conveyorSlots]cu.Event{}, false, 0
}
