package native_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/needs"
)

// open opens the device with machine code for a target of the host.
func open(t testing.TB, target string) *cpu.Device {
	t.Helper()
	needs.MachineCode(t, native.Available())
	d, err := cpu.Open(cpu.Options{Engine: cpu.Engine(target)})
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

func TestConformance(t *testing.T) {
	for _, target := range native.HostTargets() {
		t.Run(target, func(t *testing.T) { testConformance(t, target) })
	}
}

func testConformance(t *testing.T, target string) {
	d := open(t, target)
	for _, f := range conform.Suite() {
		t.Run(f.Name, func(t *testing.T) {
			failed := 0
			for _, c := range f.Cases() {
				if c.Host != nil {
					continue
				}
				if err := conform.Try(context.Background(), conform.On(d), &c); err != nil && !errors.Is(err, conform.ErrSkipped) {
					if failed++; failed <= 3 {
						t.Errorf("%s: %v", &c, err)
					}
				}
			}
			if failed > 3 {
				t.Errorf("%d cases fail", failed)
			}
		})
	}
	if n := d.Stats().Get(metric.NativeLaunches); n < 3000 {
		t.Errorf("only %d launches were machine code", n)
	}
}

var randomPrograms = flag.Uint64("random", 0, "number of random programs for each target, from a seed that is drawn; 0 takes a few")

// Random programs give the interpreter's bits.
func TestRandomProgramsAgree(t *testing.T) {
	for _, target := range native.HostTargets() {
		t.Run(target, func(t *testing.T) { testRandomPrograms(t, target) })
	}
}

// agree is p.Agree, for a minute: machine code that never ends is an error, which names the program.
func agree(p *conform.RandomProgram, d conform.Device) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return p.Agree(ctx, d)
}

func testRandomPrograms(t *testing.T, target string) {
	d := open(t, target)
	n, quick := *randomPrograms, rand.Uint64()
	if n == 0 {
		n, quick = uint64(long.Count(150, 20_000, 100_000)), 0
	}
	first := long.Seed(t, quick)
	var next atomic.Uint64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < n && !t.Failed(); i = next.Add(1) - 1 {
				p := conform.Random(first + i)
				switch {
				case i%4 == 3:
					p = conform.RandomShapes(first + i)
				case i%8 == 5:
					p = conform.RandomWide(first + i)
				}
				if err := agree(p, conform.On(d)); err != nil {
					t.Errorf("seed %d: %v\n%s", first+i, err, p.Describe())
				}
				if i%10_000 == 9_999 {
					t.Logf("%d programs", i+1)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d launches as machine code, %d on the interpreter", d.Stats().Get(metric.NativeLaunches), d.Stats().Get(metric.InterpLaunches))
}
