package vyre

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/ir"
)

// Element is a type that has the same bytes in a Go slice and in a buffer: a scalar of fixed
// size, or an array of two or four, as far as a kernel takes slices of them.
type Element interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~bool | gpu.Float16 | gpu.BFloat16 |
		~[2]int8 | ~[2]int16 | ~[2]int32 | ~[2]int64 | ~[2]uint8 | ~[2]uint16 | ~[2]uint32 | ~[2]uint64 |
		~[2]float32 | ~[2]float64 | ~[2]bool | ~[2]gpu.Float16 | ~[2]gpu.BFloat16 |
		~[4]int8 | ~[4]int16 | ~[4]int32 | ~[4]uint8 | ~[4]uint16 | ~[4]uint32 |
		~[4]float32 | ~[4]bool | ~[4]gpu.Float16 | ~[4]gpu.BFloat16
}

// Buffer is a slice of T on a device. Whoever makes it closes it.
type Buffer[T Element] struct {
	mem driver.Buffer
	n   int
}

// Alloc returns a buffer of n elements. Its contents are undefined.
func Alloc[T Element](d *Device, n int) (*Buffer[T], error) {
	if n < 0 || uint64(n) > uint64(1<<63-1)/size[T]() {
		return nil, &Error{Op: "alloc", Device: d.Name(), Kind: InvalidArgument, Msg: fmt.Sprintf("%d elements", n)}
	}
	b, err := d.Device.Alloc(int64(n)*int64(size[T]()), driver.AllocOptions{})
	if err != nil {
		return nil, err
	}
	return &Buffer[T]{b, n}, nil
}

// Upload returns a buffer that holds a copy of s.
func Upload[T Element](d *Device, s []T) (*Buffer[T], error) {
	b, err := Alloc[T](d, len(s))
	if err != nil {
		return nil, err
	}
	if err := b.Write(context.Background(), s); err != nil {
		// Nobody else has seen the buffer, so closing it cannot be refused.
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

// View returns a buffer that was made on the device without a type, as elements. Closing either
// closes both.
func View[T Element](b driver.Buffer) (*Buffer[T], error) {
	if b.Len()%int64(size[T]()) != 0 {
		return nil, &Error{Op: "view", Label: b.Label(), Device: b.Device().Name(), Kind: InvalidArgument,
			Msg: fmt.Sprintf("%d bytes are no multiple of the %d bytes of %v", b.Len(), size[T](), reflect.TypeFor[T]())}
	}
	return &Buffer[T]{b, int(b.Len() / int64(size[T]()))}, nil
}

// Scratch returns n elements of memory private to a sequence: undefined when a run starts,
// unusable elsewhere, freed with the sequence.
func Scratch[T Element](s *Sequence, n int) *Buffer[T] {
	bytes := int64(n) * int64(size[T]())
	if n > 0 && bytes/int64(size[T]()) != int64(n) {
		bytes = 1<<63 - 1 // no device has that; Prepare says so
	}
	return &Buffer[T]{s.Scratch(bytes), n}
}

// Len returns the number of elements.
func (b *Buffer[T]) Len() int { return b.n }

// All returns the whole buffer, as an argument of a launch or the target of another command.
func (b *Buffer[T]) All() Range { return driver.All(b.mem) }

// Slice returns elements [from, to), like b[from:to]. Bounds that are out of range are reported
// where the range is used.
func (b *Buffer[T]) Slice(from, to int) Range {
	return driver.Part(b.mem, int64(from)*int64(size[T]()), int64(to-from)*int64(size[T]()))
}

// Write stores s at the start of the buffer, now.
func (b *Buffer[T]) Write(ctx context.Context, s []T) error {
	return driver.Write(ctx, b.Slice(0, len(s)), Bytes(s))
}

// Read returns a copy of the buffer as it is now.
func (b *Buffer[T]) Read(ctx context.Context) ([]T, error) {
	s := make([]T, b.n)
	if err := b.ReadInto(ctx, s); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadInto stores the start of the buffer into s, now.
func (b *Buffer[T]) ReadInto(ctx context.Context, s []T) error {
	return driver.ReadInto(ctx, b.Slice(0, len(s)), Bytes(s))
}

// Memory returns the buffer as the device has it.
func (b *Buffer[T]) Memory() driver.Buffer { return b.mem }

// Close frees the buffer. It answers Busy while a prepared sequence refers to it.
func (b *Buffer[T]) Close() error { return b.mem.Close() }

// Bytes returns the memory of s, for the uploads and reads of a Sequence.
func Bytes[T Element](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	// Elements have no pointers and no padding, so that their memory may be seen as bytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(size[T]()))
}

func size[T Element]() uint64 {
	var v T
	return uint64(unsafe.Sizeof(v))
}

// Value passes v to a parameter of its type. int and uint are parameters of 64 bits.
func Value[T gpu.Scalar](v T) driver.Scalar {
	switch h := any(v).(type) {
	case gpu.Float16:
		return driver.F16(h.Bits())
	case gpu.BFloat16:
		return driver.BF16(h.Bits())
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Bool:
		return driver.Bool(r.Bool())
	case reflect.Float32:
		return driver.F32(float32(r.Float()))
	case reflect.Float64:
		return driver.F64(r.Float())
	}
	t := scalarTypes[r.Kind()]
	if r.CanInt() {
		return driver.Scalar{Type: t, Bits: uint64(r.Int()) & t.Mask()}
	}
	return driver.Scalar{Type: t, Bits: r.Uint()}
}

var scalarTypes = map[reflect.Kind]ir.Type{
	reflect.Int8: ir.I8, reflect.Int16: ir.I16, reflect.Int32: ir.I32, reflect.Int64: ir.I64, reflect.Int: ir.I64,
	reflect.Uint8: ir.U8, reflect.Uint16: ir.U16, reflect.Uint32: ir.U32, reflect.Uint64: ir.U64, reflect.Uint: ir.U64,
}

// In passes a slice that the kernel reads, to Run.
func In[T Element](s []T) driver.Host { return driver.In(Bytes(s)) }

// Out passes a slice that the kernel writes, to Run. The kernel sees zeros before.
func Out[T Element](s []T) driver.Host { return driver.Out(Bytes(s)) }

// InOut passes a slice that the kernel reads and writes, to Run.
func InOut[T Element](s []T) driver.Host { return driver.InOut(Bytes(s)) }

// Run runs a kernel once, with arguments in host memory: In, Out and InOut take slices, Value
// takes the rest. For work that stays on the device, or has several steps, record a Sequence.
func Run(ctx context.Context, k Kernel, grid Grid, args ...Arg) (Result, error) {
	return driver.Dispatch(ctx, k, grid, args...)
}
