// Command cpu measures device cpu on one core: machine code, the interpreter, and the same loops in C (loops.txt) as gcc
// makes them; or on all cores, beside one, OpenMP and a copy. Kernels are those of bench/codegen. Runs are interleaved, each
// figure is the least, and what came out has one digest wherever it is compared.
//
//	go run ./cpu            (in bench; needs gcc)
//	go run ./cpu -cores
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"

	_ "embed"
)

//go:embed loops.txt
var loops string

// mix and unit make the inputs, as in loops.txt.
func mix(i uint32) uint32 {
	i = (i ^ i>>16) * 0x7feb352d
	i = (i ^ i>>15) * 0x846ca68b
	return i ^ i>>16
}

func unit(i uint32) float32 { return float32(mix(i)>>8) / (1 << 24) }

func fill(n uint32, f func(i uint32) uint32) []byte {
	b := make([]byte, 0, 4*n)
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, f(i))
	}
	return b
}

func units(n, from uint32) []byte {
	return fill(n, func(i uint32) uint32 { return math.Float32bits(unit(i + from)) })
}

func zeros(n int) []byte { return make([]byte, n) }

// problem is a kernel with its arguments. The last buffer is what comes out.
type problem struct {
	name, kernel string
	grid         driver.Grid
	scalars      []driver.Arg // before the buffers
	buffers      [][]byte
	slow         bool // on the interpreter
}

var problems = []problem{
	{"saxpy", "Saxpy", driver.Groups(64), []driver.Arg{driver.F32(2.5)}, [][]byte{units(65536, 0), units(65536, 65536)}, false},
	{"mandelbrot", "Mandelbrot", driver.Grid{16, 16}, []driver.Arg{driver.U32(256), driver.U32(256), driver.F32(-2), driver.F32(-1.5), driver.F32(3.0 / 256)},
		[][]byte{zeros(4 * 65536)}, true},
	{"sha256", "SHA256", driver.Groups(16), nil, [][]byte{fill(4096*16, mix), zeros(4096 * 32)}, false},
	{"nbody", "NBody", driver.Groups(4), []driver.Arg{driver.F32(0.01)}, [][]byte{units(4096, 0), zeros(4096 * 4)}, true},
	{"sgemm", "SGEMM", driver.Grid{4, 4}, []driver.Arg{driver.U32(64)}, [][]byte{units(65536, 0), units(65536, 65536), zeros(4 * 65536)}, true},
	{"histogram", "Histogram", driver.Groups(4), nil, [][]byte{fill(1<<18, mix), zeros(1024)}, false},
}

// side is a kernel on a device, ready to run.
type side struct {
	seq   *driver.Sequence
	out   []byte
	least time.Duration
}

func prepare(d driver.Device, p problem) (*side, error) {
	kernels, err := codegen.Kernels()
	if err != nil {
		return nil, err
	}
	k, err := d.Compile(context.Background(), kernels[p.kernel].Program, driver.Options{})
	if err != nil {
		return nil, err
	}
	s := &side{seq: d.NewSequence(p.name), least: math.MaxInt64}
	args := p.scalars[:len(p.scalars):len(p.scalars)]
	first := d.NewSequence("inputs")
	for i, data := range p.buffers {
		b, err := d.Alloc(int64(len(data)), driver.AllocOptions{})
		if err != nil {
			return nil, err
		}
		to := first
		if i == len(p.buffers)-1 { // what comes out is made new for each run, as in loops.txt, and nothing else
			to = s.seq
			s.out = make([]byte, len(data))
		}
		to.Upload(driver.All(b), data, driver.Always)
		args = append(args, driver.All(b))
	}
	s.seq.Launch(k, p.grid, args...)
	s.seq.Read(args[len(args)-1].(driver.Range), s.out)
	if _, err := first.Run(context.Background()); err != nil {
		return nil, err
	}
	return s, s.seq.Prepare()
}

func (s *side) run() error {
	res, err := s.seq.Run(context.Background())
	if err == nil && res.HasDevice {
		s.least = min(s.least, res.Device)
	}
	return err
}

func digest(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(b); i += 4 {
		h = (h ^ uint64(binary.LittleEndian.Uint32(b[i:]))) * 1099511628211
	}
	return h
}

// build compiles the loops with gcc and some options.
func build(dir, name string, options ...string) (string, error) {
	source, bin := filepath.Join(dir, "loops.c"), filepath.Join(dir, name)
	if err := os.WriteFile(source, []byte(loops), 0o600); err != nil {
		return "", err
	}
	out, err := exec.Command("gcc", append(options, "-o", bin, source, "-lm")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return bin, nil
}

func loop(bin, name string, rounds int) (ns time.Duration, sum uint64, err error) {
	out, err := exec.Command(bin, name, fmt.Sprint(rounds)).Output()
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(string(out), &ns, &sum)
	return ns, sum, err
}

func main() {
	log.SetFlags(0)
	cores := flag.Bool("cores", false, "measure larger inputs on all cores")
	flag.Parse()
	measure := oneCore
	if *cores {
		measure = allCores
	}
	if err := measure(); err != nil {
		log.Fatal(err)
	}
}

func oneCore() error {
	dir, err := os.MkdirTemp("", "cpu")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var bins [2]string
	for i, o := range []string{"-O2 -ffp-contract=off -mfma", "-O3 -ffp-contract=off -march=native"} {
		if bins[i], err = build(dir, fmt.Sprint("loops", i), strings.Fields(o)...); err != nil {
			return err
		}
	}
	run := cpu.RunOptions{Workers: 1}
	native, err := cpu.Open(cpu.Options{Engine: cpu.Native, Run: run})
	if err != nil {
		return err
	}
	slow, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: run})
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| µs, one core\t| gcc -O2\t| gcc -O3 -march=native\t| interpreter\t| machine code\t| gcc -O2 / ours\t| interpreter / ours\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	var logs [3]float64
	for _, p := range problems {
		fast, err := prepare(native, p)
		if err != nil {
			return err
		}
		interp, err := prepare(slow, p)
		if err != nil {
			return err
		}
		best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
		var sums [2]uint64
		for round := range 12 {
			for i, bin := range bins {
				ns, sum, err := loop(bin, p.name, 10)
				if err != nil {
					return err
				}
				best[i], sums[i] = min(best[i], ns), sum
			}
			for range 10 {
				if err := fast.run(); err != nil {
					return err
				}
			}
			if !p.slow || round < 3 {
				if err := interp.run(); err != nil {
					return err
				}
			}
		}
		if digest(fast.out) != digest(interp.out) {
			return fmt.Errorf("%s: machine code and interpreter differ", p.name)
		}
		same := ""
		if digest(fast.out) != sums[0] {
			same = " (other bits)"
		}
		us := func(d time.Duration) float64 { return float64(d) / 1000 }
		x, y := us(best[0])/us(fast.least), us(interp.least)/us(fast.least)
		logs[0], logs[1], logs[2] = logs[0]+math.Log(x), logs[1]+math.Log(y), logs[2]+1
		fmt.Fprintf(w, "| %s%s\t| %.1f\t| %.1f\t| %.0f\t| %.1f\t| %.2f\t| %.0f\t|\n", p.name, same, us(best[0]), us(best[1]), us(interp.least), us(fast.least), x, y)
	}
	fmt.Fprintf(w, "| geometric mean\t| \t| \t| \t| \t| %.2f\t| %.0f\t|\n", math.Exp(logs[0]/logs[2]), math.Exp(logs[1]/logs[2]))
	return w.Flush()
}
