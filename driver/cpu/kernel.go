package cpu

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/internal/loading"
	"github.com/govyre/vyre/driver/internal/outside"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/source"
	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/ir"
)

// target names the interpreter as an instruction set.
const target = "interp"

// kernel is a handle on a compiled program. Handles of equal programs share that.
type kernel struct {
	driver.Leaf
	dev    *Device
	code   *compiled
	flags  driver.KernelFlags
	res    driver.Resources
	origin string // as Artifact says it
}

// Compile makes machine code of a program where the device's engine is that; else, and where there is none of it, Compile
// decodes the program for the interpreter. One engine has it, not both.
func (d *Device) Compile(ctx context.Context, p *ir.Program, o driver.Options) (driver.Kernel, error) {
	ended := d.Compiling(ctx, p, o)
	k, err := d.Sized(p, o, func(o driver.Options) (driver.Kernel, error) { return d.compile(ctx, p, o, metric.CompilesFresh) })
	ended(err)
	if err != nil {
		return nil, d.Fail(err)
	}
	return k, nil
}

// Load compiles the program of an entry of a bundle.
func (d *Device) Load(ctx context.Context, im *driver.Image, o driver.Options) (driver.Kernel, error) {
	label, err := loading.Check(Name, im, o)
	o.Label = label
	ended := d.Compiling(ctx, nil, o)
	var k driver.Kernel
	if err == nil {
		k, err = d.load(ctx, im, o)
	}
	ended(err)
	if err != nil {
		return nil, d.Fail(err)
	}
	return k, nil
}

func (d *Device) load(ctx context.Context, im *driver.Image, o driver.Options) (driver.Kernel, error) {
	p, err := im.Program()
	if err == nil && p == nil {
		return nil, loading.None(Name, o.Label, im, "a device without a GPU needs the program")
	}
	var k driver.Kernel
	if err == nil {
		k, err = d.compile(ctx, p, o, metric.CompilesImage)
	}
	if err != nil {
		return nil, loading.Failed(Name, o.Label, err)
	}
	return k, nil
}

