package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/code"
	"github.com/govyre/vyre/driver/cuda/internal/exec"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/driver/cuda/internal/transfer"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cutarget"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/ir"
)

// Name is what Open takes to get the first device.
const Name = "cuda"

// EnvLibrary is the environment variable that names the driver library to load.
const EnvLibrary = "VYRE_CUDA_LIBRARY"

// rank puts GPUs before every device that is none.
const rank = 10

func init() {
	driver.Register(Name, rank, func(selector string, o driver.OpenOptions) (driver.Device, error) {
		return Open(Options{OpenOptions: o, Selector: selector})
	}, func() ([]driver.Info, error) { return List(Name, nil) })
}

// Options adjust the device. The zero value is what Open("cuda") uses.
type Options struct {
	driver.OpenOptions
	// Selector is an ordinal in the driver's order, or a UUID; empty is ordinal 0.
	Selector string
	// Driver is used instead of the library of the system.
	Driver cu.Driver

	// Kind is what names of devices begin with; empty is Name.
	Kind string
	// Name is the device's own; empty is Kind, a colon and the ordinal.
	Name string
	// Simulated says that there is no GPU under Driver. Caps repeats it.
	Simulated bool
}

// Device is one GPU.
type Device struct {
	*driver.Core
	gpu *primary.Context

	memory   *memory.Heap
	pinned   *pinned.Pool
	streams  *timeline.Streams
	exec     *exec.Executor
	deferred *timeline.Deferred
	rings    *transfer.Rings
	code     *code.Compiler
}

