//go:build linux

// Command rivals measures package egraph on one core beside egg, another e-graph engine.
//
//	bench/egraph/rivals/run.sh -o rivals.csv
//
// The script builds egg's side, if cargo is there. Both sides are processes that do one run: they read one file or make
// one sum, and print what they came to and what it took. They run in turn. Nothing is told before rows, classes and roots
// are the same on both sides and, of a sum, what is known.
//
// closure is W1 of package egraphs. Its rows are added, where both engines find equal ones at once; then come the unions
// and the rebuild, which is where egg does a part of the work in each. "vyre, inserted" gives each row a class of its own, so that
// the rebuild finds the equal ones too; that is the graph which device forms close.
//
// sum is a sum of leaves, saturated under commutativity and associativity. egg has both as rules. So has "vyre, two
// rules", for an op that does not know that it is commutative. "vyre" is how package egraph does it: the head is
// commutative, and half the rows are not there.
//
// A line has the least and the median of the runs, and the memory that a row takes: the process's peak less what it had
// before, of the run with the least. package egraph keeps the reason of each union meanwhile, egg does not.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/testing/egraphs"
)

func main() {
	b := &bench{out: os.Stdout}
	egg := flag.String("egg", "", "the program of egg's side; without it, package egraph runs alone")
	flag.IntVar(&b.most, "most", 1_000_000, "rows of the largest graph")
	flag.IntVar(&b.leaves, "leaves", 13, "leaves of the largest sum")
	flag.IntVar(&b.runs, "runs", 7, "runs of each")
	flag.DurationVar(&b.patience, "patience", time.Minute, "about the processor time of the largest sum of an engine")
	csv := flag.String("o", "", "write the lines to this file, too")
	as := flag.Bool("vyre", false, "do one run of package egraph, as the arguments say")
	flag.Parse()
	err := error(nil)
	switch {
	case *as:
		err = once(os.Stdout, flag.Args())
	case *csv != "":
		err = atomicfile.Write(context.Background(), *csv, func(w io.Writer) error {
			b.out = io.MultiWriter(os.Stdout, w)
			return b.all(*egg)
		})
	default:
		err = b.all(*egg)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rivals:", err)
		os.Exit(1)
	}
}

// bench is what is measured, and where the lines go.
type bench struct {
	out                io.Writer
	most, leaves, runs int
	patience           time.Duration
	engines            []engine
}

// engine is a program that does one run.
type engine struct {
	name         string
	command      []string
	closure, sum string // its names of the two, empty for none
	part         int    // of the rows of a sum, that its graph has
}

// outcome is the line that an engine prints.
type outcome struct {
	rows, classes       int
	digest              uint64
	add, union, rebuild time.Duration
	bytes               int64
}

func (b *bench) all(egg string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	vyre := []string{self, "-vyre"}
	b.engines = []engine{{"vyre", vyre, "closure", "sum", 2}, {"vyre, inserted", vyre, "inserted", "", 0}, {"vyre, two rules", vyre, "", "rules", 1}}
	if egg != "" {
		b.engines = append(b.engines, engine{"egg", []string{egg}, "closure", "sum", 1})
	}
	fmt.Fprintln(b.out, "work,size,engine,quantity,least ns,median ns,runs,rows,classes,digest,bytes a row")
	folder, err := os.MkdirTemp("", "rivals")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for n := min(b.most, 100_000); n <= b.most; n *= 10 {
		if err := b.closure(folder, n); err != nil {
			return fmt.Errorf("closure of %d rows: %w", n, err)
		}
	}
	return b.sums()
}

