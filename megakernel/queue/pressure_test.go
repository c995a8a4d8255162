package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel/queue"
)

// TestFullQueueDefersAndGrows gives little room to many workers, in orders of groups and warps that
// seeds give: 20 of them, 70 that are drawn with -long.
func TestFullQueueDefersAndGrows(t *testing.T) {
	grown := 0
	for seed := range long.Seeds(t, 20, 70, 1000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		capacity, blocks := int(seed%8)+1, []int{1, 2, 5, 64}[rng.IntN(4)]
		dev := open(t, "cpu", seed)
		n := 20 + rng.IntN(100)
		g := draw(seed, n, min(capacity, 3))
		m := g.upload(t, dev, "Narrow")
		starts := make([]queue.Item, 1+rng.IntN(capacity))
		nodes := make([]uint32, len(starts))
		for k := range starts {
			nodes[k] = uint32(rng.IntN(n / 4))
			starts[k] = item(nodes[k])
		}
		want, items := g.paths(nodes)
		what := fmt.Sprintf("seed %d, capacity %d, %d blocks", seed, capacity, blocks)
		q := m.queue(queue.Options{Most: g.most, Capacity: capacity, Blocks: blocks})
		rec, err := q.Run(context.Background(), starts)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		balanced(t, what, rec, items)
		quiet(t, what, q)
		if got := m.counts(); !slices.Equal(got, want) {
			t.Errorf("%s: items were done %v times, want %v", what, got, want)
		}
		if (rec.Deferred > 0) != (rec.Launches > 1) || rec.Grown == 0 && rec.Capacity != uint64(capacity) {
			t.Errorf("%s: %+v", what, rec)
		}
		grown += rec.Grown
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	if grown == 0 {
		t.Error("no ring was ever replaced by a larger one")
	}
}

// TestGrowingOnEveryDevice does the same a few times elsewhere.
func TestGrowingOnEveryDevice(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device, 3)
		g := draw(5, 300, 4)
		want, items := g.paths([]uint32{0, 1})
		for _, kernel := range []string{"Narrow", "Wide"} {
			m := g.upload(t, dev, kernel)
			q := m.queue(queue.Options{Most: g.most, Capacity: 4, Blocks: 4})
			rec, err := q.Run(context.Background(), []queue.Item{item(0), item(1)})
			if err != nil {
				t.Fatal(err)
			}
			balanced(t, device, rec, items)
			if got := m.counts(); !slices.Equal(got, want) {
				t.Errorf("%s: items were done %v times, want %v", device, got, want)
			}
			if rec.Grown == 0 || rec.Deferred == 0 {
				t.Errorf("%s: %+v, want a ring that grew", device, rec)
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestResidentBytesAreThosePlanned asks the device's allocator.
func TestResidentBytesAreThosePlanned(t *testing.T) {
	dev := open(t, "cuda-sim", 0)
	g := draw(5, 200, 4)
	m := g.upload(t, dev, "Narrow")
	before := dev.Stats().Get(metric.LiveBytes)
	q := m.queue(queue.Options{Most: g.most, Capacity: 4, Blocks: 4})
	for range 2 {
		rec, err := q.Run(context.Background(), []queue.Item{item(0)})
		if err != nil {
			t.Fatal(err)
		}
		have := dev.Stats().Get(metric.LiveBytes) - before
		if p, _ := q.Plan(); have != rec.ResidentBytes || p.ResidentBytes != have || p.Capacity != rec.Capacity {
			t.Errorf("%d bytes are resident, want %d: %+v", have, rec.ResidentBytes, rec)
		}
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	if have := dev.Stats().Get(metric.LiveBytes); have != before {
		t.Errorf("%d bytes are left", have-before)
	}
}

// TestBudgetLeavesTheRing gives too little for a larger ring, then more.
func TestBudgetLeavesTheRing(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device, 4)
		g := draw(11, 400, 4)
		m := g.upload(t, dev, "Narrow")
		want, items := g.paths([]uint32{0})
		free := m.queue(queue.Options{Most: g.most, Capacity: 8, Blocks: 4})
		all, err := free.Run(context.Background(), []queue.Item{item(0)})
		if err != nil || all.Grown == 0 {
			t.Fatalf("%+v, %v: nothing to bound", all, err)
		}
		m.counts()
		free.Close()

		control := int64(all.ResidentBytes - 24*all.Capacity)
		q := m.queue(queue.Options{Most: g.most, Capacity: 8, Blocks: 4, Budget: control + 24*16})
		rec, err := q.Run(context.Background(), []queue.Item{item(0)})
		var r *plan.Reason
		if !errors.Is(err, vyre.OutOfMemory) || !errors.As(err, &r) || r.Code != "over_budget" || r.Numbers[0] <= uint64(control)+24*16 {
			t.Fatalf("%s: got %v, want over_budget", device, err)
		}
		if rec.Live == 0 || rec.Pushed != rec.Popped+rec.Live || rec.Done != rec.Popped {
			t.Errorf("%s: %+v is not in order", device, rec)
		}
		if again, err := q.Resume(context.Background()); !errors.Is(err, vyre.OutOfMemory) || again.Live != rec.Live {
			t.Errorf("%s: %+v, %v, want the same error", device, again, err)
		}
		q.SetBudget(0)
		rec, err = q.Resume(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		balanced(t, device, rec, items)
		if got := m.counts(); !slices.Equal(got, want) {
			t.Errorf("%s: items were done %v times, want %v", device, got, want)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRingThatMayNotGrowGoesOn keeps a ring of the same size where items ask for more than they need.
func TestRingThatMayNotGrowGoesOn(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device, 9)
		leaves := dag{offsets: make([]uint32, 11), targets: []uint32{0}}
		m := leaves.upload(t, dev, "Narrow")
		m.args[0] = vyre.Value(uint32(3))
		control := int64(8*queue.ControlWords + 16*32)
		q := m.queue(queue.Options{Most: 3, Capacity: 8, Blocks: 1, Budget: control + 24*8})
		rec, err := q.Run(context.Background(), []queue.Item{item(0), item(1), item(2), item(3), item(4)})
		if err != nil {
			t.Fatal(err)
		}
		balanced(t, device, rec, 5)
		// Of 8 credits two items get theirs; then two of the three that are left, then the last one.
		if rec.Launches != 3 || rec.Deferred != 4 || rec.Grown != 0 || rec.Capacity != 8 {
			t.Errorf("%s: %+v", device, rec)
		}
		if got, want := m.counts(), []uint32{1, 1, 1, 1, 1, 0, 0, 0, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("%s: items were done %v times, want %v", device, got, want)
		}
		q.Close()
	}
}

// TestItemThatCreatesMoreThanItSaid gets no room for it, and is a fault.
func TestItemThatCreatesMoreThanItSaid(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device, 9)
		m := dag{offsets: []uint32{0, 2, 4, 6, 6}, targets: []uint32{3, 3, 3, 3, 3, 3}}.upload(t, dev, "Narrow")
		m.args[0] = vyre.Value(^uint32(0)) // one less than it creates
		q := m.queue(queue.Options{Most: 2, Capacity: 8, Blocks: 1})
		rec, err := q.Run(context.Background(), []queue.Item{item(0), item(1), item(2)})
		if err != nil {
			t.Fatal(err)
		}
		balanced(t, device, rec, 6)
		if rec.Faults != 6 || rec.Done != 0 || rec.First[0].Reason != queue.TooMany {
			t.Errorf("%s: %+v, want six faults", device, rec)
		}
		q.Close()
	}
}

// TestCorruptedItemsAreFaults breaks some items, in all ways that there are.
func TestCorruptedItemsAreFaults(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device, 5)
		g := draw(12, 100, 3)
		m := g.upload(t, dev, "Narrow")
		rng := rand.New(rand.NewPCG(3, 3))
		var starts []queue.Item
		var good []uint32
		reasons := map[uint32]uint64{}
		for k := range 200 {
			v := uint32(rng.IntN(100))
			it := item(v)
			switch rng.IntN(5) {
			case 0:
				it.Op = uint32(k) + 8
				reasons[1]++
			case 1:
				it = item(v + 100)
				reasons[2]++
			case 2:
				it.Args[1+k%2] ^= 1 << rng.IntN(32)
				reasons[3]++
			default:
				good = append(good, v)
			}
			starts = append(starts, it)
		}
		want, items := g.paths(good)
		q := m.queue(queue.Options{Most: g.most, Expansion: 10_000, Blocks: 3})
		rec, err := q.Run(context.Background(), starts)
		if err != nil {
			t.Fatal(err)
		}
		faults := uint64(len(starts) - len(good))
		balanced(t, device, rec, items+faults)
		if rec.Faults != faults || rec.Done != items || len(rec.First) != queue.Faults {
			t.Errorf("%s: %d faults of which %d are known, want %d", device, rec.Faults, len(rec.First), faults)
		}
		for _, f := range rec.First {
			if reasons[f.Reason] == 0 || (f.Op != 7) != (f.Reason == 1) || f.Ticket >= items+faults {
				t.Errorf("%s: %v", device, f)
			}
			reasons[f.Reason]--
		}
		if got := m.counts(); !slices.Equal(got, want) {
			t.Errorf("%s: items were done %v times, want %v", device, got, want)
		}

		// An item that creates more than was said is not begun.
		few := m.queue(queue.Options{Most: 0, Capacity: 4, Blocks: 1})
		hub := uint32(slices.IndexFunc(g.offsets[1:], func(o uint32) bool { return o > 0 }))
		rec, err = few.Run(context.Background(), []queue.Item{item(hub)})
		if err != nil || rec.Faults != 1 || rec.Done != 0 || rec.First[0].Reason != queue.TooMany || slices.Max(m.counts()) != 0 {
			t.Errorf("%s: %+v, %v, want one fault", device, rec, err)
		}
		few.Close()
		q.Close()
	}
}

