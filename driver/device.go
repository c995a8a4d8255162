package driver

import (
	"context"
	"io"
	"time"

	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/ir"
)

// Device runs programs. It is safe for use from any goroutine. A device embeds a *Core,
// which supplies the part that is the same for all.
type Device interface {
	// Name is what Open would take to get this device, such as "cuda:0".
	Name() string
	// Origin says which device was chosen and why not another.
	Origin() Choice
	// Caps describes the device. It is constant while the device is open.
	Caps() *Caps

	// Compile makes a kernel of a sealed program. Equal programs are compiled once; every
	// call returns a handle of its own. If ctx ends, the caller leaves and the compilation
	// goes on for the next one who asks.
	Compile(ctx context.Context, p *ir.Program, o Options) (Kernel, error)
	// Load makes a kernel of an entry of a bundle, which package aot reads. It answers as the kernel that Compile makes of the
	// program, and compiles nothing on a GPU. Of the options Target and Label are free; the rest was decided when the bundle was made.
	Load(ctx context.Context, im *Image, o Options) (Kernel, error)
	// Alloc returns a buffer of exactly the given size. Its contents are undefined.
	Alloc(bytes int64, o AllocOptions) (Buffer, error)
	// AllocHost returns host memory that the device reaches without staging. It is zero at first.
	AllocHost(bytes int64) (*HostMemory, error)
	// Pin makes the caller's memory such memory, until Close.
	Pin(b []byte) (*HostMemory, error)
	// NewSequence returns an empty sequence. The label appears in errors.
	NewSequence(label string) *Sequence

	// NewPool returns a pool of buffers for work that asks for the same ones again and again.
	NewPool(o PoolOptions) *Pool

	// Costs returns what launches, waits and copies cost. The first request measures them; see Core.Costs.
	Costs(ctx context.Context) (*Costs, error)
	// Warm does now what the first use would do.
	Warm(ctx context.Context) error
	// Room returns how many bytes Alloc could give now, idle memory among them: what the limit of the device and other
	// programs leave. They may take more before it is asked for, and buffers are rounded up.
	Room() (bytes int64, err error)
	// Trim gives idle memory beyond keep bytes back and says how much that was.
	Trim(keep int64) (freed int64, err error)
	// Caches says what is kept for later: a Cache of each name, in the order of Cache.Name.
	Caches() []Cache
	// Flush empties those caches of what nobody refers to: idle sequences, buffers, static sets, kernels and memory. Streams stay, and so
	// do files, which other processes read. What comes next is as after Open, but for what is in use.
	Flush() error
	// Stats returns counters since the device was opened or ResetStats, and gauges as they are.
	Stats() *Stats
	// ResetStats starts the counters anew; gauges stay.
	ResetStats()
	// Err returns nil, or how the device was lost.
	Err() error
	// Close waits for runs, then closes everything made on the device.
	Close() error

	core() *Core
}

// Image is a kernel of a bundle: its text and machine code for some targets, and what launches need. It does not change.
type Image = bundle.Kernel

// Options are fixed when a kernel is compiled. The zero value is right for most programs.
type Options struct {
	// Optimise chooses the passes that the program goes through, by level and name: "" is
	// the default level, "0" the program as it is written, "2,-licm" all passes but one, "2,-gvn.lowered" all but
	// one run of one; `vyre passes` lists the names. What a
	// kernel computes does not depend on it. The interpreter of device "cpu" runs the program as
	// written all the same: it is what the others are held against, and its reports are
	// promised for that program.
	Optimise string
	// Target names the instruction set to compile for; empty is Caps.Target.
	Target string
	// Workgroup, if not zero, compiles the program for another group size. That makes another
	// program, with its own digest. It is refused for a program that could tell the difference. AutoWorkgroup leaves
	// the size to the device.
	Workgroup [3]uint32
	// Items is how many invocations along x have work, for AutoWorkgroup and Tune; about that is enough. 0 is unknown.
	Items uint64
	// MaxRegisters bounds the registers of a thread, from 16 to 255; 0 leaves that to the assembler.
	// What does not fit is kept in memory.
	MaxRegisters int
	// Matrix names the generation of hardware by which products of float matrices are computed, such as sm_75, or any
	// sm_NN for its own. Empty is that of the device; only device cpu has others.
	Matrix string
	// LineInfo names source lines in the machine code, for debuggers and profilers.
	LineInfo bool
	// Label appears in errors; empty is the program's name.
	Label string
	// Entry names the machine code, for profilers; empty is Label. Kernels that differ in their labels alone have the same code,
	// and it is compiled once.
	Entry string
}

// AllocOptions describes a buffer. The zero value is fine.
type AllocOptions struct {
	Label string // appears in errors
}

// OpenOptions adjusts a device. Zero values take the built-in defaults.
type OpenOptions struct {
	MemoryLimit  int64         // bytes of device memory that may be reserved or idle; 0 is no limit but the device's
	IdleLimit    int64         // bytes of device memory that are kept for reuse; 0 is 1/32 of all, from 64 MiB to 4 GiB
	CloseTimeout time.Duration // how long Close waits for a run; 0 is 30 s
	CacheDir     string        // where compiled kernels and measurements are kept, or "off"; empty is VYRE_CACHE_DIR, else vyre in the user's cache directory
	CacheBytes   int64         // about how much of them; 0 is VYRE_CACHE_BYTES, else 1 GiB
	Observer     *Observer     // is told what happens on the device
	// PreserveThreadContext leaves a thread the context of a GPU that it had before a call, for
	// programs that use the driver by other ways as well. It costs a call of the driver each time.
	PreserveThreadContext bool
	// RequireNative makes it an error where device cpu would run a kernel on the interpreter instead of as machine code.
	RequireNative bool
	Debug         string    // comma list of sync, memcheck, leaks, log, ptx=DIR and passes=DIR, or off; empty is VYRE_DEBUG
	DebugOutput   io.Writer // where they write to; nil is standard error
}

// defaultCloseTimeout bounds the wait of Close where OpenOptions does not say.
const defaultCloseTimeout = 30 * time.Second

// Choice is the outcome of Open: the device taken and the candidates passed over before it.
type Choice struct {
	Name   string
	Passed []Passed
}

// Passed is a candidate that was not available.
type Passed struct {
	Name string
	Err  error
}
