package compact_test

import (
	"bytes"
	"context"
	"errors"
	"math/bits"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel/compact"
)

// TestReportsAreThoseOfARecount counts again on the host, and takes the first records.
func TestReportsAreThoseOfARecount(t *testing.T) {
	each(t, func(t *testing.T, dev vyre.Device) {
		for _, most := range []int{1, 40, 100_000} {
			rep := compact.NewReports(dev, compact.ReportOptions{Most: most, First: 100})
			type expected struct {
				shard  *compact.Shard[pair]
				pairs  []pair
				counts [32]int
			}
			var want []expected
			for i, n := range []int{300, 1, 0, 700, 257} {
				severity, pairs := draw(uint64(i), n, []int{60, 100, 0, 0, 30}[i])
				for k := range severity {
					if severity[k] != 0 && k%3 == 0 {
						severity[k] |= 1 << 5 // two severities
					}
				}
				s, err := compact.AddShard(rep, upload(t, dev, severity), upload(t, dev, pairs))
				if err != nil {
					t.Fatal(err)
				}
				e := expected{shard: s, pairs: filter(severity, pairs)}
				for _, v := range severity {
					for ; v != 0; v &= v - 1 {
						e.counts[bits.TrailingZeros32(v)]++
					}
				}
				want = append(want, e)
			}
			var last []byte
			for again := range 2 {
				run(t, dev, rep)
				var all []byte
				overflow := 0
				for i, w := range want {
					if w.shard.Emitted() != len(w.pairs) || w.shard.Overflow() != max(len(w.pairs)-most, 0) {
						t.Errorf("shard %d: %d reports, %d of them not kept, want %d of which %d are kept", i, w.shard.Emitted(), w.shard.Overflow(), len(w.pairs), most)
					}
					overflow += w.shard.Overflow()
					for bit, n := range w.counts {
						if got := w.shard.Count(bit); got != n {
							t.Errorf("shard %d: %d of severity %d, want %d", i, got, bit, n)
						}
					}
					got := w.shard.Records()
					equal(t, "reports", got, w.pairs[:min(most, len(w.pairs))])
					all = append(all, vyre.Bytes(got)...)
				}
				if p := rep.Plan(); p.Overflow != uint64(overflow) || p.CompactBytes != uint64(len(all)) || !p.Scan {
					t.Errorf("the plan has %+v, want %d bytes and an overflow of %d", p, len(all), overflow)
				}
				if again == 1 && !bytes.Equal(all, last) {
					t.Error("the second run gives other bytes")
				}
				last = all
			}
			if err := rep.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestBudgetOfReports is too small for the records, and leaves the counts.
func TestBudgetOfReports(t *testing.T) {
	dev, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	severity, pairs := draw(1, 50, 100)
	rep := compact.NewReports(dev, compact.ReportOptions{Most: 10, Budget: 200})
	defer rep.Close()
	s, err := compact.AddShard(rep, upload(t, dev, severity), upload(t, dev, pairs))
	if err != nil {
		t.Fatal(err)
	}
	err = rep.Run(context.Background())
	var r *plan.Reason
	if !errors.Is(err, vyre.OutOfMemory) || !errors.As(err, &r) || r.Error() != `over_budget("diagnostics", 264, 200)` {
		t.Errorf("got %v, with %v", err, r)
	}
	if s.Emitted() != 50 || s.Overflow() != 40 || len(s.Records()) != 0 {
		t.Errorf("%d reports, %d not kept, %d records", s.Emitted(), s.Overflow(), len(s.Records()))
	}
}
