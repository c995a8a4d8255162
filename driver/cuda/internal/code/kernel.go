package code

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"weak"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/exec"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cutarget"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// Compiler compiles programs for one device.
type Compiler struct {
	// Emitted, if not nil, gets every module before the driver does, and may change its text.
	Emitted func(*ptx.Module)
	// Most is how many modules are kept loaded, MostBytes how large their images may be together; those in
	// use are kept beyond that.
	Most, MostBytes int
	// Linking is what is known of the driver's linker.
	Linking Linking

	gpu     *primary.Context
	owner   driver.Device // that kernels say they are of
	target  ptx.Target
	modules cache
	images  images
	linking sync.Mutex // for finding out about the linker
}

// How many modules a device keeps loaded, and how large their images may be together.
const (
	maxKernels    = 512
	maxImageBytes = 256 << 20
)

// New returns the compiler of a device whose programs are compiled for a target. A driver that the user
// handed in keeps images only where the options say so.
func New(gpu *primary.Context, owner driver.Device, deferred *timeline.Deferred, target ptx.Target, o driver.OpenOptions, handed bool) (*Compiler, error) {
	c := &Compiler{Most: maxKernels, MostBytes: maxImageBytes, gpu: gpu, owner: owner, target: target}
	c.modules = cache{c: c, deferred: deferred, entries: map[[32]byte]*compiled{}, granted: map[wish]*compiled{}}
	return c, c.images.init(c, o, handed)
}

// CacheDir is where images are kept; empty if they are not.
func (c *Compiler) CacheDir() string {
	if c.images.disk == nil {
		return ""
	}
	return c.images.disk.Root()
}

// Wait waits for the compilations under way, and for the unloading of what made room for them.
func (c *Compiler) Wait() { c.modules.compiling.Wait() }

// Drop unloads every module. The context is current, unless it is lost.
func (c *Compiler) Drop(note func(error)) { c.modules.drop(note) }

// kernel is a handle on a loaded module. Handles of equal programs share that.
type kernel struct {
	driver.Leaf
	by    *Compiler
	code  *compiled
	flags driver.KernelFlags
}

// Compile optimises a program, emits it for the device's target and has the driver compile that.
func (c *Compiler) Compile(ctx context.Context, p *ir.Program, o driver.Options) (driver.Kernel, error) {
	ended := c.gpu.Compiling(ctx, p, o)
	k, err := c.gpu.Sized(p, o, func(o driver.Options) (driver.Kernel, error) { return c.compile(ctx, p, o) })
	ended(err)
	if err != nil {
		return nil, c.gpu.Fail(err)
	}
	return k, nil
}

func (c *Compiler) compile(ctx context.Context, p *ir.Program, o driver.Options) (driver.Kernel, error) {
	label := driver.LabelOf(p, o)
	if err := c.gpu.Alive("compile", label); err != nil {
		return nil, err
	}
	if err := c.gpu.LostError("compile", label); err != nil {
		return nil, err
	}
	if err := driver.MayStart(ctx, "compile", label, c.gpu.Name()); err != nil {
		return nil, err
	}
	w := wish{weak.Make(p), o}
	m := c.modules.find(w)
	if m == nil {
		var err error
		if m, err = c.module(ctx, p, o, label); err != nil {
			return nil, err
		}
		c.modules.grant(w, m)
	}
	k := &kernel{by: c, code: m, flags: driver.FlagsOf(m.program.Traits())}
	if err := k.Init(c.gpu.Core, k, label, k.free); err != nil {
		c.modules.put(m)
		return nil, err
	}
	c.gpu.Gauge(driver.Kernels, 1)
	return k, nil
}

