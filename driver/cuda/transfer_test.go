package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
)

// pattern returns n bytes that differ from their neighbours, and from those of another seed.
func pattern(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8*13 + seed)
	}
	return b
}

// small makes transfers above 1 KiB large ones, which go in chunks of 512 bytes that nobody helps to copy.
func small(d *cuda.Device) *cuda.Device {
	d.SetTransfers(1<<10, 512, 0)
	return d
}

func pinnedBytes(d *cuda.Device) uint64 { return d.Stats().Get(metric.PinnedBytes) }

func host(t *testing.T, d *cuda.Device, b []byte) *driver.HostMemory {
	t.Helper()
	m, err := d.AllocHost(int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	copy(m.Bytes(), b)
	return m
}

func run(t *testing.T, p driver.Prepared) driver.Result {
	t.Helper()
	res, err := p.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestBytesArriveByEveryRoute(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name   string
		size   int
		pinned bool
		most   uint64 // pinned bytes beyond those that were there
	}{
		{"staged", 256 << 10, false, mib}, // two places of 256 KiB in one block
		{"direct", 3*mib + 5, true, 0},
		{"small and direct", 100, true, 0},
		{"chunked", 256<<10 + 1, false, 2 * 4 * 8 * mib},
		{"chunked in many chunks", 45*mib + 3, false, 2 * 4 * 8 * mib},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := opened(t, cusim.Config{}, driver.OpenOptions{})
			b := alloc(t, d, int64(c.size))
			src, dst := pattern(c.size, 1), make([]byte, c.size)
			if c.pinned {
				src, dst = host(t, d, src).Bytes(), host(t, d, dst).Bytes()
			}
			before := pinnedBytes(d)
			s := d.NewSequence("there and back")
			s.Upload(driver.All(b), src, driver.Always)
			s.Read(driver.All(b), dst)
			run(t, s)
			if !bytes.Equal(src, dst) {
				t.Error("other bytes came back")
			}
			if got := pinnedBytes(d) - before; got > c.most {
				t.Errorf("%d bytes were pinned, want at most %d", got, c.most)
			}
			st := d.Stats()
			if st.Get(metric.UploadBytes) != uint64(c.size) || st.Get(metric.Uploads) != 1 || st.Get(metric.ReadBytes) != uint64(c.size) || st.Get(metric.Reads) != 1 {
				t.Errorf("counted %d bytes of %d uploads, %d bytes of %d reads", st.Get(metric.UploadBytes), st.Get(metric.Uploads), st.Get(metric.ReadBytes), st.Get(metric.Reads))
			}
		})
	}
}

func TestFusedTransfersGoInChunks(t *testing.T) {
	for _, copiers := range []int{0, 3} {
		d := opened(t, cusim.Config{Seed: 2}, driver.OpenOptions{})
		d.SetTransfers(1<<10, 768, copiers)
		b := alloc(t, d, 10_000)
		whole, middle := pattern(10_000, 1), pattern(3_000, 9)
		first, second := make([]byte, 4_001), make([]byte, 5_000)
		s := d.NewSequence("fused")
		s.Upload(driver.All(b), whole, driver.Always)
		s.Upload(driver.Part(b, 2_000, 3_000), middle, driver.Always)
		s.Read(driver.Part(b, 999, 4_001), first)
		s.Read(driver.Part(b, 5_000, 5_000), second)
		if p := s.Prepare(); p != nil {
			t.Fatal(p)
		}
		if n := len(s.Plan().Uploads) + len(s.Plan().Reads); n != 2 {
			t.Fatalf("the plan has %d transfers:\n%v", n, s.Plan())
		}
		want := append([]byte(nil), whole...)
		copy(want[2_000:], middle)
		run(t, s)
		if !bytes.Equal(first, want[999:5_000]) || !bytes.Equal(second, want[5_000:]) {
			t.Errorf("with %d copiers other bytes came back", copiers)
		}
	}
}

func TestPinnedBytesAreTakenByTheRun(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{})
	b := alloc(t, d, 16)
	src, dst := host(t, d, pattern(16, 1)).Bytes(), make([]byte, 16)
	s := d.NewSequence("direct")
	s.Upload(driver.All(b), src, driver.Always)
	s.Read(driver.All(b), dst)
	p, err := s.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	late := pattern(16, 7)
	copy(src, late) // against the rules, to see that there is no copy
	if _, err := p.Wait(ctx); err != nil || !bytes.Equal(dst, late) {
		t.Errorf("got % x, %v", dst, err)
	}
}

