// Command tune has driver.Tune choose the group size of every kernel of the suite that cannot tell it, measures the choice
// beside the declared size once more, and says what was gained:
//
//	tune -device cuda
//
// A line a kernel and size, and the geometric mean. The exit status is 1 if a choice is slower than 0.98 of the
// declared size.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/ir"
)

// bound is how fast a choice has to be, by the declared size.
const bound = 0.98

func main() {
	name := flag.String("device", "cuda", "device to measure on")
	small := flag.Bool("small", false, "measure launches of a few groups only")
	runs := flag.Int("runs", 100, "how many runs of each size are compared")
	match := flag.String("match", "", "measure only kernels whose names match")
	flag.Parse()
	if err := run(os.Stdout, *name, *match, *small, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "tune:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, name, match string, small bool, runs int) error {
	wanted, err := regexp.Compile(match)
	if err != nil {
		return err
	}
	kernels, err := codegen.Kernels()
	if err != nil {
		return err
	}
	dev, err := vyre.OpenWith(name, driver.OpenOptions{CacheDir: driver.CacheOff})
	if err != nil {
		return err
	}
	defer dev.Close()
	sizes := codegen.Sizes[1:]
	if small {
		sizes = codegen.Sizes[:1]
	}
	sum, n, slow := 0.0, 0, 0
	for _, c := range codegen.Cases {
		for _, size := range sizes {
			p := c.Make(size)
			program := kernels[p.Steps[0].Kernel].Program
			if !wanted.MatchString(p.Steps[0].Kernel) || len(p.Steps) > 1 || p.Steps[0].Grid[1] > 1 || p.Steps[0].Grid[2] > 1 {
				continue // another kernel, or another group, counts as well
			}
			s := subject{dev: dev, program: program, problem: p, runs: runs}
			declared, tuned, choice, err := s.measure()
			if errors.Is(err, driver.Unsupported) {
				continue // it can tell its group size
			}
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			gain, verdict := float64(declared)/float64(tuned), "pass"
			if choice == program.Workgroup()[0] {
				gain = 1 // the same code: what differs is the clock
			}
			if gain < bound {
				slow, verdict = slow+1, "fail"
			}
			sum, n = sum+math.Log(gain), n+1
			fmt.Fprintf(w, "vyrebench v=1 name=P15 kernel=%s size=%q declared=%d chosen=%d declared_ns=%d chosen_ns=%d ratio=%.3f bound=%.2f verdict=%s\n",
				p.Steps[0].Kernel, size, program.Workgroup()[0], choice, declared, tuned, gain, bound, verdict)
		}
	}
	if n == 0 {
		return errors.New("no kernel was measured")
	}
	fmt.Fprintf(w, "vyrebench v=1 name=P15 kernels=%d mean=%.3f\n", n, math.Exp(sum/float64(n)))
	if slow > 0 {
		return fmt.Errorf("%d choices are slower than %.2f of the declared size", slow, bound)
	}
	return nil
}

// subject is a kernel that is measured at one size of its problem.
type subject struct {
	dev     vyre.Device
	program *ir.Program
	problem *codegen.Problem
	runs    int

	args    []driver.Arg
	restore *driver.Sequence // gives what is updated its first contents again
	made    []interface{ Close() error }
}

// measure returns the medians of the declared size and of the one that Tune chose, in nanoseconds.
func (s *subject) measure() (declared, tuned time.Duration, choice uint32, err error) {
	ctx := context.Background()
	defer func() {
		for _, m := range slices.Backward(s.made) {
			err = errors.Join(err, m.Close())
		}
	}()
	if err := s.bind(ctx); err != nil {
		return 0, 0, 0, err
	}
	items := uint64(s.problem.Steps[0].Grid[0]) * uint64(s.program.Workgroup()[0])
	t, err := driver.Tune(ctx, s.dev, s.program, driver.Options{Items: items}, s.args...)
	if err != nil {
		return 0, 0, 0, err
	}
	var seqs [2]*driver.Sequence
	for i, size := range [][3]uint32{s.program.Workgroup(), t.Workgroup} {
		k, err := s.dev.Compile(ctx, s.program, driver.Options{Workgroup: size})
		if err != nil {
			return 0, 0, 0, err
		}
		seqs[i] = s.dev.NewSequence("measured")
		seqs[i].Launch(k, driver.Cover(items, size[0]), s.args...)
		s.made = append(s.made, k, seqs[i])
	}
	var times [2][]time.Duration
	for range s.runs + 2 {
		for i, seq := range seqs {
			if _, err := s.restore.Run(ctx); err != nil {
				return 0, 0, 0, err
			}
			res, err := seq.Run(ctx)
			if err != nil {
				return 0, 0, 0, err
			}
			times[i] = append(times[i], max(res.Device, 1))
		}
	}
	for i := range times {
		times[i] = times[i][2:] // later runs need not make what the first ones do
		slices.Sort(times[i])
	}
	return times[0][s.runs/2], times[1][s.runs/2], t.Workgroup[0], nil
}

// bind makes the buffers of the problem.
func (s *subject) bind(ctx context.Context) error {
	mem := make(map[*codegen.Buffer]driver.Buffer)
	s.restore = s.dev.NewSequence("restore")
	defer func() { s.made = append(s.made, s.restore) }() // it is closed before what it copies
	for _, b := range s.problem.Buffers {
		at := make([]driver.Buffer, 1, 2)
		if b.Role == codegen.Update {
			at = at[:2]
		}
		for i := range at {
			var err error
			if at[i], err = s.dev.Alloc(b.Bytes, driver.AllocOptions{Label: b.Name}); err != nil {
				return err
			}
			s.made = append(s.made, at[i])
			if b.Data != nil {
				if err := driver.Write(ctx, driver.All(at[i]), b.Data); err != nil {
					return err
				}
			}
		}
		if mem[b] = at[0]; len(at) > 1 {
			s.restore.Copy(driver.All(at[0]), driver.All(at[1]))
		}
	}
	step := s.problem.Steps[0]
	for i, q := range s.program.Params() {
		if q.IsBuffer() {
			s.args = append(s.args, driver.All(mem[step.Args[i].Buffer]))
		} else {
			s.args = append(s.args, driver.Scalar{Type: q.Type, Bits: step.Args[i].Bits})
		}
	}
	return nil
}
