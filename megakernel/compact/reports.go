package compact

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// ReportOptions adjusts Reports.
type ReportOptions struct {
	Label  string // in errors
	Most   int    // records of a shard that are kept: those of its first items
	First  int    // bytes of records that come in the same read as the counters; 0 is none
	Budget int64  // bytes that the host may be given in a run; 0 is any
	Blocks int    // of a launch; 0 chooses
}

// Reports counts what a run reports, by severity, and reads the first records of each shard. Which
// records those are is decided by the number of their items and by nothing else, so two runs over the
// same memory give the same bytes. It is used by one goroutine at a time.
type Reports struct {
	r      reader
	o      ReportOptions
	in     []plan.Shard
	plan   plan.Diagnostics
	budget uint64
}

// Shard is a part of what is reported, such as the items of one wave.
type Shard[T vyre.Element] struct{ s *slot }

// NewReports returns Reports without shards.
func NewReports(dev vyre.Device, o ReportOptions) *Reports {
	rep := &Reports{r: reader{dev: dev, label: o.Label, blocks: o.Blocks, first: o.First}, o: o, budget: math.MaxUint64}
	if o.Budget > 0 {
		rep.budget = uint64(o.Budget)
	}
	return rep
}

// AddShard adds items with a severity and a record each. An item that reports nothing has severity 0;
// any other has one bit, or several. A record has a multiple of 4 bytes.
func AddShard[T vyre.Element](rep *Reports, severity *vyre.Buffer[uint32], records *vyre.Buffer[T]) (*Shard[T], error) {
	var v T
	if rep.o.Most < 1 || int64(rep.o.Most) > math.MaxUint32 {
		return nil, rep.r.refuse(driver.InvalidArgument, "options", fmt.Sprintf("%d records of a shard are kept", rep.o.Most), "keep at least one")
	}
	s := &slot{program: "reports", flags: severity.All(), records: records.Bytes(), most: uint32(rep.o.Most), limit: math.MaxUint32, counted: true}
	return &Shard[T]{s}, rep.r.add(s, severity.Len(), records.Len(), unsafe.Sizeof(v))
}

// Run counts and reads what the severities are now. An error of the budget leaves the counts.
func (rep *Reports) Run(ctx context.Context) error {
	if err := rep.r.run(ctx); err != nil {
		return err
	}
	rep.in = rep.in[:0]
	for i, s := range rep.r.slots {
		rep.in = append(rep.in, plan.Shard{
			Shard: uint64(i), Candidates: uint64(s.n), Emitted: uint64(s.word(headTotal)),
			RawBytes: uint64(s.recordBytes()) + 4, RecordBytes: uint64(s.recordBytes()),
			CounterBytes: 4 * (headWords + severities), Severity: s.mask(),
		})
	}
	if err := plan.PlanDiagnostics(rep.in, uint64(rep.o.Most), rep.budget, &rep.plan); err != nil {
		return err
	}
	if err := rep.r.rest(ctx, rep.plan.CompactBytes, nil); err != nil {
		return err
	}
	for _, c := range rep.plan.Ranges {
		rep.r.inFront(rep.r.slots[c.Shard], c.Offset, c.Bytes)
	}
	return nil
}

// Diagnostics are the parts of reports that a run read, and where they were.
type Diagnostics = plan.Diagnostics

// Plan is what the last run read, and from where.
func (rep *Reports) Plan() *Diagnostics { return &rep.plan }

// ReadBytes is how many bytes the last run read: counters and records, or as much as is always read if
// that is more.
func (rep *Reports) ReadBytes() uint64 {
	return uint64(rep.r.fixed) + max(rep.plan.CompactBytes, uint64(rep.r.first))
}

// Result is what the last run says of its launches: times, and what detectors found.
func (rep *Reports) Result() vyre.Result { return rep.r.result }

// Close gives back what it took of the device. The buffers that were added stay.
func (rep *Reports) Close() error { return rep.r.Close() }

// Emitted is how many items reported something.
func (s *Shard[T]) Emitted() int { return s.s.total() }

// Overflow is how many of them have no record here, since Most were kept.
func (s *Shard[T]) Overflow() int { return s.s.total() - min(s.s.total(), int(s.s.most)) }

// Count is how many items reported something of the severity whose bit this is.
func (s *Shard[T]) Count(bit int) int {
	if s.s.counters == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint32(s.s.counters[4*bit:]))
}

// Records returns a copy of the records that were kept, in the order of their items.
func (s *Shard[T]) Records() []T {
	list := make([]T, int64(len(s.s.data))/s.s.recordBytes())
	copy(vyre.Bytes(list), s.s.data)
	return list
}

// total is how many items were flagged.
func (s *slot) total() int {
	if s.head == nil {
		return 0
	}
	return int(s.word(headTotal))
}

// mask has the bits of the severities that were counted.
func (s *slot) mask() (m uint32) {
	for bit := range severities {
		if binary.LittleEndian.Uint32(s.counters[4*bit:]) != 0 {
			m |= 1 << bit
		}
	}
	return m
}
