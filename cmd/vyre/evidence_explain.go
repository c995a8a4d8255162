//go:build !bootstrap

package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/speedup"
	"github.com/govyre/vyre/megakernel"
)

// evidenceExplainCmd prints what is known of runs.
type evidenceExplainCmd struct {
	Try    []string `sep:"none" placeholder:"GRAPH" help:"First search a graph in every way there is, and keep what that came to beside compiled kernels; may be repeated."`
	Runs   uint64   `placeholder:"N" help:"How often a plan is going to run; as often as plans before it did on average if it is left out."`
	Device string   `default:"auto" completes:"device" help:"Device of which to print; see vyre devices."`
}

// Help is the long help of the command.
func (evidenceExplainCmd) Help() string {
	return `Plans of waves choose who drives their rounds, and whether one block goes on alone, by what earlier runs on the device
came to, where a program keeps that (megakernel.KeepHistory). Printed is what is kept: of each pass whether it would be
taken and why not, the times of runs with it, and what runs that were chosen by evidence took against what was
projected. Ten runs that are more than a quarter off make the evidence stale, and the default is taken.
Example:
  vyre evidence explain --try road:1024x1024 --runs 1000 --device cuda`
}

func (c *evidenceExplainCmd) Run(t *terminal) error {
	var names []speedup.Name
	for _, g := range c.Try {
		n, err := speedup.Parse(g)
		if err != nil {
			return usagef("--try %s: %w", g, err)
		}
		names = append(names, n)
	}
	if err := checkDevice(c.Device); err != nil {
		return err
	}
	dev, err := openDevice(c.Device, driver.OpenOptions{})
	if err != nil {
		return err
	}
	defer dev.Close()
	all := megakernel.KeptHistories(dev)
	for _, n := range names {
		if err := try(t, dev, n, all); err != nil {
			return err
		}
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
	return nil
}

// try measures a search in all ways, and keeps it with what is kept already.
func try(t *terminal, dev driver.Device, n speedup.Name, all map[string]*megakernel.History) error {
	w, err := n.Load(0)
	if err != nil {
		return err
	}
	name := "search " + w.Name
	h := all[name]
	if h == nil {
		h = new(megakernel.History)
		all[name] = h
	}
	if err := speedup.Trial(t.ctx, dev, w, h); err != nil {
		return err
	}
	return megakernel.KeepHistory(dev, name, h)
}