// closure measures the engines on W1.
func (b *bench) closure(folder string, n int) error {
	file := filepath.Join(folder, "rows")
	if err := atomicfile.WriteBytes(context.Background(), file, encode(n)); err != nil {
		return err
	}
	runs := make([][]outcome, len(b.engines))
	var want outcome
	for range b.runs {
		for i, e := range b.engines {
			if e.closure == "" {
				continue
			}
			o, err := b.run(e, e.closure, file)
			if err != nil {
				return err
			}
			if want.rows == 0 {
				want = o
			}
			if o.rows != want.rows || o.classes != want.classes || o.digest != want.digest {
				return fmt.Errorf("%s has %d rows, %d classes, digest %x; %s has %d, %d, %x", b.engines[0].name, want.rows, want.classes, want.digest, e.name, o.rows, o.classes, o.digest)
			}
			runs[i] = append(runs[i], o)
		}
	}
	for i, e := range b.engines {
		if e.closure == "" {
			continue
		}
		b.line("closure", n, n, e, "rows added", runs[i], func(o outcome) time.Duration { return o.add })
		b.line("closure", n, n, e, "rebuild", runs[i], func(o outcome) time.Duration { return o.rebuild })
		b.line("closure", n, n, e, "unions and rebuild", runs[i], func(o outcome) time.Duration { return o.union + o.rebuild })
		b.line("closure", n, n, e, "all", runs[i], func(o outcome) time.Duration { return o.add + o.union + o.rebuild })
	}
	return nil
}

// encode is W1 as words: the numbers of rows and of unions; of each row its head, how many children, and those; the unions.
func encode(n int) []byte {
	pairs := egraphs.MixedUnions(n)
	words := []uint32{uint32(n), uint32(len(pairs))}
	for _, r := range egraphs.MixedRows(n) {
		words = append(append(words, r.Head, r.N), r.Kids[:r.N]...)
	}
	for _, p := range pairs {
		words = append(words, p[0], p[1])
	}
	var out bytes.Buffer
	_ = binary.Write(&out, binary.LittleEndian, words) // a buffer takes everything
	return out.Bytes()
}

// sums measures the engines on sums, larger and larger. A leaf more takes up to ten times as long, so that an engine ends
// with the sum that takes it a tenth of the patience.
func (b *bench) sums() error {
	in := slices.DeleteFunc(slices.Clone(b.engines), func(e engine) bool { return e.sum == "" })
	pow2, pow3 := 16, 81
	for n := 5; n <= b.leaves && len(in) > 0; n++ {
		pow2, pow3 = 2*pow2, 3*pow3
		runs := make([][]outcome, len(in))
		for k := range b.runs {
			for i, e := range in {
				if k > 0 && runs[i][0].rebuild*time.Duration(k) > b.patience/2 {
					continue
				}
				o, err := b.run(e, e.sum, fmt.Sprint(n))
				if err != nil {
					return err
				}
				if rows := (pow3-2*pow2+1)/e.part + n; o.rows != rows || o.classes != pow2-1 {
					return fmt.Errorf("sum of %d leaves: %s has %d rows and %d classes, not %d and %d", n, e.name, o.rows, o.classes, rows, pow2-1)
				}
				runs[i] = append(runs[i], o)
			}
		}
		var on []engine
		for i, e := range in {
			b.line("sum", n, runs[i][0].rows, e, "saturation", runs[i], func(o outcome) time.Duration { return o.rebuild })
			if runs[i][0].rebuild <= b.patience/10 {
				on = append(on, e)
			}
		}
		in = on
	}
	return nil
}

// run does one run of an engine.
func (b *bench) run(e engine, what, of string) (o outcome, err error) {
	cmd := exec.Command(e.command[0], append(slices.Clone(e.command[1:]), what, of)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return o, fmt.Errorf("%s %s %s: %w", e.name, what, of, err)
	}
	_, err = fmt.Sscanf(string(out), "%d %d %x %d %d %d %d\n", &o.rows, &o.classes, &o.digest, &o.add, &o.union, &o.rebuild, &o.bytes)
	if err != nil {
		return o, fmt.Errorf("%s %s %s prints %q: %w", e.name, what, of, out, err)
	}
	return o, nil
}

// line writes a line; of is by what the memory is divided.
func (b *bench) line(work string, size, of int, e engine, quantity string, runs []outcome, part func(outcome) time.Duration) {
	var took []time.Duration
	var memory []int64
	for _, o := range runs {
		took, memory = append(took, part(o)), append(memory, o.bytes)
	}
	slices.Sort(took)
	fmt.Fprintf(b.out, "%s,%d,%q,%s,%d,%d,%d,%d,%d,%016x,%d\n", work, size, e.name, quantity, took[0].Nanoseconds(),
		took[len(took)/2].Nanoseconds(), len(took), runs[0].rows, runs[0].classes, runs[0].digest, slices.Min(memory)/int64(of))
}
