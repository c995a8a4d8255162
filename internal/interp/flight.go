package interp

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/ir"
)

// flight is a launch in progress, shared by its workers. Kernels keep finished ones to be
// used again, with all the state that their groups had.
type flight struct {
	k     *Kernel
	code  []instr
	ctx   context.Context
	o     Options
	grid  [3]uint32
	total uint64 // groups in the grid
	coop  bool   // all groups are alive at once
	many  bool   // several workers: atomics on buffers have to be atomic for the host too

	buffers     []span
	scalars     []uint64
	bank        []lanes
	rest        uint64
	sharedBytes uint64
	poison      poison
	matrix      matrix.Generation
	pick        stride
	workers     []*worker
	meet        meeting

	next      atomic.Uint64 // groups handed out
	budget    atomic.Int64  // rows not yet handed out
	stateUsed atomic.Int64
	stop      atomic.Bool

	mu      sync.Mutex // what follows
	err     error
	trap    *launch.Trap
	traces  []launch.Trace
	dropped uint64
	checks  memcheck.Tally
}

// bind sets up a checked launch. Pooled state of another shape is dropped.
func (l *flight) bind(ctx context.Context, in *launch.Launch, o Options) {
	k := l.k
	l.ctx, l.o, l.grid = ctx, o.withDefaults(), in.Grid
	l.total = in.Groups()
	l.coop = k.p.Traits().Resident
	l.rest = uint64(in.Rest)
	l.buffers = l.buffers[:0]
	for j := range k.buffers {
		l.buffers = append(l.buffers, bufferSpan(&k.objs[j], in.Args[k.objs[j].Index].Mem))
	}
	shared := k.shared
	if k.rest >= 0 {
		shared = k.objs[k.rest].at + l.rest*k.objs[k.rest].size
	}
	if shared = align16(shared); shared != l.sharedBytes {
		l.sharedBytes = shared
		for _, x := range l.workers {
			x.states = nil
		}
	}
	l.fillBank(in)
	l.poison.draw(l.o.Poison)
	l.pick = newStride(l.total, l.o.Schedule)

	n := l.o.Workers
	if l.o.Schedule.order != ascending || l.o.Detect != 0 || l.o.Hook != nil || k.firsts {
		n = 1
	}
	n = int(min(uint64(n), l.total))
	l.many = n > 1
	for len(l.workers) < n {
		l.workers = append(l.workers, &worker{flight: l})
	}
	l.meet.reset(n)
	l.next.Store(0)
	l.budget.Store(int64(l.o.Budget))
	l.stateUsed.Store(0)
	l.stop.Store(false)
	l.err, l.trap, l.traces, l.dropped, l.checks = nil, nil, nil, 0, nil
	for i, x := range l.workers {
		x.reset(i)
	}
}

// bufferSpan returns where an object lies whose buffer has the memory mem.
func bufferSpan(o *object, mem []byte) span {
	n := uint64(len(mem)) / uint64(o.Param.Bytes())
	s := span{len: n * uint64(o.Count()), step: uintptr(o.Stride())}
	if o.Gap() > 0 {
		s.run, s.gap = uint64(o.Count()), uintptr(o.Gap())
	}
	if n > 0 {
		s.base = unsafe.Pointer(&mem[o.Offset()])
	}
	return s
}

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Budget == 0 {
		o.Budget = defaultBudget
	}
	o.Budget = min(o.Budget, 1<<62)
	if o.MaxState <= 0 {
		o.MaxState = launch.DefaultMaxState
	}
	if o.TraceCap <= 0 {
		o.TraceCap = launch.DefaultTraceCap
	}
	return o
}

// fillBank computes the values that are the same for the whole grid.
func (l *flight) fillBank(in *launch.Launch) {
	k := l.k
	l.scalars = l.scalars[:0]
	params := k.p.Params()
	for i := range params {
		if !params[i].IsBuffer() {
			l.scalars = append(l.scalars, in.Args[i].Bits)
		}
	}
	first := l.bank == nil
	if first {
		l.bank = make([]lanes, len(k.bank))
	}
	for i, r := range k.bank {
		switch x := k.p.X(r); k.p.Op(r) {
		case ir.OpConst:
			if first {
				fill(&l.bank[i], k.p.Const(r))
			}
		case ir.OpArg:
			fill(&l.bank[i], l.scalars[x])
		case ir.OpLen:
			fill(&l.bank[i], l.lenOf(int(x))/uint64(k.objs[x].Count()))
		case ir.OpGroups:
			fill(&l.bank[i], uint64(l.grid[x]))
		}
	}
}

// fill sets every lane to x.
func fill(v *lanes, x uint64) {
	for i := range v {
		v[i] = x
	}
}

// release drops what belongs to the caller, so that the pool does not keep it alive.
func (l *flight) release() {
	l.ctx, l.o = nil, Options{}
	clear(l.buffers)
	for _, x := range l.workers {
		for _, g := range x.states {
			l.rebind(g)
		}
		x.dropDetector()
	}
	l.err, l.trap, l.traces = nil, nil, nil
}

// groupBytes is the state of one group, without detectors.
func (l *flight) groupBytes() int64 {
	k := l.k
	w := uint64(k.slots)*uint64(unsafe.Sizeof(lanes{})) + uint64(k.depth)*uint64(unsafe.Sizeof(frame{})) +
		uint64(len(k.objs))*uint64(unsafe.Sizeof(span{})) + align16(k.locals) + uint64(unsafe.Sizeof(warp{}))
	return int64(uint64(k.warps)*w + l.sharedBytes + uint64(unsafe.Sizeof(group{})))
}

// stride numbers groups in the order in which a schedule starts them: i·step + first,
// modulo n, which meets every group once if step and n have no common divisor.
type stride struct{ n, step, first uint64 }

func newStride(n uint64, s Schedule) stride {
	switch {
	case n == 0 || s.order == ascending:
		return stride{n, 1, 0}
	case s.order == descending:
		return stride{n, n - 1, n - 1} // −1 modulo n
	}
	rng := seeded(s.seed, 1)
	p := stride{n, 1, rng.Uint64() % n}
	for range 64 { // a step without common divisor is found in a few tries
		if c := rng.Uint64() % n; gcd(c, n) == 1 {
			p.step = c
			break
		}
	}
	return p
}

// at returns the i-th group to start.
func (p stride) at(i uint64) uint64 {
	hi, lo := bits.Mul64(i, p.step)
	lo, carry := bits.Add64(lo, p.first, 0)
	return bits.Rem64(hi+carry, lo, p.n)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
