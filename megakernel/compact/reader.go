package compact

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
)

// reader launches the kernel of each slot, one after the other, and reads what they leave. One buffer
// holds the heads of all slots, their counters where they have any, and the front:
//
//	head, head, … | counters, counters, … | records side by side …
//	└────────────────── always read ────────────────┘ └─ read if there are so many
type reader struct {
	dev    vyre.Device
	label  string
	blocks int // 0: as many as are resident, and the items have use for
	first  int // bytes of records that are always read
	slots  []*slot

	kernels  map[string]vyre.Kernel // by program
	buffers  []driver.Buffer
	seq      *vyre.Sequence
	front    driver.Buffer
	always   []byte      // heads, counters, and first records
	fixed    int64       // bytes of heads and counters
	records  []byte      // all of the front's
	result   vyre.Result // of the last run's launches
	prepared bool
	closed   bool
}

// slot is a list that is to be made.
type slot struct {
	name           string
	program        string // its kernel
	n, width       uint32 // items, and words of a record
	flags, records vyre.Range
	most           uint32 // records that are kept, of a shard of reports
	limit          uint32 // words of a slot that stands in the front
	counted        bool   // it has counters

	own      driver.Buffer // for more words than limit
	head     []byte        // in always
	counters []byte        // in always
	where    vyre.Range    // its records on the device, after a run
	data     []byte        // and on the host
}

func (s *slot) word(k int) uint32 { return binary.LittleEndian.Uint32(s.head[4*k:]) }

// recordBytes is the size of a record.
func (s *slot) recordBytes() int64 { return 4 * int64(s.width) }

// capacity is the bytes of as many records as can be kept.
func (s *slot) capacity() int64 { return int64(min(s.n, s.most)) * s.recordBytes() }

const op = "compact"

// refuse makes an error about a slot, or about the whole if the path is empty.
func (r *reader) refuse(kind driver.Kind, path, msg, fix string) error {
	return &driver.Error{Op: op, Label: r.label, Device: r.dev.Name(), Kind: kind, Path: path, Msg: msg, Fix: fix}
}

// add takes a slot of items with a flag, and a record or nothing, for each.
func (r *reader) add(s *slot, items, records int, size uintptr) error {
	s.name = fmt.Sprintf("slot %d", len(r.slots))
	switch {
	case r.prepared:
		return r.refuse(driver.InvalidArgument, s.name, "it comes after the first run", "add all of them before")
	case size == 0 || size%4 != 0:
		return r.refuse(driver.Unsupported, s.name, fmt.Sprintf("a record has %d bytes", size), "make it a multiple of 4")
	case items != records:
		return r.refuse(driver.InvalidArgument, s.name, fmt.Sprintf("%d flags for %d records", items, records), "give each item both")
	case uint64(items)*uint64(size)/4 >= 1<<31:
		return r.refuse(driver.Unsupported, s.name, fmt.Sprintf("%d records of %d bytes are more than 2^31-1 words", items, size), "divide them among several")
	}
	s.n, s.width = uint32(items), uint32(size/4)
	s.most = min(s.most, s.n)
	r.slots = append(r.slots, s)
	return nil
}

// prepare compiles, allocates and records, once.
func (r *reader) prepare(ctx context.Context) error {
	switch {
	case r.closed:
		return r.refuse(driver.Closed, "", "it was closed", "")
	case r.prepared:
		return nil
	}
	if len(r.slots) == 0 {
		return r.refuse(driver.InvalidArgument, "", "it has no slots", "add one")
	}
	if !r.dev.Caps().GridBarrier {
		return r.refuse(driver.Unsupported, "", "the device has no cooperative launches", "read the records, and leave out on the host what has no flag")
	}
	if err := r.build(ctx); err != nil {
		_ = r.free() // nobody else has what was made
		return err
	}
	r.prepared = true
	return nil
}

// build makes all that a run needs.
func (r *reader) build(ctx context.Context) error {
	r.seq = r.dev.NewSequence(r.label)
	heads, counters, front := int64(4*headWords*len(r.slots)), int64(0), int64(0)
	for _, s := range r.slots {
		front += min(s.capacity(), 4*int64(s.limit))
		if s.counted {
			counters += 4 * severities
		}
	}
	r.fixed = heads + counters
	r.first = int(min(int64(max(r.first, 0)), front) &^ 3)
	var err error
	if r.front, err = r.alloc(r.fixed + max(front, 4)); err != nil {
		return err
	}
	if counters > 0 {
		r.seq.Fill(driver.Part(r.front, heads, counters), 0, 4)
	}
	r.always = make([]byte, r.fixed+int64(r.first))
	if err := r.launches(ctx, heads, counters); err != nil {
		return err
	}
	r.seq.Read(driver.Part(r.front, 0, int64(len(r.always))), r.always)
	return r.seq.Prepare()
}

