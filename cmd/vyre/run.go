package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/ir"
	"lukechampine.com/blake3"
)

// runCmd compiles a kernel, runs it once and shows what it wrote.
type runCmd struct {
	Source string   `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel."`
	Device string   `default:"auto" help:"Device to run on; see vyre devices."`
	Grid   string   `required:"" placeholder:"X[xY[xZ]]" help:"Number of workgroups along each axis."`
	Arg    []string `sep:"none" placeholder:"NAME=VALUE" help:"Argument: a number for a scalar; zeros:N, iota:N, rand:N[:SEED], numbers with commas, FILE.png, FILE.txt or a FILE of bytes for a buffer."`
	Rest   int      `placeholder:"N" help:"Elements of the shared array whose length comes with the launch."`
	Out    []string `sep:"none" placeholder:"NAME=FILE" help:"Write a buffer: FILE.png[:WIDTH[xHEIGHT]], FILE.txt, or raw bytes."`
	Print  []string `sep:"none" placeholder:"NAME[:N]" help:"Print the first N elements of a buffer; all without :N."`
	Budget uint64   `placeholder:"N" help:"Rows that warps may run before the kernel counts as endless, 2³² by default (device cpu)."`
	Check  bool     `help:"Watch for races, accesses out of bounds and reads of undefined memory (device cpu)."`
	JSON   bool     `help:"Print digests of what was written, and times, as JSON."`
	passesFlag
}

// Help is the long help of the command.
func (runCmd) Help() string {
	return `Example:
  vyre run examples/saxpy/kernel.go --grid 4 --arg a=2 --arg x=iota:1024 --arg y=zeros:1024 --print y:8`
}

// job is a kernel with everything it needs for one launch.
type job struct {
	loaded
	params  []ir.Param
	data    [][]byte // contents of buffers, replaced by what the launch left
	bits    []uint64 // of scalars
	picture *picture // size of the picture among the arguments
	grid    driver.Grid
	rest    int
}

func (c *runCmd) Run(t *terminal) error {
	if _, err := c.choice(); err != nil {
		return err
	}
	l, err := loadOne(c.Source)
	if err != nil {
		return err
	}
	j := &job{loaded: l, params: l.program.Params(), rest: c.Rest}
	if err := j.setGrid(c.Grid); err != nil {
		return err
	}
	if err := j.setArgs(c.Arg); err != nil {
		return err
	}
	outs, err := j.outputs(c.Out)
	if err != nil {
		return err
	}
	prints, err := j.prints(c.Print)
	if err != nil {
		return err
	}
	dev, err := c.open()
	if err != nil {
		return err
	}
	defer dev.Close()
	stop := spin(t.err, "running "+j.name)
	res, err := j.launch(t, dev, driver.Options{Label: j.name, Optimise: c.Optimise})
	stop()
	if err != nil && !errors.Is(err, driver.Trap) { // after a trap the buffers hold what was written
		return err
	}
	for _, p := range prints {
		p.print(t.out, j)
	}
	for _, o := range outs {
		if err := o.write(j); err != nil {
			return err
		}
	}
	if c.JSON {
		if err := j.printJSON(t, dev, res); err != nil {
			return err
		}
	} else if len(prints) == 0 && len(outs) == 0 {
		j.summary(t.out)
	}
	for _, r := range res.Reports {
		fmt.Fprintln(t.err, r.Text)
	}
	for _, p := range driver.Print(j.program, res.Traces) {
		fmt.Fprintln(t.err, strings.TrimSuffix(p.String(), "\n"))
	}
	if n := res.TracesDropped; n > 0 {
		fmt.Fprintf(t.err, "%d more traces found no room\n", n)
	}
	switch {
	case err != nil:
		return err
	case len(res.Reports) > 0:
		return errSilent
	case c.Check:
		fmt.Fprintln(t.err, "no races, no accesses out of bounds, no reads of undefined memory")
	}
	return nil
}

// closeTimeout bounds the wait for a run that was interrupted.
const closeTimeout = 200 * time.Millisecond

// open opens the device, with detectors and a budget if they are wanted.
func (c *runCmd) open() (driver.Device, error) {
	o := driver.OpenOptions{CloseTimeout: closeTimeout}
	if !c.Check && c.Budget == 0 {
		return driver.Open(c.Device, o)
	}
	if c.Device != "auto" && c.Device != cpu.Name {
		return nil, usagef("--check and --budget need the device cpu; %s cannot watch programs", c.Device)
	}
	run := interp.Options{Budget: c.Budget}
	if c.Check {
		run.Detect = interp.Everything
	}
	return cpu.Open(cpu.Options{OpenOptions: o, Run: run})
}

