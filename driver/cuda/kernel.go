package cuda

import (
	"context"
	"errors"
	"fmt"
	"weak"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/exec"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// kernel is a handle on a loaded module. Handles of equal programs share that.
type kernel struct {
	driver.Leaf
	dev   *Device
	code  *compiled
	flags driver.KernelFlags
}

// Compile optimises a program, emits it for the device's target and has the driver compile that.
func (d *Device) Compile(ctx context.Context, p *ir.Program, o driver.Options) (driver.Kernel, error) {
	ended := d.Compiling(ctx, p, o)
	k, err := d.compile(ctx, p, o)
	ended(err)
	if err != nil {
		return nil, d.Fail(err)
	}
	return k, nil
}

func (d *Device) compile(ctx context.Context, p *ir.Program, o driver.Options) (*kernel, error) {
	label := driver.LabelOf(p, o)
	if err := d.Alive("compile", label); err != nil {
		return nil, err
	}
	if err := d.gpu.LostError("compile", label); err != nil {
		return nil, err
	}
	if p == nil {
		return nil, &driver.Error{Op: "compile", Label: label, Device: d.Name(), Kind: driver.InvalidArgument, Msg: "the program is nil"}
	}
	if err := ctx.Err(); err != nil {
		return nil, &driver.Error{Op: "compile", Label: label, Device: d.Name(), Kind: driver.Canceled, Msg: "nothing was started", Err: err}
	}
	w := wish{weak.Make(p), o}
	c := d.kernels.find(w)
	if c == nil {
		var err error
		if c, err = d.module(ctx, p, o, label); err != nil {
			return nil, err
		}
		d.kernels.grant(w, c)
	}
	k := &kernel{dev: d, code: c, flags: driver.FlagsOf(c.program.Traits())}
	if err := k.Init(d.Core, k, label, k.free); err != nil {
		d.kernels.put(c)
		return nil, err
	}
	d.Gauge(driver.Kernels, 1)
	return k, nil
}

// module returns the module of a program that was not compiled with these options before.
func (d *Device) module(ctx context.Context, p *ir.Program, o driver.Options, label string) (*compiled, error) {
	no := func(kind driver.Kind, fix, format string, args ...any) error {
		return &driver.Error{Op: "compile", Label: label, Device: d.Name(), Kind: kind, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	target := d.target
	if o.Target != "" {
		t, err := ptx.ParseTarget(o.Target)
		if err != nil {
			return nil, no(driver.Unsupported, "leave Target empty for "+d.gpu.Caps.Target, "%v", err)
		}
		if !mayTake(t, 10*d.gpu.Caps.Major+d.gpu.Caps.Minor, d.gpu.Caps.DriverVersion) {
			return nil, no(driver.Unsupported, "leave Target empty for "+d.gpu.Caps.Target, "a device of capability %d.%d under CUDA %s does not run %v",
				d.gpu.Caps.Major, d.gpu.Caps.Minor, versionText(d.gpu.Caps.DriverVersion), t)
		}
		target = t
	}
	if o.Workgroup != [3]uint32{} && o.Workgroup != p.Workgroup() {
		resized, err := driver.Resize(p, o.Workgroup)
		if err != nil {
			return nil, no(driver.Unsupported, "write the program for that size", "%v", err)
		}
		p = resized
	}
	passes, err := o.Check(d.Name(), label)
	if err != nil {
		return nil, err
	}
	if err := d.fits(p); err != "" {
		return nil, no(driver.Unsupported, "", "%s", err)
	}
	c, err := d.kernels.get(ctx, p, how{passes, target, o.MaxRegisters, o.LineInfo, o.Label})
	if err != nil {
		return nil, d.compileError(label, err)
	}
	return c, nil
}

// fits says what a program needs that the device has not, in words.
func (d *Device) fits(p *ir.Program) string {
	if p.Traits().GridBarrier && !d.gpu.Caps.GridBarrier {
		return "the program has a grid barrier, the device has no cooperative launches"
	}
	size, most := p.Workgroup(), d.gpu.Caps.MaxGroupDim
	for axis := range size {
		if size[axis] > most[axis] {
			return fmt.Sprintf("a group of %d along %c, the device has %d", size[axis], "xyz"[axis], most[axis])
		}
	}
	if n := p.GroupSize(); n > d.gpu.Caps.MaxThreadsPerGroup {
		return fmt.Sprintf("%d threads a group, the device has %d", n, d.gpu.Caps.MaxThreadsPerGroup)
	}
	if shared, _ := driver.SharedOf(p); shared > d.gpu.Caps.SharedOptin {
		return fmt.Sprintf("%d bytes of shared memory a group, the device has %d", shared, d.gpu.Caps.SharedOptin)
	}
	return ""
}

// compileError gives an error of the cache what only this caller knows.
func (d *Device) compileError(label string, err error) error {
	var e *driver.Error
	if errors.As(err, &e) {
		own := *e
		own.Label, own.Device = label, d.Name()
		return &own
	}
	own := &driver.Error{Op: "compile", Label: label, Device: d.Name(), Kind: driver.Internal, Err: err}
	var diags ir.Diags
	switch {
	case errors.As(err, &diags):
		own.Kind = driver.Unsupported
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		own.Kind = driver.Canceled
	}
	return own
}

func (k *kernel) free() {
	k.dev.Gauge(driver.Kernels, -1)
	k.dev.kernels.put(k.code)
}

// Device returns the device of the kernel.
func (k *kernel) Device() driver.Device { return k.dev }

// Digest returns the content hash of the program.
func (k *kernel) Digest() [32]byte { return k.code.program.Digest() }

// Signature returns the parameters.
func (k *kernel) Signature() []ir.Param { return k.code.program.Params() }

// Workgroup returns the size of a group.
func (k *kernel) Workgroup() [3]uint32 { return k.code.program.Workgroup() }

// Flags returns what a launch has to provide for.
func (k *kernel) Flags() driver.KernelFlags { return k.flags }

// Resources returns what a group takes.
func (k *kernel) Resources() driver.Resources { return k.code.res }

// Code returns what launches need.
func (k *kernel) Code() exec.Code {
	c := k.code
	return exec.Code{Function: c.function, Params: &c.params, Program: c.emitted, Fixed: c.fixed, RestElem: c.res.RestElem}
}

// Occupancy returns how many groups run at once. The driver knows the number, the model what
// bounds it.
func (k *kernel) Occupancy(rest int) driver.Occupancy {
	c, threads := k.code, k.code.program.GroupSize()
	o := driver.Occupy(&k.dev.gpu.Caps, c.res.Registers, c.res.Shared+rest*c.res.RestElem, threads)
	groups := c.groups
	if rest > 0 {
		groups = k.query(threads, c.dynamic(rest))
	}
	if groups == 0 && o.Groups > 0 {
		o.Limit = "driver"
	}
	o.Groups, o.Cooperative = groups, groups*k.dev.gpu.Caps.Units
	o.TenThousand = groups * ((threads + 31) / 32) * 10000 / max(1, k.dev.gpu.Caps.MaxThreadsPerUnit/32)
	return o
}

func (k *kernel) query(threads, dynamic int) int {
	if k.dev.gpu.Hold("occupancy", k.Label()) != nil {
		return 0 // nothing fits a device that is gone
	}
	defer k.dev.gpu.LetGo()
	n, err := k.dev.gpu.Driver.OccupancyMaxActiveBlocksPerMultiprocessor(k.code.function, threads, dynamic)
	if err != nil {
		// The launch that asked is refused for want of room; the device counts why.
		_ = k.dev.Fail(k.dev.gpu.ErrorOf("occupancy", k.Label(), err))
		return 0
	}
	return n
}

// compiled is a program on the device, and who uses it.
type compiled struct {
	program  *ir.Program // as it was given
	how      how
	emitted  *ir.Program // as it was emitted: sites of traps are rows of it
	params   ptx.Params
	module   cu.Module
	function cu.Function
	res      driver.Resources
	fixed    int // dynamic shared bytes that every launch brings
	groups   int // that run at once on a unit

	key     [32]byte
	origin  driver.Metric // the counter of where its image came from
	bytes   int           // of its image
	err     error
	ready   chan struct{} // closed when the rest or err is there
	handles int
	used    uint64 // clock of the last get
}

// dynamic returns the dynamic shared bytes of a launch with rest elements.
func (c *compiled) dynamic(rest int) int { return c.fixed + rest*c.res.RestElem }
