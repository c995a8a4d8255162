package device_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/egraph/device"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// TestSignatures has the vectors of the hash.
func TestSignatures(t *testing.T) {
	for _, v := range []struct {
		head uint32
		kids []uint32
		want uint32
	}{
		{0, nil, 0x74CFF7AD}, {1, []uint32{0, 1}, 0x2B571A74}, {1, []uint32{1, 0}, 0xE26FF451}, {2, []uint32{7}, 0x29986E2D},
		{1, []uint32{0, 0}, 0xA4A47A74}, {3, []uint32{1, 2, 3}, 0xA9F761C5}, {4, []uint32{0xFFFFFFFF, 0}, 0xAD5E893C}, {0xFFFFFFFF, nil, 0xE80B33F0},
	} {
		if got := device.Signature(v.head, v.kids); got != v.want {
			t.Errorf("%#x %v: %08X, want %08X", v.head, v.kids, got, v.want)
		}
	}
}

// TestASecondCallFindsNothingInOneRound, and leaves every column as it is.
func TestASecondCallFindsNothingInOneRound(t *testing.T) {
	s := session(t, open(t, "cpu"), egraphs.Mixed(1_000), device.Tuning{})
	first := canonicalise(t, s, nil, device.Options{})
	roots, classes := slices.Clone(first.Roots()), first.Classes
	r := canonicalise(t, s, nil, device.Options{})
	if r.Rounds != 1 || r.Unions != 0 || r.Pending != 0 || r.Lookups != 0 || r.Classes != classes || r.Live != first.Live || !slices.Equal(r.Roots(), roots) {
		t.Errorf("%+v after %+v", r, first)
	}
}

// TestFurtherUnionsEqualAllAtOnce gives a resident image unions in three calls, more than it has room for in the last, and all in one.
func TestFurtherUnionsEqualAllAtOnce(t *testing.T) {
	dev := open(t, "cpu")
	var all [][2]uint32
	for k := range uint32(1100) {
		all = append(all, [2]uint32{egraphs.Mix(k) % 125, egraphs.Mix(k+7) % 40})
	}
	many := session(t, dev, egraphs.Mixed(1_000), device.Tuning{})
	canonicalise(t, many, nil, device.Options{})
	canonicalise(t, many, all[:1], device.Options{})
	canonicalise(t, many, all[1:20], device.Options{})
	got := canonicalise(t, many, all[20:], device.Options{})
	once := session(t, dev, egraphs.Mixed(1_000), device.Tuning{})
	want := canonicalise(t, once, all, device.Options{})
	x, y, z := got.Groups()
	a, b, c := want.Groups()
	if !slices.Equal(got.Roots(), want.Roots()) || got.Live != want.Live || !slices.Equal(x, a) || !slices.Equal(y, b) || !slices.Equal(z, c) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for row := range 1_000 {
		if got.IsLive(row) != want.IsLive(row) {
			t.Errorf("row %d: live %v, want %v", row, got.IsLive(row), want.IsLive(row))
		}
	}
	if got.Refills == 0 && many.Bytes() <= once.Bytes()-8 {
		t.Error("there was room for all unions")
	}
}

// TestACallThatIsStoppedGoesOn a round at a time: the unions of each call are those of a round.
func TestACallThatIsStoppedGoesOn(t *testing.T) {
	for _, v := range vectors() {
		s := session(t, open(t, "cpu"), v.graph, device.Tuning{})
		for k, want := range v.unions {
			r := canonicalise(t, s, nil, device.Options{MaxRounds: 1})
			status := device.Stopped
			if want == 0 {
				status = device.Converged
			}
			if r.Status != status || r.Unions != int(want) || r.Rounds != 1 {
				t.Errorf("%s, round %d: %v with %d unions, want %v with %d", v.name, k, r.Status, r.Unions, status, want)
			}
			if k == len(v.unions)-1 {
				last := v
				if last.unions = []uint32{0}; k > 0 {
					last.pending = 0
				}
				last.check(t, &r)
			}
		}
		s.Close()
	}
}