func TestSetChangesTheRoute(t *testing.T) {
	d := small(opened(t, cusim.Config{}, driver.OpenOptions{}))
	for _, size := range []int{600, 6_000} {
		b := alloc(t, d, int64(size))
		var sources, sinks [][]byte
		for i := range 2 {
			sources, sinks = append(sources, pattern(size, i)), append(sinks, make([]byte, size))
		}
		sources = append(sources, host(t, d, pattern(size, 3)).Bytes())
		sinks = append(sinks, host(t, d, make([]byte, size)).Bytes())
		s := d.NewSequence("routes")
		in := s.Upload(driver.All(b), sources[0], driver.IfChanged)
		out := s.Read(driver.All(b), sinks[0])
		for i := range 18 {
			src, dst := sources[i/2%3], sinks[i%3]
			if err := errors.Join(in.Set(src), out.Set(dst)); err != nil {
				t.Fatal(err)
			}
			clear(dst)
			run(t, s)
			if !bytes.Equal(src, dst) {
				t.Fatalf("round %d of %d bytes: other bytes came back", i, size)
			}
		}
	}
}

func TestOnlyStagedAndStaticInputsAreKnownToBeUnchanged(t *testing.T) {
	d := small(opened(t, cusim.Config{}, driver.OpenOptions{}))
	ordinary := func(b []byte) []byte { return b }
	pinned := func(b []byte) []byte { return host(t, d, b).Bytes() }
	for _, c := range []struct {
		name  string
		size  int
		mem   func([]byte) []byte
		mode  driver.Mode
		again uint64 // uploads of a second run
	}{
		{"staged, if changed", 600, ordinary, driver.IfChanged, 0},
		{"direct, if changed", 600, pinned, driver.IfChanged, 1},
		{"chunked, if changed", 6_000, ordinary, driver.IfChanged, 1},
		{"staged, static", 600, ordinary, driver.Static, 0},
		{"direct, static", 6_000, pinned, driver.Static, 0},
		{"chunked, static", 6_000, ordinary, driver.Static, 0},
		{"chunked, always", 6_000, ordinary, driver.Always, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, dst := alloc(t, d, int64(c.size)), make([]byte, c.size)
			src := c.mem(pattern(c.size, 1))
			s := d.NewSequence("again")
			in := s.Upload(driver.All(b), src, c.mode)
			s.Read(driver.All(b), dst)
			run(t, s)
			before := d.Stats().Get(metric.Uploads)
			run(t, s)
			if got := d.Stats().Get(metric.Uploads) - before; got != c.again {
				t.Errorf("a second run uploads %d times, want %d", got, c.again)
			}
			copy(src, pattern(c.size, 5))
			if err := in.Touch(); err != nil {
				t.Fatal(err)
			}
			run(t, s)
			if !bytes.Equal(dst, src) {
				t.Error("a run after Touch has other bytes")
			}
		})
	}
}

// A staging copy that a direct upload has passed by says nothing about the device.
func TestAnOldStagingCopyIsNotTrusted(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{})
	b, dst := alloc(t, d, 64), make([]byte, 64)
	first, second := pattern(64, 1), host(t, d, pattern(64, 2)).Bytes()
	s := d.NewSequence("old copy")
	in := s.Upload(driver.All(b), first, driver.IfChanged)
	s.Read(driver.All(b), dst)
	for _, src := range [][]byte{first, second, first} {
		if err := in.Set(src); err != nil {
			t.Fatal(err)
		}
		run(t, s)
		if !bytes.Equal(dst, src) {
			t.Errorf("got % x, want % x", dst, src)
		}
	}
}

