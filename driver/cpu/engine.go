package cpu

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/native"
)

// Engine is what runs the kernels of a device.
type Engine string

// The engines. Both give the same bits.
const (
	Interp Engine = "interp" // the interpreter
	Native Engine = "native" // machine code; what cannot be made that is an error
	Auto   Engine = "auto"   // machine code where there is some, else the interpreter
)

// engine is a device's choice.
type engine struct {
	name     Engine
	machine  string // the target of machine code
	required bool   // anything but machine code is an error
	reason   string // why the interpreter runs everything; "" if it does not
}

func (e engine) target() string {
	if e.reason == "" {
		return e.machine
	}
	return target
}

// chooseEngine reads options and environment, and finds out whether the host runs machine code.
func chooseEngine(o Options) (engine, error) {
	name := cmp.Or(o.Engine, Engine(os.Getenv("VYRE_CPU")), Auto)
	if o.RequireNative {
		name = Native
	}
	no := func(kind driver.Kind, fix, format string, args ...any) (engine, error) {
		return engine{}, &driver.Error{Op: "open", Label: Name, Kind: kind, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	e := engine{name: name, machine: native.Target(), required: name == Native}
	if slices.Contains(native.Targets(), string(name)) {
		e.name, e.machine, e.required = Native, string(name), true
	}
	switch e.name {
	case Interp:
		e.reason = "it was asked for"
		return e, nil
	case Native, Auto:
	default:
		return no(driver.InvalidArgument, "set VYRE_CPU to interp, native, auto or one of "+strings.Join(native.HostTargets(), ", "), "there is no engine %q", name)
	}
	if what := asks(o.Run); what != "" {
		if e.required {
			return no(driver.InvalidArgument, "leave it out, or let the interpreter run", "%s is the interpreter's, and machine code is required", what)
		}
		e.name, e.reason = Interp, what+" is the interpreter's"
		return e, nil
	}
	if err := native.Available(); err != nil {
		if e.required {
			return no(driver.Unsupported, "set VYRE_CPU=auto, or leave RequireNative unset, to run on the interpreter", "no machine code: %v", err)
		}
		e.name, e.reason = Interp, err.Error()
	} else if why := native.Untried(); why != "" && !e.required {
		e.name, e.reason = Interp, why
	} else if here := native.HostTargets(); !slices.Contains(here, e.machine) {
		return no(driver.Unsupported, "set VYRE_CPU to one of "+strings.Join(here, ", ")+", or to auto", "the processor, or the system, does not run %s", e.machine)
	}
	return e, nil
}

// asks names the option that only the interpreter has, "" if none is set.
func asks(o interp.Options) string {
	switch {
	case o.Detect != 0:
		return "a detector"
	case o.Schedule != interp.Forward:
		return "a schedule"
	case o.Hook != nil:
		return "a hook"
	case o.Budget != 0:
		return "a budget of rows"
	case o.MaxState != 0:
		return "a bound of the state"
	case o.Poison != 0:
		return "poison"
	}
	return ""
}

// engineWish is what a kernel is compiled for.
type engineWish struct {
	target string // "" is the interpreter
	passes string
}

// targets are what kernels can be compiled for.
func (d *Device) targets() []string {
	if d.engine.name == Interp {
		return []string{target}
	}
	return append(native.HostTargets(), target)
}

// want says how to compile a kernel with options whose passes are choice.
func (d *Device) want(o driver.Options, choice compile.Choice) engineWish {
	if d.engine.name == Interp || o.Target == target {
		return engineWish{}
	}
	return engineWish{target: cmp.Or(o.Target, d.engine.machine), passes: choice.String()}
}

// runOn runs a launch on the engine of its kernel. With an error the result may be half of one, or nothing.
func (d *Device) runOn(ctx context.Context, c *compiled, in *launch.Launch, o interp.Options, count *driver.Tally) (interp.Result, error) {
	if c.native == nil {
		count.Count(metric.InterpLaunches, 1)
		res, err := c.interp.Run(ctx, *in, o)
		if res == nil {
			res = &interp.Result{}
		}
		return *res, err
	}
	count.Count(metric.NativeLaunches, 1)
	if err := c.rules.Check(in); err != nil {
		return interp.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return interp.Result{}, &launch.CanceledError{Kernel: c.program.Name(), Err: err}
	}
	res, err := c.native.Run(ctx, in, native.RunOptions{Workers: o.Workers, TraceCap: o.TraceCap})
	return interp.Result{Result: res}, err
}