func (d *Device) compile(ctx context.Context, p *ir.Program, o driver.Options, from driver.Metric) (driver.Kernel, error) {
	label := driver.LabelOf(p, o)
	no := func(kind driver.Kind, fix, format string, args ...any) error {
		return &driver.Error{Op: "compile", Label: label, Device: Name, Kind: kind, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	if err := d.Alive("compile", label); err != nil {
		return nil, err
	}
	if err := driver.MayStart(ctx, "compile", label, Name); err != nil {
		return nil, err
	}
	if targets := d.targets(); o.Target != "" && !slices.Contains(targets, o.Target) {
		return nil, no(driver.Unsupported, "leave Target empty", "there is no target %q, only %q", o.Target, targets)
	}
	p, choice, err := o.Check(p, &d.caps)
	if err != nil {
		return nil, err
	}
	res := driver.Resources{MaxThreads: d.caps.MaxThreadsPerGroup, Target: target}
	if res.Matrix, err = o.Generation(p, &d.caps); err != nil {
		return nil, no(driver.Unsupported, "", "%v", err)
	}
	res.Shared, res.RestElem = driver.SharedOf(p)
	for _, a := range p.Arrays() {
		if a.Kind() == ir.OnLocal {
			res.Local += int(a.Len) * a.Type.Size()
		}
	}
	c, found, err := d.kernels.get(ctx, d, p, d.want(o, choice), from)
	if err != nil {
		return nil, compileError(label, err)
	}
	if res.Reason = c.reason; c.native != nil {
		res.Target = c.wanted.target
	} else if d.engine.required && d.engine.name != Interp {
		d.kernels.put(c)
		return nil, no(driver.Unsupported, "set VYRE_CPU=auto, or leave RequireNative unset, to run it on the interpreter", "no machine code: %s", c.reason)
	}
	k := &kernel{dev: d, code: c, flags: driver.FlagsOf(p.Traits()), res: res, origin: "memory"}
	if !found {
		k.origin = map[driver.Metric]string{metric.CompilesFresh: "link", metric.CompilesImage: "image"}[from]
	}
	if err := k.Init(d.Core, k, label, k.free); err != nil {
		d.kernels.put(c)
		return nil, err
	}
	d.Gauge(metric.Kernels, 1)
	return k, nil
}

// compileError gives an error of the cache what only this caller knows.
func compileError(label string, err error) error {
	own := driver.Error{Op: "compile", Kind: driver.InvalidProgram, Err: err}
	var e *driver.Error
	switch {
	case errors.As(err, &e):
		own = *e
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		own.Kind = driver.Canceled
	}
	own.Label, own.Device = label, Name
	return &own
}

func (k *kernel) free() {
	k.dev.Gauge(metric.Kernels, -1)
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

// Spans returns the names of the spans that the kernel records.
func (k *kernel) Spans() spans.Names { return k.code.spans }

// Flags returns what a launch has to provide for.
func (k *kernel) Flags() driver.KernelFlags { return k.flags }

// Resources returns what a group takes.
func (k *kernel) Resources() driver.Resources { return k.res }

// Artifact returns the machine code, if there is some.
func (k *kernel) Artifact() driver.Artifact {
	a := driver.Artifact{Origin: k.origin, Resources: k.res, Pos: source.Of(k.code.program)}
	if n := k.code.native; n != nil {
		a.Image = slices.Clone(n.Image())
	}
	return a
}

// Occupancy returns how many groups are alive together under a grid barrier.
func (k *kernel) Occupancy(rest int) driver.Occupancy {
	return driver.Occupy(&k.dev.caps, 0, k.res.Shared+rest*k.res.RestElem, k.code.program.GroupSize())
}

// compiled is a program as its engine runs it, and who uses it.
type compiled struct {
	program *ir.Program
	sites   []memcheck.Site // of what runs, which is the program with checks if the device has memcheck
	wanted  engineWish
	machine *code          // shared with other devices; nil where none is wanted
	native  *native.Kernel // nil: the interpreter runs it
	interp  *interp.Kernel // nil: machine code runs it
	reason  string         // why the interpreter does
	rules   launch.Contract
	spans   spans.Names
	err     error
	ready   chan struct{} // closed when an engine's kernel or err is there
	handles int           // of kernels, and of who prepares it
	idle    *list.Element // nil while there are handles
}

// cache keeps compiled programs by digest. Programs of one digest whose names, positions or
// messages differ are kept apart, for these appear in traps and reports.
type cache struct {
	mu        sync.Mutex
	entries   map[[32]byte][]*compiled
	n         int
	idle      list.List // of *compiled without handles, in the order in which the last was given up
	compiling sync.WaitGroup
	closed    bool // nothing is compiled any more
	evicted   uint64
}

// maxKernels bounds the programs kept compiled; those in use are kept beyond it.
const maxKernels = 512

// get returns the compiled program, and whether it was found. The first to ask starts the compilation, which goes on when
// its context ends; everyone else waits for it. A device that has closed since its caller looked begins none.
func (c *cache) get(ctx context.Context, d *Device, p *ir.Program, w engineWish, from driver.Metric) (e *compiled, found bool, err error) {
	c.mu.Lock()
	i := slices.IndexFunc(c.entries[p.Digest()], func(e *compiled) bool { return e.wanted == w && sameText(e.program, p) })
	if found = i >= 0; found {
		e = c.entries[p.Digest()][i]
		if e.idle != nil {
			c.idle.Remove(e.idle)
			e.idle = nil
		}
		d.Count(metric.CompilesMemory, 1)
	} else if c.closed {
		c.mu.Unlock()
		return nil, false, d.Alive("compile", "")
	} else {
		e = &compiled{program: p, wanted: w, ready: make(chan struct{}), handles: 1}
		c.entries[p.Digest()] = append(c.entries[p.Digest()], e)
		c.n++
		c.evict()
		d.Count(from, 1)
		c.compiling.Add(1)
		go c.compile(d, e)
	}
	e.handles++
	c.mu.Unlock()

	select {
	case <-e.ready:
	default:
		select {
		case <-e.ready:
		case <-ctx.Done():
			c.put(e)
			return nil, false, ctx.Err()
		}
	}
	if e.err != nil {
		c.put(e)
		return nil, false, e.err
	}
	return e, found, nil
}

func (c *cache) compile(d *Device, e *compiled) {
	defer c.compiling.Done()
	begin := time.Now()
	e.err = e.prepare(d)
	d.Count(metric.CompileNS, uint64(time.Since(begin)))
	if e.err != nil { // failures are not kept
		c.mu.Lock()
		c.remove(e)
		c.mu.Unlock()
	}
	c.put(e)
	close(e.ready)
}

// prepare makes what runs of the program: machine code, or the decoded program where there is none.
func (e *compiled) prepare(d *Device) (err error) {
	p := e.program
	e.spans = spans.NamesOf(p)
	if d.Debug().Memcheck {
		if p, e.sites, err = outside.Instrument(p); err != nil {
			return err
		}
	}
	e.rules = launch.ContractOf(p)
	if e.translate(d, p); e.native == nil {
		e.interp, err = interp.Prepare(p)
	}
	return err
}

// translate gets machine code for p where it is wanted.
func (e *compiled) translate(d *Device, p *ir.Program) {
	if e.wanted.target == "" {
		e.reason = cmp.Or(d.engine.reason, "it was asked for")
		return
	}
	e.machine = shared.get(p, e.wanted)
	e.native, e.reason = e.machine.kernel, e.machine.reason
}

// forget gives back the machine code of a program that the device drops.
func (e *compiled) forget() {
	if e.machine != nil {
		shared.put(e.machine)
	}
}

// put gives up one handle. Whoever has the last of them, the compilation is over.
func (c *cache) put(e *compiled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.handles--; e.handles == 0 && e.err == nil {
		e.idle = c.idle.PushBack(e)
	}
}

// evict makes room by dropping what is not in use, and has not been for longest.
func (c *cache) evict() { c.shrink(maxKernels) }

func (c *cache) shrink(most int) {
	for c.n > most && c.idle.Len() > 0 {
		c.remove(c.idle.Remove(c.idle.Front()).(*compiled))
		c.evicted++
	}
}

// flush drops everything that is not in use.
func (c *cache) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrink(0)
}

// kept returns how many programs are kept, and how many were dropped to make room.
func (c *cache) kept() (n int, evicted uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, c.evicted
}

func (c *cache) remove(e *compiled) {
	key := e.program.Digest()
	if i := slices.Index(c.entries[key], e); i >= 0 {
		c.entries[key] = slices.Delete(c.entries[key], i, i+1)
		c.n--
		e.forget()
	}
	if len(c.entries[key]) == 0 {
		delete(c.entries, key)
	}
}

// close drops everything. The device has closed before.
func (c *cache) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.compiling.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, es := range c.entries {
		for _, e := range es {
			e.forget()
		}
	}
	clear(c.entries)
	c.idle.Init()
	c.n = 0
}

// sameText reports whether two programs of one digest say the same to a person.
func sameText(a, b *ir.Program) bool {
	if a == b {
		return true
	}
	if a.Name() != b.Name() {
		return false
	}
	for r := range ir.Row(a.Rows()) {
		if a.ValueName(r) != b.ValueName(r) || a.Message(r) != b.Message(r) || !samePos(a.Pos(r), b.Pos(r)) {
			return false
		}
	}
	return true
}

func samePos(a, b ir.Pos) bool {
	for {
		if a.File != b.File || a.Line != b.Line || a.Col != b.Col || (a.Call == nil) != (b.Call == nil) {
			return false
		}
		if a.Call == nil || a.Call == b.Call {
			return true
		}
		a, b = *a.Call, *b.Call
	}
}
