// Command cpu measures device cpu on one core: machine code, the interpreter, and the same loops in C (directory loops) as gcc
// makes them; or on all cores, beside one, OpenMP and a copy. Kernels are those of bench/codegen. Runs are interleaved, each
// figure is the least, and what came out has one digest wherever it is compared.
//
//	go run ./cpu            (in bench; needs gcc)
//	go run ./cpu -cores
//	go run ./cpu -targets   (all instruction sets of the processor beside each other)
//	go run ./cpu -lot third (kernels whose reference is a program in C, too, beside plain Go)
package main

import (
	"context"
	"embed"
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
)

//go:embed loops
var loops embed.FS

// side is a kernel on a device, ready to run.
type side struct {
	seq   *driver.Sequence
	read  *driver.Sequence // of what came out: not in each run, for it would take the place of inputs in the caches
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
	s := &side{seq: d.NewSequence(p.name), read: d.NewSequence("outputs"), least: math.MaxInt64}
	args := p.scalars[:len(p.scalars):len(p.scalars)]
	first := d.NewSequence("inputs")
	for i, data := range p.buffers {
		b, err := d.Alloc(int64(len(data)), driver.AllocOptions{})
		if err != nil {
			return nil, err
		}
		to := first
		if i == len(p.buffers)-1 {
			s.out = make([]byte, len(data))
			if p.changes {
				to = s.seq
			}
		}
		to.Upload(driver.All(b), data, driver.Always)
		args = append(args, driver.All(b))
	}
	s.seq.Launch(k, p.grid, args...)
	s.read.Read(args[len(args)-1].(driver.Range), s.out)
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

// digest reads what came out of the last run.
func (s *side) digest() (uint64, error) {
	if _, err := s.read.Run(context.Background()); err != nil {
		return 0, err
	}
	return digest(s.out), nil
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
	if err := os.CopyFS(filepath.Join(dir, name), loops); err != nil {
		return "", err
	}
	sources, err := filepath.Glob(filepath.Join(dir, name, "loops", "*.c"))
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, name, "bin")
	options = append(append(options, "-o", bin), sources...)
	out, err := exec.Command("gcc", append(options, "-lm")...).CombinedOutput()
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
	targets := flag.Bool("targets", false, "measure machine code for every instruction set of the processor, on one core")
	target := flag.String("target", string(cpu.Native), "instruction set of the machine code on one core, such as amd64.avx2")
	only := flag.String("only", "", "measure the kernels with this in their names, on one core")
	group := flag.String("lot", "", "measure the cases that match, as GROUP/NAME, beside their reference kernels in C and plain Go")
	flag.Parse()
	measure := func() error { return oneCore(*only, cpu.Engine(*target)) }
	switch {
	case *cores:
		measure = allCores
	case *group != "":
		measure = func() error { return lot(*group, cpu.Engine(*target)) }
	case *targets:
		measure = func() error { return allTargets(*only) }
	}
	if err := measure(); err != nil {
		log.Fatal(err)
	}
}

func oneCore(only string, engine cpu.Engine) error {
	dir, err := os.MkdirTemp("", "cpu")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var bins [2]string
	for i, o := range []string{"-O2 -ffp-contract=off -mfma -mf16c", "-O3 -ffp-contract=off -march=native"} {
		if bins[i], err = build(dir, fmt.Sprint("loops", i), strings.Fields(o)...); err != nil {
			return err
		}
	}
	run := cpu.RunOptions{Workers: 1}
	native, err := cpu.Open(cpu.Options{Engine: engine, Run: run})
	if err != nil {
		return err
	}
	slow, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: run})
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| µs, one core\t| gcc -O2\t| gcc -O3 -march=native\t| interpreter\t| machine code\t| gcc -O2 / ours\t| gcc -O3 / ours\t| interpreter / ours\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	var logs [3]float64 // sums of logarithms of the ratios
	n := 0.0
	for _, p := range problems() {
		if !strings.Contains(p.name, only) {
			continue
		}
		t, err := times(native, slow, bins, p)
		if err != nil {
			return err
		}
		us := func(d time.Duration) float64 { return float64(d) / 1000 }
		fmt.Fprintf(w, "| %s%s\t| %.1f\t| %.1f\t| %.0f\t| %.1f\t|", p.name, t.note, us(t.others[0]), us(t.others[1]), us(t.others[2]), us(t.ours))
		for i, other := range t.others {
			x := us(other) / us(t.ours)
			logs[i] += math.Log(x)
			fmt.Fprintf(w, " %.2f\t|", x)
		}
		fmt.Fprintln(w)
		n++
	}
	fmt.Fprintf(w, "| geometric mean\t| \t| \t| \t| \t| %.2f\t| %.2f\t| %.2f\t|\n", math.Exp(logs[0]/n), math.Exp(logs[1]/n), math.Exp(logs[2]/n))
	return w.Flush()
}

// taken is how long a kernel took: the least of all runs.
type taken struct {
	others [3]time.Duration // of both programs in C, and of the interpreter
	ours   time.Duration
	note   string // what is behind the kernel's name
}

// times runs a kernel on all sides in turns, and compares what comes out. Where the pages of buffers lie decides how they share the
// caches; so machine code has others in each round, as the programs in C have, each of which is a process.
func times(native, slow driver.Device, bins [2]string, p problem) (t taken, err error) {
	var fast *side
	interp, err := prepare(slow, p)
	if err != nil {
		return t, err
	}
	t.others, t.ours = [3]time.Duration{math.MaxInt64, math.MaxInt64}, math.MaxInt64
	var sums [2]uint64
	for round := range 12 {
		for i, bin := range bins {
			ns, sum, err := loop(bin, p.name, 10)
			if err != nil {
				return t, err
			}
			t.others[i], sums[i] = min(t.others[i], ns), sum
		}
		if fast, err = prepare(native, p); err != nil {
			return t, err
		}
		for range 10 {
			if err := fast.run(); err != nil {
				return t, err
			}
		}
		t.ours = min(t.ours, fast.least)
		if !p.slow || round < 3 {
			if err := interp.run(); err != nil {
				return t, err
			}
		}
	}
	t.others[2] = interp.least
	ours, err := fast.digest()
	if err != nil {
		return t, err
	}
	if reference, err := interp.digest(); err != nil || ours != reference {
		return t, fmt.Errorf("%s: machine code and interpreter differ (%v)", p.name, err)
	}
	if ours != sums[0] {
		t.note = " (other bits)"
	}
	return t, nil
}
