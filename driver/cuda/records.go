package cuda

import (
	"encoding/binary"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/ir"
)

// The memory that kernels report into. A trap record is
//
//	0 taken · 4 code · 8 site · 12 zero · 16 value u64 · 24 group xyz · 36 local xyz · 48 zero
//
// and its taken word is claimed by the first trap. A trace ring is a header, 0 next u32 · 4
// capacity u32, and then records of 0 tag · 4 count · 8 global id u64 · 16 three u64; next
// counts attempts. A barrier block is zero when its launch starts.
const (
	trapBytes    = 64
	ringHeader   = 32
	ringRecord   = 40
	ringCapacity = 1024
	ringBytes    = (ringHeader + ringCapacity*ringRecord + 127) &^ 127
	barrierBytes = 128

	// barrierBlocks is how many launches are served between two times that the blocks are
	// cleared.
	barrierBlocks = 256
)

// records is the device memory that the launches of one runner report into: barrier blocks,
// then trap records, then trace rings.
type records struct {
	mem      block
	barriers int64 // bytes
	traps    int
	rings    int
	next     int // barrier block of the next launch
}

// plan gives every launch its place and returns the bytes that takes.
func (r *records) plan(launches []launch) int64 {
	for i := range launches {
		l := &launches[i]
		if l.barrier >= 0 {
			r.barriers = barrierBlocks * barrierBytes
		}
		if l.trap >= 0 {
			r.traps++
		}
		if l.trace >= 0 {
			r.rings++
		}
	}
	return r.barriers + r.trapArea() + int64(r.rings)*ringBytes
}

// trapArea is the size of the trap records, rounded up so that rings are aligned.
func (r *records) trapArea() int64 { return (int64(r.traps)*trapBytes + 127) &^ 127 }

func (r *records) trapAt(i int) cu.Ptr {
	return r.mem.at + cu.Ptr(r.barriers) + cu.Ptr(i)*trapBytes
}

func (r *records) ringAt(i int) cu.Ptr {
	return r.mem.at + cu.Ptr(r.barriers+r.trapArea()) + cu.Ptr(i)*ringBytes
}

// reported returns how many bytes a run fetches.
func (r *records) reported() int64 { return r.trapArea() + int64(r.rings)*ringBytes }

// bind stores the places into the launches' values.
func (r *records) bind(launches []launch) {
	trap, ring := 0, 0
	for i := range launches {
		l := &launches[i]
		if l.trap >= 0 {
			l.values[l.trap] = uint64(r.trapAt(trap))
			l.trap = trap
			trap++
		}
		if l.trace >= 0 {
			l.values[l.trace] = uint64(r.ringAt(ring))
			l.trace = ring
			ring++
		}
	}
}

// clear makes the records ready for a run.
func (r *records) clear(drv cu.Driver, s cu.Stream) error {
	if r.traps > 0 {
		if err := drv.MemsetD8Async(r.trapAt(0), 0, r.trapArea(), s); err != nil {
			return err
		}
	}
	for i := range r.rings {
		if err := drv.MemsetD32Async(r.ringAt(i), 0, 1, s); err != nil {
			return err
		}
		if err := drv.MemsetD32Async(r.ringAt(i)+4, ringCapacity, 1, s); err != nil {
			return err
		}
	}
	return nil
}

// barrier returns the address of a block that is zero by the time the next launch starts.
func (r *records) barrier(drv cu.Driver, s cu.Stream) (cu.Ptr, error) {
	if r.next == 0 {
		// The launches before are in the same stream, so none of them uses a block any more.
		if err := drv.MemsetD8Async(r.mem.at, 0, r.barriers, s); err != nil {
			return 0, err
		}
	}
	at := r.mem.at + cu.Ptr(r.next)*barrierBytes
	r.next = (r.next + 1) % barrierBlocks
	return at, nil
}

// trapped returns the record of a launch's first trap, nil without one. fetched is what a run
// has fetched.
func (r *records) trapped(l *launch, fetched []byte, device string) error {
	if l.trap < 0 {
		return nil
	}
	rec := fetched[l.trap*trapBytes:][:trapBytes]
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(rec[at:]) }
	if word(0) == 0 {
		return nil
	}
	t := &driver.TrapError{Kernel: l.kernel.Label(), Code: word(4), Site: word(8), Value: binary.LittleEndian.Uint64(rec[16:]),
		Group: [3]uint32{word(24), word(28), word(32)}, Local: [3]uint32{word(36), word(40), word(44)}}
	e := &driver.Error{Op: "launch", Label: t.Kernel, Device: device, Path: l.cmd.Path, Kind: driver.Trap, Err: t}
	if p := l.kernel.code.emitted; int64(t.Site) < int64(p.Rows()) {
		t.Message, e.Pos = p.Message(ir.Row(t.Site)), p.Pos(ir.Row(t.Site)).String()
	}
	e.Msg = t.Detail()
	return e
}

// traces appends what a launch traced, and returns how many records did not fit.
func (r *records) traces(l *launch, fetched []byte, to []driver.Trace) ([]driver.Trace, uint64) {
	if l.trace < 0 {
		return to, 0
	}
	ring := fetched[r.trapArea()+int64(l.trace)*ringBytes:][:ringBytes]
	attempts := binary.LittleEndian.Uint32(ring)
	kept := min(attempts, ringCapacity)
	for i := range int(kept) {
		rec := ring[ringHeader+i*ringRecord:][:ringRecord]
		t := driver.Trace{Step: l.cmd.Index, Tag: binary.LittleEndian.Uint32(rec), Count: int(min(binary.LittleEndian.Uint32(rec[4:]), 3)),
			Global: binary.LittleEndian.Uint64(rec[8:])}
		for j := range t.Values {
			t.Values[j] = binary.LittleEndian.Uint64(rec[16+8*j:])
		}
		to = append(to, t)
	}
	return to, uint64(attempts - kept)
}
