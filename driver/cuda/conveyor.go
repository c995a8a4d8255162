package cuda

import (
	"context"
	"sync"
	"time"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
)

const (
	conveyorSlots = 4
	// chunkBytes is what goes at a time: the GPU moves it in the time of some hundred calls.
	chunkBytes = 8 << 20
)

// conveyor moves large host memory that the GPU does not reach, in one direction, through a few
// pinned chunks: while the GPU copies some, the host copies others. A chunk serves again after
// the event behind its transfer. Runs use it one after the other.
type conveyor struct {
	dev   *Device
	chunk int64 // chunkBytes
	turn  gate  // held alone during one transfer, whatever that waits for
	// slots are made on first use.
	slots [conveyorSlots]slot
	made  bool
	at    int // the slot that is used next
	done  sync.WaitGroup
}

type slot struct {
	mem     pinned
	event   cu.Event
	pending bool // the GPU may still use mem
}

// make obtains the slots. The context is current.
func (g *conveyor) make() error {
	if g.made {
		return nil
	}
	d := g.dev
	for i := range g.slots {
		s := &g.slots[i]
		var err error
		if s.mem.size == 0 {
			if s.mem, err = d.staging.get(g.chunk); err != nil {
				return err
			}
		}
		if s.event == 0 {
			if s.event, err = d.drv.EventCreate(cu.EventDisableTiming); err != nil {
				return err
			}
		}
	}
	g.made = true
	return nil
}

// upload enqueues an upload. It returns when the host's bytes have been taken.
func (g *conveyor) upload(r *runner, c *driver.UploadCmd) error {
	if err := g.turn.lock(context.Background(), r.quit, true); err != nil {
		return err
	}
	defer g.turn.unlock(true)
	if err := g.make(); err != nil {
		return err
	}
	to := addressOf(c.Dst)
	for from := int64(0); from < c.Dst.Len; from += g.chunk {
		s := &g.slots[g.at]
		if err := g.await(r, s); err != nil {
			return err
		}
		n := min(g.chunk, c.Dst.Len-from)
		chunk := s.mem.bytes(n)
		for _, p := range c.Pieces {
			// What the piece and the chunk have in common.
			lo, hi := max(p.At, from), min(p.At+p.Len, from+n)
			if lo < hi {
				g.copy(chunk[lo-from:hi-from], p.Input.Bytes()[p.From+lo-p.At:])
			}
		}
		if err := g.dev.drv.MemcpyHtoDAsync(to+cu.Ptr(from), unsafe.Pointer(&chunk[0]), n, r.stream.handle); err != nil {
			return err
		}
		if err := g.mark(r, s); err != nil {
			return err
		}
	}
	return nil
}

// read enqueues a read and delivers it. It returns when that is done, which is after all work
// in front of it.
func (g *conveyor) read(r *runner, c *driver.ReadCmd) error {
	if err := g.turn.lock(context.Background(), r.quit, true); err != nil {
		return err
	}
	defer g.turn.unlock(true)
	if err := g.make(); err != nil {
		return err
	}
	from, asked := addressOf(c.Src), int64(0)
	for got := int64(0); got < c.Src.Len; got += g.chunk {
		for ; asked < c.Src.Len && asked < got+conveyorSlots*g.chunk; asked += g.chunk {
			s := &g.slots[g.at]
			if err := g.await(r, s); err != nil {
				return err
			}
			if err := g.dev.drv.MemcpyDtoHAsync(s.mem.at, from+cu.Ptr(asked), min(g.chunk, c.Src.Len-asked), r.stream.handle); err != nil {
				return err
			}
			if err := g.mark(r, s); err != nil {
				return err
			}
		}
		behind := int((asked - got + g.chunk - 1) / g.chunk)
		s := &g.slots[(g.at-behind+conveyorSlots)%conveyorSlots]
		if err := g.await(r, s); err != nil {
			return err
		}
		n := min(g.chunk, c.Src.Len-got)
		for _, v := range c.Views {
			dst := v.Output.Bytes()
			lo, hi := max(v.Off, got), min(v.Off+int64(len(dst)), got+n)
			if lo < hi {
				g.copy(dst[lo-v.Off:hi-v.Off], s.mem.bytes(n)[lo-got:])
			}
		}
	}
	return nil
}

// mark puts the slot's event behind its transfer and goes on to the next slot.
func (g *conveyor) mark(r *runner, s *slot) error {
	s.pending = true // even if the event fails: the transfer is under way
	g.at = (g.at + 1) % conveyorSlots
	return g.dev.drv.EventRecord(s.event, r.stream.handle)
}

// await waits until the GPU has left a slot, unless Close of the runner has stopped waiting. The
// thread stays bound: a chunk takes a few hundred microseconds once the work in front is over.
func (g *conveyor) await(r *runner, s *slot) error {
	if r.gaveUpOn.Load() {
		return errGaveUp
	}
	begin := time.Now()
	for s.pending {
		over, err := g.dev.drv.EventQuery(s.event)
		if err != nil {
			return err
		}
		if s.pending = !over; over {
			break
		}
		if r.gaveUpOn.Load() {
			return errGaveUp
		}
		if passed := time.Since(begin); passed > spinMost {
			sleep(sleepFor(passed))
		}
	}
	return nil
}

// copy copies as many bytes as fit into dst, by several processors if that pays.
func (g *conveyor) copy(dst, src []byte) { g.dev.copiers.copy(dst, src, &g.done) }

// drop gives the slots back; a lost context has taken them.
func (g *conveyor) drop(note func(error)) {
	for i := range g.slots {
		s := &g.slots[i]
		if g.dev.lost.Load() != nil {
			g.dev.staging.abandon(s.mem)
			continue
		}
		if s.event != 0 {
			note(g.dev.drv.EventDestroy(s.event))
		}
		note(g.dev.staging.put(s.mem))
	}
	g.slots, g.made = [conveyorSlots]slot{}, false
}
