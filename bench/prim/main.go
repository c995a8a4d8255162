// Command prim measures package prim beside CUB, cuRAND and cuBLAS.
//
//	nvcc -O3 -std=c++17 -arch=sm_90 -o cub reference/cub.cu -lcurand -lcublas
//	prim -reference ./cub
//
// Both sides have the same inputs, made from words of Philox seed 1, and are measured in the same way: one operation is
// captured, and launched between two events. A line tells the operation, the number of elements, the least and the median
// of 21 times on each side, CUB's median over ours, and whether the results are equal where both define them; at the end
// stands the geometric mean of each operation. The chain of five is timed by the host's clock, since its counts have to be
// known there for CUB's calls.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/govyre/vyre"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/prim"
)

func main() {
	device := flag.String("device", "cuda", "device to measure on")
	most := flag.Int("most", 1<<28, "elements of the largest size")
	only := flag.String("only", "", "measure the operations whose name contains one of these, with commas between")
	reference := flag.String("reference", "", "program made of reference/cub.cu, or programs made of its pieces, with commas between")
	csv := flag.String("o", "", "write the lines to this file, too")
	flag.Parse()
	if err := run(*device, *most, *only, *reference, *csv); err != nil {
		fmt.Fprintln(os.Stderr, "prim:", err)
		os.Exit(1)
	}
}

// sizes are how many elements there are.
var sizes = []int{1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 28}

// time of an operation, and a hash of its result.
type measured struct {
	least, median time.Duration
	check         uint64
	scratch       int64
}

func run(device string, most int, only, reference, csv string) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	theirs := map[string]measured{}
	for program := range strings.FieldsFuncSeq(reference, func(r rune) bool { return r == ',' }) {
		if err = reported(theirs, program, most, only); err != nil {
			return err
		}
	}
	if csv == "" {
		return lines(os.Stdout, dev, most, only, theirs)
	}
	return atomicfile.Write(context.Background(), csv, func(w io.Writer) error {
		return lines(io.MultiWriter(os.Stdout, w), dev, most, only, theirs)
	})
}

// lines measures all operations and writes a line about each. Results that differ make an error when all lines are there.
func lines(out io.Writer, dev vyre.Device, most int, only string, theirs map[string]measured) error {
	fmt.Fprintf(out, "# %s, driver %v\n", dev.Caps().Model, dev.Caps().DriverVersion)
	fmt.Fprintln(out, "operation,elements,least ns,median ns,CUB least ns,CUB median ns,ratio of medians,result,scratch,CUB scratch")
	b := &bench{ctx: context.Background(), dev: dev, most: most}
	if err := b.prepare(); err != nil {
		return err
	}
	wrong := 0
	for _, c := range cases {
		if !slices.ContainsFunc(strings.Split(only, ","), func(part string) bool { return strings.Contains(c.name, part) }) {
			continue
		}
		sum, count := 0.0, 0
		measured := sizes
		if c.sizes != nil {
			measured = c.sizes
		}
		for _, n := range measured {
			if n > most {
				continue
			}
			m, err := b.one(c, n)
			if err != nil {
				return fmt.Errorf("%s of %d: %w", c.name, n, err)
			}
			line := fmt.Sprintf("%s,%d,%d,%d", c.name, n, m.least.Nanoseconds(), m.median.Nanoseconds())
			if r, ok := theirs[fmt.Sprint(c.name, " ", n)]; ok {
				ratio := float64(r.median) / float64(m.median)
				sum, count = sum+math.Log(ratio), count+1
				verdict := "not compared"
				if r.check != 0 && m.check != 0 {
					if verdict = "equal"; r.check != m.check {
						verdict = "DIFFERENT"
						wrong++
					}
				}
				line += fmt.Sprintf(",%d,%d,%.3f,%s,%d,%d", r.least.Nanoseconds(), r.median.Nanoseconds(), ratio, verdict, m.scratch, r.scratch)
			}
			fmt.Fprintln(out, line)
		}
		if count > 0 {
			fmt.Fprintf(out, "# %s: geometric mean %.3f\n", c.name, math.Exp(sum/float64(count)))
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d results differ", wrong)
	}
	return nil
}

// reported runs a reference and reads its lines.
func reported(found map[string]measured, program string, most int, only string) error {
	cmd := exec.Command(program, fmt.Sprint(most), only)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		var name string
		var n, least, median, scratch int64
		var check uint64
		if _, err := fmt.Sscanf(lines.Text(), "%s %d %d %d %x %d", &name, &n, &least, &median, &check, &scratch); err != nil {
			return fmt.Errorf("%s printed %q: %w", program, lines.Text(), err)
		}
		found[fmt.Sprint(name, " ", n)] = measured{time.Duration(least), time.Duration(median), check, scratch}
	}
	return nil
}

// bench is a device with the words that inputs are made of.
type bench struct {
	ctx   context.Context
	dev   vyre.Device
	most  int
	words *vyre.Buffer[uint32] // 2 * most
}

func (b *bench) prepare() (err error) {
	r, err := prim.NewRandom[uint32](b.ctx, b.dev, prim.Words, 2*b.most)
	if err != nil {
		return err
	}
	if b.words, err = vyre.Alloc[uint32](b.dev, 2*b.most); err != nil {
		return err
	}
	seq := b.dev.NewSequence("words")
	r.Record(seq, prim.N(2*b.most), prim.Source{Seed: 1}, b.words)
	_, err = seq.Run(b.ctx)
	return errors.Join(err, seq.Close(), r.Close())
}

// one measures an operation on n elements.
func (b *bench) one(c operation, n int) (m measured, err error) {
	j := &job{bench: b, n: n}
	defer func() { err = errors.Join(err, j.close()) }()
	record := c.make(j)
	if j.err != nil {
		return m, j.err
	}
	seq := b.dev.NewSequence(c.name)
	defer seq.Close()
	results := record(seq)
	if err := seq.Prepare(); err != nil {
		return m, err
	}
	m.scratch = j.scratch
	var times []time.Duration
	for k := range 25 {
		begin := time.Now()
		res, err := seq.Run(b.ctx)
		took := res.Device
		if c.wall {
			took = time.Since(begin)
		}
		if err != nil {
			return m, err
		}
		if k >= 4 {
			times = append(times, took)
		}
	}
	slices.Sort(times)
	m.least, m.median = times[0], times[len(times)/2]
	m.check, err = j.hash(results)
	return m, err
}
