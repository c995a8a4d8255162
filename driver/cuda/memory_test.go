package cuda_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
)

// opened is a device on a simulated driver of one model, closed, with nothing left and books
// that end at zero, when the test ends.
func opened(t *testing.T, c cusim.Config, o driver.OpenOptions) *cuda.Device {
	t.Helper()
	d, _ := openedSim(t, c, o)
	return d
}

// openedSim is opened for tests that look at the driver.
func openedSim(t *testing.T, c cusim.Config, o driver.OpenOptions) (*cuda.Device, *cusim.Driver) {
	t.Helper()
	if c.Models == nil {
		c.Models = []cusim.Model{cusim.Tiny}
	}
	sim := cusim.New(c)
	d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if left := sim.Left(); left != "" {
			t.Errorf("left behind: %s", left)
		}
		booksAre(t, d, books{})
		for _, m := range []driver.Metric{metric.PinnedBytes, metric.PinnedIdleBytes, metric.DeferredBlocks, metric.PoolSlackBytes, metric.Buffers} {
			counted(t, d, m, 0)
		}
	})
	return d, sim
}

// books are the gauges of memory.
type books struct{ live, reserved, idle, internal uint64 }

func booksAre(t *testing.T, d *cuda.Device, want books) {
	t.Helper()
	s := d.Stats()
	got := books{s.Get(metric.LiveBytes), s.Get(metric.ReservedBytes), s.Get(metric.IdleBytes), s.Get(metric.InternalBytes)}
	if got != want {
		t.Errorf("memory is %+v, want %+v", got, want)
	}
	if sum := got.reserved + got.idle + got.internal; s.Get(metric.DriverBytes) != sum {
		t.Errorf("%d bytes were obtained, %d are accounted for", s.Get(metric.DriverBytes), sum)
	}
}

func counted(t *testing.T, d *cuda.Device, m driver.Metric, want uint64) {
	t.Helper()
	if got := d.Stats().Get(m); got != want {
		t.Errorf("%v is %d, want %d", m, got, want)
	}
}

