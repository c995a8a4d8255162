package compact_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cuda"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel/compact"
)

// deviceFlag is where the tests run; a machine with a GPU has "cuda" as well.
var deviceFlag = flag.String("devices", "cpu,cuda-sim", "devices that the tests run on, with commas between")

// each runs a test on every device; on cpu under all detectors, in several orders of groups and warps.
func each(t *testing.T, test func(t *testing.T, dev vyre.Device)) {
	run := func(name string, dev driver.Device, err error) {
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { test(t, dev) })
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, name := range strings.Split(*deviceFlag, ",") {
		if name != "cpu" {
			dev, err := driver.Open(long.Device(name), driver.OpenOptions{})
			run(name, dev, err)
			continue
		}
		schedules := []cpu.Schedule{cpu.Seeded(7), cpu.Reversed, cpu.Forward, cpu.Seeded(8), cpu.Seeded(9)}
		for i, s := range schedules[:long.Count(2, 5, 5)] {
			dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: s, Detect: cpu.Everything}})
			run(fmt.Sprintf("cpu %d", i), dev, err)
		}
	}
}

// pair is a record of 12 bytes, so that lists behind it stand at odd words.
type pair struct {
	Item  uint32
	Value [2]uint16
	Third float32
}

// draw makes n flags, of which share in 100 are set, and a record for each item.
func draw(seed uint64, n, share int) (flags []uint32, pairs []pair) {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	flags, pairs = make([]uint32, n), make([]pair, n)
	for i := range flags {
		if rng.IntN(100) < share {
			flags[i] = 1 << rng.IntN(32)
		}
		pairs[i] = pair{uint32(i), [2]uint16{uint16(rng.Uint32()), 5}, rng.Float32()}
	}
	return flags, pairs
}

// filter is what a list is compared with.
func filter[T any](flags []uint32, records []T) []T {
	kept := []T{}
	for i, f := range flags {
		if f != 0 {
			kept = append(kept, records[i])
		}
	}
	return kept
}

func numbers(n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}

