package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/printable"
)

// conformCmd runs the suite.
type conformCmd struct {
	Device string `default:"auto" completes:"device" help:"Device to test; see vyre devices."`
	Match  string `placeholder:"TEXT" help:"Only cases whose family/name holds this text."`
	Random uint64 `placeholder:"N" help:"Run N random programs as well, against the interpreter."`
	Seed   uint64 `placeholder:"N" help:"Seed of the first random program; 0 takes one from the clock and says which."`
	Passes string `enum:"host,device" default:"host" help:"device: random programs are first folded, numbered and cleared of dead code by passes that run on the device, many programs at once, and verified there, spoilt ones too; host is without."`
	JSON   bool   `help:"Print the totals as JSON."`

	Choices string `hidden:"" help:"File with the decisions of one random program: nothing else is tried."`
	passesFlag
}

// random tries random programs; one that loses the device is tried again in a process of its own.
func (c *conformCmd) random(t *terminal, sum *conform.Summary, on conform.Device, made func(uint64) *conform.RandomProgram) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if c.Seed == 0 {
		c.Seed = conform.ClockSeed()
	}
	fmt.Fprintf(t.err, "random programs from seed %d; --seed %d repeats them\n", c.Seed, c.Seed)
	step, stop := countdown(t.err, "random programs", int(c.Random))
	defer stop()
	return conform.RandomRun{Seed: c.Seed, N: c.Random, Make: made, Workers: runtime.GOMAXPROCS(0), Step: func() { step(1) },
		Alone: conform.InProcess(func(ctx context.Context, file string) *exec.Cmd {
			return exec.CommandContext(ctx, self, "conform", "--device", c.Device, "--optimise="+c.Optimise, "--bank="+c.Bank, "--passes="+c.Passes, "--choices", file)
		})}.Run(t.ctx, sum, on)
}

type conformJSON struct {
	Device  string `json:"device"`
	Cases   int    `json:"cases"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
}

func (c *conformCmd) Run(t *terminal) error {
	if _, err := c.choice(t); err != nil {
		return err
	}
	dev, err := openDevice(c.Device, driver.OpenOptions{})
	if err != nil {
		return err
	}
	defer dev.Close()
	on := conform.OnWith(dev, driver.Options{Optimise: c.Optimise})
	random, made := on, (func(uint64) *conform.RandomProgram)(nil)
	if c.Passes == "device" {
		passes, err := openPasses(t.ctx, dev)
		if err != nil {
			return err
		}
		defer passes.Close()
		random, made = conform.Through(on, "passes over columns", passes.pass), passes.make
	}
	if c.Choices != "" {
		r, err := conform.ReadChoices(c.Choices)
		if err != nil {
			return err
		}
		return r.Agree(t.ctx, random)
	}
	step, stop := countdown(t.err, "conform", len(conform.Suite()))
	sum, err := conform.Run(t.ctx, on, conform.Options{Match: c.Match, Progress: func(string, conform.Summary) { step(1) }})
	stop()
	if err != nil {
		return err
	}
	if c.Random > 0 {
		if err := c.random(t, &sum, random, made); err != nil {
			return err
		}
	}
	if sum.Cases == 0 {
		return usagef("--match %s: no case matches %q", c.Match, c.Match)
	}
	for _, f := range sum.Failures {
		fmt.Fprintln(t.err, f.Error())
	}
	if c.JSON {
		if err := json.NewEncoder(printable.JSONWriter(t.out)).Encode(conformJSON{dev.Name(), sum.Cases, sum.Passed, sum.Failed, sum.Skipped}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(t.out, "%s: %d cases, %d passed, %d failed, %d skipped", dev.Name(), sum.Cases, sum.Passed, sum.Failed, sum.Skipped)
		if sum.Skipped > 0 {
			fmt.Fprint(t.out, " (they need detectors, which these runs are without)")
		}
		fmt.Fprintln(t.out)
	}
	if sum.Failed > 0 {
		return errSilent
	}
	return nil
}
