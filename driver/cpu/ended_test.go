package cpu_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/kernel"
)

// forever are kernels that do not end by themselves, one for each way in which machine code runs loops: in all lanes alike
// or not, with barriers, votes, other groups, Go in between, long bodies. All say in x[63] that they have begun.
var forever = map[string]string{
	"spin":             "for gpu.AtomicLoad(&x[0]) == 0 {\n}",
	"pause":            "for gpu.AtomicLoad(&x[0]) == 0 {\ngpu.Pause(4294967295)\n}",
	"other group":      "t.Resident()\nif t.Group().X == 0 {\nfor gpu.AtomicLoad(&x[0]) == 0 {\n}\n}",
	"divergent":        "i := t.Local().X\nfor x[i&31] == 0 {\ni = i ^ 1\nif x[i&31] == 9 {\nreturn\n}\n}",
	"count":            "for gpu.AtomicAdd(&x[1], 1) != 1<<31+1 || x[2] == 0 {\n}",
	"barrier":          "for !t.BarrierAny(x[t.Local().X&31] != 0) {\n}",
	"grid barrier":     "for !t.GridBarrierAny(x[t.Local().X&31] != 0) {\n}",
	"first groups":     "if t.Group().X < 2 {\nfor t.FirstGroupsBarrierAdd(2, x[0]) == 0 {\n}\n}\nt.GridBarrier()",
	"shuffle":          "v := uint32(0)\nfor gpu.ReduceAdd(t, v) == 0 {\nv = x[0]\n}",
	"lanes that wait":  "if t.Local().X == 0 {\nfor gpu.AtomicLoad(&x[0]) == 0 {\n}\n}\nif t.Local().X == 1 {\ngpu.AtomicStore(&x[2], 1)\n}",
	"trace":            "for x[0] == 0 {\ngpu.Trace(t, \"a\", 1)\n}",
	"big local array":  "var a [2000]uint32\ni := t.Local().X\nfor x[0] == 0 {\na[i%2000] = i\ni += a[(i*7)%2000] + 1\n}\nx[1] = i",
	"loops in a loop":  "for x[0] == 0 {\nfor i := range uint32(1000) {\nx[3] += x[0] + i\n}\n}",
	"many small works": "for i := uint64(0); i < 1<<62; i++ {\nx[3] += uint32(i)\n}",
}

// waysToGiveUp run a kernel that does not end, and let the context end once it runs. Each leaves nobody who waits for the run.
var waysToGiveUp = map[string]func(ctx context.Context, d *cpu.Device, k driver.Kernel, x driver.Range, grid driver.Grid) error{
	"Dispatch": func(ctx context.Context, _ *cpu.Device, k driver.Kernel, x driver.Range, grid driver.Grid) error {
		_, err := driver.Dispatch(ctx, k, grid, x)
		return err
	},
	"Run": func(ctx context.Context, d *cpu.Device, k driver.Kernel, x driver.Range, grid driver.Grid) error {
		s := d.NewSequence("s")
		s.Launch(k, grid, x)
		_, err := s.Run(ctx)
		return errors.Join(err, s.Close())
	},
	"Wait": func(ctx context.Context, d *cpu.Device, k driver.Kernel, x driver.Range, grid driver.Grid) error {
		s := d.NewSequence("s")
		s.Launch(k, grid, x)
		p, err := s.Start(ctx)
		if err == nil {
			_, err = p.Wait(ctx)
		}
		return errors.Join(err, s.Close())
	},
	"Settle": func(ctx context.Context, d *cpu.Device, k driver.Kernel, x driver.Range, grid driver.Grid) error {
		s := d.NewSequence("s")
		s.Launch(k, grid, x)
		_, err := s.Start(ctx)
		if err == nil {
			if err = s.Settle(context.Background()); err == nil {
				_, err = s.Wait(context.Background())
			}
		}
		return errors.Join(err, s.Close())
	},
	"replay": func(ctx context.Context, d *cpu.Device, k driver.Kernel, x driver.Range, grid driver.Grid) error {
		s := d.NewSequence("s")
		s.Launch(k, grid, x)
		g, err := s.Capture(driver.CaptureOptions{})
		if err == nil {
			_, err = g.Run(ctx)
		}
		return errors.Join(err, s.Close())
	},
	"behind it": func(ctx context.Context, d *cpu.Device, k driver.Kernel, x driver.Range, grid driver.Grid) error {
		s, behind := d.NewSequence("s"), d.NewSequence("behind")
		s.Launch(k, grid, x)
		behind.Launch(k, grid, x)
		p, err := s.Start(ctx)
		if err == nil {
			_, err = behind.Run(ctx)
		}
		if over := new(driver.Ended); !errors.As(err, &over) && p != nil { // ctx ended before the run behind it began
			_, err = p.Wait(context.Background())
		}
		return errors.Join(err, behind.Close(), s.Settle(context.Background()), s.Close())
	},
	"a loop of the host": func(ctx context.Context, d *cpu.Device, k driver.Kernel, x driver.Range, grid driver.Grid) error {
		s := d.NewSequence("s")
		s.Lower(driver.LoopHost)
		flag := driver.All(s.Scratch(4))
		s.Fill(flag, 1, 4)
		s.While(flag, 7, func() { s.Launch(k, grid, x) })
		_, err := s.Run(ctx)
		return errors.Join(err, s.Close())
	},
}