// TestLaunchItemsBoundsALaunch empties a full ring in parts.
func TestLaunchItemsBoundsALaunch(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device, 6)
		leaves := dag{offsets: make([]uint32, 1025), targets: []uint32{0}}
		m := leaves.upload(t, dev, "Wide")
		q := m.queue(queue.Options{Capacity: 1024, LaunchItems: 128, Blocks: 2})
		var starts []queue.Item
		for v := range uint32(1024) {
			starts = append(starts, item(v))
		}
		rec, err := q.Run(context.Background(), starts)
		if err != nil {
			t.Fatal(err)
		}
		balanced(t, device, rec, 1024)
		if _, d := q.Plan(); d != (plan.Drain{Launches: 8, Items: 128}) || rec.Launches != int(d.Launches) {
			t.Errorf("%s: %d launches, planned %+v", device, rec.Launches, d)
		}
		if rec, err := q.Run(context.Background(), nil); err != nil || rec.Launches != 1 || rec.Popped != 0 {
			t.Errorf("%s: no items: %+v, %v", device, rec, err)
		}
		q.Close()
	}
}

// TestResumeAfterCancelling ends the context before a launch and in the middle of one.
func TestResumeAfterCancelling(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device, 7)
		g := draw(31, 600, 4)
		m := g.upload(t, dev, "Wide")
		q := m.queue(queue.Options{Most: g.most, Capacity: 8192, Blocks: 2})
		if _, err := q.Resume(context.Background()); !errors.Is(err, vyre.InvalidArgument) || !strings.Contains(err.Error(), "begin with Run") {
			t.Errorf("%s: got %v", device, err)
		}
		want, items := g.paths([]uint32{0})
		for _, resume := range []bool{false, true} {
			for _, midway := range []bool{false, true} {
				if !cancelled(t, dev, q, midway) {
					m.counts()
					continue
				}
				again := q.Resume
				if !resume {
					m.counts()
					again = func(ctx context.Context) (queue.Record, error) { return q.Run(ctx, []queue.Item{item(0)}) }
				}
				rec, err := again(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				balanced(t, device, rec, items)
				if got := m.counts(); !slices.Equal(got, want) {
					t.Errorf("%s: items were done %v times, want %v", device, got, want)
				}
			}
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}

// cancelled begins a run whose context ends before its launch, or after it began, and reports whether it did
// before the run was over.
func cancelled(t *testing.T, dev vyre.Device, q *queue.Queue, midway bool) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if !midway {
		cancel()
	}
	begun := dev.Stats().Get(metric.LaunchesPlain)
	ended := make(chan error)
	go func() {
		_, err := q.Run(ctx, []queue.Item{item(0)})
		ended <- err
	}()
	for midway && dev.Stats().Get(metric.LaunchesPlain) < begun+3 { // mark, restore, and the one that works
	}
	cancel()
	err := <-ended
	if err == nil && midway {
		t.Log("the run was over before its context")
		return false
	}
	if !errors.Is(err, vyre.Canceled) {
		t.Errorf("got %v, want %v", err, vyre.Canceled)
	}
	return true
}

