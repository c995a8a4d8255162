package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/protocols"
	"github.com/govyre/vyre/megakernel"
)

// evidenceExplainCmd prints what is known of runs.
type evidenceExplainCmd struct {
	Try    []string `sep:"none" placeholder:"GRAPH" help:"First search a graph in every way there is, and keep the times beside compiled kernels; may be repeated."`
	Runs   uint64   `placeholder:"N" help:"How often a plan is going to run; as often as plans before it did on average if it is left out."`
	Device string   `default:"auto" completes:"device" help:"Device of which to print; see vyre devices."`
	Beside string   `placeholder:"DEVICE" completes:"device" help:"Device on which to try the same, and print which of the two was faster."`
	profileFlag
	traceFlag
}

// Help is the long help of the command.
func (evidenceExplainCmd) Help() string {
	return `Plans of waves choose who drives their rounds, and whether one block goes on alone, by the times of earlier runs on the
device, where a program keeps those (megakernel.KeepHistory). The command prints what is kept: of each pass whether it
would be taken and why not, the times of runs with it, and what runs that were chosen by evidence took against what was
projected. Ten runs that are more than a quarter off make the evidence stale, and the default is taken. With --trace or
--profile every way is tried once more, for these files; times of that are not kept.

Example:
  vyre evidence explain --try road:1024x1024 --runs 1000 --device cuda
  vyre evidence explain --try chain:65536 --device cuda --beside cpu
  vyre evidence explain --try road:1024x1024 --device cuda --trace ways.json`
}

func (c *evidenceExplainCmd) Run(t *terminal) error {
	var tries []trial
	for _, g := range c.Try {
		one, err := parseTrial(g)
		if err != nil {
			return usagef("--try %s: %w", g, err)
		}
		tries = append(tries, one)
	}
	if err := checkDevice(c.Device); err != nil {
		return err
	}
	if len(tries) == 0 && c.Trace+c.Profile != "" {
		return usagef("--trace and --profile go with --try")
	}
	profile, err := c.profile(t)
	if err != nil {
		return err
	}
	defer profile.close()
	trace, err := c.timeline(t)
	if err != nil {
		return err
	}
	defer trace.close()
	if c.Beside != "" {
		if err := checkDevice(c.Beside); err != nil {
			return err
		}
		if len(tries) == 0 {
			return usagef("--beside %s: it goes with --try", c.Beside)
		}
	}
	dev, err := openDevice(c.Device, driver.OpenOptions{})
	if err != nil {
		return err
	}
	defer dev.Close()
	all := megakernel.KeptHistories(dev)
	for _, one := range tries {
		if err := one.run(t, dev, all); err != nil {
			return err
		}
	}
	if err := record(t, tries, dev, profile, trace); err != nil {
		return err
	}
	if len(all) == 0 {
		_, err := fmt.Fprintf(t.out, "no runs are kept of %s\n", dev.Name())
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, err := fmt.Fprintf(t.out, "%s on %s\n%s", name, dev.Name(), all[name].Explain(c.Runs)); err != nil {
			return err
		}
	}
	if c.Beside == "" {
		return nil
	}
	return c.compare(t, tries, dev, all)
}

// record tries everything again for a profile and a timeline. Runs that are slower for them are not evidence.
func record(t *terminal, tries []trial, dev driver.Device, profile, trace *recording) error {
	if profile == nil && trace == nil {
		return nil
	}
	return trace.around(dev, func() error {
		return profile.around(dev, func() error {
			for _, one := range tries {
				if err := one.measure(t, dev, new(megakernel.History)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// compare tries the same on another device, and prints which one was faster.
func (c *evidenceExplainCmd) compare(t *terminal, tries []trial, dev driver.Device, all map[string]*megakernel.History) error {
	other, err := openDevice(c.Beside, driver.OpenOptions{})
	if err != nil {
		return err
	}
	defer other.Close()
	for _, one := range tries {
		h := new(megakernel.History)
		if err := one.measure(t, other, h); err != nil {
			return err
		}
		_, line := megakernel.Fastest(megakernel.Tried{Device: dev, History: all[one.name]}, megakernel.Tried{Device: other, History: h})
		if _, err := fmt.Fprintf(t.out, "%s: %s\n", one.name, line); err != nil {
			return err
		}
	}
	return nil
}

// trial is a graph that is searched in all ways, under the name that its times are kept by.
type trial struct {
	name  string
	graph protocols.Name
}

// parseTrial reads which graph is to be searched.
func parseTrial(name string) (trial, error) {
	n, err := protocols.Parse(name)
	return trial{"search " + n.String(), n}, err
}

// measure searches the graph in all ways.
func (one trial) measure(t *terminal, dev driver.Device, h *megakernel.History) error {
	w, err := one.graph.Load(t.ctx, 0)
	if err != nil {
		return err
	}
	return protocols.Trial(t.ctx, dev, w, h)
}

// run measures, and keeps that with what is kept already.
func (one trial) run(t *terminal, dev driver.Device, all map[string]*megakernel.History) error {
	h := all[one.name]
	if h == nil {
		h = new(megakernel.History)
		all[one.name] = h
	}
	defer t.spin("trying " + one.name + " on " + dev.Name())()
	if err := one.measure(t, dev, h); err != nil {
		return err
	}
	return megakernel.KeepHistory(dev, one.name, h)
}
