package cuda

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/opt"
	"github.com/govyre/vyre/ptx"
)

// build optimises a program, emits it, has the driver compile it, and learns what it takes.
func (d *Device) build(e *compiled) error {
	if err := ptx.Check(e.program, e.key.target); err != nil {
		return err
	}
	p, _, err := opt.Run(e.program, e.passes)
	if err != nil {
		return err
	}
	m, err := d.emit(p, e.key.target, ptx.Options{Label: e.key.label})
	if err != nil {
		return err
	}
	if err := d.open("compile", ""); err != nil {
		return err
	}
	defer d.shut()
	k := &m.Kernels[0]
	e.emitted, e.params, e.fixed = k.Program, k.Params, k.Dynamic
	var jit cu.JIT
	e.module, err = d.drv.ModuleLoadDataEx(append([]byte(m.Text), 0), &jit)
	if err != nil {
		return d.assemblerError(m, jit.Errors, err)
	}
	if err = d.inspect(e, k); err == nil {
		return nil
	}
	failed := d.errorOf("compile", "", err)
	if d.lost.Load() == nil {
		if err := d.drv.ModuleUnload(e.module); err != nil {
			_ = d.Fail(d.errorOf("compile", "", err)) // the first error is the one to report
		}
	}
	return failed
}

// inspect finds the function of a module and asks the driver about it. Asking also loads the
// function's code, which the driver else puts off until the first launch.
func (d *Device) inspect(e *compiled, k *ptx.Kernel) error {
	var err error
	if e.function, err = d.drv.ModuleGetFunction(e.module, k.Entry); err != nil {
		return err
	}
	e.res = driver.Resources{Shared: k.Static + k.Dynamic, RestElem: k.RestElem, Target: e.key.target.String()}
	static := 0
	for _, a := range []struct {
		attr cu.FuncAttribute
		to   *int
	}{
		{cu.FuncRegisters, &e.res.Registers}, {cu.FuncLocal, &e.res.Local}, {cu.FuncConst, &e.res.Const},
		{cu.FuncMaxThreads, &e.res.MaxThreads}, {cu.FuncShared, &static},
	} {
		if *a.to, err = d.drv.FuncGetAttribute(a.attr, e.function); err != nil {
			return err
		}
	}
	if k.RestElem > 0 || k.Dynamic > 0 {
		most := k.Dynamic
		if k.RestElem > 0 {
			most = d.caps.SharedOptin - static
		}
		if err := d.drv.FuncSetAttribute(e.function, cu.FuncMaxDynamicShared, most); err != nil {
			return err
		}
	}
	e.groups, err = d.drv.OccupancyMaxActiveBlocksPerMultiprocessor(e.function, e.program.GroupSize(), k.Dynamic)
	return err
}

// unload gives a module back that nobody uses. The caller is a compilation: Close waits for
// it, so the context is there, even when the device refuses work already.
func (d *Device) unload(e *compiled) {
	if d.enter("unload", "") != nil {
		return // it went with the context
	}
	defer d.leave()
	if err := d.drv.ModuleUnload(e.module); err != nil {
		_ = d.Fail(d.errorOf("unload", "", err)) // nobody waits for it; the device counts it
	}
}

// lineInLog finds where the assembler stopped.
var lineInLog = regexp.MustCompile(`line (\d+)\b[^;]*;?\s*(.*)`)

// assemblerError is the driver's refusal of a text, with the place.
func (d *Device) assemblerError(m *ptx.Module, log string, err error) *driver.Error {
	e := d.errorOf("compile", "", err)
	if e.Log = log; log == "" {
		return e
	}
	found := lineInLog.FindStringSubmatch(log)
	if found == nil {
		e.Msg = log
		return e
	}
	n, convErr := strconv.Atoi(found[1])
	if convErr != nil {
		e.Msg = log
		return e
	}
	e.Line, e.Msg = n, fmt.Sprintf("%s: line %d of the text: %s", e.Call, n, strings.TrimSpace(found[2]))
	k := &m.Kernels[0]
	if row := k.RowAt(n); row != ir.NoRow {
		e.Pos = k.Program.Pos(row).String()
	}
	lines := strings.Split(m.Text, "\n")
	for i := max(1, n-2); i <= min(len(lines), n+2); i++ {
		e.Log += fmt.Sprintf("\n%6d | %s", i, lines[i-1])
	}
	if n >= 1 && n <= len(lines) {
		e.Msg += fmt.Sprintf(" in %q", strings.TrimSpace(lines[n-1]))
	}
	return e
}
