package vyre

import (
	"context"
	"slices"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"  // registers the device that is always there
	_ "github.com/govyre/vyre/driver/cuda" // registers NVIDIA GPUs
	"github.com/govyre/vyre/ir"
)

// The contract of devices under the names a program needs.
type (
	// Kernel is a program compiled for a device.
	Kernel = driver.Kernel
	// Input, Output, Step and Loop are what the commands of a Sequence return. Between runs their
	// methods change host memory, arguments, grids and counts.
	Input  = driver.Input
	Output = driver.Output
	Step   = driver.Step
	Loop   = driver.Loop
	// Graph is a captured sequence, which replays.
	Graph = driver.Graph
	// Pending is a run in flight.
	Pending = driver.Pending
	// Result is what a run says about itself: times, loops, traces.
	Result = driver.Result
	// CommandTime is the time of one command, of a sequence that was told TimeCommands.
	CommandTime = driver.CommandTime
	// Grid counts the groups of a launch along x, y and z. An axis that is left out has one group.
	Grid = driver.Grid
	// Range is a part of a buffer.
	Range = driver.Range
	// Arg is an argument of a launch: a Range, a Value, a Rest.
	Arg = driver.Arg
	// Rest is the length of a kernel's shared array that has none of its own.
	Rest = driver.Rest
	// Lowering says who decides whether a While goes on: the device, or the host.
	Lowering = driver.Lowering
	// Row is one set of inputs and outputs of Graph.RunBatch.
	Row = driver.Row
	// Pool serves work that asks for the same buffers again and again; StaticSet is a set of its
	// read-only ones.
	Pool        = driver.Pool
	PoolOptions = driver.PoolOptions
	StaticSet   = driver.StaticSet
	// Caps describes a device.
	Caps = driver.Caps
	// Info describes a device that could be opened.
	Info = driver.Info
	// OpenOptions adjusts a device.
	OpenOptions = driver.OpenOptions
	// CompileOptions adjusts a kernel.
	CompileOptions = driver.Options
	// CaptureOptions adjusts a graph.
	CaptureOptions = driver.CaptureOptions
)

// Sequence records commands, checks and runs them as a unit. A Device makes it; whoever asked for it
// closes it. It is [driver.Sequence], whose page has every rule.
//
// Recording, in the order in which the commands take effect:
//
//	Fill(dst Range, value uint64, width int)
//	Upload(dst Range, src []byte, mode Mode) *Input
//	Copy(dst, src Range)
//	Launch(k Kernel, grid Grid, args ...Arg) *Step
//	Repeat(n int, body func()) *Loop
//	While(flag Range, max int, body func()) *Loop
//	Read(src Range, dst []byte) *Output
//	Scratch(bytes int64) driver.Buffer            // typed: vyre.Scratch
//
// Before it is prepared:
//
//	Lower(l Lowering)                             // who decides whether a While goes on
//	NoDeviceTime(), TimeTransfers(on bool), TimeCommands() // what results tell
//
// Running, as often as wanted; between runs the setters of handles change what was recorded:
//
//	Prepare() error                               // checks everything; Run and Start do it too
//	Run(ctx) (Result, error)
//	Start(ctx, after ...Pending) (Pending, error)
//	Wait(ctx) (Result, error)                     // for the run in flight, also after a canceled Run
//	Capture(o CaptureOptions) (*Graph, error)
//	Close() error
//
// For looking at: Label, Device, Plan.
type Sequence = driver.Sequence

// Mode says when an upload of a Sequence sends its bytes.
type Mode = driver.Mode

// When an upload of a sequence sends its bytes.
const (
	Always    = driver.Always    // in every run
	IfChanged = driver.IfChanged // when they differ from those sent last
	Static    = driver.Static    // once, and after Touch or Set
)

// Who decides whether a While of a sequence goes on, for Sequence.Lower.
const (
	LowerAuto = driver.LowerAuto // the device, if it can
	LoopGraph = driver.LoopGraph
	LoopHost  = driver.LoopHost
)

// Device is an open device: the interface that every package takes. It is [driver.Device].
type Device = driver.Device

// Open opens a device: "cpu", "cuda", "cuda:1", or "auto", which is the first GPU that is there
// and else "cpu". A GPU that is there but does not work is an error. Origin says what
// was chosen, and why not something else.
func Open(name string) (Device, error) { return OpenWith(name, OpenOptions{}) }

// OpenWith is Open with options.
func OpenWith(name string, o OpenOptions) (Device, error) { return driver.Open(name, o) }

// List returns the devices that could be opened, best first.
func List() ([]Info, error) { return driver.List() }

// Compile makes a kernel of a sealed program for generated launchers: it is Device.Compile, and an error if the
// device is nil.
func Compile(ctx context.Context, d Device, p *ir.Program, o CompileOptions) (Kernel, error) {
	if d == nil {
		return nil, noDevice("compile")
	}
	return d.Compile(ctx, p, o)
}

func noDevice(op string) error {
	return &Error{Op: op, Kind: InvalidArgument, Msg: "the device is nil", Fix: "open one, and look at the error of Open"}
}

// Cover returns the smallest grid whose groups of k cover so many items along x, y and z: n
// elements, or w × h pixels. An axis that is left out has one group; no items on any axis are the
// empty grid. A launch refuses the grid if there are more than three axes, if an axis needs more
// groups than fit or has a negative number of items, or if k is not a kernel.
func Cover(k Kernel, items ...int) Grid {
	k, err := driver.KernelOf(k)
	if err != nil {
		return Grid{}
	}
	grid, size := Grid{1, 1, 1}, k.Workgroup()
	if len(items) > len(grid) {
		return Grid{1<<32 - 1, 1<<32 - 1, 1<<32 - 1}
	}
	for axis, n := range items {
		if n < 0 {
			return Grid{1<<32 - 1, 1<<32 - 1, 1<<32 - 2}
		}
		grid[axis] = driver.Cover(uint64(n), size[axis])[0]
	}
	if slices.Contains(items, 0) {
		return EmptyGrid()
	}
	return grid
}

// EmptyGrid returns the grid that launches nothing.
func EmptyGrid() Grid { return driver.EmptyGrid() }
