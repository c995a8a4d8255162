package exec

import (
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
)

// fill stores the low bytes of a value over memory again and again.
type fill struct {
	to    cu.Ptr
	value uint64
	width int
	bytes int64
}

// byKernel reports whether a fill is one of eight bytes that no fill of the driver makes, whose values
// are of four at most.
func (f *fill) byKernel() bool { return f.width == 8 && uint32(f.value) != uint32(f.value>>32) }

// memset returns any other fill as the driver takes it.
func (f *fill) memset() cu.Fill {
	width := min(f.width, 4)
	return cu.Fill{Dst: f.to, Value: uint32(f.value) & (1<<(8*width) - 1), Width: width, N: f.bytes / int64(width)}
}

// filler launches vy_fill8.
type filler struct {
	call   cu.Launch
	most   int64 // groups
	values [3]uint64
	ptrs   [3]unsafe.Pointer
}

func newFiller(x *Executor, s cu.Stream) (*filler, error) {
	f, err := x.movers.get(fill8Entry)
	if err != nil {
		return nil, err
	}
	k := &filler{most: int64(x.GPU.Caps.Units) * fillGroups}
	for i := range k.values {
		k.ptrs[i] = unsafe.Pointer(&k.values[i])
	}
	k.call = cu.Launch{Function: f, Block: [3]uint32{fillThreads, 1, 1}, Stream: s, Params: &k.ptrs[0]}
	return k, nil
}

// launch describes the launch for a fill, until the next one.
func (k *filler) launch(f *fill) *cu.Launch {
	n := f.bytes / 8
	k.values = [3]uint64{uint64(f.to), f.value, uint64(n)}
	k.call.Grid = [3]uint32{uint32(min((n+fillThreads-1)/fillThreads, k.most)), 1, 1}
	return &k.call
}
