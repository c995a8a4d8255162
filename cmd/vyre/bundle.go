package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/aot"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/gen"
	"github.com/govyre/vyre/ir"
)

// bundleCmd compiles kernels into a file that a program ships.
type bundleCmd struct {
	Source   []string `arg:"" optional:"" placeholder:"DIR" help:"Directories of packages, Go files, or programs in text or wire form; DIR/... is every directory from DIR down that has kernels; the current directory if none is given."`
	Out      string   `short:"o" required:"" placeholder:"FILE" help:"Write to FILE, which ends in .vyk."`
	Target   []string `default:"sm_70,sm_80,sm_90" completes:"target" placeholder:"SM" help:"Architectures to compile for; the PTX of one such as sm_80 runs on all later GPUs, sm_90a on its own alone."`
	PTXAS    string   `name:"ptxas" placeholder:"PATH" help:"Assembler that makes machine code for the targets that it knows; without it, the ptxas on the PATH; off makes none."`
	Device   string   `completes:"device" placeholder:"NAME" help:"Device that makes the machine code for its own architecture if no ptxas does, where its linker's code is as good; see vyre devices."`
	Programs bool     `negatable:"" default:"true" help:"Keep the programs in the file, which device cpu needs."`
	passesFlag
}

// Help is the long help of the command.
func (bundleCmd) Help() string {
	return `Example, for a package with kernels and go:generate lines:
  vyre bundle . -o kernels.vyk --target sm_80,sm_90a
  vyre gen --bundle kernels.vyk
  vyre run kernels.vyk:Saxpy --grid 4 …
For a GPU without machine code in the bundle, the driver compiles the PTX when the kernel is loaded.`
}

func (c *bundleCmd) Run(t *terminal) error {
	if _, err := c.choice(t); err != nil {
		return err
	}
	if len(c.Source) == 0 {
		c.Source = []string{"."}
	}
	out, err := t.create("-o", c.Out)
	if err != nil {
		return err
	}
	defer out.close()
	if c.Source, err = expand(c.Source, marker); err != nil {
		return err
	}
	kernels := make(map[string]*ir.Program)
	for _, source := range c.Source {
		if err := c.add(t, kernels, source); err != nil {
			return err
		}
	}
	assembler, why := c.assembler()
	stop := t.spin("compiling " + counted(len(kernels), "kernel") + " for " + strings.Join(c.Target, ", "))
	o := aot.Options{Targets: c.Target, Assembler: assembler, NoPrograms: !c.Programs, Optimise: c.Optimise}
	if c.Device != "" {
		if o.Device, err = openDevice(c.Device, driver.OpenOptions{CloseTimeout: closeTimeout, CacheDir: driver.CacheOff}); err != nil {
			stop()
			return err
		}
		defer o.Device.Close()
	}
	file, err := aot.Build(t.ctx, kernels, o)
	stop()
	if err != nil {
		return err
	}
	b, err := aot.Open(string(file))
	if err != nil {
		return err
	}
	if err := out.writeAs(file, counted(len(kernels), "kernel")); err != nil {
		return err
	}
	if missing := c.missing(b); len(missing) > 0 {
		fmt.Fprintf(t.err, "no machine code for %s, which the driver compiles from PTX: %s\n", strings.Join(missing, ", "), why)
	}
	return nil
}

// add reads the kernels of a source. Their positions are relative to the file that is written.
func (c *bundleCmd) add(t *terminal, kernels map[string]*ir.Program, source string) error {
	put := func(name string, p *ir.Program) error {
		if kernels[name] != nil {
			return fmt.Errorf("%s has a second kernel %s; name one in its directive //vyre:kernel name=…", source, name)
		}
		kernels[name] = p
		return nil
	}
	info, err := os.Stat(source)
	if err != nil || !info.IsDir() && filepath.Ext(source) != ".go" {
		all, err := t.load(source)
		for _, l := range all {
			err = errors.Join(err, put(l.name, l.program))
		}
		return err
	}
	defer t.spin("compiling the kernels of " + source)()
	pkg, err := front.Load(t.ctx, source)
	if err != nil {
		return err
	}
	for _, k := range pkg.Kernels() {
		p, err := gen.Located(pkg, k.Program, filepath.Dir(c.Out))
		if err == nil {
			err = put(k.Name, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// assembler returns the path of ptxas, "" for none, and why targets may have no machine code.
func (c *bundleCmd) assembler() (path, why string) {
	switch c.PTXAS {
	case "off":
		return "", "--ptxas off"
	case "":
		path, err := exec.LookPath("ptxas")
		if err != nil {
			return "", "ptxas is not on the PATH; name one with --ptxas"
		}
		return path, path + " does not know it"
	}
	return c.PTXAS, c.PTXAS + " does not know it"
}

// missing are the targets for which a kernel has PTX alone.
func (c *bundleCmd) missing(b *aot.Bundle) (targets []string) {
	for _, k := range b.Kernels() {
		for i, f := range k.Forms { // the cubin of a target follows its PTX
			if i+1 < len(k.Forms) && k.Forms[i+1].Target == f.Target || i > 0 && k.Forms[i-1].Target == f.Target {
				continue
			}
			if name := f.Target.String(); !slices.Contains(targets, name) {
				targets = append(targets, name)
			}
		}
	}
	return targets
}
