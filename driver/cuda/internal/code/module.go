package code

import (
	"bytes"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/internal/outside"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// build compiles a program to text, has the driver compile that, or finds that done on disk,
// and learns what it takes.
func (c *Compiler) build(e *compiled, p *ir.Program) (err error) {
	o := ptx.Options{Passes: e.how.passes, Label: e.how.entry, LineInfo: e.how.lines, MaxRegisters: e.how.registers}
	if e.how.checks {
		if p, e.sites, err = outside.Instrument(p); err != nil {
			return err
		}
	}
	var made steps
	if c.gpu.Debug().Passes != "" {
		o.Trace = ptx.Dump(&made.text, made.show)
	}
	emit := func() (*ptx.Module, error) { return ptx.Compile(p, e.how.target, o) }
	var m *ptx.Module
	if o.Trace != nil {
		m, err = emit() // somebody wants to see it made
	} else {
		m, err = emitted.of(e.key, emit)
	}
	if err != nil {
		return err
	}
	if c.Emitted != nil {
		c.Emitted(m)
	}
	c.dump(m, "")
	k := &m.Kernels[0]
	c.dumpSteps(k.Entry, &made)
	e.params, e.fixed, e.checks = k.Params, k.Dynamic, int(k.Program.Traits().Checks)
	e.trap = trapsOf(k.Program)
	if err := c.gpu.Hold("compile", ""); err != nil {
		return err
	}
	defer c.gpu.LetGo()
	return c.placed(e, m)
}

// making makes the module of an entry. Whatever panics in that is an error of those who wait for it.
func (e *compiled) making() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = primary.Caught("compile", e.name, v)
		}
	}()
	return e.make(e)
}

// trapsOf finds traps in the program that was emitted.
func trapsOf(p *ir.Program) func(row uint32) (message, where string, ok bool) {
	return func(row uint32) (message, where string, ok bool) {
		if int64(row) >= int64(p.Rows()) {
			return "", "", false
		}
		return p.Message(ir.Row(row)), p.Pos(ir.Row(row)).Where(), true
	}
}

// placed loads a module on the device: its image if one is kept, else the text. The context is current.
func (c *Compiler) placed(e *compiled, m *ptx.Module) error {
	e.text, e.entry, e.imageKey = m.Text, m.Kernels[0].Entry, c.images.keyOf(m, e.how)
	known := c.images.load(e.imageKey)
	if known.Image != nil {
		err := c.install(e, m, known.Image)
		if err == nil {
			e.origin, e.image = metric.CompilesDisk, known.Image
			return nil
		}
		if err.Sticky || err.Kind == driver.OutOfMemory {
			return err
		}
		// The file is what was written once, and no use: the driver knows why. It may be made anew.
		c.images.refused(e.imageKey)
	}
	if err := c.install(e, m, append([]byte(m.Text), 0)); err != nil {
		return err
	}
	if !known.Text {
		c.keeper.want(&candidate{key: e.imageKey, module: m, how: e.how, cost: e.cost})
	}
	return nil
}

// link has the driver compile a text and returns the image.
func (c *Compiler) link(m *ptx.Module, h how) (image []byte, failed *driver.Error) {
	jit := cu.JIT{Target: c.linkTarget(h.target), LineInfo: h.lines}
	l, err := c.gpu.Driver.LinkCreate(&jit)
	if err != nil {
		return nil, c.assemblerError(m, jit.Errors, err)
	}
	defer func() {
		if c.gpu.Lost() {
			return // it went with the context
		}
		if err := c.gpu.Driver.LinkDestroy(l); err != nil {
			e := c.gpu.ErrorOf("compile", "", err)
			_ = c.gpu.Fail(e) // an error before is the one to report
			if failed == nil && e.Sticky {
				failed = e
			}
		}
	}()
	if err := c.gpu.Driver.LinkAddData(l, append([]byte(m.Text), 0), m.Kernels[0].Entry); err != nil {
		return nil, c.assemblerError(m, jit.Errors, err)
	}
	made, err := c.gpu.Driver.LinkComplete(l)
	if err != nil {
		return nil, c.assemblerError(m, jit.Errors, err)
	}
	return bytes.Clone(made), nil // the driver's bytes go with the link
}

// linkTarget returns what a link compiles for. Text for an earlier architecture than the
// device's is compiled for the device all the same, which knows itself what it is.
func (c *Compiler) linkTarget(t ptx.Target) int {
	if t.SM != 10*c.gpu.Caps.Major+c.gpu.Caps.Minor {
		return 0
	}
	return number(t)
}

// number is a target as the driver counts them.
func number(t ptx.Target) int {
	if t.Suffix != "" {
		return t.SM | cu.TargetSpecific
	}
	return t.SM
}

