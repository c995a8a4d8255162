package vyre

import (
	"context"
	"fmt"
	"reflect"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/gpu"
)

// Buffer is a slice of T on a device, or a view of one. Whoever makes a buffer closes it; a view has
// no memory of its own.
type Buffer[T Element] struct {
	mem driver.Range // typed
	n   int
}

// Alloc returns a buffer of n elements. Its contents are undefined.
func Alloc[T Element](d Device, n int) (*Buffer[T], error) {
	if d == nil {
		return nil, noDevice("alloc")
	}
	refuse := func(msg string) (*Buffer[T], error) {
		return nil, &Error{Op: "alloc", Device: d.Name(), Kind: InvalidArgument, Msg: msg}
	}
	elem := elementOf[T]()
	switch {
	case elem.Bad != "":
		return refuse(elem.Name + ": " + elem.Bad)
	case n < 0 || uint64(n) > uint64(1<<63-1)/size[T]():
		return refuse(fmt.Sprintf("%d elements", n))
	}
	b, err := d.Alloc(int64(n)*int64(size[T]()), driver.AllocOptions{})
	if err != nil {
		return nil, err
	}
	return &Buffer[T]{driver.All(b).Of(elem), n}, nil
}

// Upload returns a buffer that holds a copy of s.
func Upload[T Element](ctx context.Context, d Device, s []T) (*Buffer[T], error) {
	b, err := Alloc[T](d, len(s))
	if err != nil {
		return nil, err
	}
	if err := b.Write(ctx, s); err != nil {
		// Nobody else has seen the buffer, so closing it cannot be refused.
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

// View returns a buffer that was made on the device without a type, as elements.
func View[T Element](b driver.Buffer) (*Buffer[T], error) {
	if b == nil {
		return nil, &Error{Op: "view", Kind: InvalidArgument, Msg: "the buffer is nil"}
	}
	return view[T](driver.All(b))
}

// ViewAs returns the bytes of a buffer as elements of another type.
func ViewAs[U, T Element](b *Buffer[T]) (*Buffer[U], error) {
	if b.none() {
		return View[U](nil)
	}
	if bad := b.mem.Elem.Bad; bad != "" {
		return nil, refuseView(b.mem, b.mem.Elem.Name+": "+bad)
	}
	return view[U](b.mem)
}

// view returns a range as elements.
func view[T Element](r Range) (*Buffer[T], error) {
	elem := elementOf[T]()
	switch n := int64(size[T]()); {
	case elem.Bad != "":
		return nil, refuseView(r, elem.Name+": "+elem.Bad)
	case r.Len%n != 0:
		return nil, refuseView(r, fmt.Sprintf("%d bytes are no multiple of the %d bytes of %s", r.Len, n, elem.Name))
	default:
		return &Buffer[T]{r.Of(elem), int(r.Len / n)}, nil
	}
}

func refuseView(r Range, msg string) error {
	b := r.Buffer
	return &Error{Op: "view", Label: b.Label(), Device: b.Device().Name(), Kind: InvalidArgument, Msg: msg}
}

// Scratch returns n elements of memory private to a sequence: undefined when a run starts,
// unusable elsewhere, freed with the sequence.
func Scratch[T Element](s *Sequence, n int) *Buffer[T] {
	bytes := int64(n) * int64(size[T]())
	if n > 0 && size[T]() > 0 && bytes/int64(size[T]()) != int64(n) {
		bytes = 1<<63 - 1 // no device has that; Prepare says so
	}
	return &Buffer[T]{driver.All(s.Scratch(bytes)).Of(elementOf[T]()), n}
}

// none reports whether there is no buffer: a nil one, or one that nothing made. It is refused where it is used.
func (b *Buffer[T]) none() bool { return b == nil || b.mem.Buffer == nil }

// Len returns the number of elements, of no buffer (nil) none.
func (b *Buffer[T]) Len() int {
	if b.none() {
		return 0
	}
	return b.n
}

// All returns the whole buffer, as an argument of a launch or the target of another command. A launch
// takes it for a parameter of the same type only.
func (b *Buffer[T]) All() Range {
	if b.none() {
		return Range{}
	}
	return b.mem
}

// Bytes returns the whole buffer like All, for a parameter of any type.
func (b *Buffer[T]) Bytes() Range {
	if b.none() {
		return Range{}
	}
	if b.mem.Elem.Bad != "" {
		return b.mem
	}
	return b.mem.Of(nil)
}

// Slice returns elements [from, to) as a range, like All. Bounds that are out of range are reported
// where the range is used.
func (b *Buffer[T]) Slice(from, to int) Range { return b.View(from, to).All() }

// View returns elements [from, to) as a buffer, like b[from:to]: it is the same memory, and goes with
// b. Bounds that are out of range are reported where the view is used.
func (b *Buffer[T]) View(from, to int) *Buffer[T] {
	if b.none() {
		return nil
	}
	r := b.mem
	if from < 0 || to < from || to > b.n {
		if elem := r.Elem; elem.Bad == "" {
			r.Elem = &driver.Element{Name: elem.Name, Bad: fmt.Sprintf("elements [%d:%d) are not inside a buffer of %d", from, to, b.n)}
		}
		return &Buffer[T]{r, 0}
	}
	bytes := int64(size[T]())
	r.Off, r.Len = r.Off+int64(from)*bytes, int64(to-from)*bytes
	return &Buffer[T]{r, to - from}
}

// Write stores s at the start of the buffer, now.
func (b *Buffer[T]) Write(ctx context.Context, s []T) error {
	return driver.Write(ctx, b.Slice(0, len(s)), Bytes(s))
}

// Read returns a copy of the buffer as it is now.
func (b *Buffer[T]) Read(ctx context.Context) ([]T, error) {
	s := make([]T, b.Len())
	if err := b.ReadInto(ctx, s); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadInto stores the start of the buffer into s, now.
func (b *Buffer[T]) ReadInto(ctx context.Context, s []T) error {
	return driver.ReadInto(ctx, b.Slice(0, len(s)), Bytes(s))
}

// Memory returns the memory as the device has it: that of the whole buffer, also of a view; nil of no buffer.
func (b *Buffer[T]) Memory() driver.Buffer { return b.All().Buffer }

// Close frees the buffer, also if b is a view. It answers Busy while a prepared sequence refers to it.
func (b *Buffer[T]) Close() error {
	if b.none() {
		return &Error{Op: "close", Kind: InvalidArgument, Msg: "the buffer is nil"}
	}
	return b.mem.Buffer.Close()
}

// Value passes v to a parameter of its type. int and uint are parameters of 64 bits.
func Value[T gpu.Scalar](v T) driver.Scalar {
	switch h := any(v).(type) {
	case gpu.Float16:
		return driver.F16(h.Bits())
	case gpu.BFloat16:
		return driver.BF16(h.Bits())
	}
	return scalar(reflect.ValueOf(v))
}

// scalar passes a value of any other kind.
func scalar(r reflect.Value) driver.Scalar {
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
	if !r.CanUint() {
		return driver.Scalar{} // of no type
	}
	return driver.Scalar{Type: t, Bits: r.Uint()}
}

// Fields passes a struct or an array to a kernel that takes it by value: one argument for each scalar in
// it, in their order.
//
//	seq.Launch(k, grid, append(vyre.Fields(params), x.All())...)
func Fields[T Element](v T) []Arg { return appendFields(nil, reflect.ValueOf(v)) }

func appendFields(args []Arg, v reflect.Value) []Arg {
	switch t := v.Type(); {
	case scalarOf(t).IsHalf():
		return append(args, driver.Scalar{Type: scalarOf(t), Bits: v.Field(0).Uint()})
	case v.CanComplex():
		re, im := reflect.ValueOf(real(v.Complex())), reflect.ValueOf(imag(v.Complex()))
		if v.Kind() == reflect.Complex64 {
			re, im = re.Convert(reflect.TypeFor[float32]()), im.Convert(reflect.TypeFor[float32]())
		}
		return append(args, scalar(re), scalar(im))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if t.Field(i).Name != "_" {
				args = appendFields(args, v.Field(i))
			}
		}
		return args
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			args = appendFields(args, v.Index(i))
		}
		return args
	}
	return append(args, scalar(v)) // of a kind that no kernel takes, an argument that none takes
}

// In passes a slice that the kernel reads, to Run. Like a range it is for a parameter of the same type
// only; driver.In(Bytes(s)) is for any.
func In[T Element](s []T) driver.Host { return driver.In(Bytes(s)).Of(elementOf[T]()) }

// Out passes a slice that the kernel writes, to Run. The kernel sees zeros before, and what it leaves alone comes
// back as zeros.
func Out[T Element](s []T) driver.Host { return driver.Out(Bytes(s)).Of(elementOf[T]()) }

// InOut passes a slice that the kernel reads and writes, to Run.
func InOut[T Element](s []T) driver.Host { return driver.InOut(Bytes(s)).Of(elementOf[T]()) }

// Run runs a kernel once, with arguments in host memory: In, Out and InOut take slices, Value
// takes the rest; a range of a Buffer stays on the device. An In that the kernel writes and an Out that it does
// not write are refused, and so are slices that share memory if the kernel writes one of them. If ctx ends during the run, its outputs are
// dropped and the slices keep what they hold. For work that stays on the device, has several steps, or
// is to be waited for again, record a Sequence.
func Run(ctx context.Context, k Kernel, grid Grid, args ...Arg) (Result, error) {
	return driver.Dispatch(ctx, k, grid, args...)
}
