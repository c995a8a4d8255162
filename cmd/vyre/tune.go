package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// tuneCmd measures which group sizes kernels are fastest with, or what rounds of a device cost.
type tuneCmd struct {
	Source []string `arg:"" optional:"" help:"Kernels; without any, what later searches of graphs go by is measured: Go files, directories, or programs in text form, each with :NAME to choose one kernel."`
	Items  uint64   `placeholder:"N" help:"Number of invocations along x that have work."`
	Arg    []string `sep:"none" placeholder:"NAME=VALUE" help:"Argument of the kernels that have a parameter of the name; see vyre run."`
	Device string   `default:"auto" completes:"device" help:"Device to measure on; see vyre devices."`
	passesFlag
}

// Help is the long help of the command.
func (tuneCmd) Help() string {
	return `Each kernel is launched over the items, with the declared group size and with up to three others for which a
model of the device predicts about as little work, in turns. A size that is more than 3 % faster than the
declared one is the choice. It is kept beside the compiled kernels, in the directory tune. A program that compiles
the kernel with driver.AutoWorkgroup and about as many items gets it. A kernel that knows its group size, as
by shared memory or a barrier, is refused.

Without kernels, it measures what launches, barriers and accesses cost. Plans of rounds, as those of vyre reach, go by that.

Of several kernels, the output says which fit a multiprocessor of the device together.

Example:
  vyre tune examples/saxpy/kernel.go --items 1048576 --arg a=2 --arg x=iota:1048576 --arg y=zeros:1048576`
}

func (c *tuneCmd) Run(t *terminal) error {
	if len(c.Source) == 0 {
		if c.Items > 0 || len(c.Arg) > 0 {
			return usagef("--items and --arg are of kernels; name some")
		}
		return c.calibrate(t)
	}
	if c.Items == 0 {
		return usagef("--items 0: want the number of invocations that have work")
	}
	jobs, err := c.jobs(t)
	if err != nil {
		return err
	}
	dev, err := openDevice(c.Device, driver.OpenOptions{CloseTimeout: closeTimeout})
	if err != nil {
		return err
	}
	defer dev.Close()
	needs := make([]driver.Requirement, len(jobs))
	for i, j := range jobs {
		if needs[i], err = c.tune(t, j, dev); errors.Is(err, driver.InvalidArgument) {
			return usage{err}
		}
		if err != nil {
			return err
		}
	}
	for i, a := range needs {
		for _, b := range needs[:i] {
			if ok, blocks := driver.CanOverlap(dev.Caps(), b, a); ok {
				fmt.Fprintf(t.out, "groups of %s and %s fit a multiprocessor together\n", b.Kernel, a.Kernel)
			} else {
				fmt.Fprintf(t.out, "groups of %s and %s do not overlap: %s\n", b.Kernel, a.Kernel, blocks)
			}
		}
	}
	return nil
}

// calibrate measures what plans of rounds go by.
func (c *tuneCmd) calibrate(t *terminal) error {
	dev, err := openDevice(c.Device, driver.OpenOptions{CloseTimeout: closeTimeout})
	if err != nil {
		return err
	}
	defer dev.Close()
	stop := t.spin("measuring " + dev.Name())
	costs, err := megakernel.Calibrate(t.ctx, dev)
	stop()
	if costs == nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: a launch and a read %v, an arc forward %d/4 of a look backward, a node that is passed %d/16\n", dev.Name(), time.Duration(costs.LaunchRead), costs.Forward, costs.Scan)
	kept := "kept for later plans"
	if megakernel.KeptCosts(dev) == nil {
		kept = "not kept, as kernels compiled for the device are not; see " + driver.EnvCacheDir
	}
	if dev.Caps().Simulated {
		fmt.Fprintln(t.out, "the times are those of a simulation, and say nothing about a GPU")
	}
	if err == nil {
		_, err = fmt.Fprintln(t.out, kept)
	}
	return err
}

// jobs reads the kernels, each with the arguments that it has parameters for.
func (c *tuneCmd) jobs(t *terminal) (jobs []*job, err error) {
	if _, err := c.choice(t); err != nil {
		return nil, err
	}
	taken := make([]bool, len(c.Arg))
	for _, source := range c.Source {
		l, err := t.loadOne(source)
		if err != nil {
			return nil, err
		}
		j := &job{loaded: l, params: l.program.Params()}
		if slices.ContainsFunc(jobs, func(o *job) bool { return o.program.Digest() == l.program.Digest() && o.name == l.name }) {
			return nil, usagef("%s: kernel %s is there twice", source, l.name)
		}
		var args []string
		for i, a := range c.Arg {
			name, _, _ := strings.Cut(a, "=")
			if _, err := j.find("--arg", name); err == nil || len(j.parts(name)) > 0 {
				args, taken[i] = append(args, a), true
			}
		}
		if err := j.setArgs(t, args); err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	for i, a := range c.Arg {
		if name, _, _ := strings.Cut(a, "="); !taken[i] {
			return nil, usagef("--arg %s: no kernel has a parameter %s", a, name)
		}
	}
	return jobs, nil
}

// tune measures a kernel, and returns what it needs with the choice.
func (c *tuneCmd) tune(t *terminal, j *job, dev driver.Device) (need driver.Requirement, err error) {
	args, bufs, err := j.bind(dev)
	if err != nil {
		return need, err
	}
	up := dev.NewSequence(j.name)
	for i, b := range bufs {
		if b != nil {
			up.Upload(driver.All(b), j.data[i], driver.Always)
		}
	}
	if _, err := up.Run(t.ctx); err != nil {
		return need, errors.Join(err, up.Close())
	}
	if err := up.Close(); err != nil {
		return need, err
	}
	o := driver.Options{Label: j.name, Optimise: c.Optimise, Items: c.Items}
	stop := t.spin("measuring " + j.name)
	tuned, err := driver.Tune(t.ctx, dev, j.program, o, args...)
	stop()
	if err != nil {
		return need, err
	}
	for _, b := range bufs {
		if b != nil {
			err = errors.Join(err, b.Close())
		}
	}
	if err != nil {
		return need, err
	}
	o.Workgroup = driver.AutoWorkgroup
	k, err := dev.Compile(t.ctx, j.program, o)
	if err != nil {
		return need, err
	}
	defer k.Close()
	return driver.RequirementOf(k, driver.Grid{}, 0), printTuning(t, j.name, dev, tuned)
}

// printTuning says what was chosen, from what, and where that is kept.
func printTuning(t *terminal, name string, dev driver.Device, tuned driver.Tuning) error {
	fmt.Fprintf(t.out, "%s on %s: workgroup=%d\n", name, dev.Name(), tuned.Workgroup[0])
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "workgroup\tmedian\truns\t")
	for i, c := range tuned.Candidates {
		note := ""
		if i == 0 {
			note = "  declared"
		}
		if c.Workgroup == tuned.Workgroup {
			note += "  chosen"
		}
		fmt.Fprintf(w, "%d\t%v\t%d\t%s\n", c.Workgroup[0], c.Median, c.Runs, note)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if dev.Caps().Simulated {
		fmt.Fprintln(t.out, "the times are those of a simulation, and say nothing about a GPU")
	}
	if tuned.File == "" {
		fmt.Fprintf(t.out, "not kept: the device has no cache directory that can be written; %s names one\n", driver.EnvCacheDir)
	} else {
		fmt.Fprintf(t.out, "kept in %s\n", tuned.File)
	}
	return nil
}
