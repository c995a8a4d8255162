package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/printable"
	"lukechampine.com/blake3"
)

// runCmd compiles a kernel, runs it once and shows what it wrote.
type runCmd struct {
	jobFlags
	Device string         `default:"auto" completes:"device" help:"Device to run on; see vyre devices."`
	Out    []string       `sep:"none" placeholder:"NAME=FILE" help:"Write a buffer: FILE.png[:WIDTH[xHEIGHT]], FILE.txt, or raw bytes; -, -.png and -.txt are standard output."`
	Print  []string       `sep:"none" placeholder:"NAME[:N]" help:"Print the first N elements of a buffer; all without :N."`
	Budget uint64         `placeholder:"N" help:"Rows that warps may run before the kernel counts as endless: a bound that is the same on every machine (device cpu, interpreted)."`
	Limit  *time.Duration `placeholder:"TIME" help:"Longest time for the kernel: 1m by default, 10s with --check; 0 is without end."`
	Matrix string         `placeholder:"sm_NN" help:"Hardware by whose rule products of float matrices are computed (device cpu)."`
	Check  bool           `help:"Watch for races, accesses out of bounds and reads of undefined memory (device cpu)."`
	JSON   bool           `help:"Print digests of what was written, times, and the elements of --print, as one JSON document."`
	profileFlag
}

// Help is the long help of the command.
func (runCmd) Help() string {
	return `Example:
  vyre run examples/saxpy/kernel.go --grid 4 --arg a=2 --arg x=iota:1024 --arg y=zeros:1024 --print y:8

With --check the exit status is 1 if there is a finding. A benign race is a note and no finding: several
invocations store the same value, so the result does not depend on their order.`
}

func (c *runCmd) Run(t *terminal) error {
	j, err := c.job(t)
	if err != nil {
		return err
	}
	prints, err := c.prints(t, j)
	if err != nil {
		return err
	}
	outs, err := j.outputs(t, c.Out)
	if err != nil {
		return err
	}
	defer func() { closeAll(outs) }()
	profile, err := c.profile(t)
	if err != nil {
		return err
	}
	defer profile.close()
	dev, err := c.open()
	if err != nil {
		return err
	}
	defer dev.Close()
	var res driver.Result
	err = profile.around(dev, func() (err error) {
		res, err = c.launch(t, j, dev)
		return err
	})
	if errors.Is(err, driver.InvalidArgument) { // what was passed came from the command line
		return usage{err}
	}
	if err != nil && !errors.Is(err, driver.Trap) { // after a trap the buffers hold what was written
		return err
	}
	for _, o := range outs {
		if err := o.save(j); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		if err := j.printJSON(t, dev, res, prints); err != nil {
			return err
		}
	case len(prints) == 0 && len(outs) == 0:
		j.summary(t.out)
	default:
		for _, p := range prints {
			p.print(t.out, j)
		}
	}
	return c.report(t, j, res, err)
}

// prints returns what to print, after flags that do not fit.
func (c *runCmd) prints(t *terminal, j *job) ([]printing, error) {
	if c.Limit != nil && *c.Limit < 0 {
		return nil, usagef("--limit %v: want a time, such as 30s, or 0 for no limit", *c.Limit)
	}
	prints, err := j.prints(c.Print)
	switch {
	case err != nil:
		return nil, err
	case c.JSON:
		err = t.claim("--json")
	case len(prints) > 0:
		err = t.claim("--print")
	}
	return prints, err
}

// report tells findings and traces, and returns how the command ends: with the error of the run, or because of a finding.
func (c *runCmd) report(t *terminal, j *job, res driver.Result, err error) error {
	wrong := 0
	for _, r := range res.Reports {
		if fmt.Fprintln(t.err, r.Text); !r.Benign {
			wrong++
		}
	}
	if j.program != nil { // which has the words of what it prints
		for _, p := range driver.Print(j.program, res.Traces) {
			fmt.Fprintln(t.err, strings.TrimSuffix(p.String(), "\n"))
		}
	}
	if n := res.TracesDropped; n > 0 {
		fmt.Fprintf(t.err, "%d more traces found no room\n", n)
	}
	switch {
	case err != nil:
		return err
	case wrong > 0:
		return errSilent
	case len(res.Reports) > 0:
		fmt.Fprintln(t.err, "benign races change no result: every store of them writes the same value")
	case c.Check:
		fmt.Fprintln(t.err, "no races, no accesses out of bounds, no reads of undefined memory")
	}
	return nil
}

// launch runs the kernel, and gives it up after the limit.
func (c *runCmd) launch(t *terminal, j *job, dev driver.Device) (driver.Result, error) {
	limit := time.Minute
	switch {
	case c.Limit != nil:
		limit = *c.Limit
	case c.Check:
		limit = 10 * time.Second
	}
	within := *t
	if limit > 0 {
		ctx, cancel := context.WithTimeout(t.ctx, limit)
		defer cancel()
		within.ctx = ctx
	}
	res, err := j.launch(&within, dev, driver.Options{Label: j.name, Optimise: c.Optimise, Matrix: c.Matrix})
	if err != nil && t.ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return res, fmt.Errorf("%s has not ended within %v: see why a loop does not end, or raise the limit with --limit", j.name, limit) // what the device adds is about outputs that nobody waits for
	}
	return res, err
}

// closeTimeout bounds the wait for a run that was interrupted.
const closeTimeout = 200 * time.Millisecond

// open opens the device, with detectors and a budget if they are wanted.
func (c *runCmd) open() (driver.Device, error) {
	o := driver.OpenOptions{CloseTimeout: closeTimeout}
	if !c.Check && c.Budget == 0 {
		return openDevice(c.Device, o)
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
	Device  string        `json:"device"`
	Kernel  string        `json:"kernel"`
	Outputs []outputJSON  `json:"outputs"`
	Timing  timingJSON    `json:"timing"`
	Printed []printedJSON `json:"printed,omitempty"`
}

// printedJSON is what --print asked for: numbers, and texts where JSON has no number (NaN, +Inf, -Inf).
type printedJSON struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Len    int    `json:"len"`
	Values []any  `json:"values"`
}

// written describes what the kernel may have written, which is in data.
func (j *job) written(data [][]byte) []outputJSON {
	outs := []outputJSON{}
	for i, p := range j.params {
		if p.IsBuffer() && p.Access.Writes() {
			sum := blake3.Sum256(data[i])
			outs = append(outs, outputJSON{p.Name, p.ElemName(), len(data[i]) / p.Bytes(), hex.EncodeToString(sum[:])})
		}
	}
	return outs
}

func (j *job) printJSON(t *terminal, dev driver.Device, res driver.Result, prints []printing) error {
	doc := runJSON{Device: dev.Name(), Kernel: j.name, Outputs: j.written(j.data), Timing: timingJSON{
		res.Wall.Nanoseconds(), res.Enqueue.Nanoseconds(), res.Wait.Nanoseconds(), res.Device.Nanoseconds()}}
	for _, p := range prints {
		doc.Printed = append(doc.Printed, p.json(j))
	}
	return json.NewEncoder(printable.JSONWriter(t.out)).Encode(doc)
}