func TestRefusals(t *testing.T) {
	dev := open(t, "cpu", 8)
	ctx := context.Background()
	m := draw(1, 10, 2).upload(t, dev, "Narrow")
	one := func(name string) vyre.Kernel {
		k, err := dev.Compile(ctx, programs()[name], vyre.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { k.Close() })
		return k
	}
	for _, c := range []struct {
		kernel vyre.Kernel
		args   []vyre.Arg
		o      queue.Options
		want   string
	}{
		{one("Alone"), nil, queue.Options{}, "Alone is not cooperative"},
		{one("Odd"), nil, queue.Options{}, "48×1×1, which are no whole warps"},
		{m.kernel, nil, queue.Options{}, "8 parameters, and 0 arguments beside the four"},
		{m.kernel, m.args, queue.Options{Blocks: 1 << 30}, "are resident at once"},
		{m.kernel, m.args, queue.Options{Capacity: -1}, "a number is negative"},
		{m.kernel, m.args, queue.Options{Most: 1 << 27}, "an item may create"},
	} {
		_, err := queue.New(ctx, dev, c.kernel, c.args, c.o)
		e, ok := err.(*vyre.Error)
		if !ok || !strings.Contains(e.Msg, c.want) || e.Fix == "" || e.Path == "" {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	q := m.queue(queue.Options{Most: 2, Capacity: 1})
	if _, err := q.Run(ctx, []queue.Item{item(0)}); err == nil || !strings.Contains(err.Error(), "1 entries, and an item may create 2") {
		t.Errorf("got %v", err)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	if _, err := q.Run(ctx, nil); !errors.Is(err, vyre.Closed) {
		t.Errorf("got %v", err)
	}
}
