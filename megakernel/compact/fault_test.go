package compact_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/cusim"
	"github.com/govyre/vyre/internal/faults"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/megakernel/compact"
)

// reportTwice counts reports twice, and again after a run that failed, and closes what there is in any
// case. The records of the second shard take a second read.
func reportTwice(ctx context.Context, d driver.Device) (err error) {
	dev := &vyre.Device{Device: d}
	rep := compact.NewReports(dev, compact.ReportOptions{Most: 20, First: 60, Blocks: 1})
	defer func() { err = errors.Join(err, rep.Close()) }()
	var shards [2]*compact.Shard[pair]
	var want [2][]pair
	for i, n := range []int{40, 50} {
		severity, pairs := draw(uint64(i), n, 50)
		flags, err := vyre.Upload(dev, severity)
		if err != nil {
			return err
		}
		records, err := vyre.Upload(dev, pairs)
		if err != nil {
			return err
		}
		if shards[i], err = compact.AddShard(rep, flags, records); err != nil {
			return err
		}
		want[i] = filter(severity, pairs)
	}
	run := func() error {
		if err := rep.Run(ctx); err != nil {
			return err
		}
		for i, s := range shards {
			if got := s.Records(); s.Emitted() != len(want[i]) || !slices.Equal(got, want[i][:min(20, len(want[i]))]) {
				return fmt.Errorf("%w: shard %d has %d reports, %v", faults.ErrWrong, i, s.Emitted(), got)
			}
		}
		return nil
	}
	return faults.Twice(ctx, run)
}

func TestAnyCallOfReportsMayFail(t *testing.T) {
	every := long.Count(7, 3, 1)
	if testing.Short() {
		every = 17
	}
	for _, eager := range []bool{false, true} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: eager}
		n := faults.EachCall(t, config, every, faults.OnDevice(reportTwice), 719, cu.OutOfMemory)
		if t.Logf("%d times", n); n < 10 && !testing.Short() {
			t.Errorf("only %d calls failed", n)
		}
	}
}
