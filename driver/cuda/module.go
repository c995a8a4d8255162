package cuda

import (
	"bytes"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// build compiles a program to text, has the driver compile that, or finds that done on disk,
// and learns what it takes.
func (d *Device) build(e *compiled) error {
	o := compile.Options{Passes: e.how.passes, Label: e.how.label, LineInfo: e.how.lines}
	var steps bytes.Buffer
	if d.Debug().Passes != "" {
		o.Trace = compile.Dump(&steps)
	}
	m, err := d.emit(e.program, e.how.target, o)
	if err != nil {
		return err
	}
	d.dump(m, "")
	d.dumpSteps(m, steps.Bytes())
	k := &m.Kernels[0]
	e.emitted, e.params, e.fixed = k.Program, k.Params, k.Dynamic
	if err := d.gpu.Hold("compile", ""); err != nil {
		return err
	}
	defer d.gpu.LetGo()
	key := d.images.keyOf(m, e.how)
	if image := d.images.load(key); image != nil {
		err := d.install(e, m, image)
		if err == nil {
			e.origin = driver.CompilesDisk
			return nil
		}
		if err.Sticky || err.Kind == driver.OutOfMemory {
			return err
		}
		// The file is what was written once, and no use: the driver knows why. It is made anew, once.
		d.images.refused(key)
	}
	links, failed := d.links()
	if failed != nil {
		return failed
	}
	if !links {
		if failed := d.install(e, m, append([]byte(m.Text), 0)); failed != nil {
			return failed
		}
		return nil
	}
	image, failed := d.link(m, e.how)
	if failed == nil {
		failed = d.install(e, m, image)
	}
	if failed != nil {
		return failed
	}
	d.images.store(key, image)
	return nil
}

// link has the driver compile a text and returns the image.
func (d *Device) link(m *ptx.Module, h how) (image []byte, failed *driver.Error) {
	jit := cu.JIT{Target: d.linkTarget(h.target), MaxRegisters: h.registers, LineInfo: h.lines}
	l, err := d.gpu.Driver.LinkCreate(&jit)
	if err != nil {
		return nil, d.assemblerError(m, jit.Errors, err)
	}
	defer func() {
		if d.gpu.Lost() {
			return // it went with the context
		}
		if err := d.gpu.Driver.LinkDestroy(l); err != nil {
			e := d.gpu.ErrorOf("compile", "", err)
			_ = d.Fail(e) // an error before is the one to report
			if failed == nil && e.Sticky {
				failed = e
			}
		}
	}()
	if err := d.gpu.Driver.LinkAddData(l, append([]byte(m.Text), 0), m.Kernels[0].Entry); err != nil {
		return nil, d.assemblerError(m, jit.Errors, err)
	}
	made, err := d.gpu.Driver.LinkComplete(l)
	if err != nil {
		return nil, d.assemblerError(m, jit.Errors, err)
	}
	return bytes.Clone(made), nil // the driver's bytes go with the link
}

// linkTarget returns what a link compiles for. Text for an earlier architecture than the
// device's is compiled for the device all the same, which knows itself what it is.
func (d *Device) linkTarget(t ptx.Target) int {
	if t.SM != 10*d.gpu.Caps.Major+d.gpu.Caps.Minor {
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
func (d *Device) install(e *compiled, m *ptx.Module, image []byte) *driver.Error {
	jit := cu.JIT{MaxRegisters: e.how.registers, LineInfo: e.how.lines} // an image has had its own
	module, err := d.gpu.Driver.ModuleLoadDataEx(image, &jit)
	if err != nil {
		return d.assemblerError(m, jit.Errors, err)
	}
	e.module, e.bytes = module, len(image)
	if err = d.inspect(e, &m.Kernels[0]); err == nil {
		return nil
	}
	failed := d.gpu.ErrorOf("compile", "", err)
	if !d.gpu.Lost() {
		if err := d.gpu.Driver.ModuleUnload(module); err != nil {
			_ = d.Fail(d.gpu.ErrorOf("compile", "", err)) // the first error is the one to report
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
func (d *Device) inspect(e *compiled, k *ptx.Kernel) error {
	if w, ok := d.gpu.Driver.(cu.Watcher); ok {
		w.Locate(e.module, func(line int) string { return sourceOf(k, line) })
	}
	var err error
	if e.function, err = d.gpu.Driver.ModuleGetFunction(e.module, k.Entry); err != nil {
		return err
	}
	if d.gpu.Driver.Has(cu.Loading) {
		if err := d.gpu.Driver.FuncLoad(e.function); err != nil {
			return err
		}
	}
	e.res = driver.Resources{Shared: k.Static + k.Dynamic, RestElem: k.RestElem, Target: e.how.target.String()}
	static := 0
	for _, a := range []struct {
		attr cu.FuncAttribute
		to   *int
	}{
		{cu.FuncRegisters, &e.res.Registers}, {cu.FuncLocal, &e.res.Local}, {cu.FuncConst, &e.res.Const},
		{cu.FuncMaxThreads, &e.res.MaxThreads}, {cu.FuncShared, &static},
	} {
		if *a.to, err = d.gpu.Driver.FuncGetAttribute(a.attr, e.function); err != nil {
			return err
		}
	}
	if k.RestElem > 0 || k.Dynamic > 0 {
		most := k.Dynamic
		if k.RestElem > 0 {
			most = d.gpu.Caps.SharedOptin - static
		}
		if err := d.gpu.Driver.FuncSetAttribute(e.function, cu.FuncMaxDynamicShared, most); err != nil {
			return err
		}
	}
	e.groups, err = d.gpu.Driver.OccupancyMaxActiveBlocksPerMultiprocessor(e.function, e.program.GroupSize(), k.Dynamic)
	return err
}

// unload gives a module back that nobody uses. The caller is a compilation: Close waits for
// it, so the context is there, even when the device refuses work already.
func (d *Device) unload(e *compiled) {
	if d.gpu.Enter("unload", "") != nil {
		return // it went with the context
	}
	defer d.gpu.Leave()
	d.Count(driver.ModulesUnloaded, 1)
	if err := d.gpu.Driver.ModuleUnload(e.module); err != nil {
		_ = d.Fail(d.gpu.ErrorOf("unload", "", err)) // nobody waits for it; the device counts it
	}
}
