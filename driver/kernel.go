package driver

import (
	"fmt"

	"github.com/govyre/vyre/ir"
)

// Kernel is a program compiled for one device. A device's kernels embed a Leaf. A type that embeds a
// Kernel, as generated launchers do, stands for it; any other is refused.
type Kernel interface {
	Device() Device
	Label() string
	Digest() [32]byte             // of the program
	Signature() []ir.Param        // the parameters, in order
	Workgroup() [3]uint32         // invocations of a group along x, y and z
	Flags() KernelFlags           // what a launch has to provide for
	Resources() Resources         // what a group takes
	Occupancy(rest int) Occupancy // how many groups run at once, with rest elements in its last shared array
	Artifact() Artifact           // what it was compiled to, and where that came from
	// Close gives the kernel up. It answers Busy while a prepared sequence refers to it.
	Close() error

	leaf() *Leaf
}

// KernelFlags is a set of properties of a kernel.
type KernelFlags uint8

// The properties.
const (
	Resident KernelFlags = 1 << iota // all groups of a launch must be resident
	MayTrap
	Traces
	Ordered       // has atomics or fences stronger than relaxed
	SharedRest    // its last shared array takes its length from the launch
	Exact         // same bits on every device
	Deterministic // see ir.Traits
	Generational  // has products of float matrices: same bits on devices of one generation at most
)

// FlagsOf returns the flags of a kernel compiled from a program with traits t.
func FlagsOf(t ir.Traits) KernelFlags {
	var f KernelFlags
	for _, row := range []struct {
		on   bool
		flag KernelFlags
	}{{t.Resident, Resident}, {t.MayTrap, MayTrap}, {t.Traces, Traces}, {t.Ordered, Ordered}, {t.SharedRest, SharedRest}, {t.Class == ir.ClassExact, Exact},
		{t.Deterministic, Deterministic}, {t.Generational, Generational}} {
		if row.on {
			f |= row.flag
		}
	}
	return f
}

// Resources is what a kernel takes of a device.
type Resources struct {
	Registers  int // a thread; 0 where that means nothing
	Shared     int // bytes a group, the array of launch-time length not counted
	RestElem   int // bytes of an element of that array; 0 without one
	Local      int // bytes a thread
	Const      int // bytes
	MaxThreads int // a group
	Target     string
	Matrix     string // generation of hardware by which products of float matrices are computed; "" without any
	Reason     string // of device cpu: why the interpreter runs it, "" where machine code does
}

// Artifact is what a kernel was compiled to.
type Artifact struct {
	Text string // for the driver of a GPU; empty on device cpu
	// Image is machine code. There is none where the driver compiled Text, because it keeps what it made, or
	// where the interpreter runs the program.
	Image []byte
	Key   [32]byte // of the image, in the cache on disk; zero on device cpu
	// Origin says where the code was found: "memory", if it was loaded on the device; "disk", in the cache; "image", in a
	// bundle; "link", nowhere, so that it was compiled.
	Origin string
	Pos    ir.Pos // first line of its function; zero if unknown
	Resources
}

// mostShared is more than any device has. Arrays of a program, and a Rest, may be longer than an int counts.
const mostShared = 1 << 62

// SharedOf returns the shared bytes of a program, as every device lays them out: arrays in
// order, each at a multiple of 16, the one of launch-time length last and not counted. rest
// is the size of its elements, 0 without one. What no device has room for may be counted as less,
// and still as more than any device has.
func SharedOf(p *ir.Program) (bytes, rest int) {
	for _, a := range p.Arrays() {
		if !a.Shared {
			continue
		}
		if a.Len == ir.RestLen {
			rest = a.Type.Size()
			continue
		}
		bytes = int(min(a.AddBytes(uint64((bytes+15)&^15)), mostShared))
	}
	if rest > 0 {
		bytes = (bytes + 15) &^ 15
	}
	return bytes, rest
}

// Grid counts the groups of a launch along x, y and z; a compiled kernel knows how many invocations a group has. (A
// gpu.Grid, for the function itself, says both.) An axis that is left out has one group:
// Grid{4} is 4×1×1 and Grid{4, 2} is 4×2×1. Of no groups at all there are two kinds: a launch refuses
// the zero Grid, which says nothing, and does nothing for EmptyGrid, or any grid with 0 groups on x
// and some on y.
type Grid [3]uint32

// EmptyGrid returns the grid that launches nothing.
func EmptyGrid() Grid { return Grid{0, 1, 1} }

// Groups returns a grid of n groups along x.
func Groups(n uint32) Grid { return Grid{n, 1, 1} }

// full returns the grid with the axes that were left out.
func (g Grid) full() Grid {
	if g != (Grid{}) {
		g[1], g[2] = max(g[1], 1), max(g[2], 1)
	}
	return g
}

// beyond is the grid that the face's Cover makes of more than three axes. No device has so many groups on each.
var beyond = Grid{1<<32 - 1, 1<<32 - 1, 1<<32 - 1}

// negative is the grid that it makes of fewer than no items.
var negative = Grid{1<<32 - 1, 1<<32 - 1, 1<<32 - 2}

// Cover returns the smallest grid along x whose groups of the given size cover n items. No
// items give a grid of 0, which launches nothing; more than a grid can hold give a grid that
// a launch refuses.
func Cover(n uint64, group uint32) Grid {
	if group == 0 || n == 0 {
		return Grid{0, 1, 1}
	}
	g := (n-1)/uint64(group) + 1
	return Grid{uint32(min(g, 1<<32-1)), 1, 1}
}

// Total returns the number of groups, saturated.
func (g Grid) Total() uint64 {
	g = g.full()
	return mulSat(mulSat(uint64(g[0]), uint64(g[1])), uint64(g[2]))
}

// Empty reports whether the grid has no group.
func (g Grid) Empty() bool { return g[0] == 0 }

func (g Grid) String() string {
	g = g.full()
	return fmt.Sprintf("%d×%d×%d", g[0], g[1], g[2])
}