func compiledForever(t testing.TB, d *cpu.Device, name string) driver.Kernel {
	t.Helper()
	p, err := kernel.Program("package k\n\nimport \"github.com/govyre/vyre/gpu\"\n\n//vyre:kernel workgroup=64\nfunc K(t gpu.Thread, x []uint32) {\ngpu.AtomicAdd(&x[63], 1)\n"+forever[name]+"\n}", "K")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	k, err := d.Compile(ctx, p, driver.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return k
}

// A run that was given up is over when its caller returns: no goroutine of it is left, and memory that it counted in does
// not change. The class is all ways to give up, on all kinds of loops, of both engines; none waits for a clock.
func TestWhatWasGivenUpHasEnded(t *testing.T) {
	for _, engine := range []cpu.Engine{cpu.Interp, cpu.Auto} {
		d := open(t, cpu.Options{Engine: engine})
		mem, err := d.Alloc(4*64, driver.AllocOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x := driver.All(mem)
		for name := range forever {
			k := compiledForever(t, d, name)
			for way, giveUp := range waysToGiveUp {
				if name != "spin" && name != "grid barrier" && way != "Dispatch" {
					continue // how loops end has nothing to do with who asks
				}
				t.Run(fmt.Sprintf("%s/%s/%s", engine, name, way), func(t *testing.T) { hasEnded(t, d, k, x, giveUp, name == "spin") })
			}
			if err := k.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func hasEnded(t *testing.T, d *cpu.Device, k driver.Kernel, x driver.Range, giveUp func(context.Context, *cpu.Device, driver.Kernel, driver.Range, driver.Grid) error, ends bool) {
	if err := driver.Write(ctx, x, make([]byte, 4*64)); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- giveUp(inside, d, k, x, driver.Groups(3)) }()
	for cpu.Load32(x.Buffer, 63) == 0 { // it runs
		runtime.Gosched()
	}
	cancel()
	err := <-ended
	var over *driver.Ended
	if !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) || !errors.As(err, &over) {
		t.Fatalf("got %v, want an error that says that the run was ended", err)
	}
	if n := d.Stats().Get(metric.RunsInFlight); n != 0 {
		t.Errorf("%d runs are in flight", n)
	}
	for range 1 << 22 { // the last ones of a launch are on their way out
		if runtime.NumGoroutine() <= before {
			break
		}
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
	count := cpu.Load32(x.Buffer, 1)
	all := make([]byte, 4*64)
	if err := driver.ReadInto(ctx, x, all); err != nil {
		t.Error(err)
	}
	if again := binary.LittleEndian.Uint32(all[4:]); again != count {
		t.Errorf("x[1] went on from %d to %d", count, again)
	}
	if !ends {
		return
	}
	// The same kernel and buffer again, to an end.
	all[0] = 1
	if err := driver.Write(ctx, x, all); err != nil {
		t.Error(err)
	}
	if _, err := driver.Dispatch(ctx, k, driver.Groups(3), x); err != nil {
		t.Errorf("the next run: %v", err)
	}
}
