package compact

import (
	"context"
	"math"
	"unsafe"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// Options adjusts Results.
type Options struct {
	Label  string // in errors
	First  int    // bytes of records that come in the same read as their number; 0 is none
	Limit  int    // greatest bytes of a list that stands beside the others; 0 is any
	Blocks int    // of a launch; 0 chooses
}

// Results makes lists of what is flagged, in the order of items, and reads them: their lengths, and the
// first bytes of all of them together, in one read, and what is left in one more. It is used by one
// goroutine at a time.
type Results struct {
	r     reader
	limit uint64
	in    []plan.Slot
	plan  plan.Compaction
	own   []*slot
}

// List is one list of Results.
type List[T vyre.Element] struct{ s *slot }

// New returns Results without lists.
func New(dev vyre.Device, o Options) *Results {
	res := &Results{r: reader{dev: dev, label: o.Label, blocks: o.Blocks, first: o.First}, limit: math.MaxUint64}
	if o.Limit > 0 {
		res.limit = uint64(o.Limit)
	}
	return res
}

// Add makes a list of those records whose flag is not 0. A record has a multiple of 4 bytes.
func Add[T vyre.Element](res *Results, flags *vyre.Buffer[uint32], records *vyre.Buffer[T]) (*List[T], error) {
	var v T
	s := &slot{program: "rows", flags: flags.All(), records: records.Bytes()}
	return &List[T]{s}, res.add(s, flags.Len(), records.Len(), unsafe.Sizeof(v))
}

// AddItems makes a list of the numbers of those items whose flag is not 0.
func AddItems(res *Results, flags *vyre.Buffer[uint32]) (*List[uint32], error) {
	s := &slot{program: "items", flags: flags.All()}
	return &List[uint32]{s}, res.add(s, flags.Len(), flags.Len(), 4)
}

func (res *Results) add(s *slot, items, records int, size uintptr) error {
	s.most, s.limit = math.MaxUint32, uint32(min(res.limit/4, math.MaxUint32))
	return res.r.add(s, items, records, size)
}

// Run makes the lists of what the flags are now.
func (res *Results) Run(ctx context.Context) error {
	if err := res.r.run(ctx); err != nil {
		return err
	}
	res.in, res.own = res.in[:0], res.own[:0]
	for i, s := range res.r.slots {
		res.in = append(res.in, plan.Slot{Slot: uint64(i), Meaningful: uint64(s.word(headTotal)) * uint64(s.recordBytes()), Capacity: uint64(s.capacity())})
	}
	if err := plan.PlanCompaction(res.in, res.limit, &res.plan); err != nil {
		return err
	}
	for _, d := range res.plan.Direct {
		s := res.r.slots[d.Slot]
		s.where, s.data = driver.Part(s.own, 0, int64(d.Bytes)), make([]byte, d.Bytes)
		res.own = append(res.own, s)
	}
	if err := res.r.rest(ctx, res.plan.Side(), res.own); err != nil {
		return err
	}
	for _, c := range res.plan.Records {
		res.r.inFront(res.r.slots[c.Slot], c.Offset, c.Bytes)
	}
	return nil
}

// Compaction is which records of results a run read, and where they were.
type Compaction = plan.Compaction

// Plan is what the last run read, and from where.
func (res *Results) Plan() *Compaction { return &res.plan }

// ReadBytes is how many bytes the last run read: the heads, and what is selected, or as much as is
// always read if that is more.
func (res *Results) ReadBytes() uint64 {
	side := res.plan.Side()
	return uint64(res.r.fixed) + max(side, uint64(res.r.first)) + res.plan.Selected - side
}

// Result is what the last run says of its launches: times, and what detectors found.
func (res *Results) Result() vyre.Result { return res.r.result }

// Close gives back what it took of the device. The buffers that were added stay.
func (res *Results) Close() error { return res.r.Close() }

// Len is the number of records in the list.
func (l *List[T]) Len() int { return int(int64(len(l.s.data)) / l.s.recordBytes()) }

// Records returns a copy of the list.
func (l *List[T]) Records() []T {
	list := make([]T, l.Len())
	copy(vyre.Bytes(list), l.s.data)
	return list
}

// Range is where the list stands on the device, until the next run. It has no type.
func (l *List[T]) Range() vyre.Range { return l.s.where }