func TestWarmRunsOfEveryRouteAllocateNothing(t *testing.T) {
	k := parse(t, addOne)
	for _, c := range []struct {
		name    string
		size    int
		pinned  bool
		copiers int
	}{{"staged", 512, false, 0}, {"direct", 512, true, 0}, {"chunked", 8_192, false, 0}, {"chunked with help", 8_192, false, 3}} {
		for _, cancelable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, cancelable %v", c.name, cancelable), func(t *testing.T) {
				d := opened(t, cusim.Config{}, driver.OpenOptions{})
				d.SetTransfers(1<<10, 512, c.copiers)
				ctx := ctx
				if cancelable {
					c, cancel := context.WithCancel(ctx)
					defer cancel()
					ctx = c
				}
				add, err := d.Compile(ctx, k, driver.Options{})
				if err != nil {
					t.Fatal(err)
				}
				b := alloc(t, d, int64(c.size))
				src, dst := pattern(c.size, 1), make([]byte, c.size)
				if c.pinned {
					src, dst = host(t, d, src).Bytes(), host(t, d, dst).Bytes()
				}
				s := d.NewSequence("warm")
				s.Upload(driver.All(b), src, driver.Always)
				s.Launch(add, driver.Groups(1), driver.All(b))
				s.Read(driver.All(b), dst)
				for range 4 { // the third makes a graph
					run(t, s)
				}
				if n := testing.AllocsPerRun(50, func() {
					if _, err := s.Run(ctx); err != nil {
						t.Fatal(err)
					}
				}); n != 0 {
					t.Errorf("a run allocates %v times", n)
				}
				if n := testing.AllocsPerRun(50, func() {
					p, err := s.Start(ctx)
					if err == nil {
						_, err = p.Wait(ctx)
					}
					if err != nil {
						t.Fatal(err)
					}
				}); n != 0 {
					t.Errorf("starting and waiting allocates %v times", n)
				}
			})
		}
	}
}

// leavingContext ends after it was looked at.
type leavingContext struct {
	context.Context
	looked bool
}

func leaving() context.Context { return &leavingContext{Context: gone()} }

// gone is a context that has ended.
func gone() context.Context {
	c, cancel := context.WithCancel(ctx)
	cancel()
	return c
}

func (c *leavingContext) Err() error {
	if !c.looked {
		c.looked = true
		return nil
	}
	return c.Context.Err()
}

// slowly is a plan whose read waits for a kernel of n rounds.
func slowly(t *testing.T, d *cuda.Device, n uint32) (s *driver.Sequence, dst []byte) {
	t.Helper()
	k, err := d.Compile(ctx, parse(t, spin), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := alloc(t, d, 4_096)
	dst = make([]byte, 4_096)
	s = d.NewSequence("slow")
	s.Upload(driver.All(b), pattern(4_096, 1), driver.Always)
	s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(n))
	s.Read(driver.All(b), dst)
	return s, dst
}

func TestARunGoesOnWhenItsStartIsCanceled(t *testing.T) {
	d := small(opened(t, cusim.Config{}, driver.OpenOptions{}))
	const rounds = 300_000
	s, dst := slowly(t, d, rounds)
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(leaving()); !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) {
		t.Fatalf("starting gives %v", err)
	}
	if _, err := s.Start(ctx); !errors.Is(err, driver.Busy) {
		t.Errorf("starting again gives %v", err)
	}
	if _, err := s.Wait(gone()); !errors.Is(err, driver.Canceled) {
		t.Errorf("a wait that does not wait gives %v", err)
	}
	if _, err := s.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	want := pattern(4_096, 1)
	copy(want, []byte{rounds & 255, rounds >> 8 & 255, rounds >> 16, 0})
	if !bytes.Equal(dst, want) {
		t.Errorf("got % x…, want % x…", dst[:8], want[:8])
	}
	run(t, s)
}

func TestCloseGivesAChunkedRunUp(t *testing.T) {
	d := small(opened(t, cusim.Config{}, driver.OpenOptions{CloseTimeout: 1}))
	s, _ := slowly(t, d, 400_000)
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(leaving()); !errors.Is(err, driver.Canceled) {
		t.Fatalf("starting gives %v", err)
	}
	if err := s.Close(); !errors.Is(err, driver.Closed) {
		t.Errorf("closing gives %v", err)
	}
	for d.Stats().Get(metric.DeferredBlocks) > 0 {
		runtime.Gosched()
		if _, err := d.Trim(1 << 30); err != nil {
			t.Fatal(err)
		}
	}
}

