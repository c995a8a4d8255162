package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
)

// Shard is a part of a run that may report something.
type Shard struct {
	Shard               uint64
	Candidates, Emitted uint64 // items that were looked at, records that they gave
	RawBytes            uint64 // of one candidate
	RecordBytes         uint64 // of one record
	CounterBytes        uint64 // of the shard's counters
	Severity            uint32 // mask of what was emitted
}

// Range is where a shard's records stand.
type Range struct{ Shard, Offset, Records, Bytes uint64 }

// Diagnostics is what the host reads of the reports of all shards.
type Diagnostics struct {
	Ranges       []Range // of shards that have records, by shard
	CounterBytes uint64
	CompactBytes uint64 // of records
	HostBytes    uint64 // both
	RawBytes     uint64 // of all candidates
	Avoided      uint64
	Share        uint64 // host bytes of raw ones, in 1/10000; may be more than all
	Overflow     uint64 // records beyond the cap
	Scan         bool   // more than one shard has records, so their offsets have to be added up
	order        []int32
}

const diagnosticsOp = "plan diagnostics"

// PlanDiagnostics gives each shard that reported something a range for at most most records.
//
// Errors: cap, duplicate, raw_bytes, record_bytes, emitted_over_candidates, severity, overflow, all that there are, as
// driver.Problems; then over_budget "diagnostics".
func PlanDiagnostics(shards []Shard, most, budget uint64, into *Diagnostics) error {
	*into = Diagnostics{Ranges: into.Ranges[:0], order: resize(into.order, len(shards))}
	for i := range into.order {
		into.order[i] = int32(i)
	}
	slices.SortFunc(into.order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(shards[i].Shard, shards[j].Shard), cmp.Compare(i, j))
	})
	if ps := into.check(shards, most); len(ps) > 0 {
		return ps
	}
	for _, i := range into.order {
		if !into.take(&shards[i], most) {
			into.reset()
			return Overflow(diagnosticsOp, fmt.Sprintf("shard %d", shards[i].Shard), "diagnostic bytes", int(i))
		}
	}
	if need := into.HostBytes; need > budget {
		into.reset()
		return OverBudget(diagnosticsOp, "diagnostics", "diagnostics", -1, need, budget, "raise the budget or lower the cap")
	}
	if into.RawBytes > into.HostBytes {
		into.Avoided = into.RawBytes - into.HostBytes
	}
	if into.RawBytes > 0 {
		into.Share = share(into.HostBytes, into.RawBytes, 10000)
	}
	into.Scan = len(into.Ranges) > 1
	return nil
}

// take adds a shard and reports whether 64 bits hold all sums.
func (d *Diagnostics) take(s *Shard, most uint64) bool {
	records := min(s.Emitted, most)
	bytes, ok1 := mul(records, s.RecordBytes)
	raw, ok2 := mul(s.Candidates, s.RawBytes)
	if records > 0 {
		d.Ranges = append(d.Ranges, Range{s.Shard, d.CompactBytes, records, bytes})
	}
	var ok3, ok4, ok5, ok6, ok7 bool
	d.CompactBytes, ok3 = add(d.CompactBytes, bytes)
	d.CounterBytes, ok4 = add(d.CounterBytes, s.CounterBytes)
	d.HostBytes, ok5 = add(d.CompactBytes, d.CounterBytes)
	d.RawBytes, ok6 = add(d.RawBytes, raw)
	d.Overflow, ok7 = add(d.Overflow, s.Emitted-records)
	return ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7
}

func (d *Diagnostics) check(shards []Shard, most uint64) (ps driver.Problems) {
	if most == 0 {
		ps = append(ps, Refusal(diagnosticsOp, driver.InvalidArgument, "cap", "no record is allowed", "allow at least one for each shard",
			Reason{Code: "cap", Index: -1}))
	}
	for at, i := range d.order {
		s := &shards[i]
		refuse := func(code, msg, fix string, numbers ...uint64) {
			ps = append(ps, Refusal(diagnosticsOp, driver.InvalidArgument, fmt.Sprintf("shard %d", s.Shard), msg, fix,
				Reason{Code: code, Index: int(i), Numbers: numbers}))
		}
		if at > 0 && shards[d.order[at-1]].Shard == s.Shard {
			refuse("duplicate", "it is given twice", "give each shard once")
		}
		if s.RawBytes == 0 && s.Candidates > 0 {
			refuse("raw_bytes", "its candidates have no bytes", "give the bytes of a candidate")
		}
		if s.RecordBytes == 0 && s.Emitted > 0 {
			refuse("record_bytes", "its records have no bytes", "give the bytes of a record")
		}
		if s.Emitted > s.Candidates {
			refuse("emitted_over_candidates", fmt.Sprintf("%d records of %d candidates", s.Emitted, s.Candidates), "give one record for a candidate at most", s.Emitted, s.Candidates)
		}
		if s.Severity == 0 && s.Emitted > 0 {
			refuse("severity", fmt.Sprintf("%d records of no severity", s.Emitted), "set the bit of each severity that was emitted")
		}
	}
	return ps
}

func (d *Diagnostics) reset() { *d = Diagnostics{Ranges: d.Ranges[:0], order: d.order} }