// launches records the launch of each slot, in their order: each finds in the head before its own where
// its records begin.
func (r *reader) launches(ctx context.Context, heads, counters int64) error {
	most := 0
	grids := make([]int, len(r.slots))
	for i, s := range r.slots {
		k, err := r.kernel(ctx, s.program)
		if err != nil {
			return err
		}
		if grids[i], err = r.grid(k, s); err != nil {
			return err
		}
		most = max(most, grids[i])
	}
	sums, err := r.alloc(4 * int64(most))
	if err != nil {
		return err
	}
	none, err := r.alloc(4) // stands for what a slot does not have
	if err != nil {
		return err
	}
	head, count := driver.Part(r.front, 0, heads), driver.Part(r.front, heads, counters)
	front := driver.Part(r.front, r.fixed, r.front.Len()-r.fixed)
	at := heads
	for i, s := range r.slots {
		s.head = r.always[4*headWords*i:][:4*headWords]
		own := driver.All(none)
		if s.capacity() > 4*int64(s.limit) {
			if s.own, err = r.alloc(s.capacity()); err != nil {
				return err
			}
			own = driver.All(s.own)
		}
		args := []vyre.Arg{driver.U32(s.n)}
		if s.program != "items" {
			args = append(args, driver.U32(s.width))
		}
		args = append(args, driver.U32(uint32(i)))
		if s.counted {
			s.counters = r.always[at:][:4*severities]
			at += 4 * severities
			args = append(args, driver.U32(s.most), driver.U32(uint32(r.first/4)), s.flags, s.records, driver.All(sums), head, count, front)
		} else {
			args = append(args, driver.U32(s.limit), driver.U32(uint32(r.first/4)), s.flags)
			if s.program == "rows" {
				args = append(args, s.records)
			}
			args = append(args, driver.All(sums), head, front, own)
		}
		r.seq.Launch(r.kernels[s.program], driver.Groups(uint32(grids[i])), args...)
	}
	return nil
}

// grid is as many blocks as are resident at once, or fewer if each has enough to do with a few turns.
func (r *reader) grid(k vyre.Kernel, s *slot) (int, error) {
	const turns = 4 // items of a thread for which another block is not worth its word
	limit := k.Occupancy(0).Cooperative
	if r.blocks > limit || limit == 0 {
		return 0, r.refuse(driver.InvalidArgument, "options", fmt.Sprintf("%d blocks of %d threads, %d are resident at once", r.blocks, threads, limit), "leave Blocks out")
	}
	if r.blocks > 0 {
		return r.blocks, nil
	}
	return max(1, min(limit, (int(s.n)+turns*threads-1)/(turns*threads))), nil
}

func (r *reader) alloc(bytes int64) (driver.Buffer, error) {
	b, err := r.dev.Alloc(bytes, driver.AllocOptions{Label: r.label})
	if err == nil {
		r.buffers = append(r.buffers, b)
	}
	return b, err
}

// kernel compiles a program once.
func (r *reader) kernel(ctx context.Context, name string) (vyre.Kernel, error) {
	if k := r.kernels[name]; k != nil {
		return k, nil
	}
	p, err := vyreKernels.Program(name)
	if err != nil {
		return nil, err
	}
	k, err := r.dev.Compile(ctx, p, vyre.CompileOptions{})
	if err != nil {
		return nil, err
	}
	if r.kernels == nil {
		r.kernels = map[string]vyre.Kernel{}
	}
	r.kernels[name] = k
	return k, nil
}

// run launches and reads heads, counters and first records.
func (r *reader) run(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	r.empty()
	err := r.seq.Settle(ctx) // of a run whose context ended, what it comes to is forgotten
	if err == nil {
		r.result, err = r.seq.Run(ctx)
	}
	return err
}

// empty makes all lists empty.
func (r *reader) empty() {
	for _, s := range r.slots {
		s.data, s.where = nil, vyre.Range{}
	}
}

// rest reads the bytes of the front that did not come with the heads, and the slots that have memory of
// their own, all in one run, and gives every slot its records. bytes are those of the front.
func (r *reader) rest(ctx context.Context, bytes uint64, own []*slot) error {
	if last := r.slots[len(r.slots)-1]; uint64(last.word(headEnd))*4 != bytes {
		return r.refuse(driver.Internal, "", fmt.Sprintf("the device put %d bytes side by side, the plan has %d", 4*uint64(last.word(headEnd)), bytes), "")
	}
	if uint64(cap(r.records)) < bytes {
		r.records = make([]byte, bytes)
	}
	r.records = r.records[:bytes]
	had := copy(r.records, r.always[r.fixed:])
	if had < len(r.records) || len(own) > 0 {
		seq := r.dev.NewSequence(r.label)
		if had < len(r.records) {
			seq.Read(driver.Part(r.front, r.fixed+int64(had), int64(len(r.records)-had)), r.records[had:])
		}
		for _, s := range own {
			seq.Read(s.where, s.data)
		}
		if _, err := seq.Once(ctx); err != nil {
			r.empty()
			return err
		}
	}
	return nil
}

// inFront gives a slot a part of the front.
func (r *reader) inFront(s *slot, offset, bytes uint64) {
	s.where = driver.Part(r.front, r.fixed+int64(offset), int64(bytes))
	s.data = r.records[offset:][:bytes]
}

// Close gives back what it took of the device. The buffers that were added stay.
func (r *reader) Close() error {
	r.closed = true
	return r.free()
}

func (r *reader) free() error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	if r.seq != nil {
		keep(r.seq.Close())
	}
	for _, k := range r.kernels {
		keep(k.Close())
	}
	for _, b := range r.buffers {
		keep(b.Close())
	}
	r.seq, r.kernels, r.buffers = nil, nil, nil
	return first
}