// transferSession moves bytes by every route, some of them with the help of copiers. The device is closed in any case.
func transferSession(sim *cusim.Driver, copiers int) (err error) {
	d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{CloseTimeout: time.Second}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	d.SetTransfers(256, 128, copiers)
	pinned, err := d.AllocHost(2_000)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pinned.Close()) }()
	b, err := d.Alloc(2_000, driver.AllocOptions{Label: "b"})
	if err != nil {
		return err
	}
	s := d.NewSequence("session")
	src, dst, tail := pattern(2_000, 1), make([]byte, 2_000), make([]byte, 100)
	s.Upload(driver.All(b), src, driver.Static)
	s.Read(driver.All(b), pinned.Bytes())
	s.Fill(driver.Part(b, 0, 100), 7, 1)
	s.Read(driver.All(b), dst)
	s.Fill(driver.Part(b, 1_900, 100), 9, 1)
	s.Read(driver.Part(b, 1_900, 100), tail)
	if _, err := s.Run(ctx); err != nil {
		// Nobody copies any more; a race detector would tell.
		clear(src)
		clear(dst)
		return err
	}
	want := append(bytes.Repeat([]byte{7}, 100), src[100:]...)
	if !bytes.Equal(pinned.Bytes(), src) || !bytes.Equal(dst, want) || !bytes.Equal(tail, bytes.Repeat([]byte{9}, 100)) {
		return fmt.Errorf("other bytes came back")
	}
	if err := errors.Join(s.Close(), b.Close()); err != nil {
		return err
	}
	pool := d.NewPool(driver.PoolOptions{StaticBudget: 100})
	all, err := pool.GetAll(100, 200)
	if err != nil {
		return err
	}
	set, err := pool.Static(ctx, 1, src[:80], src[80:90])
	if err != nil {
		return err
	}
	loose, err := pool.Static(ctx, 1, src[:50])
	if err != nil {
		return err
	}
	if err := errors.Join(pool.Release(loose), pool.Release(set), pool.Put(all[0]), pool.Put(all[1]), pool.Close()); err != nil {
		return err
	}
	_, err = d.Trim(0)
	return err
}

func TestAnyCallOfATransferMayFail(t *testing.T) {
	for _, c := range []struct {
		name    string
		copiers int
		results []cu.Result
	}{
		{"one goroutine", 0, []cu.Result{cu.OutOfMemory, 1, 719}},
		{"copiers help", 3, []cu.Result{1, 719}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := cusim.Config{Models: []cusim.Model{cusim.Tiny}}
			anyCallMayFail(t, config, func(sim *cusim.Driver) error { return transferSession(sim, c.copiers) }, c.results...)
		})
	}
}

// Pinned memory that cannot be had fails one call; the same objects go on when there is some again.
func TestPinnedMemoryThatFailsOnceIsAskedForAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes int
		debug string
	}{
		{"for the staging of a sequence", 100 << 10, ""},
		{"for a staging ring", 300 << 10, ""},
		{"for looking at memory", 1 << 10, "memcheck"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(driver.EnvDebug, c.debug)
			d, sim := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Hopper}})
			d.SetTransfers(200<<10, 64<<10, 2)
			src, dst := pattern(c.bytes, 1), make([]byte, c.bytes)
			sim.Fail(cusim.Rule{Call: "cuMemHostAlloc", Nth: 1, Result: cu.OutOfMemory})
			b, err := d.Alloc(int64(c.bytes), driver.AllocOptions{})
			if c.debug != "" {
				if !errors.Is(err, driver.OutOfMemory) {
					t.Fatalf("allocating gives %v", err)
				}
				b, err = d.Alloc(int64(c.bytes), driver.AllocOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
			s := d.NewSequence("failing")
			s.Upload(driver.All(b), src, driver.Always)
			s.Read(driver.All(b), dst)
			if c.debug == "" {
				if _, err := s.Run(ctx); !errors.Is(err, driver.OutOfMemory) {
					t.Fatalf("the run gives %v", err)
				}
			}
			for range 2 {
				clear(dst)
				if run(t, s); !bytes.Equal(dst, src) {
					t.Fatal("other bytes came back")
				}
			}
			closed(t, s)
			closed(t, b)
		})
	}
}

// fragile is a driver that panics once, in a copy to the device.
type fragile struct {
	cu.Driver
	armed atomic.Bool
}

func (f *fragile) MemcpyHtoDAsync(dst cu.Ptr, src unsafe.Pointer, n int64, s cu.Stream) error {
	if f.armed.Swap(false) {
		panic("a copy that panics")
	}
	return f.Driver.MemcpyHtoDAsync(dst, src, n, s)
}

