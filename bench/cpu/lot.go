package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/front"
)

// lot measures the cases that match, as GROUP/NAME, whose reference kernels are programs in C, too: machine code, that
// program by two builds, and the plain Go that says what comes out. All have the same inputs. Times are processor time of
// one core, the least of the rounds, for which all take turns. The faster build counts: -O3 may vectorise what it should not.
func lot(only string, engine cpu.Engine) error {
	choice, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cpu")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d, err := cpu.Open(cpu.Options{Engine: engine, Run: cpu.RunOptions{Workers: 1}})
	if err != nil {
		return err
	}
	kernels, err := codegen.Kernels()
	if err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| µs, one core\t| gcc -O2 -march=native\t| gcc -O3 -march=native\t| plain Go\t| machine code\t| gcc / ours\t| Go / ours\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	var logs [2]float64 // sums of logarithms of the ratios
	n := 0.0
	for _, c := range codegen.Cases {
		if !choice.MatchString(c.Group.String() + "/" + c.Name) {
			continue
		}
		t, err := turns(d, kernels, &c, codegen.InL2, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		x, y := float64(min(t[0], t[1]))/float64(t[3]), float64(t[2])/float64(t[3])
		logs[0], logs[1], n = logs[0]+math.Log(x), logs[1]+math.Log(y), n+1
		fmt.Fprintf(w, "| %s\t| %d\t| %d\t| %d\t| %d\t| %.2f\t| %.2f\t|\n", c.Name,
			t[0].Microseconds(), t[1].Microseconds(), t[2].Microseconds(), t[3].Microseconds(), x, y)
	}
	fmt.Fprintf(w, "| geometric mean\t|\t|\t|\t|\t| %.2f\t| %.2f\t|\n", math.Exp(logs[0]/n), math.Exp(logs[1]/n))
	return w.Flush()
}

// turns returns the least times of both builds, of plain Go and of machine code. It works in dir.
func turns(d driver.Device, kernels map[string]*front.Kernel, c *codegen.Case, size codegen.Size, dir string) (least [4]time.Duration, err error) {
	src, err := codegen.References.ReadFile("reference/" + c.Reference + ".cu")
	if err != nil {
		return least, err
	}
	header, err := codegen.References.ReadFile("reference/twin.h")
	if err != nil {
		return least, err
	}
	p := c.Make(size)
	ctx, step := context.Background(), p.Steps[0]
	if err := errors.Join(atomicfile.WriteBytes(ctx, filepath.Join(dir, "twin.h"), header), atomicfile.WriteBytes(ctx, filepath.Join(dir, "twin.cc"), src)); err != nil {
		return least, err
	}
	bins := [2]string{filepath.Join(dir, "O2"), filepath.Join(dir, "O3")}
	for _, bin := range bins {
		out, err := exec.Command("gcc", "-"+filepath.Base(bin), "-march=native", "-ffp-contract=off", filepath.Join(dir, "twin.cc"), "-o", bin, "-lm").CombinedOutput()
		if err != nil {
			return least, fmt.Errorf("it is no program in C: %w\n%s", err, out)
		}
	}
	k := kernels[step.Kernel]
	code, err := d.Compile(ctx, k.Program, driver.Options{})
	if err != nil {
		return least, err
	}
	run, again, read := d.NewSequence(p.N), d.NewSequence("inputs"), d.NewSequence("outputs")
	input := binary.LittleEndian.AppendUint64(nil, 3) // rounds
	input = binary.LittleEndian.AppendUint64(input, uint64(len(step.Args)))
	field := func(values ...uint64) {
		for _, v := range values {
			input = binary.LittleEndian.AppendUint64(input, v)
		}
	}
	var args []driver.Arg
	var written []*codegen.Buffer
	got := make(map[*codegen.Buffer][]byte)
	for i, a := range step.Args {
		b := a.Buffer
		if b == nil {
			args = append(args, driver.Scalar{Type: k.Program.Params()[i].Type, Bits: a.Bits})
			field(0, 8, 1, a.Bits)
			continue
		}
		field(uint64(b.Role), uint64(b.Bytes), uint64(a.Len(k, i)))
		input = append(input, b.Data...)
		m, err := d.Alloc(b.Bytes, driver.AllocOptions{})
		if err != nil {
			return least, err
		}
		defer m.Close()
		args = append(args, driver.All(m))
		if b.Role != codegen.Out {
			again.Upload(driver.All(m), b.Data, driver.Always)
		}
		if b.Role != codegen.In {
			written, got[b] = append(written, b), make([]byte, b.Bytes)
			read.Read(driver.All(m), got[b])
		}
	}
	run.Launch(code, driver.Grid(step.Grid), args...)
	for i := range least {
		least[i] = math.MaxInt64
	}
	var want map[*codegen.Buffer][]byte
	var theirs [2]uint64
	for range 5 {
		for i, bin := range bins {
			c := exec.Command(bin)
			c.Stdin = bytes.NewReader(input)
			out, err := c.Output()
			if err != nil {
				return least, err
			}
			var ns time.Duration
			if _, err := fmt.Sscan(string(out), &ns, &theirs[i]); err != nil {
				return least, err
			}
			least[i] = min(least[i], ns)
		}
		for range 3 {
			from := processorTime()
			want = p.Want()
			least[2] = min(least[2], processorTime()-from)
			runtime.GC()
			if _, err := again.Run(ctx); err != nil {
				return least, err
			}
			from = processorTime()
			if _, err := run.Run(ctx); err != nil {
				return least, err
			}
			least[3] = min(least[3], processorTime()-from)
		}
	}
	if _, err := read.Run(ctx); err != nil {
		return least, err
	}
	sum := fnv.New64a()
	for _, b := range written {
		if err := p.Check(b, got[b], want[b]); err != nil {
			return least, err
		}
		sum.Write(got[b])
	}
	if ours := sum.Sum64(); theirs != [2]uint64{ours, ours} {
		return least, errors.New("the program in C leaves other bits")
	}
	return least, nil
}

// processorTime is what the process took.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
