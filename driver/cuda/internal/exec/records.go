package exec

import (
	"encoding/binary"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/internal/ptx"
)

// The memory that kernels report into. A trap record is
//
//	0 taken · 4 code · 8 site · 12 zero · 16 value u64 · 24 group xyz · 36 local xyz · 48 zero
//
// and its taken word is claimed by the first trap. A trace ring is a header, 0 next u32 · 4
// capacity u32, and then records of 0 tag · 4 count · 8 global id u64 · 16 three u64; next
// counts attempts. A barrier block is zero when its launch starts.
//
// A record of checks has what package ptx says: 0 next u32 · 16 for each site how often it was out of bounds u64, and the
// complement of the smallest invocation's id u64 · then records of 0 site · 8 global id u64 · 16 three u64.
//
// A control record counts the rounds of a loop that the device decides on:
//
//	0 rounds of the last entry u64 · 8 of all entries u64 · 16 the most of one entry u64 ·
//	24 the flag was 0 in the end · 28 zero
const (
	trapBytes    = 64
	ringHeader   = 32
	ringRecord   = 40
	checkHeader  = 16
	checkSite    = 16
	barrierBytes = 128
	controlBytes = 32

	// barrierBlocks is how many launches are served between two times that the blocks are
	// cleared.
	barrierBlocks = 256
)

func ringBytes(capacity int) int64 { return int64(ringHeader+capacity*ringRecord+127) &^ 127 }

// records is the device memory that the launches of one runner report into: a ring of barrier
// blocks for launches that are enqueued one by one, a block of its own for each launch that is
// part of a graph, then what a run fetches: control records, trap records, trace rings.
type records struct {
	mem      memory.Block
	ring     int64 // bytes of the ring of barrier blocks
	barriers int64 // bytes of all barrier blocks
	controls int
	traps    int
	rings    []ring
	checks   []checks
	laps     int64 // from the first control record
	lapBytes int64
	size     int64 // of all
	next     int   // barrier block of the next launch
	written  bool  // no byte of what a run fetches is undefined
}

// ring is the place of a trace ring.
type ring struct {
	at       int64 // from the first control record
	capacity int
}

// checks is the place of a record of checks.
type checks struct {
	at    int64 // from the first control record
	sites int
}

// plan gives every launch, every one of the loops and so many bytes of laps their place, and returns the bytes that takes.
func (r *records) plan(launches []launch, loops int, laps int64) int64 {
	own := int64(0)
	for i := range launches {
		if l := &launches[i]; l.barrier >= 0 {
			r.ring = barrierBlocks * barrierBytes
			l.block = own
			own += barrierBytes
		}
		if launches[i].trap >= 0 {
			r.traps++
		}
	}
	r.barriers, r.controls = r.ring+own, loops
	at := r.trapsEnd()
	for i := range launches {
		if l := &launches[i]; l.trace >= 0 {
			r.rings = append(r.rings, ring{at, l.cmd.Traces})
			at += ringBytes(l.cmd.Traces)
		}
	}
	for i := range launches {
		if l := &launches[i]; l.checks >= 0 {
			n := l.code.Checks
			r.checks = append(r.checks, checks{at, n})
			at += (int64(ptx.CheckBytes(n)) + 127) &^ 127
		}
	}
	r.laps, r.lapBytes = at, laps
	r.size = r.barriers + at + (laps+127)&^127
	return r.size
}

func (r *records) trapsBegin() int64 { return (int64(r.controls)*controlBytes + 127) &^ 127 }

// trapsEnd is rounded up so that rings are aligned.
func (r *records) trapsEnd() int64 { return r.trapsBegin() + (int64(r.traps)*trapBytes+127)&^127 }

// reported returns how many bytes a run fetches, from fetchAt on.
func (r *records) reported() int64 { return r.size - r.barriers }

func (r *records) fetchAt() cu.Ptr { return r.mem.At + cu.Ptr(r.barriers) }

func (r *records) trapAt(i int) cu.Ptr {
	return r.fetchAt() + cu.Ptr(r.trapsBegin()) + cu.Ptr(i)*trapBytes
}

func (r *records) controlAt(i int) cu.Ptr { return r.fetchAt() + cu.Ptr(i)*controlBytes }

func (r *records) ringAt(i int) cu.Ptr { return r.fetchAt() + cu.Ptr(r.rings[i].at) }

// blockAt is the barrier block of a launch in a graph.
func (r *records) blockAt(l *launch) cu.Ptr { return r.mem.At + cu.Ptr(r.ring+l.block) }

// ownBlock makes that one the block of the launch.
func (r *records) ownBlock(l *launch) {
	if l.barrier >= 0 {
		l.values[l.barrier] = uint64(r.blockAt(l))
	}
}

// bind stores the places into the launches' values.
func (r *records) bind(launches []launch) {
	trap, ring, check := 0, 0, 0
	for i := range launches {
		l := &launches[i]
		r.ownBlock(l)
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
		if l.checks >= 0 {
			l.values[l.checks] = uint64(r.fetchAt() + cu.Ptr(r.checks[check].at))
			l.checks = check
			check++
		}
	}
}