func alloc(t *testing.T, d *cuda.Device, n int64) driver.Buffer {
	t.Helper()
	b, err := d.Alloc(n, driver.AllocOptions{Label: "b"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func closed(t *testing.T, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestFreedMemoryServesAgain(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{})
	a := alloc(t, d, 100_000)
	at, _ := a.Address()
	closed(t, a)
	booksAre(t, d, books{idle: 106_496})
	b := alloc(t, d, 100_001)
	if again, _ := b.Address(); again != at {
		t.Errorf("second buffer is at %#x, want %#x", again, at)
	}
	booksAre(t, d, books{live: 100_001, reserved: 106_496})
	counted(t, d, metric.DriverAllocs, 1)
	counted(t, d, metric.AllocReused, 1)
}

func TestTheNewestBlockOfAClassServesFirst(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{})
	a, b, c := alloc(t, d, 5000), alloc(t, d, 5000), alloc(t, d, 50_000)
	at, _ := b.Address()
	closed(t, a)
	closed(t, b)
	closed(t, c)
	if again, _ := alloc(t, d, 4700).Address(); again != at {
		t.Errorf("got the block at %#x, want the one at %#x", again, at)
	}
}

func TestLargeBlocksServeSizesAnEighthBelow(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{IdleLimit: 1 << 30})
	for _, c := range []struct {
		name         string
		first, again int64
		reused       uint64
	}{
		{"an eighth below", 36 << 20, 32 << 20, 1},
		{"more than an eighth below", 38 << 20, 32 << 20, 0},
		{"above", 64 << 20, 66 << 20, 0},
	} {
		closed(t, alloc(t, d, c.first))
		before := d.Stats().Get(metric.AllocReused)
		closed(t, alloc(t, d, c.again))
		if got := d.Stats().Get(metric.AllocReused) - before; got != c.reused {
			t.Errorf("%s: %d reused, want %d", c.name, got, c.reused)
		}
		if _, err := d.Trim(0); err != nil {
			t.Fatal(err)
		}
	}
}

// goRound goes round %n times, then x[0] = %n.
const goRound = `  %end = loop ^l (%i: u32 = 0_u32) -> (u32) {
    %done = le.u32 %n, %i
    if %done { break ^l (%i) }
    %next = add.u32 %i, 1_u32
    continue ^l (%next)
  }
  store @x[0_u32], %end
}`

// spin goes round n times, then x[0] = n.
const spin = `vyre 1
kernel @spin workgroup(1) {
  param @x: buf<u32> rw
  param %n: u32
` + goRound

func TestMemoryOfALostRunWaitsForItsEnd(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{CloseTimeout: 1})
	k, err := d.Compile(ctx, parse(t, spin), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := alloc(t, d, 100_000)
	s := d.NewSequence("lost")
	s.Upload(driver.Part(b, 0, 4), make([]byte, 4), driver.Always)
	s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(200_000))
	if _, err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); !errors.Is(err, driver.Busy) {
		t.Errorf("closing a buffer in use: %v", err)
	}
	if err := s.Close(); !errors.Is(err, driver.Closed) {
		t.Fatalf("closing a run that goes on for long: %v", err)
	}
	closed(t, b)
	if n := d.Stats().Get(metric.DeferredBlocks); n == 0 {
		t.Error("nothing is in quarantine")
	}
	other := alloc(t, d, 100_000)
	counted(t, d, metric.DriverAllocs, 2)
	closed(t, other)
	// The simulated run goes on whenever somebody asks after it.
	for d.Stats().Get(metric.DeferredBlocks) > 0 {
		runtime.Gosched()
		closed(t, alloc(t, d, 100_000))
		if _, err := d.Trim(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	alloc(t, d, 100_000)
	alloc(t, d, 100_000)
	counted(t, d, metric.DriverAllocs, 2)
}

// TestRoomIsWhatTheDriverHasFree, and what is idle here.
func TestRoomIsWhatTheDriverHasFree(t *testing.T) {
	d := opened(t, cusim.Config{Memory: 1 << 20}, driver.OpenOptions{})
	room := func() int64 {
		t.Helper()
		n, err := d.Room()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	all := room()
	if all > 1<<20 || all < 1<<19 {
		t.Errorf("room for %d bytes of 1 MiB", all)
	}
	a := alloc(t, d, 256<<10)
	if n := room(); n != all-256<<10 {
		t.Errorf("room for %d bytes beside 256 KiB, %d before", n, all)
	}
	closed(t, a)
	if n := room(); n != all {
		t.Errorf("room for %d bytes when 256 KiB are idle, %d before", n, all)
	}
}

func TestIdleMemoryIsBounded(t *testing.T) {
	const mib = 1 << 20
	d := opened(t, cusim.Config{}, driver.OpenOptions{IdleLimit: 3 * mib})
	var all []driver.Buffer
	for range 5 {
		all = append(all, alloc(t, d, mib))
	}
	for _, b := range all {
		closed(t, b)
	}
	booksAre(t, d, books{idle: 3 * mib})
	counted(t, d, metric.DriverFrees, 2)
	kept := alloc(t, d, mib) // the newest
	if at, _ := kept.Address(); at == 0 {
		t.Error("a buffer has no address")
	}
	if freed, err := d.Trim(mib); freed != mib || err != nil {
		t.Errorf("trimming freed %d bytes, %v", freed, err)
	}
}

func TestIdleMemoryIsGivenBackBeforeMemoryRunsOut(t *testing.T) {
	d := opened(t, cusim.Config{Memory: 1 << 20}, driver.OpenOptions{})
	a := alloc(t, d, 600<<10)
	closed(t, a)
	b := alloc(t, d, 900<<10)
	counted(t, d, metric.Trims, 1)
	counted(t, d, metric.OOMRetries, 1)
	_, err := d.Alloc(800<<10, driver.AllocOptions{Label: "third"})
	var e *driver.Error
	if !errors.As(err, &e) || e.Kind != driver.OutOfMemory || e.Requested != 800<<10 || e.Available != 1<<20-b.Reserved() || e.Call == "" {
		t.Fatalf("got %v, %+v", err, e)
	}
	want := `alloc "third" on cuda:0: out of memory: requested 819200 bytes, 65536 available; largest: b 983040 [CUDA_ERROR_OUT_OF_MEMORY 2]; fix: close buffers or split the work`
	if err := err.Error(); !strings.HasSuffix(err, want) {
		t.Errorf("the error says %q", err)
	}
}

func TestTheLimitCountsIdleMemory(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{MemoryLimit: 1 << 20})
	var last driver.Buffer
	for range 15 {
		last = alloc(t, d, 64<<10)
	}
	closed(t, last)
	alloc(t, d, 96<<10)
	counted(t, d, metric.Trims, 1)
	var e *driver.Error
	if _, err := d.Alloc(200<<10, driver.AllocOptions{}); !errors.As(err, &e) || e.Kind != driver.OutOfMemory || e.Requested != 204_800 {
		t.Errorf("beyond the limit: %v", err)
	}
}

func TestADriverThatIsShortOnceIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		call  string
		nth   int // the pool is tried first
		size  int64
		lacks []cu.Group
	}{{"cuMemAlloc_v2", 1, 1 << 20, []cu.Group{cu.Pool}}, {"cuMemAlloc_v2", 1, 1000, nil}, {"cuMemAllocFromPoolAsync", 1, 1 << 20, nil}, {"cuMemAllocFromPoolAsync", 2, 1 << 20, nil}} {
		d := opened(t, cusim.Config{Lacks: c.lacks, Faults: cusim.Faults{{Call: c.call, Nth: c.nth, Result: 2}}}, driver.OpenOptions{})
		alloc(t, d, c.size)
		counted(t, d, metric.OOMRetries, 1)
	}
}