// module returns the module of a program that was not compiled with these options before.
func (c *Compiler) module(ctx context.Context, p *ir.Program, o driver.Options, label string) (*compiled, error) {
	no := func(format string, args ...any) error {
		return &driver.Error{Op: "compile", Label: label, Device: c.gpu.Name(), Kind: driver.Unsupported, Msg: fmt.Sprintf(format, args...),
			Fix: "leave Target empty for " + c.gpu.Caps.Target}
	}
	target := c.target
	if o.Target != "" {
		t, err := ptx.ParseTarget(o.Target)
		if err != nil {
			return nil, no("%v", err)
		}
		target = t
	}
	p, passes, err := o.Check(p, &c.gpu.Caps)
	if err != nil {
		return nil, err
	}
	if o.Target != "" && !cutarget.MayTake(target, 10*c.gpu.Caps.Major+c.gpu.Caps.Minor, c.gpu.Caps.DriverVersion) {
		return nil, no("a device of capability %d.%d under CUDA %s does not run %v", c.gpu.Caps.Major, c.gpu.Caps.Minor, cutarget.VersionText(c.gpu.Caps.DriverVersion), target)
	}
	m, err := c.modules.get(ctx, p, how{passes, target, o.MaxRegisters, o.LineInfo, cmp.Or(o.Entry, o.Label), c.gpu.Debug().Memcheck})
	if err != nil {
		err = c.compileError(label, err)
		primary.Diagnose(err, func(*driver.Error) driver.Diagnosis { return driver.Diagnose(&c.gpu.Caps, o.Requirement(p)) })
		return nil, err
	}
	return m, nil
}

// compileError gives an error of the cache what only this caller knows.
func (c *Compiler) compileError(label string, err error) error {
	var e *driver.Error
	if errors.As(err, &e) {
		own := *e
		own.Label, own.Device = label, c.gpu.Name()
		return &own
	}
	own := &driver.Error{Op: "compile", Label: label, Device: c.gpu.Name(), Kind: driver.Internal, Err: err}
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
	k.by.gpu.Gauge(driver.Kernels, -1)
	k.by.modules.put(k.code)
}

// What a driver.Kernel is asked.

func (k *kernel) Device() driver.Device       { return k.by.owner }
func (k *kernel) Digest() [32]byte            { return k.code.program.Digest() }
func (k *kernel) Signature() []ir.Param       { return k.code.program.Params() }
func (k *kernel) Workgroup() [3]uint32        { return k.code.program.Workgroup() }
func (k *kernel) Flags() driver.KernelFlags   { return k.flags }
func (k *kernel) Resources() driver.Resources { return k.code.res }

// Code returns what launches need.
func (k *kernel) Code() exec.Code {
	c := k.code
	return exec.Code{Function: c.function, Params: &c.params, Program: c.emitted, Sites: c.sites, Fixed: c.fixed, RestElem: c.res.RestElem}
}

// Occupancy returns how many groups run at once. The driver knows the number, the model what
// bounds it.
func (k *kernel) Occupancy(rest int) driver.Occupancy {
	c, threads := k.code, k.code.program.GroupSize()
	o := driver.Occupy(&k.by.gpu.Caps, c.res.Registers, c.res.Shared+rest*c.res.RestElem, threads)
	groups := c.groups
	if rest > 0 {
		groups = k.query(threads, c.fixed+rest*c.res.RestElem)
	}
	if groups == 0 && o.Groups > 0 {
		o.Limit = "driver"
	}
	o.Groups, o.Cooperative = groups, groups*k.by.gpu.Caps.Units
	o.TenThousand = groups * ((threads + 31) / 32) * 10000 / max(1, k.by.gpu.Caps.MaxThreadsPerUnit/32)
	return o
}

func (k *kernel) query(threads, dynamic int) int {
	if k.by.gpu.Hold("occupancy", k.Label()) != nil {
		return 0 // nothing fits a device that is gone
	}
	defer k.by.gpu.LetGo()
	n, err := k.by.gpu.Driver.OccupancyMaxActiveBlocksPerMultiprocessor(k.code.function, threads, dynamic)
	if err != nil {
		// The launch that asked is refused for want of room; the device counts why.
		_ = k.by.gpu.Fail(k.by.gpu.ErrorOf("occupancy", k.Label(), err))
		return 0
	}
	return n
}

// compiled is a program on the device, and who uses it.
type compiled struct {
	program  *ir.Program // as it was given
	how      how
	emitted  *ir.Program     // as it was emitted: sites of traps are rows of it
	sites    []memcheck.Site // of its checks
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
	handles int           // of kernels, and of who compiles it
	idle    *list.Element // nil while there are handles
}