// Open opens a GPU. Several devices may be open on one; they share its primary context.
func Open(o Options) (*Device, error) {
	kind := cmp.Or(o.Kind, Name)
	drv, err := load(kind, o.Driver)
	if err != nil {
		return nil, err
	}
	ordinal, err := find(kind, drv, o.Selector)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(o.Name, deviceName(kind, ordinal))
	dev, err := drv.DeviceGet(ordinal)
	if err != nil {
		return nil, primary.ErrorOf("open", name, err)
	}
	caps, target, err := probe(drv, dev, name, ordinal)
	if err != nil {
		return nil, err
	}
	caps.Simulated = o.Simulated
	kept := o.OpenOptions
	if at, err := kept.DiskCache(); o.Driver != nil && err == nil && !at.Chosen {
		kept.CacheDir = driver.CacheOff // as with images, what one such driver measures is of no use to others
	}
	d := &Device{}
	core, err := driver.NewCore(d, name, kept)
	if err != nil {
		return nil, err
	}
	d.Core, d.gpu = core, &primary.Context{Core: core, Driver: drv, Device: dev, Caps: caps, Restore: o.PreserveThreadContext}
	d.pinned = pinned.NewPool(d.gpu)
	d.streams, d.deferred = timeline.NewStreams(d.gpu, d.pinned), timeline.NewDeferred(d.gpu)
	d.rings = transfer.NewRings(d.gpu, d.pinned)
	d.memory = memory.NewHeap(d.gpu, d, d.pinned, d.deferred, o.OpenOptions)
	d.exec = exec.New(exec.Parts{GPU: d.gpu, Memory: d.memory, Pinned: d.pinned, Streams: d.streams, Deferred: d.deferred, Rings: d.rings, SM: target.SM})
	if d.code, err = code.New(d.gpu, d, d.deferred, target, o.OpenOptions, o.Driver != nil); err != nil {
		return nil, err
	}
	d.markRanges()
	if err := d.gpu.Retain(); err != nil {
		return nil, err
	}
	if err := d.streams.Open(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.describe()
	return d, nil
}

// describe says what was opened.
func (d *Device) describe() {
	c := &d.gpu.Caps
	reduced := ""
	if c.TargetReduced {
		reduced = fmt.Sprintf(", below its own %d.%d", c.Major, c.Minor)
	}
	d.gpu.Say("%s, target %s%s, driver %s: stream flag %v, memory pools %v, graphs %v, loops in them %v", c.Model, c.Target, reduced,
		cutarget.VersionText(c.DriverVersion), c.StreamFlag, c.MemPools, c.Graphs, c.LoopNodes)
}

func deviceName(kind string, ordinal int) string { return kind + ":" + strconv.Itoa(ordinal) }

// load returns the driver, initialised.
func load(kind string, drv cu.Driver) (cu.Driver, error) {
	if drv == nil {
		lib, err := cu.Load(os.Getenv(EnvLibrary))
		if err != nil {
			e := &driver.Error{Op: "open", Label: Name, Kind: driver.Unavailable, Msg: err.Error(), Err: err}
			var missing *cu.MissingError
			if errors.As(err, &missing) {
				e.Fix = missing.Fix
			}
			return nil, e
		}
		drv = lib
	}
	if err := drv.Init(); err != nil {
		return nil, primary.ErrorOf("open", kind, err)
	}
	return drv, nil
}

// find returns the ordinal that a selector means.
func find(kind string, drv cu.Driver, selector string) (int, error) {
	n, err := drv.DeviceGetCount()
	if err != nil {
		return 0, primary.ErrorOf("open", kind, err)
	}
	label := kind
	if selector != "" {
		label += ":" + selector
	}
	if n == 0 {
		return 0, unavailable(label, "check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES does not hide it", "the driver sees no GPU")
	}
	if strings.HasPrefix(selector, "GPU-") {
		for i := range n {
			dev, err := drv.DeviceGet(i)
			if err != nil {
				return 0, primary.ErrorOf("open", label, err)
			}
			if id, err := drv.DeviceGetUuid(dev); err == nil && id.String() == selector {
				return i, nil
			}
		}
		return 0, unavailable(label, "nvidia-smi -L lists identities", "none of %d GPUs has that identity", n)
	}
	ordinal := 0
	if selector != "" {
		if ordinal, err = strconv.Atoi(selector); err != nil {
			return 0, unavailable(label, `write "cuda:0", or "cuda:GPU-…" with an identity of nvidia-smi -L`, "%q is neither a number nor an identity", selector)
		}
	}
	if ordinal < 0 || ordinal >= n {
		return 0, unavailable(label, "", "there are %d GPUs, numbered from 0", n)
	}
	return ordinal, nil
}

// List enumerates the GPUs of a driver, by names that begin with kind, without a context; nil is the driver of the system.
func List(kind string, drv cu.Driver) ([]driver.Info, error) {
	drv, err := load(kind, drv)
	if err != nil {
		return nil, err
	}
	n, err := drv.DeviceGetCount()
	if err != nil {
		return nil, primary.ErrorOf("list", kind, err)
	}
	var infos []driver.Info
	for i := range n {
		dev, err := drv.DeviceGet(i)
		if err != nil {
			return infos, primary.ErrorOf("list", deviceName(kind, i), err)
		}
		p := prober{drv, dev}
		info := driver.Info{Name: deviceName(kind, i), Capability: fmt.Sprintf("%d.%d", p.attr(cu.CapabilityMajor), p.attr(cu.CapabilityMinor))}
		// What the driver does not tell stays empty.
		info.Model, _ = drv.DeviceGetName(dev)
		info.Memory, _ = drv.DeviceTotalMem(dev)
		infos = append(infos, info)
	}
	return infos, nil
}

// Caps describes the device.
func (d *Device) Caps() *driver.Caps { return &d.gpu.Caps }

// Err returns nil, or how the device was lost.
func (d *Device) Err() error {
	if err := d.gpu.LostError("use", ""); err != nil {
		return err
	}
	return nil
}

// NewSequence returns an empty sequence.
func (d *Device) NewSequence(label string) *driver.Sequence {
	return driver.NewSequence(d, d.exec, label)
}

// NewPool returns a pool of buffers.
func (d *Device) NewPool(o driver.PoolOptions) *driver.Pool { return driver.NewPool(d, o) }

// Compile optimises a program, emits it for the device's target and has the driver compile that.
func (d *Device) Compile(ctx context.Context, p *ir.Program, o driver.Options) (driver.Kernel, error) {
	return d.code.Compile(ctx, p, o)
}

// Load makes a kernel of an entry of a bundle.
func (d *Device) Load(ctx context.Context, im *driver.Image, o driver.Options) (driver.Kernel, error) {
	return d.code.Load(ctx, im, o)
}

// Link returns the image that the driver's linker makes of a kernel's text, for a bundle: nil if it takes more than the loaded
// text does, or if the kernel is for another architecture.
func (d *Device) Link(k driver.Kernel) (image []byte, err error) { return d.code.Link(k) }

// Stats returns the counters and gauges as they are now.
func (d *Device) Stats() *driver.Stats {
	d.memory.Measure()
	s := d.Core.Stats()
	s.CacheDir = d.code.CacheDir()
	return s
}

// Alloc returns a buffer. Its contents are undefined.
func (d *Device) Alloc(bytes int64, o driver.AllocOptions) (driver.Buffer, error) {
	d.Count(metric.AllocRequests, 1)
	b, err := d.memory.Alloc(bytes, o.Label)
	d.Allocated(o.Label, bytes, err)
	if err != nil {
		return nil, d.Fail(err)
	}
	return b, nil
}

// Borrow returns a buffer of memory that another library of the process owns. It is for driver.Borrow.
func (d *Device) Borrow(f driver.Foreign, ended func()) (driver.Buffer, error) {
	b, err := d.memory.Borrow(f, ended)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Share orders the runs over a buffer with the work of another library, until end is called. It is for driver.Lend.
func (d *Device) Share(b driver.Buffer, t driver.Turns) (end func(), err error) {
	return d.memory.Share(b.(*memory.Buffer), t)
}

// AllocHost returns pinned memory.
func (d *Device) AllocHost(bytes int64) (*driver.HostMemory, error) {
	m, err := d.pinned.AllocHost(bytes)
	if err != nil {
		return nil, d.Fail(err)
	}
	return m, nil
}

// Pin makes the caller's memory such memory, until Close.
func (d *Device) Pin(b []byte) (*driver.HostMemory, error) {
	m, err := d.pinned.Pin(b)
	if err != nil {
		return nil, d.Fail(err)
	}
	return m, nil
}

// Warm makes the first stream, and loads the package's own kernels.
func (d *Device) Warm(ctx context.Context) error {
	if err := driver.MayStart(ctx, "warm", "", d.Name()); err != nil {
		return d.Fail(err)
	}
	if err := d.gpu.Hold("warm", ""); err != nil {
		return d.Fail(err)
	}
	defer d.gpu.LetGo()
	if err := d.exec.Warm(); err != nil {
		return d.Fail(d.gpu.ErrorOf("warm", "", err))
	}
	return nil
}

// Room returns what the driver has free and what is idle here, or what is left of the limit.
func (d *Device) Room() (int64, error) {
	if err := d.gpu.Hold("room", ""); err != nil {
		return 0, d.Fail(err)
	}
	defer d.gpu.LetGo()
	room, err := d.memory.Room()
	if err != nil {
		return 0, d.Fail(d.gpu.Complete("room", "", err))
	}
	return room, nil
}

// Trim gives idle memory beyond keep bytes back to the driver.
func (d *Device) Trim(keep int64) (int64, error) {
	if err := d.gpu.Hold("trim", ""); err != nil {
		return 0, d.Fail(err)
	}
	defer d.gpu.LetGo()
	d.Count(metric.Trims, 1)
	freed, err := d.memory.Trim(keep)
	if err != nil {
		return freed, d.Fail(d.gpu.Complete("trim", "", err))
	}
	return freed, nil
}

// Caches says what is kept for later.
func (d *Device) Caches() []driver.Cache {
	memory := d.memory.Cache()
	memory.Hits, memory.Misses, memory.Evictions = uint64(d.Now(metric.AllocReused)), uint64(d.Now(metric.DriverAllocs)), uint64(d.Now(metric.DriverFrees))
	return d.AllCaches(append(d.code.Caches(), memory, d.pinned.Cache(), d.streams.Cache())...)
}

// Flush gives back what nobody refers to. What fails is told, and the rest goes all the same.
func (d *Device) Flush() error {
	if err := d.Alive("flush", ""); err != nil {
		return d.Fail(err)
	}
	d.Forget()
	if err := d.gpu.Hold("flush", ""); err != nil {
		return d.Fail(err)
	}
	defer d.gpu.LetGo()
	unloaded := d.code.Flush()
	_, trimmed := d.memory.Trim(0)
	for _, err := range []error{trimmed, d.pinned.Flush()} {
		if err != nil && unloaded == nil {
			unloaded = d.Fail(d.gpu.Complete("flush", "", err))
		}
	}
	return unloaded
}

// Close waits for runs, then closes everything made on the device and gives the context back.
func (d *Device) Close() error {
	first, err := d.Shut()
	if !first {
		return err
	}
	d.code.Stop()
	stuck := d.deferred.Settle()
	return errors.Join(err, d.gpu.End(func() error {
		d.memory.Part()
		if stuck > 0 {
			return d.forsake(stuck)
		}
		return d.release()
	}))
}

// forsake leaves the context, and everything in it, to the process: a goroutine that is in the
// middle of a Start uses it, and the driver does not return to it.
func (d *Device) forsake(starts int) error {
	return d.Fail(&driver.Error{Op: "close", Device: d.Name(), Kind: driver.Closed,
		Msg: fmt.Sprintf("the context was left to the process: %d runs are being enqueued, and had not noticed %v later that they were given up", starts, d.CloseTimeout())})
}

// release frees what the device has kept, then the context. A lost device makes no call for
// its objects: they went with its context. Where a run has not ended nothing is freed either: a driver that is told
// to free memory or code waits for all work of the context first.
func (d *Device) release() error {
	var errs []error
	note := func(err error) {
		if err != nil && !d.gpu.Lost() {
			errs = append(errs, d.Fail(d.gpu.Complete("close", "", err)))
		}
	}
	had, hadHost := d.Gauge(metric.DriverBytes, 0), d.Gauge(metric.PinnedBytes, 0)
	entered := d.gpu.Enter("close", "") == nil
	unended := d.deferred.Drop(note) && d.gpu.Lose(&driver.Error{Op: "close", Device: d.Name(), Kind: driver.Closed,
		Msg: "the device was closed over runs that had not ended"})
	d.rings.Drop(note)
	d.code.Drop(note)
	d.exec.Drop(note)
	d.streams.Drop(note)
	left := d.memory.Drop(note)
	leftHost := d.pinned.Drop(note)
	if entered {
		if !d.gpu.Restore {
			note(d.gpu.Driver.CtxSetCurrent(0))
		}
		d.gpu.Leave()
	}
	if unended {
		left, leftHost = had, hadHost
	}
	if left+leftHost > 0 {
		errs = append(errs, d.Fail(&driver.Error{Op: "close", Device: d.Name(), Kind: driver.Closed,
			Msg: fmt.Sprintf("%d bytes of device memory and %d of pinned memory were left to the context, for runs that did not end may touch them", left, leftHost)}))
	}
	if err := d.gpu.Release(unended); err != nil && (unended || !d.gpu.Lost()) {
		errs = append(errs, d.Fail(err))
	}
	return errors.Join(errs...)
}
