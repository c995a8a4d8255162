package native

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

// Kernel is a program as machine code. It is immutable and safe to share; each launch takes its frames from a pool.
type Kernel struct {
	p     *ir.Program
	f     *function
	page  *codePage
	made  []byte // what the page holds
	code  uintptr
	polls uint32 // rounds of loops in a turn

	bound []entry // what the bank has for each launch
	each  []entry // what it has for each group

	params   []ir.Param
	objects  []ir.ObjectInfo
	barriers map[ir.Row]int // rows at which groups wait for each other: which barrier of a launch that is

	tables []unsafe.Pointer // by object: the contents of a table
	keep   [][]uint64       // what tables point into

	groupTime atomic.Int64 // nanoseconds that a group took in the last launch that told; 0 before

	mu      sync.Mutex
	frames  []*frame  // not in use
	flights []*flight // likewise
}

// Available returns nil where there is machine code, else why there is none.
func Available() error {
	err := hostLacks()
	if err == nil {
		var page *codePage
		if page, err = newCode(returns); err == nil {
			page.free()
		}
	}
	return err
}

// Untried says why machine code runs only where it is asked for, though there is some; "" where it is what runs.
func Untried() string {
	if runtime.GOOS == "darwin" && runtime.GOARCH == "arm64" {
		return "machine code has been run on no such system yet; VYRE_CPU=native asks for it"
	}
	return ""
}

// New makes machine code of a program, which the passes should have gone over: what it computes is the same either
// way. An *UnsupportedError says that the engine does not run it; any other error, that the system has no memory for
// code.
func New(p *ir.Program, o Options) (*Kernel, error) {
	if err := hostLacks(); err != nil {
		return nil, err
	}
	p, err := opt.AtOnce(p)
	if err != nil {
		return nil, err
	}
	f, code, err := translate(p, o)
	if err != nil {
		return nil, err
	}
	k := &Kernel{p: p, f: f, made: code, params: p.Params(), objects: p.Objects(), barriers: map[ir.Row]int{}}
	k.polls = uint32(max(1, min(manyPolls, turnBytes/len(code))))
	k.tables = make([]unsafe.Pointer, len(k.objects))
	for i, o := range k.objects {
		if o.Table() {
			words := make([]uint64, (len(o.Array.Table)+7)/8+1)
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(o.Array.Table)), o.Array.Table)
			k.keep = append(k.keep, words)
			k.tables[i] = unsafe.Pointer(&words[0])
		}
	}
	for _, e := range f.bank {
		switch e.from {
		case fromGroup, fromBase:
			k.each = append(k.each, e)
		case fromArg, fromLen, fromGroups:
			k.bound = append(k.bound, e)
		}
	}
	for r := range ir.Row(p.Rows()) {
		switch in := p.Op(r).Info(); {
		case in.Attr&ir.Barrier != 0 && in.Level <= ir.LevelFirst:
			k.barriers[r] = len(k.barriers)
		case p.Op(r) == ir.OpResident: // groups wait for others in loops: these should have their turn soon
			k.polls = min(k.polls, waitingPolls)
		}
	}
	f.leaveSpace() // all of it is in the code now
	f.banked, f.tabled, f.held = nil, nil, [allRegisters][]vreg{}
	if k.page, err = newCode(code); err != nil {
		return nil, err
	}
	amd64.Reuse(code)
	k.code = uintptr(unsafe.Pointer(&k.page.mem[0]))
	return k, nil
}

// Close frees the machine code. No launch may be under way.
func (k *Kernel) Close() { k.page.free() }

// Rest gives up what launches that are over have left for the next ones.
func (k *Kernel) Rest() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.frames, k.flights = nil, nil
}

// Image returns the machine code as it was made, which is not to be changed, even when the kernel is closed.
func (k *Kernel) Image() []byte { return k.made }

// Code returns the memory that is executed.
func (k *Kernel) Code() []byte { return k.page.mem }

// Program returns the program that was compiled.
func (k *Kernel) Program() *ir.Program { return k.p }

// frame is the memory of a group that runs: its own frame, those of its vectors, and its shared arrays.
type frame struct {
	words  []uint64
	group  unsafe.Pointer
	vector unsafe.Pointer // of vector 0
	stride uintptr
	shared []uint64
	flight *flight // what the bank was filled for
}

// take returns a frame.
func (k *Kernel) take() *frame {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(k.frames); n > 0 {
		f := k.frames[n-1]
		k.frames = k.frames[:n-1]
		return f
	}
	return k.newFrame()
}

