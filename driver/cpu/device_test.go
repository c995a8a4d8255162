package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/underway"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
)

var ctx = context.Background()

func open(t *testing.T, o cpu.Options) *cpu.Device {
	t.Helper()
	d, err := cpu.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func parse(t testing.TB, source string) *ir.Program {
	t.Helper()
	ps, err := text.Parse("test", "vyre 1\n"+source)
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

func compile(t *testing.T, d *cpu.Device, text string) driver.Kernel {
	t.Helper()
	k, err := d.Compile(ctx, parse(t, text), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func wantError(t *testing.T, err error, kind driver.Kind, texts ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("got error %v, want one of kind %v", err, kind)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error does not say %q: %v", text, err)
		}
	}
}

func TestMemoryLimitNamesTheLargestBuffers(t *testing.T) {
	d := open(t, cpu.Options{OpenOptions: driver.OpenOptions{MemoryLimit: 1 << 20}})
	for _, b := range []struct {
		label string
		bytes int64
	}{{"small", 1000}, {"csr", 500 << 10}, {"marks", 300 << 10}, {"", 10}, {"tiny", 1}, {"tinier", 1}} {
		if _, err := d.Alloc(b.bytes, driver.AllocOptions{Label: b.label}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := d.Alloc(300<<10, driver.AllocOptions{Label: "edges"})
	wantError(t, err, driver.OutOfMemory, `alloc "edges" on cpu`, "requested 307200 bytes", "largest: csr 512000, marks 307200, small 1024, unnamed 64, tiny 64;")
	var e *driver.Error
	if errors.As(err, &e); e.Requested != 307200 || e.Available != 1<<20-512000-307200-1024-3*64 {
		t.Errorf("requested %d, available %d", e.Requested, e.Available)
	}
}

const racy = `
kernel @racy workgroup(32) {
  param @x: buf<u32> rw
  %i = global.x
  store @x[0_u32], %i
}`

func TestDetectorsReportIntoTheResult(t *testing.T) {
	d := open(t, cpu.Options{Run: interp.Options{Detect: interp.Everything}})
	k := compile(t, d, racy)
	b, err := d.Alloc(4, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := d.NewSequence("racy")
	s.Fill(driver.All(b), 0, 4)
	s.Launch(k, driver.Groups(1), driver.All(b))
	res, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Reports) != 1 || !res.Reports[0].Error || res.Reports[0].Path != "1" || res.Reports[0].Kernel != "racy" || !strings.Contains(res.Reports[0].Text, "x[0]") {
		t.Errorf("reports are %+v", res.Reports)
	}
}

func TestScheduleIsTheDevices(t *testing.T) {
	for _, c := range []struct {
		schedule interp.Schedule
		last     uint32
	}{{interp.Forward, 31}, {interp.Reversed, 0}} {
		d := open(t, cpu.Options{Run: interp.Options{Schedule: c.schedule}})
		dst := make([]byte, 4)
		if _, err := driver.Dispatch(ctx, compile(t, d, racy), driver.Groups(1), driver.InOut(dst)); err != nil {
			t.Fatal(err)
		}
		if dst[0] != byte(c.last) {
			t.Errorf("%v: the last store is that of invocation %d, want %d", c.schedule, dst[0], c.last)
		}
	}
}

// endless never ends by itself.
const endless = `
kernel @endless workgroup(1) {
  loop ^l () {
    continue ^l
  }
  unreachable
}`

func TestSpentBudgetIsADeviceFault(t *testing.T) {
	d := open(t, cpu.Options{Run: interp.Options{Budget: 1000}})
	_, err := driver.Dispatch(ctx, compile(t, d, endless), driver.Groups(1))
	wantError(t, err, driver.DeviceFault, `launch "endless"`, "budget of 1000 rows", "fix:")
	if d.Err() != nil {
		t.Error("the interpreter cannot be lost")
	}
}

const together = `
kernel @together workgroup(1024) {
  barrier.grid
}`

func TestStateThatDoesNotFitIsOutOfMemory(t *testing.T) {
	d := open(t, cpu.Options{Run: interp.Options{MaxState: 1000}})
	_, err := driver.Dispatch(ctx, compile(t, d, together), driver.Groups(1))
	wantError(t, err, driver.OutOfMemory, `launch "together"`, "the limit is 1000")
	var e *driver.Error
	if errors.As(err, &e); e.Available != 1000 || e.Requested <= 1000 {
		t.Errorf("requested %d, available %d", e.Requested, e.Available)
	}
}

func TestCloseEndsARunThatOutlastsItsPatience(t *testing.T) {
	d := open(t, cpu.Options{OpenOptions: driver.OpenOptions{CloseTimeout: time.Millisecond}})
	b, err := d.Alloc(4, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stuck, behind := d.NewSequence("stuck"), d.NewSequence("behind")
	stuck.Fill(driver.All(b), 1, 4)
	stuck.Launch(compile(t, d, endless), driver.Groups(1))
	behind.Fill(driver.All(b), 2, 4)
	for _, s := range []*driver.Sequence{stuck, behind} {
		if _, err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, behind.Close(), driver.Closed, `"behind"`, "had not ended 1ms later")
	// Who came after it comes after what it did not wait for.
	last := d.NewSequence("last")
	last.Read(driver.All(b), make([]byte, 4))
	before := d.Stats()
	p, err := last.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n := d.Stats().Sub(before).Get(metric.OrderWaits); n != 1 {
		t.Errorf("the last one waits for %d runs", n)
	}
	wantError(t, stuck.Close(), driver.Closed, `"stuck"`, "had not ended 1ms later")
	if _, err := p.Wait(ctx); err != nil {
		t.Error(err)
	}
	if err := last.Close(); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// loop is a sequence in which the host decides on a loop that does not end by itself.
func loop(t *testing.T, d *cpu.Device, label string, x driver.Buffer) *driver.Sequence {
	t.Helper()
	s := d.NewSequence(label)
	s.Lower(driver.LoopHost)
	flag := s.Scratch(4)
	s.Fill(driver.All(flag), 1, 4)
	s.While(driver.All(flag), 1<<30, func() { s.Fill(driver.All(x), 7, 4) })
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCloseEndsALoopThatOutlastsItsPatience(t *testing.T) {
	for _, c := range []struct {
		name  string
		close func(*cpu.Device, *driver.Sequence) error
	}{
		{"of the sequence", func(_ *cpu.Device, s *driver.Sequence) error { return s.Close() }},
		{"of the device", func(d *cpu.Device, _ *driver.Sequence) error { return d.Close() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, cpu.Options{OpenOptions: driver.OpenOptions{CloseTimeout: 1}})
			x, err := d.Alloc(4, driver.AllocOptions{})
			if err != nil {
				t.Fatal(err)
			}
			first, second := loop(t, d, "first", x), loop(t, d, "second", x)
			run := func(s *driver.Sequence) <-chan error {
				ended := make(chan error, 1)
				go func() {
					_, err := s.Run(ctx)
					ended <- err
				}()
				return ended
			}
			ran := run(first)
			for d.Stats().Get(metric.LoopIterations) == 0 {
				runtime.Gosched()
			}
			waits := run(second)
			for _, err := second.Wait(ctx); !errors.Is(err, driver.Busy); _, err = second.Wait(ctx) {
				runtime.Gosched()
			}
			if err := second.Close(); err != nil { // it may come before the device was told to start
				wantError(t, err, driver.Closed, `"second"`, "had not ended 1ns later")
			}
			wantError(t, <-waits, driver.Closed, `"second"`)
			wantError(t, c.close(d, first), driver.Closed, `"first"`, "had not ended 1ns later")
			wantError(t, <-ran, driver.Closed)
			if err := x.Close(); err != nil {
				t.Error(err)
			}
			if n := d.Stats().Get(metric.RunsInFlight); n != 0 {
				t.Errorf("%d runs in flight", n)
			}
		})
	}
}

// TestContextInsideAHugeRepeatEndsTheWait also looks at what goes on beside it: other sequences, and closing.
func TestContextInsideAHugeRepeatEndsTheWait(t *testing.T) {
	for name, body := range map[string]func(s *driver.Sequence, k driver.Kernel, x driver.Buffer){
		"of launches": func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
			s.Repeat(1<<40, func() { s.Launch(k, driver.Groups(1), driver.All(x)) })
		},
		"of launches that are empty": func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
			s.Repeat(1<<40, func() { s.Launch(k, driver.Grid{0, 1, 1}, driver.All(x)) })
		},
		"of a huge repeat": func(s *driver.Sequence, k driver.Kernel, x driver.Buffer) {
			s.Repeat(1<<20, func() { s.Repeat(1<<20, func() { s.Launch(k, driver.Groups(1), driver.All(x)) }) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, cpu.Options{OpenOptions: driver.OpenOptions{CloseTimeout: time.Millisecond}})
			x, err := d.Alloc(4, driver.AllocOptions{})
			if err != nil {
				t.Fatal(err)
			}
			y, err := d.Alloc(4, driver.AllocOptions{})
			if err != nil {
				t.Fatal(err)
			}
			k := compile(t, d, `kernel @count workgroup(32) {
				param @x: buf<u32> rw
				atomic_add.relaxed.dev @x[0_u32], 1_u32
			}`)
			huge, other := d.NewSequence("huge"), d.NewSequence("other")
			body(huge, k, x)
			limited, cancel := underway.Context(20 * time.Millisecond)
			defer cancel()
			if _, err := huge.Run(limited); !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			other.Fill(driver.All(y), 7, 4)
			if _, err := other.Run(ctx); err != nil {
				t.Errorf("a sequence beside it: %v", err)
			}
			if err := errors.Join(huge.Close(), other.Close(), x.Close(), y.Close(), k.Close(), d.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHammerCompileIsSingleFlight(t *testing.T) {
	d := open(t, cpu.Options{})
	p := parse(t, racy)
	var all sync.WaitGroup
	for range 16 {
		all.Add(1)
		go func() {
			defer all.Done()
			k, err := d.Compile(ctx, p, driver.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	if st := d.Stats(); st.Get(metric.CompilesFresh) != 1 || st.Get(metric.CompilesMemory) != 15 || st.Get(metric.Kernels) != 0 {
		t.Errorf("compiled %d times, found %d times, %d kernels", st.Get(metric.CompilesFresh), st.Get(metric.CompilesMemory), st.Get(metric.Kernels))
	}
}

// Names and positions are not part of a digest, but they are what a trap says.
func TestProgramsOfOneDigestKeepTheirOwnPositions(t *testing.T) {
	d := open(t, cpu.Options{})
	const text = `kernel @check workgroup(1) { trap true, 1_u64, #1 }`
	for _, c := range []struct{ text, pos string }{{"\n" + text, "test:3:"}, {"\n\n\n" + text, "test:5:"}} {
		_, err := driver.Dispatch(ctx, compile(t, d, c.text), driver.Groups(1))
		wantError(t, err, driver.Trap, c.pos)
	}
}

func TestCacheForgetsWhatIsNotUsed(t *testing.T) {
	d := open(t, cpu.Options{})
	build := func(n uint32) *ir.Program {
		b := build.New("n", build.Workgroup(1))
		b.Store(b.Buffer("x", ir.U32, ir.WO), b.U32(0), b.U32(n))
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	held, err := d.Compile(ctx, build(0), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint32(600) {
		k, err := d.Compile(ctx, build(n+1), driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		n     uint32
		fresh uint64
	}{{"in use", 0, 0}, {"recent", 600, 0}, {"old", 1, 1}} {
		before := d.Stats()
		if _, err := d.Compile(ctx, build(c.n), driver.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := d.Stats().Sub(before).Get(metric.CompilesFresh); got != c.fresh {
			t.Errorf("%s: compiled anew %d times, want %d", c.name, got, c.fresh)
		}
	}
	dst := make([]byte, 4)
	if _, err := driver.Dispatch(ctx, held, driver.Groups(1), driver.Out(dst)); err != nil {
		t.Error(err)
	}
}

// What is in use stays, however old, and of the rest what was used last.
func TestProgramsUnusedForLongestAreDropped(t *testing.T) {
	d := open(t, cpu.Options{Engine: cpu.Interp})
	program := func(i int) string { return strings.ReplaceAll(store7, "seven", fmt.Sprintf("kept%d", i)) }
	compile(t, d, program(0)) // the device closes it
	again := func(i int, want driver.Metric) {
		t.Helper()
		before := d.Stats().Get(want)
		k := compile(t, d, program(i))
		if d.Stats().Get(want) != before+1 {
			t.Errorf("program %d: %v did not count it", i, want)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i < cpu.MaxKernels; i++ {
		again(i, metric.CompilesFresh)
	}
	again(1, metric.CompilesMemory)
	again(cpu.MaxKernels, metric.CompilesFresh) // one too many: 2 goes
	again(0, metric.CompilesMemory)
	again(1, metric.CompilesMemory)
	again(3, metric.CompilesMemory)
	again(2, metric.CompilesFresh)
}