// install loads an image or a text, so that launches find all of it on the device.
func (c *Compiler) install(e *compiled, m *ptx.Module, image []byte) *driver.Error {
	jit := cu.JIT{LineInfo: e.how.lines} // an image has had its own
	module, err := c.gpu.Driver.ModuleLoadDataEx(image, &jit)
	if err != nil {
		return c.assemblerError(m, jit.Errors, err)
	}
	e.module, e.bytes = module, len(image)
	if err = c.inspect(e, &m.Kernels[0]); err == nil {
		return nil
	}
	failed := c.gpu.ErrorOf("compile", "", err)
	if !c.gpu.Lost() {
		if err := c.gpu.Driver.ModuleUnload(module); err != nil {
			_ = c.gpu.Fail(c.gpu.ErrorOf("compile", "", err)) // the first error is the one to report
		}
	}
	e.module = 0
	return failed
}

// sourceOf is what a line of the text was made from: a place in the source, or a row of the program.
func sourceOf(k *ptx.Kernel, line int) string {
	row := k.RowAt(line)
	if row == ir.NoRow {
		return ""
	}
	if pos := k.Program.Pos(row).String(); pos != "" {
		return pos
	}
	return fmt.Sprintf("row %d", row)
}

// inspect finds the function of a module and asks the driver about it. A driver that puts off
// loading a function's code until its first launch is told to do it now; one that cannot be told
// does it when asked.
func (c *Compiler) inspect(e *compiled, k *ptx.Kernel) error {
	if w, ok := c.gpu.Driver.(cu.Watcher); ok {
		w.Locate(e.module, func(line int) string { return sourceOf(k, line) })
	}
	var err error
	if e.function, err = c.gpu.Driver.ModuleGetFunction(e.module, k.Entry); err != nil {
		return err
	}
	if c.gpu.Driver.Has(cu.Loading) {
		if err := c.gpu.Driver.FuncLoad(e.function); err != nil {
			return err
		}
	}
	if e.cost, err = c.costOf(e.function); err != nil {
		return err
	}
	e.res = driver.Resources{Registers: e.cost.registers, Local: e.cost.local, Shared: k.Static + k.Dynamic, RestElem: k.RestElem, Target: e.how.target.String()}
	if e.flags&driver.Generational != 0 {
		e.res.Matrix = c.gpu.Caps.Matrix.Generation
	}
	for _, a := range []struct {
		attr cu.FuncAttribute
		to   *int
	}{
		{cu.FuncConst, &e.res.Const}, {cu.FuncMaxThreads, &e.res.MaxThreads},
	} {
		if *a.to, err = c.gpu.Driver.FuncGetAttribute(a.attr, e.function); err != nil {
			return err
		}
	}
	if k.RestElem > 0 || k.Dynamic > 0 {
		most := k.Dynamic
		if k.RestElem > 0 {
			most = c.gpu.Caps.SharedOptin - e.cost.shared
		}
		if err := c.gpu.Driver.FuncSetAttribute(e.function, cu.FuncMaxDynamicShared, most); err != nil {
			return err
		}
	}
	e.groups, err = c.gpu.Driver.OccupancyMaxActiveBlocksPerMultiprocessor(e.function, e.threads(), k.Dynamic)
	return err
}

// unload gives a module back that nobody uses. The caller is a compilation, or holds the device: Close waits for
// it, so the context is there, even when the device refuses work already.
func (c *Compiler) unload(e *compiled) error {
	if c.gpu.Enter("unload", "") != nil {
		return nil // it went with the context
	}
	defer c.gpu.Leave()
	c.gpu.Count(metric.ModulesUnloaded, 1)
	if err := c.gpu.Driver.ModuleUnload(e.module); err != nil {
		return c.gpu.Fail(c.gpu.ErrorOf("unload", "", err))
	}
	return nil
}

// Flush unloads the modules that nobody uses. The device is held.
func (c *Compiler) Flush() (first error) {
	for _, e := range c.modules.flush() {
		if err := c.unload(e); first == nil {
			first = err
		}
	}
	return first
}

// Caches says what is kept of modules, and of their images on disk.
func (c *Compiler) Caches() []driver.Cache {
	count := func(m ...driver.Metric) (n uint64) {
		for _, m := range m {
			n += uint64(c.gpu.Now(m))
		}
		return n
	}
	n, bytes := c.modules.kept()
	kernels := driver.Cache{Name: "kernels", Entries: n, Bytes: int64(bytes), Limit: int64(c.MostBytes), Hits: count(metric.CompilesMemory),
		Misses: count(metric.CompilesDisk, metric.CompilesFresh, metric.CompilesImage), Evictions: count(metric.ModulesUnloaded)}
	images := driver.Cache{Name: "images", Hits: count(metric.CompilesDisk), Misses: count(metric.CompilesFresh), Evictions: count(metric.CacheEvictions)}
	if c.images.disk != nil {
		images.Limit = c.images.disk.Bound()
		images.Entries, images.Bytes, _ = c.images.disk.Usage() // a folder that cannot be read has nothing for anybody
	}
	return []driver.Cache{kernels, images}
}