// What is kept idle at most.
const (
	keptFrames  = 256
	keptFlights = 16
)

func (k *Kernel) give(f *frame) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f.flight = nil
	if len(k.frames) < keptFrames {
		k.frames = append(k.frames, f)
	}
}

// newFrame makes a frame with all that no launch changes: constants and tables.
func (k *Kernel) newFrame() *frame {
	l := &k.f.layout
	n := 1
	if !l.alone {
		n = l.frames
	}
	const align = 64
	group := (int(l.group.size) + align - 1) &^ (align - 1)
	f := &frame{stride: uintptr((l.vector.size + align - 1) &^ (align - 1))}
	f.words = make([]uint64, (group+n*int(f.stride)+align)/8)
	f.group = unsafe.Pointer(&f.words[0])
	if skip := -uintptr(f.group) % align; skip > 0 { // Go's heap does not move
		f.group = unsafe.Add(f.group, skip)
	}
	f.vector = unsafe.Add(f.group, group)
	*f.word(groupCount) = uint64(32 * l.vectors)
	for _, e := range k.f.bank {
		if e.from == fromConst {
			f.fill(e.off, e.bits)
		}
	}
	for _, t := range k.f.tables {
		for v := range l.frames {
			for i := range lanes {
				*(*uint32)(unsafe.Add(f.group, int(t.off)+32*v+4*i)) = k.tabled(t, uint32(v*l.lanes+i%l.lanes))
			}
		}
	}
	return f
}

// tabled is what a table has for an invocation of a group.
func (k *Kernel) tabled(t table, l uint32) uint32 {
	size := k.p.Workgroup()
	switch t.op {
	case ir.OpLocal:
		return [3]uint32{l % size[0], l / size[0] % size[1], l / size[0] / size[1] % size[2]}[t.x] // also of lanes beyond the group, which have to be like the others
	case ir.OpLane:
		if t.x == inVector {
			return l % lanes
		}
		return l % 32
	case ir.OpWarp:
		return l / 32
	case ir.OpConst: // the invocations that there are
		if int(l) < k.p.GroupSize() {
			return ^uint32(0)
		}
		return 0
	}
	panic(fmt.Sprintf("BUG: native: no table of %s", t.op))
}

func (f *frame) word(off int32) *uint64 { return (*uint64)(unsafe.Add(f.group, off)) }

// fill repeats 64 bits in an entry of the bank.
func (f *frame) fill(off int32, bits uint64) {
	*(*[4]uint64)(unsafe.Add(f.group, off)) = [4]uint64{bits, bits, bits, bits}
}

// at returns the frame of a vector.
func (f *frame) at(v int) unsafe.Pointer { return unsafe.Add(f.vector, uintptr(v)*f.stride) }

// pattern is a value of a type as every lane has it.
func pattern(t ir.Type, bits uint64) uint64 {
	switch {
	case t == ir.Bool:
		return -(bits & 1)
	case t.Size() == 8:
		return bits
	}
	bits &= t.Mask()
	return bits | bits<<32
}

// prepare fills a frame for a launch.
func (k *Kernel) prepare(f *frame, l *flight) {
	if f.flight == l {
		return
	}
	f.flight = l
	for i := range k.bound {
		switch e := &k.bound[i]; e.from {
		case fromArg:
			f.fill(e.off, pattern(e.typ, l.scalars[e.x]))
		case fromLen:
			f.fill(e.off, pattern(e.typ, l.spans[e.x].len/uint64(k.objects[e.x].Count())))
		case fromGroups:
			f.fill(e.off, pattern(ir.U32, uint64(l.grid[e.x])))
		}
	}
	if words := int(l.shared)/8 + 1; len(f.shared) < words {
		f.shared = make([]uint64, words)
	}
	for i, s := range l.spans {
		at := k.f.layout.objects[i]
		base := s.base
		if s.shared {
			base = unsafe.Pointer(&f.shared[0])
			base = unsafe.Add(base, s.at)
		}
		*f.word(at) = uint64(uintptr(base))
		*f.word(at + 8) = s.len
	}
}

// place sets the number of the group that a frame runs.
func (k *Kernel) place(f *frame, id [3]uint32) {
	size := k.p.Workgroup()
	for _, e := range k.each {
		n := id[e.x]
		if e.from == fromBase {
			n *= size[e.x]
		}
		f.fill(e.off, pattern(ir.U32, uint64(n)))
	}
}
