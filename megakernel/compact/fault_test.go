package compact_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel/compact"
)

// reporting makes reports of which the records of the second shard take a second read.
func reporting(ctx context.Context, dev driver.Device) (o faults.Object, err error) {
	rep := compact.NewReports(dev, compact.ReportOptions{Most: 20, First: 60, Blocks: 1})
	o.Close = rep.Close
	var shards [2]*compact.Shard[pair]
	var want [2][]pair
	for i, n := range []int{40, 50} {
		severity, pairs := draw(uint64(i), n, 50)
		flags, err := vyre.Upload(ctx, dev, severity)
		if err != nil {
			return o, err
		}
		records, err := vyre.Upload(ctx, dev, pairs)
		if err != nil {
			return o, err
		}
		if shards[i], err = compact.AddShard(rep, flags, records); err != nil {
			return o, err
		}
		want[i] = filter(severity, pairs)
	}
	o.Run = func(ctx context.Context) error {
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
	return o, nil
}

// listing makes lists of flags that differ from run to run, of which the second has memory of its own.
func listing(ctx context.Context, dev driver.Device) (o faults.Object, err error) {
	res := compact.New(dev, compact.Options{First: 40, Limit: 200, Blocks: 1})
	o.Close = res.Close
	var flags [2]*vyre.Buffer[uint32]
	var lists [2]*compact.List[pair]
	var all [2][]pair
	for i, n := range []int{30, 50} {
		given, pairs := draw(uint64(i), n, 50)
		all[i] = pairs
		if flags[i], err = vyre.Upload(ctx, dev, given); err != nil {
			return o, err
		}
		records, err := vyre.Upload(ctx, dev, pairs)
		if err != nil {
			return o, err
		}
		if lists[i], err = compact.Add(res, flags[i], records); err != nil {
			return o, err
		}
	}
	times := uint64(0)
	o.Run = func(ctx context.Context) error {
		times++
		var want [2][]pair
		for i, pairs := range all {
			given, _ := draw(times, len(pairs), int(times*37%100))
			want[i] = filter(given, pairs)
			if err := flags[i].Write(ctx, given); err != nil {
				return err
			}
		}
		if err := res.Run(ctx); err != nil {
			return err
		}
		for i, l := range lists {
			if got := l.Records(); !slices.Equal(got, want[i]) {
				return fmt.Errorf("%w: list %d is %v, want %v", faults.ErrWrong, i, got, want[i])
			}
		}
		return nil
	}
	return o, nil
}

func TestAnyCallOfReportsMayFail(t *testing.T) {
	every := long.Count(7, 3, 1)
	if testing.Short() {
		every = 17
	}
	for _, eager := range []bool{false, true} {
		config := cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: eager}
		n := faults.EachCall(t, config, every, faults.Maker(reporting).Session(), 719, cu.OutOfMemory)
		if t.Logf("%d times", n); n < 10 && !testing.Short() {
			t.Errorf("only %d calls failed", n)
		}
	}
}

// The class: an error does not say that nothing was done. Lists and reports are made again after a call failed, before or after its
// effect.
func TestListsAfterAFailureAreThoseOfTheFlags(t *testing.T) {
	first := long.Seed(t, 1)
	for _, make := range []faults.Maker{reporting, listing} {
		for _, eager := range []bool{false, true} {
			faults.Sweep{Config: cusim.Config{Models: []cusim.Model{cusim.Tiny}, Eager: eager}, Faults: faults.Sizes(4, 2500), Seed: first, Make: make}.Run(t)
		}
	}
}