func TestAPanicOfTheGoroutineThatEnqueuesIsAnError(t *testing.T) {
	sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	drv := &fragile{Driver: sim}
	d, err := cuda.Open(cuda.Options{Driver: drv})
	if err != nil {
		t.Fatal(err)
	}
	small(d)
	b := alloc(t, d, 4_096)
	src, dst := pattern(4_096, 1), make([]byte, 4_096)
	s := d.NewSequence("fragile")
	s.Upload(driver.All(b), src, driver.Always)
	s.Read(driver.All(b), dst)
	may, cancel := context.WithCancel(ctx) // who may leave has a goroutine that enqueues
	defer cancel()
	for range 2 {
		drv.armed.Store(true)
		if _, err := s.Run(may); !errors.Is(err, driver.Internal) {
			t.Fatalf("the run gives %v", err)
		}
		clear(dst)
		if _, err := s.Run(may); err != nil || !bytes.Equal(dst, src) {
			t.Fatalf("the next run gives %v, or other bytes", err)
		}
	}
	closed(t, s)
	closed(t, b)
	closed(t, d)
	if left := sim.Left(); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// Whatever the copiers of one run are at when it ends, the bytes of the next are its own.
func TestHammerRings(t *testing.T) {
	for _, copiers := range []int{0, 1, 3} {
		t.Run(fmt.Sprintf("%d copiers", copiers), func(t *testing.T) {
			d := opened(t, cusim.Config{Seed: 3}, driver.OpenOptions{})
			d.SetTransfers(64, 64, copiers)
			var running sync.WaitGroup
			for i := range 4 {
				size := 65 + i*777
				b := alloc(t, d, int64(size))
				running.Go(func() {
					s, src, dst := d.NewSequence("hammer"), make([]byte, size), make([]byte, size)
					s.Upload(driver.All(b), src, driver.Always)
					s.Read(driver.All(b), dst)
					for round := range 50 {
						copy(src, pattern(size, round))
						p, err := s.Start(ctx)
						clear(src) // Start has taken them
						if err == nil {
							_, err = p.Wait(ctx)
						}
						if err != nil || !bytes.Equal(dst, pattern(size, round)) {
							t.Errorf("round %d of %d bytes: other bytes came back, or %v", round, size, err)
							return
						}
					}
				})
			}
			running.Wait()
		})
	}
}

func TestGraphsFollowTheirHostMemory(t *testing.T) {
	d := small(opened(t, cusim.Config{}, driver.OpenOptions{}))
	const size = 6_000
	b := alloc(t, d, size)
	var sources, sinks [][]byte
	for i := range 2 {
		sources, sinks = append(sources, host(t, d, pattern(size, i)).Bytes()), append(sinks, host(t, d, make([]byte, size)).Bytes())
	}
	// Ordinary memory gets a place in the graph's staging when it first comes.
	sources, sinks = append(sources, pattern(size, 3)), append(sinks, make([]byte, size))
	for _, mode := range []driver.Mode{driver.Always, driver.IfChanged, driver.Static} {
		s := d.NewSequence("graph")
		in := s.Upload(driver.All(b), sources[0], mode)
		out := s.Read(driver.All(b), sinks[0])
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 18 {
			src, dst := sources[i/2%3], sinks[i%3]
			if err := errors.Join(in.Set(src), out.Set(dst)); err != nil {
				t.Fatal(err)
			}
			clear(dst)
			run(t, g)
			if !bytes.Equal(src, dst) {
				t.Fatalf("%v, round %d: other bytes came back", mode, i)
			}
		}
		if n := testing.AllocsPerRun(20, func() { run(t, g) }); n != 0 {
			t.Errorf("%v: a warm replay allocates %v times", mode, n)
		}
		closed(t, s)
	}
}

func TestAGraphKeepsNoMoreThanItMay(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{})
	b := alloc(t, d, 256<<20+64)
	s := d.NewSequence("large")
	s.Upload(driver.All(b), make([]byte, b.Len()), driver.Always)
	if _, err := s.Capture(driver.CaptureOptions{}); !errors.Is(err, driver.Unsupported) {
		t.Errorf("capturing gives %v", err)
	}
	if n := pinnedBytes(d); n > 2<<20 {
		t.Errorf("%d bytes are pinned", n)
	}
}