func upload[T vyre.Element](t *testing.T, dev vyre.Device, s []T) *vyre.Buffer[T] {
	t.Helper()
	b, err := vyre.Upload(t.Context(), dev, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func add[T vyre.Element](t *testing.T, res *compact.Results, flags *vyre.Buffer[uint32], records *vyre.Buffer[T]) *compact.List[T] {
	t.Helper()
	l, err := compact.Add(res, flags, records)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// runner is Results or Reports.
type runner interface {
	Run(context.Context) error
	ReadBytes() uint64
	Result() vyre.Result
}

// run runs, and compares the bytes that the driver counts with what is said.
func run(t *testing.T, dev vyre.Device, r runner) (read uint64) {
	t.Helper()
	before := *dev.Stats()
	if err := r.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	after := dev.Stats()
	if read = after.Get(metric.ReadBytes) - before.Get(metric.ReadBytes); read != r.ReadBytes() {
		t.Errorf("%d bytes were read, want %d", read, r.ReadBytes())
	}
	for _, found := range r.Result().Reports {
		t.Errorf("%s: %s", found.Kernel, found.Text)
	}
	return read
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: record %d is %v, want %v", what, i, got[i], want[i])
		}
	}
	t.Fatalf("%s: %d records, want %d", what, len(got), len(want))
}

// TestListsAreThoseOfAFilter compares with a loop over all items.
func TestListsAreThoseOfAFilter(t *testing.T) {
	each(t, func(t *testing.T, dev vyre.Device) {
		sizes := []int{0, 1, 31, 32, 33, 255, 256, 257, 3000}
		if strings.HasSuffix(t.Name(), "/cuda") {
			sizes = append(sizes, 1<<20+1, 10_000_000)
		}
		for i, n := range sizes {
			for k, share := range []int{37, 0, 100} {
				compare(t, dev, n, share, compact.Options{Blocks: []int{0, 3, 2}[(i+k)%3], First: 64})
			}
		}
	})
}

// compare makes two lists of one size.
func compare(t *testing.T, dev vyre.Device, n, share int, o compact.Options) {
	t.Helper()
	flags, pairs := draw(uint64(share), n, share)
	f, p := upload(t, dev, flags), upload(t, dev, pairs)
	o.Label = fmt.Sprintf("%d items, %d %%", n, share)
	res := compact.New(dev, o)
	records := add(t, res, f, p)
	items, err := compact.AddItems(res, f)
	if err != nil {
		t.Fatal(err)
	}
	want := filter(flags, pairs)
	for range 2 {
		run(t, dev, res)
		equal(t, o.Label, records.Records(), want)
		equal(t, o.Label, items.Records(), filter(flags, numbers(n)))
	}
	if got := res.Plan().Selected; got != uint64(16*len(want)) {
		t.Errorf("%s: %d bytes are selected, want %d", o.Label, got, 16*len(want))
	}
	if err := res.Close(); err != nil {
		t.Error(err)
	}
}

// TestPlanDrivesTheReads makes lists with a limit: those above it are read where they are.
func TestPlanDrivesTheReads(t *testing.T) {
	const heads = 3 * 16
	each(t, func(t *testing.T, dev vyre.Device) {
		small, some := draw(1, 100, 10)
		large, many := draw(2, 400, 50)
		fs, fl := upload(t, dev, small), upload(t, dev, large)
		want, more, items := filter(small, some), filter(large, many), filter(small, numbers(100))
		all := 12*len(want) + 12*len(more) + 4*len(items)
		for _, c := range []struct {
			name               string
			o                  compact.Options
			direct, read, runs int
		}{
			{"all side by side, nothing at once", compact.Options{}, 0, heads + all, 2},
			{"some at once", compact.Options{First: 64}, 0, heads + all, 2},
			{"more than there is at once", compact.Options{First: 6000}, 0, heads + 6000, 1},
			{"a large one by itself", compact.Options{Limit: 1000}, 1, heads + all, 2},
			{"a large one by itself, the others at once", compact.Options{Limit: 1000, First: 500}, 1, heads + 500 + 12*len(more), 2},
			{"each by itself", compact.Options{Limit: 4}, 3, heads + all, 2},
		} {
			res := compact.New(dev, c.o)
			a := add(t, res, fs, upload(t, dev, some))
			b := add(t, res, fl, upload(t, dev, many))
			l, err := compact.AddItems(res, fs)
			if err != nil {
				t.Fatal(err)
			}
			run(t, dev, res)
			before := *dev.Stats()
			if got := run(t, dev, res); got != uint64(c.read) {
				t.Errorf("%s: %d bytes were read, want %d", c.name, got, c.read)
			}
			if got := dev.Stats().Get(metric.RunsPlain) - before.Get(metric.RunsPlain); got != uint64(c.runs) {
				t.Errorf("%s: %d runs, want %d", c.name, got, c.runs)
			}
			if got := len(res.Plan().Direct); got != c.direct {
				t.Errorf("%s: %d lists are read by themselves, want %d", c.name, got, c.direct)
			}
			equal(t, c.name, a.Records(), want)
			equal(t, c.name, b.Records(), more)
			equal(t, c.name, l.Records(), items)
			onDevice := make([]pair, b.Len())
			if err := driver.ReadInto(context.Background(), b.Range(), vyre.Bytes(onDevice)); err != nil {
				t.Fatal(err)
			}
			equal(t, c.name+", on the device", onDevice, more)
			if err := res.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestListsFollowTheFlags changes flags between two runs.
func TestListsFollowTheFlags(t *testing.T) {
	dev, err := vyre.Open("cuda-sim")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	flags, pairs := draw(3, 300, 20)
	f := upload(t, dev, flags)
	res := compact.New(dev, compact.Options{First: 100})
	defer res.Close()
	l := add(t, res, f, upload(t, dev, pairs))
	for _, share := range []int{90, 0, 40} {
		flags, _ = draw(4, 300, share)
		if err := f.Write(context.Background(), flags); err != nil {
			t.Fatal(err)
		}
		run(t, dev, res)
		equal(t, fmt.Sprint(share), l.Records(), filter(flags, pairs))
	}
}

// TestRunAfterCancelling ends contexts before and in runs, and runs again.
func TestRunAfterCancelling(t *testing.T) {
	dev, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	flags, pairs := draw(5, 30_000, 50)
	res := compact.New(dev, compact.Options{Blocks: 4})
	defer res.Close()
	l := add(t, res, upload(t, dev, flags), upload(t, dev, pairs))
	run(t, dev, res)
	for k := range 10 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(k)*time.Millisecond)
		if err := res.Run(ctx); err == nil {
			t.Logf("%d ms are enough", k)
		} else if !errors.Is(err, vyre.Canceled) || l.Len() != 0 {
			t.Fatalf("got %v with %d records, want %v", err, l.Len(), vyre.Canceled)
		}
		cancel()
	}
	if err := res.Run(context.Background()); err != nil { // counts what the last one read, too
		t.Fatal(err)
	}
	equal(t, "after all", l.Records(), filter(flags, pairs))
	run(t, dev, res)
	equal(t, "once more", l.Records(), filter(flags, pairs))
}

func TestRefusals(t *testing.T) {
	dev, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	flags, bytes, pairs := upload(t, dev, make([]uint32, 8)), upload(t, dev, make([]uint8, 8)), upload(t, dev, make([]pair, 7))
	ctx := context.Background()
	ready := compact.New(dev, compact.Options{})
	add(t, ready, flags, flags)
	if err := ready.Run(ctx); err != nil {
		t.Fatal(err)
	}
	_, small := compact.Add(compact.New(dev, compact.Options{}), flags, bytes)
	_, few := compact.Add(compact.New(dev, compact.Options{}), flags, pairs)
	_, late := compact.AddItems(ready, flags)
	many := compact.New(dev, compact.Options{Blocks: 1 << 30})
	add(t, many, flags, flags)
	_, none := compact.AddShard(compact.NewReports(dev, compact.ReportOptions{}), flags, flags)
	busy := ready.Close()
	for _, c := range []struct {
		err  error
		kind vyre.Kind
		want string
	}{
		{small, vyre.Unsupported, "a record has 1 bytes"},
		{few, vyre.InvalidArgument, "8 flags for 7 records"},
		{late, vyre.InvalidArgument, "it comes after the first run"},
		{compact.New(dev, compact.Options{}).Run(ctx), vyre.InvalidArgument, "it has no slots"},
		{many.Run(ctx), vyre.InvalidArgument, "are resident at once"},
		{none, vyre.InvalidArgument, "0 records of a shard are kept"},
		{ready.Run(ctx), vyre.Closed, "it was closed"},
	} {
		e, ok := c.err.(*vyre.Error)
		if !ok || e.Kind != c.kind || !strings.Contains(e.Msg, c.want) || e.Op == "" || (e.Fix == "" && c.kind != vyre.Closed) {
			t.Errorf("got %v, want %v with %q", c.err, c.kind, c.want)
		}
	}
	if busy != nil {
		t.Error(busy)
	}
}