// Names of the calls that obtain memory.
const (
	direct = "cuMemAlloc_v2" // of the context's allocator
	pooled = "cuMemAllocFromPoolAsync"
)

func TestAPoolThatCannotBeMadeIsNotUsed(t *testing.T) {
	for _, c := range []cusim.Rule{{Call: "cuMemPoolCreate", Result: cu.NotSupported}, {Call: "cuMemPoolSetAttribute", Result: 1}, {Call: pooled, Result: 800}} {
		c.Nth = 1
		d, sim := openedSim(t, cusim.Config{Faults: cusim.Faults{c}}, driver.OpenOptions{})
		for range 2 {
			closed(t, alloc(t, d, 1<<20))
			if _, err := d.Trim(0); err != nil {
				t.Error(err)
			}
		}
		if n := sim.Count(direct); n != 2 {
			t.Errorf("where %s gives %v, %d blocks of 2 come from the context's allocator", c.Call, c.Result, n)
		}
	}
}

// A pool's first allocation takes a driver long, so the first small blocks come without one, but not too many, since their
// frees wait for the device.
func TestAShortProgramNeedsNoPool(t *testing.T) {
	d, sim := openedSim(t, cusim.Config{}, driver.OpenOptions{})
	for range 16 {
		alloc(t, d, 64<<10)
	}
	if sim.Count(pooled) != 0 || sim.Count(direct) != 16 {
		t.Errorf("16 small blocks: %d of the context's allocator, %d of a pool", sim.Count(direct), sim.Count(pooled))
	}
	for range 100 {
		alloc(t, d, 64<<10)
	}
	if sim.Count(direct) > 32 || sim.Count(pooled) < 84 {
		t.Errorf("a hundred more: %d of the context's allocator, %d of a pool", sim.Count(direct), sim.Count(pooled))
	}
	before := sim.Count(direct)
	alloc(t, d, 1<<10)
	if sim.Count(direct) != before {
		t.Error("with a pool a small block comes from the context's allocator")
	}
}

