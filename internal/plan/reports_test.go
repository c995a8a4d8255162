package plan_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

func TestCompactionTakesWhatMeansSomething(t *testing.T) {
	slots := []plan.Slot{{2, 0, 128}, {1, 12, 128}, {3, 24, 256}}
	var got plan.Compaction
	if err := plan.PlanCompaction(slots, 32, &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Records, got.Direct) != "[{1 0 12} {3 12 24}] []" || got.Full != 512 || got.Selected != 36 || got.Avoided != 476 || got.Share != 9296 {
		t.Errorf("got %+v", got)
	}
	if n := testing.AllocsPerRun(10, func() { plan.PlanCompaction(slots, 32, &got) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := plan.PlanCompaction(slots, 12, &got); err != nil || fmt.Sprint(got.Records, got.Direct) != "[{1 0 12}] [{3 0 24}]" || got.Selected != 36 {
		t.Errorf("a large result is read where it is: %+v, %v", got, err)
	}
	refused(t, plan.PlanCompaction([]plan.Slot{{1, 0, 1 << 63}, {1, 9, 8}, {2, 0, 1 << 63}}, 0, &got), driver.InvalidArgument,
		"duplicate(1)", "meaningful_over_capacity(1, 9, 8)", `overflow("slot bytes")`)
}

func TestDiagnosticsOfAllShards(t *testing.T) {
	one := func(shard, emitted, candidates uint64) plan.Shard {
		return plan.Shard{Shard: shard, Emitted: emitted, Candidates: candidates, RawBytes: 32, RecordBytes: 24, CounterBytes: 16, Severity: 1}
	}
	for _, c := range []struct {
		name   string
		shards []plan.Shard
		most   uint64
		want   string
	}{
		{"three shards, one of them empty", []plan.Shard{one(2, 4, 2000), one(1, 2, 1000), one(3, 0, 4000)}, 64,
			"[{1 0 2 48} {2 48 4 96}] counters 48 compact 144 host 192 raw 224000 avoided 223808 share 8 overflow 0 scan true"},
		{"a cap", []plan.Shard{{Emitted: 10, Candidates: 1000, RawBytes: 16, RecordBytes: 16, CounterBytes: 8, Severity: 1}}, 3,
			"[{0 0 3 48}] counters 8 compact 48 host 56 raw 16000 avoided 15944 share 35 overflow 7 scan false"},
		{"counters larger than the input", []plan.Shard{{Candidates: 1, RawBytes: 1, CounterBytes: 64}}, 1,
			"[] counters 64 compact 0 host 64 raw 1 avoided 0 share 640000 overflow 0 scan false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d plan.Diagnostics
			if err := plan.PlanDiagnostics(c.shards, c.most, 1024, &d); err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%v counters %d compact %d host %d raw %d avoided %d share %d overflow %d scan %v",
				d.Ranges, d.CounterBytes, d.CompactBytes, d.HostBytes, d.RawBytes, d.Avoided, d.Share, d.Overflow, d.Scan)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if n := testing.AllocsPerRun(10, func() { plan.PlanDiagnostics(c.shards, c.most, 1024, &d) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
	var d plan.Diagnostics
	refused(t, plan.PlanDiagnostics([]plan.Shard{{Emitted: 1, Candidates: 1, RawBytes: 1, RecordBytes: 24, CounterBytes: 8, Severity: 1}}, 1, 16, &d), driver.OutOfMemory,
		`over_budget("diagnostics", 32, 16)`)
	refused(t, plan.PlanDiagnostics([]plan.Shard{{Emitted: 9, Candidates: 8, RawBytes: 1, RecordBytes: 1, Severity: 1}, {Emitted: 1, Candidates: 1}}, 0, 16, &d), driver.InvalidArgument,
		"cap", "emitted_over_candidates(0, 9, 8)", "duplicate(1)", "raw_bytes(1)", "record_bytes(1)", "severity(1)")
	refused(t, plan.PlanDiagnostics([]plan.Shard{{Candidates: math.MaxUint64, RawBytes: 2}}, 1, 16, &d), driver.InvalidArgument, `overflow("diagnostic bytes")`)
}