// TestTheGroupsAreThoseOfTheGraph makes a graph of the result: it passes Check, nothing in it is left to unite, and its groups are
// the same, by the numbers of its roots.
func TestTheGroupsAreThoseOfTheGraph(t *testing.T) {
	dev := open(t, "cpu")
	for seed := range uint64(5) {
		s := session(t, dev, draw(seed, 30), device.Tuning{})
		r := canonicalise(t, s, nil, device.Options{Rows: true})
		g, err := r.Graph()
		if err == nil {
			err = g.Check()
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if g.Classes() != r.Classes || g.Rows() != r.Live {
			t.Errorf("seed %d: %d classes, %d rows, want %d, %d", seed, g.Classes(), g.Rows(), r.Classes, r.Live)
		}
		im, err := device.Build(g)
		if err != nil {
			t.Fatal(err)
		}
		classes, first, rows := r.Groups()
		numbers := make([]uint32, len(classes))
		for k, c := range classes {
			numbers[k], _ = im.Class(egraph.Class(c))
		}
		again := opened(t, dev, im, device.Tuning{})
		q := canonicalise(t, again, nil, device.Options{})
		a, b, c := q.Groups()
		if q.Rounds != 1 || !slices.Equal(a, numbers) || !slices.Equal(b, first) || !slices.Equal(c, rows) {
			t.Errorf("seed %d: groups %v %v %v of %d rounds, want %v %v %v", seed, a, b, c, q.Rounds, numbers, first, rows)
		}
	}
	s := session(t, dev, egraphs.Mixed(64), device.Tuning{})
	if r := canonicalise(t, s, nil, device.Options{}); true {
		if _, err := r.Graph(); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "set Options.Rows") {
			t.Errorf("without rows: %v", err)
		}
	}
}

// TestTheDeviceHasTheGraph overwrites a child on the device between the upload and the run: the result is that of the changed graph.
func TestTheDeviceHasTheGraph(t *testing.T) {
	for _, name := range devices() {
		dev := open(t, name)
		g := func(kid egraph.Class) *egraph.Graph {
			return small(4, []given{{0, "a", nil}, {1, "b", nil}, {2, "f", kids(0)}, {3, "f", kids(kid)}})
		}
		s := session(t, dev, g(1), device.Tuning{})
		if err := driver.Write(t.Context(), s.Child(3, 0), []byte{0, 0, 0, 0}); err != nil {
			t.Fatal(err)
		}
		r := canonicalise(t, s, nil, device.Options{})
		if want := closeByHand(g(0)); want.compare(&r) != nil {
			t.Errorf("%s: %v", name, want.compare(&r))
		}
	}
}

// TestOneUploadOneLaunchOneRead counts what a device did, from Open to the result and in a second call.
func TestOneUploadOneLaunchOneReadOnDevices(t *testing.T) {
	for _, name := range devices() {
		dev := open(t, name)
		im, err := device.Build(egraphs.Mixed(64))
		if err != nil {
			t.Fatal(err)
		}
		if want := device.Bytes(64, 0, 64, 64); im.Bytes() != want {
			t.Errorf("an image of %d bytes, predicted are %d", im.Bytes(), want)
		}
		before := *dev.Stats()
		s := opened(t, dev, im, device.Tuning{})
		if got, want := dev.Stats().Get(metric.LiveBytes)-before.Get(metric.LiveBytes), im.Bytes()+megakernel.RecordBytes+8; got != want {
			t.Errorf("%s: %d bytes on the device, predicted are %d", name, got, want)
		}
		check := func(what string, o device.Options, pending [][2]uint32, uploads, uploaded uint64) {
			t.Helper()
			opening := *dev.Stats()
			r := canonicalise(t, s, pending, o)
			did := dev.Stats().Sub(&opening)
			launches := did.Get(metric.LaunchesPlain) + did.Get(metric.LaunchesGraph)
			if launches != 1 || did.Get(metric.CoopLaunches) != 1 || did.Get(metric.Reads) != 1 || did.Get(metric.ReadBytes) != r.Read ||
				did.Get(metric.Uploads) != uploads || did.Get(metric.UploadBytes) != uploaded || r.Uploaded != uploaded || did.Get(metric.AllocRequests) != 0 {
				t.Errorf("%s, %s: %d launches, %d reads of %d bytes, %d uploads of %d, %d allocations; it says %d read, %d uploaded, want %d", name, what, launches,
					did.Get(metric.Reads), did.Get(metric.ReadBytes), did.Get(metric.Uploads), did.Get(metric.UploadBytes), did.Get(metric.AllocRequests), r.Read, r.Uploaded, uploaded)
			}
		}
		check("the first call", device.Options{}, nil, 0, 0)
		all := dev.Stats().Sub(&before)
		if n := all.Get(metric.Uploads); n != 1 {
			t.Errorf("%s: %d uploads in all", name, n)
		}
		check("the second call", device.Options{}, nil, 0, 0)
		check("three unions", device.Options{}, [][2]uint32{{1, 2}, {3, 4}, {4, 5}}, 1, 4*(4+2*4))
		check("after them", device.Options{}, nil, 0, 0)
		check("with a bound", device.Options{MaxRounds: 3}, nil, 1, 16)
		check("with that again", device.Options{MaxRounds: 3}, nil, 0, 0)
	}
}

