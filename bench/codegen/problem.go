package codegen

import (
	"bytes"
	"fmt"
	"math"
	"unsafe"

	"github.com/govyre/vyre/internal/front"
)

// Size is one of the sizes at which a kernel is measured.
type Size int

// The sizes.
const (
	Launch Size = iota // a few workgroups: the launch itself counts
	InL2               // all buffers fit into the L2 cache of a large GPU
	Beyond             // ten times that; for kernels bound by arithmetic, as much work as fills milliseconds
)

// Sizes are all sizes, in order.
var Sizes = [...]Size{Launch, InL2, Beyond}

func (s Size) String() string { return [...]string{"launch", "in L2", "10×L2"}[s] }

// Group says what a case is there for.
type Group int

// The groups.
const (
	Thirteen Group = iota // those by which the passes are tuned
	Unseen                // written without a look at the passes, and never used for tuning: what a user's kernel gets
	Second                // a second lot of such kernels, written when the first had long been measured
	Third                 // a third lot, of kinds that neither has
	Structs               // over slices of structs, beside arrays into which a programmer splits them by hand
)

// Groups are all groups, in order.
var Groups = [...]Group{Thirteen, Unseen, Second, Third, Structs}

func (g Group) String() string {
	return [...]string{"thirteen", "unseen", "second lot", "third lot", "structs"}[g]
}

// Case is one kernel of the suite.
type Case struct {
	Name      string
	Group     Group
	Entry     string // cases of one entry count together, by their mean; "" stands for Name
	Reference string // file of the reference kernel, without its suffix
	Arrays    int    // bytes of local memory that the reference kernel's arrays take, which are no spills
	// Bound says what bounds the speed of a kernel that mostly moves data; "" where that is arithmetic, or
	// passes through shared memory.
	Bound string
	Make  func(Size) *Problem
}

// Memory is the Bound of kernels that device memory limits: the bytes of Problem.Bytes are what they take time for.
const Memory = "memory"

// Problem is a case at one size.
type Problem struct {
	N       string // the size in the kernel's own words
	Buffers []*Buffer
	Steps   []Step // launches, one behind the other
	Bytes   int64  // each input read once and each output written once, for every step
	// Want computes what the buffers that are written must hold, without using the kernels. It
	// takes a while at sizes other than Launch.
	Want func() map[*Buffer][]byte
	// Approximate is set where Want has other bits than the kernel: it uses a function whose last bits
	// differ between devices, or Want computes in another order.
	Approximate bool
	// Library is set where the kernel calls functions whose last bits differ between package gpu and CUDA's library:
	// it is then compared with its reference kernel as with an approximation.
	Library bool
	Shapes  []Shape
	Split   *Split // the same work without structs; nil for most
}

// Shape is another way to launch the same work, with other kernels over the same buffers. Which is faster is for a
// device to say.
type Shape struct {
	Name        string
	Steps       []Step
	Approximate bool // computes in another order than the problem's Steps
}

// Check compares what a run left in a buffer with what Want says.
func (p *Problem) Check(b *Buffer, got, want []byte) error {
	if p.Approximate {
		return Near(b, got, want)
	}
	return Same(b, got, want)
}

// Near says how far two contents of a buffer, as numbers of 32 bits, are from each other; nil if that is
// what another order of operations makes.
func Near(b *Buffer, got, want []byte) error {
	x, y := valuesOf[float32](got), valuesOf[float32](want)
	var off, all float64
	for i := range y {
		d := float64(x[i]) - float64(y[i])
		off += d * d
		all += float64(y[i]) * float64(y[i])
	}
	if e := math.Sqrt(off / all); !(e < 1e-5) {
		return fmt.Errorf("%s is off by %.2g of its length, want less than 1e-5", b.Name, e)
	}
	return nil
}

// Same says where two contents of a buffer differ, as words of 32 bits; nil if nowhere.
func Same(b *Buffer, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	x, y := valuesOf[uint32](got), valuesOf[uint32](want)
	if len(x) != len(y) {
		return fmt.Errorf("%s has %d words, want %d", b.Name, len(x), len(y))
	}
	first, n := -1, 0
	for i := range y {
		if x[i] != y[i] {
			if n++; first < 0 {
				first = i
			}
		}
	}
	return fmt.Errorf("%s differs in %d of %d words; the first is number %d, %#x, want %#x", b.Name, n, len(y), first, x[first], y[first])
}

// Role says what launches do with a buffer.
type Role int

// The roles.
const (
	In     Role = iota // never written
	Out                // written everywhere, never read
	Update             // needs its initial contents again before every run
)

// Buffer is memory that launches work on.
type Buffer struct {
	Name  string
	Role  Role
	Bytes int64
	Data  []byte // initial contents; nil for Out
}

// Step is one launch.
type Step struct {
	Kernel string // name on both sides
	Grid   [3]uint32
	Args   []Arg // one for each parameter of the Go kernel
}

// Arg is a buffer or a scalar.
type Arg struct {
	Buffer *Buffer
	Bits   uint64 // of the scalar, zeros above it
}

// Len is the length of the slice that parameter i of the kernel has over the buffer: what Go's len gives, and
// what the reference kernel is told.
func (a Arg) Len(k *front.Kernel, i int) uint32 {
	p := &k.Params[i]
	return uint32(a.Buffer.Bytes / int64(k.Program.Params()[p.First].Bytes()*p.Lanes))
}

func buffer[T any](name string, role Role, data []T) *Buffer {
	b := bytesOf(data)
	return &Buffer{Name: name, Role: role, Bytes: int64(len(b)), Data: b}
}

func output(name string, bytes int) *Buffer {
	return &Buffer{Name: name, Role: Out, Bytes: int64(bytes)}
}

// args makes arguments of buffers and of scalars.
func args(list ...any) []Arg {
	out := make([]Arg, len(list))
	for i, a := range list {
		switch a := a.(type) {
		case *Buffer:
			out[i].Buffer = a
		case uint32:
			out[i].Bits = uint64(a)
		case uint64:
			out[i].Bits = a
		case float32:
			out[i].Bits = uint64(math.Float32bits(a))
		default:
			panic(fmt.Sprintf("BUG: argument %d is of type %T", i, a))
		}
	}
	return out
}

// bytesOf is the memory of s. Buffers are compared and copied as bytes; T has no pointers.
func bytesOf[T any](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// valuesOf is bytesOf the other way round. b comes from bytesOf, so it is aligned.
func valuesOf[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}
