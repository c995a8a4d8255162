package code

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"weak"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/exec"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cutarget"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/source"
	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/ir"
)

// Compiler compiles programs for one device.
type Compiler struct {
	// Emitted, if not nil, gets every module before the driver does, and may change its text.
	Emitted func(*ptx.Module)
	// Most is how many modules are kept loaded, MostBytes how large their images may be together; those in
	// use are kept beyond that.
	Most, MostBytes int

	gpu     *primary.Context
	owner   driver.Device // that kernels say they are of
	target  ptx.Target
	modules cache
	images  images
	keeper  keeper
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
	c.keeper.c = c
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

// Settle waits until it is decided which images are kept of what was compiled.
func (c *Compiler) Settle() {
	c.Wait()
	c.keeper.worker.Wait()
}

// Stop waits for the compilations and the link under way, and begins no other. The device has closed before.
func (c *Compiler) Stop() {
	c.modules.stop()
	c.keeper.stop()
}

// Drop unloads every module. The context is current, unless it is lost.
func (c *Compiler) Drop(note func(error)) {
	c.keeper.drop(note)
	c.modules.drop(note)
}

// kernel is a handle on a loaded module. Handles of equal programs share that.
type kernel struct {
	driver.Leaf
	by    *Compiler
	code  *compiled
	found bool // the module was loaded already
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
	if err := c.may(ctx, "compile", label); err != nil {
		return nil, err
	}
	w := wish{weak.Make(p), o}
	m := c.modules.find(w)
	found := m != nil
	if !found {
		var err error
		if m, found, err = c.module(ctx, p, o, label); err != nil {
			return nil, err
		}
		c.modules.grant(w, m)
	}
	return c.handle(m, found, label)
}

// may refuses what the device cannot begin.
func (c *Compiler) may(ctx context.Context, op, label string) error {
	if err := c.gpu.Alive(op, label); err != nil {
		return err
	}
	if err := c.gpu.LostError(op, label); err != nil {
		return err
	}
	return driver.MayStart(ctx, op, label, c.gpu.Name())
}

// handle makes a kernel of a module that is held for it.
func (c *Compiler) handle(m *compiled, found bool, label string) (*kernel, error) {
	k := &kernel{by: c, code: m, found: found}
	if err := k.Init(c.gpu.Core, k, label, k.free); err != nil {
		c.modules.put(m)
		return nil, err
	}
	c.gpu.Gauge(metric.Kernels, 1)
	return k, nil
}

// module returns the module of a program that was not compiled with these options before, and whether it was loaded all the same.
func (c *Compiler) module(ctx context.Context, p *ir.Program, o driver.Options, label string) (m *compiled, found bool, err error) {
	no := func(format string, args ...any) error {
		return &driver.Error{Op: "compile", Label: label, Device: c.gpu.Name(), Kind: driver.Unsupported, Msg: fmt.Sprintf(format, args...),
			Fix: "leave Target empty for " + c.gpu.Caps.Target}
	}
	target := c.target
	if o.Target != "" {
		t, err := ptx.ParseTarget(o.Target)
		if err != nil {
			return nil, false, no("%v", err)
		}
		target = t
	}
	p, passes, err := o.Check(p, &c.gpu.Caps)
	if err != nil {
		return nil, false, err
	}
	if o.Target != "" && !cutarget.MayTake(target, 10*c.gpu.Caps.Major+c.gpu.Caps.Minor, c.gpu.Caps.DriverVersion) {
		return nil, false, no("a device of capability %d.%d under CUDA %s does not run %v", c.gpu.Caps.Major, c.gpu.Caps.Minor, cutarget.VersionText(c.gpu.Caps.DriverVersion), target)
	}
	h := how{passes, target, o.MaxRegisters, o.LineInfo, cmp.Or(o.Entry, o.Label), c.gpu.Debug().Memcheck}
	key, err := keyOf(p, h)
	if err == nil {
		m, found, err = c.modules.get(ctx, key, func() *compiled {
			return &compiled{facts: factsOf(p), how: h, origin: metric.CompilesFresh, make: func(e *compiled) error { return c.build(e, p) }}
		})
	}
	if err != nil {
		err = c.compileError(label, err)
		primary.Diagnose(err, func(*driver.Error) driver.Diagnosis { return driver.Diagnose(&c.gpu.Caps, o.Requirement(p)) })
		return nil, false, err
	}
	return m, found, nil
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
	k.by.gpu.Gauge(metric.Kernels, -1)
	k.by.modules.put(k.code)
}

// The methods of driver.Kernel.

func (k *kernel) Device() driver.Device       { return k.by.owner }
func (k *kernel) Digest() [32]byte            { return k.code.digest }
func (k *kernel) Signature() []ir.Param       { return k.code.signature }
func (k *kernel) Workgroup() [3]uint32        { return k.code.workgroup }
func (k *kernel) Flags() driver.KernelFlags   { return k.code.flags }
func (k *kernel) Resources() driver.Resources { return k.code.res }
func (k *kernel) Spans() spans.Names          { return k.code.spans }

// origins are the words of Artifact for the counters of compilations.
var origins = map[driver.Metric]string{metric.CompilesDisk: "disk", metric.CompilesFresh: "link", metric.CompilesImage: "image"}

// Artifact returns the text, and the image if one was loaded.
func (k *kernel) Artifact() driver.Artifact {
	c := k.code
	a := driver.Artifact{Text: c.text, Image: bytes.Clone(c.image), Key: c.imageKey, Origin: origins[c.origin], Resources: c.res, Pos: c.pos}
	if k.found {
		a.Origin = "memory"
	}
	return a
}

// Code returns what launches need.
func (k *kernel) Code() exec.Code {
	c := k.code
	return exec.Code{Function: c.function, Params: &c.params, Trap: c.trap, Checks: c.checks, Sites: c.sites, Fixed: c.fixed, RestElem: c.res.RestElem}
}

// Occupancy returns how many groups run at once. The driver knows the number, the model what
// bounds it.
func (k *kernel) Occupancy(rest int) driver.Occupancy {
	c, threads := k.code, k.code.threads()
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

// facts are what a kernel answers without the device.
type facts struct {
	name      string
	digest    [32]byte
	signature []ir.Param
	workgroup [3]uint32
	flags     driver.KernelFlags
	pos       ir.Pos // of its function
	spans     spans.Names
}

func factsOf(p *ir.Program) facts {
	return facts{p.Name(), p.Digest(), p.Params(), p.Workgroup(), driver.FlagsOf(p.Traits()), source.Of(p), spans.NamesOf(p)}
}

// threads are those of a group.
func (f *facts) threads() int { return int(f.workgroup[0] * f.workgroup[1] * f.workgroup[2]) }

// compiled is a program on the device, and who uses it.
type compiled struct {
	facts
	how      how
	make     func(*compiled) error // loads it, for the first caller
	trap     func(row uint32) (message, where string, ok bool)
	checks   int             // records of accesses out of bounds
	sites    []memcheck.Site // of these
	params   ptx.Params
	module   cu.Module
	function cu.Function
	res      driver.Resources
	fixed    int // dynamic shared bytes that every launch brings
	groups   int // that run at once on a unit
	cost     cost
	text     string
	entry    string // in the text
	image    []byte // what was loaded, if not the text
	imageKey [32]byte

	key     [32]byte
	origin  driver.Metric // the counter of where its image came from
	bytes   int           // of its image
	err     error
	ready   chan struct{} // closed when the rest or err is there
	handles int           // of kernels, and of who compiles it
	idle    *list.Element // nil while there are handles
}
