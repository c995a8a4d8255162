package cuda

import (
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/ir"
)

// launch is a launch as the driver takes it. Values and the pointers to them stay where they
// are for good: Go's heap does not move, and the runner keeps them.
type launch struct {
	cmd     *driver.LaunchCmd
	kernel  *kernel
	changed uint64
	call    cu.Launch
	values  []uint64
	ptrs    []unsafe.Pointer

	block   int64 // offset of the barrier block that the launch has in a graph
	barrier int   // index of the value that is the address of the barrier block; -1 without one
	trap    int   // index of the launch's trap record; -1 without one
	trace   int   // index of its trace ring; -1 without one
}

// newLaunch lays out the arguments of a launch, as ptx.Layout places them: those of the
// program, then the hidden ones.
func newLaunch(cmd *driver.LaunchCmd, stream cu.Stream) launch {
	k := cmd.Kernel.(*kernel)
	n := 0
	for _, s := range k.code.params.Slots {
		if n++; s.Len >= 0 {
			n++
		}
	}
	l := launch{cmd: cmd, kernel: k, barrier: -1, trap: -1, trace: -1}
	hidden := func(offset int) (at int) {
		if offset < 0 {
			return -1
		}
		n++
		return n - 1
	}
	l.barrier = hidden(k.code.params.Grid)
	l.trap, l.trace = hidden(k.code.params.Trap), hidden(k.code.params.Trace)
	l.values, l.ptrs = make([]uint64, n), make([]unsafe.Pointer, n+1)
	for i := range l.values {
		l.ptrs[i] = unsafe.Pointer(&l.values[i])
	}
	l.call = cu.Launch{Function: k.code.function, Block: k.Workgroup(), Stream: stream, Params: &l.ptrs[0]}
	return l
}

// needsNone reports whether an argument is a range of no bytes.
func (l *launch) needsNone() bool {
	for _, a := range l.cmd.Args {
		if a.Range.Buffer != nil && a.Range.Len == 0 {
			return true
		}
	}
	return false
}

// bind takes over what setters changed. none is the address for ranges of no bytes.
func (l *launch) bind(none cu.Ptr) {
	c := l.cmd
	l.changed = c.Changed
	l.call.Grid = c.Grid
	l.call.Shared = uint32(l.kernel.code.dynamic(c.Rest))
	n := 0
	for i, p := range l.kernel.Signature() {
		a := c.Args[i]
		if !p.IsBuffer() {
			l.values[n] = widen(p.Type, a.Bits)
			n++
			continue
		}
		at := none
		if a.Range.Len > 0 {
			at = addressOf(a.Range)
		}
		l.values[n], l.values[n+1] = uint64(at), uint64(a.Range.Len)/uint64(p.Type.Size())
		n += 2
	}
}

// widen extends a narrow scalar to the 32 bits that its parameter has, as a load would.
func widen(t ir.Type, v uint64) uint64 {
	switch t {
	case ir.I8:
		return uint64(uint32(int32(int8(v))))
	case ir.I16:
		return uint64(uint32(int32(int16(v))))
	}
	return v
}