// TestAWarmCallAllocatesNothing, on either side.
func TestAWarmCallAllocatesNothing(t *testing.T) {
	s := session(t, open(t, "cuda-sim"), egraphs.Chain(18), device.Tuning{})
	unions := [][2]uint32{{3, 4}}
	call := func() {
		if _, err := s.Canonicalise(context.Background(), unions, device.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		call()
	}
	if n := testing.AllocsPerRun(4, call); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestNoScheduleShowsARace runs groups and warps in several orders under the detectors: no race, and the same bytes.
func TestNoScheduleShowsARace(t *testing.T) {
	schedules := []cpu.Schedule{cpu.Forward, cpu.Reversed, cpu.Seeded(5), cpu.Seeded(6), cpu.Seeded(7)}
	graphs := []*egraph.Graph{draw(3, 30), egraphs.Hot(40), egraphs.Mixed(64)}[:long.Count(2, 3, 3)]
	want := make([][]uint32, len(graphs))
	for _, schedule := range schedules[1:long.Count(3, 5, 5)] {
		dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: schedule, Detect: cpu.Everything}})
		if err != nil {
			t.Fatal(err)
		}
		for k, g := range graphs {
			s := session(t, dev, g, device.Tuning{Keep: 255})
			r := canonicalise(t, s, nil, device.Options{Rows: true})
			canonicalise(t, s, [][2]uint32{{0, 5}, {5, 7}}, device.Options{})
			r = canonicalise(t, s, nil, device.Options{Rows: true})
			for _, found := range s.Reports() {
				t.Errorf("%s: %s", found.Kernel, found.Text)
			}
			if want[k] == nil {
				want[k] = slices.Clone(r.Words())
			}
			if !slices.Equal(r.Words(), want[k]) {
				t.Errorf("graph %d: another schedule leaves other bytes", k)
			}
		}
	}
}

// TestCallsThatCannotBeAreRefused, and leave the session as it is.
func TestCallsThatCannotBeAreRefused(t *testing.T) {
	dev := open(t, "cpu")
	g := small(2, []given{{0, "a", nil}})
	g.Class(ir.I32)
	s := session(t, dev, g, device.Tuning{})
	for _, v := range []struct {
		pending [][2]uint32
		o       device.Options
		want    string
	}{
		{[][2]uint32{{0, 1}, {0, 3}}, device.Options{}, "union 1 is of classes 0 and 3 of 3"},
		{[][2]uint32{{0, 2}}, device.Options{}, "class 0, which is u32, and class 2, which is i32"},
		{nil, device.Options{Topology: megakernel.Drained}, "drained has no rounds"},
	} {
		if _, err := s.Canonicalise(t.Context(), v.pending, v.o); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), v.want) {
			t.Errorf("%v, want %q", err, v.want)
		}
	}
	if r := canonicalise(t, s, nil, device.Options{}); r.Classes != 3 || r.Pending != 0 {
		t.Errorf("after refusals: %+v", r)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Canonicalise(t.Context(), nil, device.Options{}); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "closed") {
		t.Errorf("closed: %v", err)
	}
	if _, err := device.Open(t.Context(), dev, nil); !errors.Is(err, driver.InvalidArgument) {
		t.Errorf("no image: %v", err)
	}
}

// TestAnEndedContextCostsNothing: the next call does the unions that the one before was given.
func TestAnEndedContextCostsNothing(t *testing.T) {
	for _, how := range []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop} {
		v := vectors()[1]
		s := session(t, open(t, "cpu"), v.graph, device.Tuning{})
		canonicalise(t, s, nil, device.Options{Topology: how, MaxRounds: 2})
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Canonicalise(ended, [][2]uint32{{5, 2}}, device.Options{Topology: how}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", how, err)
		}
		r := canonicalise(t, s, nil, device.Options{Topology: how})
		g := egraphs.Chain(18)
		if err := g.Union(2, 5, "later"); err != nil {
			t.Fatal(err)
		}
		if want := closeByHand(g); want.compare(&r) != nil {
			t.Errorf("%v: %v", how, want.compare(&r))
		}
	}
}

// TestAnImageThatDoesNotFitSaysSoToTheByte.
func TestAnImageThatDoesNotFitSaysSoToTheByte(t *testing.T) {
	im, err := device.Build(egraphs.Mixed(1_000))
	if err != nil {
		t.Fatal(err)
	}
	dev, err := driver.Open("cpu", driver.OpenOptions{MemoryLimit: int64(im.Bytes()) - 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	_, err = device.Open(t.Context(), dev, im)
	var e *driver.Error
	if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || e.Requested != int64(im.Bytes()) {
		t.Errorf("%v, want %d bytes requested", err, im.Bytes())
	}
}