func (j *job) setGrid(s string) error {
	j.grid = driver.Grid{1, 1, 1}
	empty := false
	parts := strings.Split(s, "x")
	if len(parts) > 3 {
		return usagef("--grid %s has %d axes; a grid has one to three", s, len(parts))
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 0, 32)
		if err != nil {
			return usagef("--grid %s: %q is no number of workgroups", s, p)
		}
		j.grid[i], empty = uint32(n), empty || n == 0
	}
	if empty {
		j.grid[0], j.grid[1], j.grid[2] = 0, max(j.grid[1], 1), max(j.grid[2], 1)
	}
	return nil
}

// find returns the index of a parameter.
func (j *job) find(flag, name string) (int, error) {
	var all []string
	for i, p := range j.params {
		if p.Name == name {
			return i, nil
		}
		all = append(all, p.Name)
	}
	return 0, usagef("%s %s: kernel %s has no parameter of that name; it has %s", flag, name, j.name, strings.Join(all, ", "))
}

// setArgs reads every --arg and makes sure that each parameter has one.
func (j *job) setArgs(args []string) error {
	j.data, j.bits = make([][]byte, len(j.params)), make([]uint64, len(j.params))
	set := make([]bool, len(j.params))
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if !ok {
			return usagef("--arg %s: want NAME=VALUE", a)
		}
		i, err := j.find("--arg", name)
		if err != nil {
			return err
		}
		if set[i] {
			return usagef("--arg %s: %s was given before", a, name)
		}
		set[i] = true
		p := j.params[i]
		if !p.IsBuffer() {
			if j.bits[i], err = parseScalar(p.Type, value); err != nil {
				return fmt.Errorf("--arg %s: %w", a, err)
			}
			continue
		}
		var pic *picture
		if j.data[i], pic, err = parseBuffer(p.Type, value); err != nil {
			return fmt.Errorf("--arg %s: %w", a, err)
		}
		if pic != nil {
			j.picture = pic
		}
	}
	for i, p := range j.params {
		if set[i] {
			continue
		}
		if p.IsBuffer() {
			return usagef("kernel %s needs its buffer %s of %s: add --arg %s=zeros:N, iota:N, rand:N or a file", j.name, p.Name, p.Type, p.Name)
		}
		return usagef("kernel %s needs its parameter %s of %s: add --arg %s=NUMBER", j.name, p.Name, p.Type, p.Name)
	}
	return nil
}

// launch uploads, launches once and reads back what the kernel may have written.
func (j *job) launch(t *terminal, dev driver.Device, o driver.Options) (driver.Result, error) {
	var none driver.Result
	k, err := dev.Compile(t.ctx, j.program, o)
	if err != nil {
		return none, err
	}
	defer k.Close()
	seq := dev.NewSequence(j.name)
	defer seq.Close()
	args := make([]driver.Arg, 0, len(j.params)+1)
	var bufs []driver.Buffer
	for i, p := range j.params {
		if !p.IsBuffer() {
			args = append(args, driver.Scalar{Type: p.Type, Bits: j.bits[i]})
			bufs = append(bufs, nil)
			continue
		}
		b, err := dev.Alloc(int64(len(j.data[i])), driver.AllocOptions{Label: p.Name})
		if err != nil {
			return none, err
		}
		bufs = append(bufs, b)
		seq.Upload(driver.All(b), j.data[i], driver.Always)
		args = append(args, driver.All(b))
	}
	if j.program.Traits().SharedRest {
		args = append(args, driver.Rest(j.rest))
	}
	seq.Launch(k, j.grid, args...)
	for i, p := range j.params {
		if p.IsBuffer() && p.Access.Writes() {
			seq.Read(driver.All(bufs[i]), j.data[i])
		}
	}
	return seq.Run(t.ctx)
}

// outputJSON and the rest are the form of --json.
type outputJSON struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Len    int    `json:"len"`
	BLAKE3 string `json:"blake3"`
}

type timingJSON struct {
	Wall    int64 `json:"wall_ns"`
	Enqueue int64 `json:"enqueue_ns"`
	Wait    int64 `json:"wait_ns"`
	Device  int64 `json:"device_ns"`
}

type runJSON struct {
	Device  string       `json:"device"`
	Kernel  string       `json:"kernel"`
	Outputs []outputJSON `json:"outputs"`
	Timing  timingJSON   `json:"timing"`
}

func (j *job) written() []outputJSON {
	outs := []outputJSON{}
	for i, p := range j.params {
		if p.IsBuffer() && p.Access.Writes() {
			sum := blake3.Sum256(j.data[i])
			outs = append(outs, outputJSON{p.Name, p.Type.String(), len(j.data[i]) / p.Type.Size(), hex.EncodeToString(sum[:])})
		}
	}
	return outs
}

func (j *job) printJSON(t *terminal, dev driver.Device, res driver.Result) error {
	enc := json.NewEncoder(t.out)
	return enc.Encode(runJSON{dev.Name(), j.name, j.written(), timingJSON{
		res.Wall.Nanoseconds(), res.Enqueue.Nanoseconds(), res.Wait.Nanoseconds(), res.Device.Nanoseconds()}})
}
