package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
)

// large are problems for all cores: what the loops do with LARGE. The first moves memory, the others compute.
func large() []problem {
	const n, bodies, blocks, wide = 1 << 26, 16384, 1 << 21, 4096
	return []problem{
		{"saxpy", "Saxpy", driver.Groups(n / 1024), []driver.Arg{driver.F32(2.5)}, [][]byte{units(n, 0), units(n, n)}, how{changes: true}},
		{"mandelbrot", "Mandelbrot", driver.Grid{wide / 16, wide / 16}, []driver.Arg{driver.U32(wide), driver.U32(256), driver.F32(-2), driver.F32(-1.5), driver.F32(3.0 / wide)},
			[][]byte{zeros(4 * wide * wide)}, how{}},
		{"sha256", "SHA256", driver.Groups(blocks / 256), nil, [][]byte{fill(blocks*16, mix), zeros(blocks * 32)}, how{}},
		{"nbody", "NBody", driver.Groups(bodies / 256), []driver.Arg{driver.F32(0.01)}, [][]byte{units(bodies*4, 0), zeros(bodies * 16)}, how{}},
	}
}

// allCores measures machine code on all cores beside one, the loops with OpenMP, and a copy of what saxpy moves.
func allCores() error {
	dir, err := os.MkdirTemp("", "cpu")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, err := build(dir, "loops", "-O2", "-ffp-contract=off", "-mfma", "-mf16c", "-fopenmp", "-DLARGE", "-mcmodel=medium")
	if err != nil {
		return err
	}
	cores := runtime.GOMAXPROCS(0)
	var devices [2]driver.Device
	for i, workers := range []int{1, cores} {
		if devices[i], err = cpu.Open(cpu.Options{Engine: cpu.Native, Run: cpu.RunOptions{Workers: workers}}); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintf(w, "| ms, %d cores\t| one core\t| all cores\t| part of linear\t| gcc -O2 -fopenmp\t| gcc / ours\t|\n|---\t|---\t|---\t|---\t|---\t|---\t|\n", cores)
	for _, p := range large() {
		var sides [2]*side
		for i, d := range devices {
			if sides[i], err = prepare(d, p); err != nil {
				return err
			}
		}
		openmp, sum := time.Duration(math.MaxInt64), uint64(0)
		for range 3 {
			var ns time.Duration
			if ns, sum, err = loop(bin, p.name, 3); err != nil {
				return err
			}
			openmp = min(openmp, ns)
			if err := sides[0].run(); err != nil {
				return err
			}
			for range 3 {
				if err := sides[1].run(); err != nil {
					return err
				}
			}
		}
		var got [2]uint64
		for i, s := range sides {
			if got[i], err = s.digest(); err != nil {
				return err
			}
		}
		if got[0] != got[1] || got[0] != sum {
			return fmt.Errorf("%s: one core, all cores and gcc gave %x, %x and %x", p.name, got[0], got[1], sum)
		}
		ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 }
		fmt.Fprintf(w, "| %s\t| %.2f\t| %.2f\t| %.2f\t| %.2f\t| %.2f\t|\n", p.name, ms(sides[0].least), ms(sides[1].least),
			ms(sides[0].least)/ms(sides[1].least)/float64(cores), ms(openmp), ms(openmp)/ms(sides[1].least))
		if p.name == "saxpy" {
			defer func(moved int, took time.Duration) {
				each := copied(moved/2, cores)
				fmt.Printf("\na copy among %d goroutines moves %.1f GB/s, saxpy %.1f GB/s\n", cores, float64(moved)/float64(each), float64(moved)/float64(took))
			}(3*len(p.buffers[0]), sides[1].least)
		}
	}
	return w.Flush()
}

// copied returns the least nanoseconds for copying n bytes among goroutines.
func copied(n, workers int) time.Duration {
	from, to := make([]byte, n), make([]byte, n)
	for i := range from { // memory that nobody wrote is one page of zeros
		from[i] = byte(i)
	}
	least := time.Duration(math.MaxInt64)
	for range 10 {
		begin := time.Now()
		var all sync.WaitGroup
		for i := range workers {
			all.Go(func() { copy(to[i*n/workers:(i+1)*n/workers], from[i*n/workers:(i+1)*n/workers]) })
		}
		all.Wait()
		least = min(least, time.Since(begin))
	}
	return least
}