func TestWhatTheDriverKeepsIsNotInTheBooks(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{IdleLimit: 1})
	if !d.Caps().MemPools {
		t.Fatal("the simulated driver has no pools")
	}
	closed(t, alloc(t, d, 1<<20))
	alloc(t, d, 1<<10) // lets the free take effect
	booksAre(t, d, books{live: 1 << 10, reserved: 1 << 10})
	if n := d.Stats().Get(metric.PoolSlackBytes); n == 0 {
		t.Error("the driver keeps nothing")
	}
	if _, err := d.Trim(0); err != nil {
		t.Fatal(err)
	}
	counted(t, d, metric.PoolSlackBytes, 0)
}

func TestWithoutPoolsFreeingWaitsForATimeWithoutWork(t *testing.T) {
	t.Run("none", func(t *testing.T) { freeingWaits(t, cusim.Config{Lacks: []cu.Group{cu.Pool}}) })
	t.Run("first", func(t *testing.T) { freeingWaits(t, cusim.Config{}) }) // blocks, which are of none
}

func freeingWaits(t *testing.T, c cusim.Config) {
	d := opened(t, c, driver.OpenOptions{IdleLimit: 1})
	k, err := d.Compile(ctx, parse(t, spin), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, other := alloc(t, d, 4), alloc(t, d, 1000)
	s := d.NewSequence("busy")
	s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1000))
	if _, err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	closed(t, other)
	counted(t, d, metric.DriverFrees, 0)
	if _, err := s.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	closed(t, alloc(t, d, 5000))
	counted(t, d, metric.DriverFrees, 2)
}

func TestIdleShapesOfDispatchMakeRoom(t *testing.T) {
	d := opened(t, cusim.Config{Memory: 8 << 20}, driver.OpenOptions{})
	k, err := d.Compile(ctx, parse(t, addOne), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(make([]byte, 100_000))); err != nil {
		t.Fatal(err)
	}
	// With the 106 496 bytes that the shape has, this does not fit.
	alloc(t, d, 8<<20-64<<10)
	counted(t, d, metric.OOMRetries, 1)
}

func TestWarmAllocationMakesNoCall(t *testing.T) {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}, Record: true})
	d, err := cuda.Open(cuda.Options{Driver: sim})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	closed(t, alloc(t, d, 12_345))
	before := len(sim.Calls())
	closed(t, alloc(t, d, 12_345))
	for _, call := range sim.Calls()[before:] {
		if call != "cuCtxSetCurrent" {
			t.Errorf("a warm allocation calls %s", call)
		}
	}
}

func TestBooksBalanceWhateverIsAllocated(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 1))
		d := opened(t, cusim.Config{Memory: 24 << 20}, driver.OpenOptions{IdleLimit: 4 << 20, MemoryLimit: 20 << 20})
		var open []driver.Buffer
		var want books
		for range 300 {
			if rng.IntN(3) == 0 && len(open) > 0 {
				i := rng.IntN(len(open))
				want.live -= uint64(open[i].Len())
				want.reserved -= uint64(open[i].Reserved())
				closed(t, open[i])
				open = append(open[:i], open[i+1:]...)
			} else if b, err := d.Alloc(rng.Int64N(1<<rng.IntN(22)), driver.AllocOptions{}); err == nil {
				open = append(open, b)
				want.live += uint64(b.Len())
				want.reserved += uint64(b.Reserved())
			} else if !errors.Is(err, driver.OutOfMemory) {
				t.Fatal(err)
			}
			want.idle = d.Stats().Get(metric.IdleBytes)
			booksAre(t, d, want)
			if idle := want.idle; idle > 4<<20 || want.reserved+idle > 20<<20 {
				t.Fatalf("seed %d: %+v exceeds the limits", seed, want)
			}
		}
	}
}
