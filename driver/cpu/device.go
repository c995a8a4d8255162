package cpu

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/metric"
)

// Name is what Open takes to get the device.
const Name = "cpu"

// rank puts every real device before this one.
const rank = 100

func init() {
	driver.Register(Name, rank, func(selector string, o driver.OpenOptions) (driver.Device, error) {
		if selector != "" {
			return nil, &driver.Error{Op: "open", Label: Name + ":" + selector, Kind: driver.Unavailable, Msg: "there is one cpu device", Fix: `open "cpu"`}
		}
		return Open(Options{OpenOptions: o})
	}, func() ([]driver.Info, error) {
		return []driver.Info{{Name: Name, Model: model(), Memory: totalMemory()}}, nil
	})
}

// Device is the interpreter as a device.
type Device struct {
	*driver.Core
	caps  driver.Caps
	run   interp.Options
	limit int64 // bytes that may be reserved

	engine engine

	starts  atomic.Uint64 // runs that were started
	memory  ledger
	kernels cache
}

// Open opens the device. Several may be open; they share nothing.
func Open(o Options) (*Device, error) {
	d := &Device{caps: caps()}
	core, err := driver.NewCore(d, Name, o.OpenOptions)
	if err != nil {
		return nil, err
	}
	if core.Debug().Memcheck {
		o.Run.Detect &^= interp.Bounds // programs check themselves, and nothing is reported twice
	}
	d.Core, d.run = core, o.Run
	if d.engine, err = chooseEngine(o); err != nil {
		return nil, err
	}
	if o.Run.Matrix != "" {
		g, err := matrix.ParseGeneration(o.Run.Matrix)
		if err != nil {
			return nil, &driver.Error{Op: "open", Label: Name, Kind: driver.InvalidArgument, Msg: err.Error()}
		}
		d.caps.Matrix.Generation = g.String()
	}
	if d.engine.required {
		d.caps.Matrix.Forms = "" // products are the interpreter's
	}
	d.caps.Target, d.caps.Reason = d.engine.target(), d.engine.reason
	d.limit = d.caps.MaxBuffer
	if o.MemoryLimit > 0 {
		d.limit = min(d.limit, o.MemoryLimit)
	}
	d.memory.open = map[*buffer]struct{}{}
	d.kernels.entries = map[[32]byte][]*compiled{}
	return d, nil
}

func caps() driver.Caps {
	c := driver.Caps{
		Identity: driver.Identity{Name: Name, Model: model(), Target: target},
		Processors: driver.Processors{Units: runtime.GOMAXPROCS(0), WarpSize: 32,
			MaxThreadsPerGroup: 1024, MaxGroupDim: [3]uint32{1024, 1024, 64}, MaxGridDim: [3]uint32{1<<31 - 1, 65535, 65535},
			MaxThreadsPerUnit: 2048, MaxGroupsPerUnit: 32},
		SharedMemory: driver.SharedMemory{SharedPerGroup: 48 << 10, SharedOptin: 227 << 10, SharedPerUnit: 228 << 10},
		DeviceMemory: driver.DeviceMemory{TotalMemory: totalMemory(), AllocAlign: align},
		System:       driver.System{AsyncEngines: 1, UnifiedAddressing: true, HostRegister: true, PageableAccess: true},
		Features: driver.Features{GridBarrier: true, Graphs: true, LoopNodes: true,
			F16: true, BF16: true, F64: true, Atomic64: true, AtomicF32: true, AtomicF64: true,
			Matrix: driver.MatrixUnits{Generation: matrix.SM90.String(), Forms: matrix.Offered(90)},
			Redux:  true, Subgroup: true, Trap: true, EndsRuns: true, Timing: "host clock", CommandTimes: true},
	}
	if c.MaxBuffer = c.TotalMemory; c.MaxBuffer == 0 {
		c.MaxBuffer = 1 << 47 // the address space of a process, where the system does not tell
	}
	return c
}

// Caps describes the device.
func (d *Device) Caps() *driver.Caps { return &d.caps }

// NewSequence returns an empty sequence.
func (d *Device) NewSequence(label string) *driver.Sequence {
	return driver.NewSequence(d, executor{d}, label)
}

// NewPool returns a pool of buffers.
func (d *Device) NewPool(o driver.PoolOptions) *driver.Pool { return driver.NewPool(d, o) }

// Warm has nothing to do: the interpreter starts at once.
func (d *Device) Warm(ctx context.Context) error {
	if err := driver.MayStart(ctx, "warm", "", Name); err != nil {
		return d.Fail(err)
	}
	return d.Alive("warm", "")
}

// Room returns what is left of the limit, else of the machine's memory. What other programs take is not known.
func (d *Device) Room() (int64, error) {
	d.memory.mu.Lock()
	defer d.memory.mu.Unlock()
	return d.limit - d.memory.reserved, d.Alive("room", "")
}

// Trim frees nothing: the device keeps no idle memory.
func (d *Device) Trim(int64) (int64, error) {
	d.Count(metric.Trims, 1)
	return 0, d.Alive("trim", "")
}

// Caches says what is kept for later. Machine code is kept by the process, for all its devices.
func (d *Device) Caches() []driver.Cache {
	n, evicted := d.kernels.kept()
	return d.AllCaches(driver.Cache{Name: "kernels", Entries: n, Limit: maxKernels, Hits: uint64(d.Now(metric.CompilesMemory)),
		Misses: uint64(d.Now(metric.CompilesFresh) + d.Now(metric.CompilesImage)), Evictions: evicted})
}

// Flush gives back what nobody refers to.
func (d *Device) Flush() error {
	if err := d.Alive("flush", ""); err != nil {
		return d.Fail(err)
	}
	d.Forget()
	d.kernels.flush()
	return nil
}

// Err returns nil: the interpreter cannot be lost.
func (d *Device) Err() error { return nil }

// Close waits for runs, then closes everything made on the device.
func (d *Device) Close() error {
	first, err := d.Shut()
	if first {
		d.kernels.close()
	}
	return err
}

// ledger lists the open buffers, for accounting and for what to say when memory runs out.
type ledger struct {
	mu       sync.Mutex
	reserved int64
	open     map[*buffer]struct{}
}
