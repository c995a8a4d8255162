package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
)

// benchCmd measures a kernel.
type benchCmd struct {
	jobFlags
	Device []string      `default:"auto" completes:"device" placeholder:"NAME" help:"Devices to measure on, side by side; see vyre devices."`
	Runs   int           `placeholder:"N" help:"Warm runs to measure, instead of as many as fit into --time."`
	Time   time.Duration `default:"1s" help:"How long to measure warm runs on each device; at least three are measured."`
	JSON   bool          `help:"Print what was measured as one JSON document."`

	Measured string `placeholder:"FILE" help:"With -O …,+search: choose terms by the time of the kernel, not by cost, and write them to FILE, for --bank of other commands."`
}

// Help is the long help of the command.
func (benchCmd) Help() string {
	return `Cold is what only the first run pays for: compiling, with nothing in the cache on disk, uploading the
arguments, and preparing and running the launch once. Warm are later runs of the launch alone, each from
the same contents of the buffers. Device time is around the kernel on the device, wall time around the
call. Bandwidth is the bytes of the buffers that the kernel reads, and of those that it writes, by the
median of the device time: what the kernel asks for, not what passes the memory's pins. Of several
devices of one architecture, the first pays for optimising the kernel; the others find the text that it made.

With --measured, the kernel runs with each term that the pass search proves, in turns, and as it is. Each root
of arithmetic gets the fastest, but the one of least cost unless another is over 3 % faster.

Example:
  vyre bench examples/saxpy/kernel.go --device cpu,cuda --grid 4096 --arg a=2 --arg x=iota:1048576 --arg y=zeros:1048576`
}

func (c *benchCmd) Run(t *terminal) error {
	if c.Runs < 0 || c.Runs > maxRuns {
		return usagef("--runs %d: want a number of runs from 1 to %d", c.Runs, maxRuns)
	}
	for _, name := range c.Device {
		if err := checkDevice(name); err != nil {
			return err
		}
	}
	var bank *sink
	if c.Measured != "" {
		if len(c.Device) != 1 || !strings.Contains(c.Optimise+",", "+search,") {
			return usagef("--measured %s: it is for the pass search on one device; choose that by -O 3,+search, and name one --device", c.Measured)
		}
		var err error
		if bank, err = t.create("--measured", c.Measured); err != nil {
			return err
		}
		defer bank.close()
	}
	j, err := c.job(t)
	if err != nil {
		return err
	}
	doc := j.benchDoc()
	for _, name := range c.Device {
		m, err := c.measure(t, j, doc, name, bank)
		if errors.Is(err, driver.InvalidArgument) {
			return usage{err}
		}
		if err != nil {
			return err
		}
		doc.Devices = append(doc.Devices, m)
	}
	if c.JSON {
		err = doc.json(t.out)
	} else {
		err = doc.text(t.out)
	}
	for _, m := range doc.Devices[1:] {
		if first := doc.Devices[0]; !slices.Equal(m.Outputs, first.Outputs) {
			fmt.Fprintf(t.err, "vyre: what %s wrote on %s is not what it wrote on %s\n", j.name, m.Device, first.Device)
		}
	}
	return err
}

// benchDoc describes the launch.
func (j *job) benchDoc() *benchJSON {
	doc := &benchJSON{Kernel: j.name, Grid: j.grid, Workgroup: j.workgroup()}
	for i, p := range j.params {
		if p.IsBuffer() && p.Access.Reads() {
			doc.Read += int64(len(j.data[i]))
		}
		if p.IsBuffer() && p.Access.Writes() {
			doc.Written += int64(len(j.data[i]))
		}
	}
	return doc
}

// measure measures the launch on a device.
func (c *benchCmd) measure(t *terminal, j *job, doc *benchJSON, name string, bank *sink) (m measuredJSON, err error) {
	dev, err := openDevice(name, driver.OpenOptions{CloseTimeout: closeTimeout, CacheDir: "off"})
	if err != nil {
		return m, err
	}
	defer dev.Close()
	defer t.spin("measuring " + j.name + " on " + dev.Name())()
	m.Device, m.Model = dev.Name(), dev.Caps().Model

	if bank != nil {
		if m.Terms, err = c.terms(t, j, dev, bank); err != nil {
			return m, err
		}
	}
	start := time.Now()
	k, err := j.compile(t, dev, driver.Options{Label: j.name, Optimise: c.Optimise})
	if err != nil {
		return m, err
	}
	defer k.Close()
	m.Cold.Compile = time.Since(start)
	b := bench{t: t, j: j, dev: dev, kernel: k}
	if err := b.setUp(&m); err != nil {
		return m, err
	}
	defer b.close()
	if err := b.warm(c.Runs, c.Time); err != nil {
		return m, err
	}
	m.Warm = warmJSON{Runs: len(b.wall), Wall: quantilesOf(b.wall)}
	m.Outputs, err = b.outputs()
	if m.Note = noClock(dev); m.Note == "" && len(b.device) < len(b.wall) {
		m.Note = "some of its runs have no device time"
	}
	if m.Note == "" {
		m.Warm.device(quantilesOf(b.device), doc.Read+doc.Written, dev.Caps().BandwidthGBs)
	}
	m.resources(k, j.rest, dev.Caps())
	return m, err
}

// noClock says why times on the device say nothing about a GPU; "" where they do.
func noClock(dev driver.Device) string {
	switch {
	case dev.Caps().Simulated:
		return "simulates a GPU: it has no device time, its wall time is the simulation's, and its registers are an estimate"
	case dev.Caps().RegsUnit == 0 && dev.Caps().Reason == "":
		return "runs machine code on the host: it has no device time, and its wall time says nothing about a GPU"
	case dev.Caps().RegsUnit == 0:
		return "interprets the program on the host: it has no device time, and its wall time says nothing about a GPU"
	}
	return ""
}

// quantilesOf summarises times by nearest rank; it sorts them.
func quantilesOf(times []time.Duration) quantilesJSON {
	slices.Sort(times)
	rank := func(percent int) time.Duration { return times[(len(times)*percent+99)/100-1] }
	return quantilesJSON{times[0], rank(50), rank(99)}
}