// ready reports whether that is so.
func (r *records) ready() bool { return r.written || r.reported() == 0 }

// first writes everything that a run fetches, for the first one: between records, and in a ring that is not full,
// there are bytes that no kernel writes. It is work of that run, so that memory given back unused has none to come.
func (r *records) first(drv cu.Driver, s cu.Stream) error {
	if r.ready() {
		return nil
	}
	err := drv.MemsetD8Async(r.fetchAt(), 0, r.reported(), s)
	r.written = err == nil
	return err
}

// cleared returns the fills that make the records ready for a run.
func (r *records) cleared() []*fill {
	var fills []*fill
	if r.traps > 0 {
		fills = append(fills, &fill{r.trapAt(0), 0, 1, r.trapsEnd() - r.trapsBegin()})
	}
	for i, ring := range r.rings {
		fills = append(fills, &fill{r.ringAt(i), 0, 4, 4}, &fill{r.ringAt(i) + 4, uint64(ring.capacity), 4, 4})
	}
	for _, c := range r.checks {
		fills = append(fills, &fill{r.fetchAt() + cu.Ptr(c.at), 0, 1, checkHeader + int64(c.sites)*checkSite})
	}
	if r.lapBytes > 0 {
		fills = append(fills, &fill{r.fetchAt() + cu.Ptr(r.laps), 0, 1, r.lapBytes})
	}
	return fills
}

// control fills the image that control records start from.
func (r *records) control(image []byte, i int, most uint64) {
	clear(image[i*controlBytes:][:controlBytes])
	binary.LittleEndian.PutUint64(image[i*controlBytes+16:], most)
}

// rounds reads a control record.
func (r *records) rounds(fetched []byte, i int) (last, all uint64, converged bool) {
	rec := fetched[i*controlBytes:][:controlBytes]
	return binary.LittleEndian.Uint64(rec), binary.LittleEndian.Uint64(rec[8:]), rec[24] != 0
}

// barrier returns the address of a block that is zero by the time the next launch of a plain run
// starts.
func (r *records) barrier(drv cu.Driver, s cu.Stream) (cu.Ptr, error) {
	if r.next == 0 {
		// The launches before are in the same stream, so none of them uses a block any more.
		if err := drv.MemsetD8Async(r.mem.At, 0, r.ring, s); err != nil {
			return 0, err
		}
	}
	at := r.mem.At + cu.Ptr(r.next)*barrierBytes
	r.next = (r.next + 1) % barrierBlocks
	return at, nil
}

// trapped returns the record of a launch's first trap, nil without one. fetched is what a run
// has fetched.
func (r *records) trapped(l *launch, fetched []byte, device string) error {
	if l.trap < 0 {
		return nil
	}
	rec := fetched[r.trapsBegin()+int64(l.trap)*trapBytes:][:trapBytes]
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(rec[at:]) }
	if word(0) == 0 {
		return nil
	}
	t := &driver.TrapError{Kernel: l.kernel.Label(), Code: word(4), Site: word(8), Value: binary.LittleEndian.Uint64(rec[16:]),
		Group: [3]uint32{word(24), word(28), word(32)}, Local: [3]uint32{word(36), word(40), word(44)}}
	e := &driver.Error{Op: "launch", Label: t.Kernel, Device: device, Path: l.cmd.Path, Kind: driver.Trap, Err: t}
	if message, where, ok := l.code.Trap(t.Site); ok {
		t.Message, e.Pos = message, where
	}
	e.Msg = t.Detail()
	return e
}

// traces appends what a launch traced, and returns how many records did not fit.
func (r *records) traces(l *launch, fetched []byte, to []driver.Trace) ([]driver.Trace, uint64) {
	if l.trace < 0 {
		return to, 0
	}
	place := r.rings[l.trace]
	ring := fetched[place.at:][:ringBytes(place.capacity)]
	attempts := binary.LittleEndian.Uint32(ring)
	kept := min(attempts, uint32(place.capacity))
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

// outside returns what the checks of a launch noted. Of a site whose smallest invocation found no room it is the smallest
// one that did.
func (r *records) outside(l *launch, fetched []byte) (found memcheck.Tally) {
	if l.checks < 0 {
		return nil
	}
	c := r.checks[l.checks]
	rec := fetched[c.at:][:ptx.CheckBytes(c.sites)]
	records := rec[checkHeader+c.sites*checkSite:]
	for i := range min(binary.LittleEndian.Uint32(rec), ptx.CheckRecords) {
		one := records[int(i)*ringRecord:][:ringRecord]
		f := memcheck.Found{Site: binary.LittleEndian.Uint32(one), Times: 1, Linear: binary.LittleEndian.Uint64(one[8:])}
		for j := range f.Values {
			f.Values[j] = binary.LittleEndian.Uint64(one[16+8*j:])
		}
		found.Note(f)
	}
	for i := range found {
		if f := &found[i]; f.Times > 0 {
			f.Times = binary.LittleEndian.Uint64(rec[checkHeader+i*checkSite:])
		}
	}
	return found
}
