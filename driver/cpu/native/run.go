package native

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/ir"
)

// RunOptions are the choices of a launch.
type RunOptions struct {
	Workers  int // goroutines; 0 is GOMAXPROCS
	TraceCap int // trace records kept; 0 is 1024
	Polls    int // rounds of loops until machine code returns to Go; 0 is many
}

const (
	manyPolls       = 8192
	defaultTraceCap = 1024
)

// span is where an object of a launch lies.
type span struct {
	base   unsafe.Pointer
	len    uint64
	shared bool
	at     uint64 // of a shared array: offset in the group's
}

// launch is a launch under way.
type launch struct {
	k       *Kernel
	ctx     context.Context
	grid    [3]uint32
	total   uint64
	scalars []uint64
	spans   []span
	shared  uint64 // bytes a group
	polls   uint32
	o       RunOptions

	next atomic.Uint64 // groups handed out
	stop atomic.Bool

	mu      sync.Mutex
	err     error
	trap    *interp.Trap
	trapped uint64 // its group
	traces  []interp.Trace
	dropped uint64
}

// Run executes a launch that keeps the launch contract. What happened inside it, a trap included, is in the result; the
// error is an *interp.CanceledError when the context has ended.
func (k *Kernel) Run(ctx context.Context, in *interp.Launch, o RunOptions) (*interp.Result, error) {
	l := k.bind(ctx, in, o)
	if l.total > 0 {
		l.work()
	}
	runtime.KeepAlive(in)
	return &interp.Result{Trap: l.trap, Traces: l.traces, TracesDropped: l.dropped}, l.err
}

func (k *Kernel) bind(ctx context.Context, in *interp.Launch, o RunOptions) *launch {
	l := &launch{k: k, ctx: ctx, grid: in.Grid, total: uint64(in.Grid[0]) * uint64(in.Grid[1]) * uint64(in.Grid[2]), o: o}
	if l.polls = manyPolls; o.Polls > 0 {
		l.polls = uint32(o.Polls)
	}
	if l.o.TraceCap <= 0 {
		l.o.TraceCap = defaultTraceCap
	}
	for i, q := range k.p.Params() {
		if !q.IsBuffer() {
			l.scalars = append(l.scalars, in.Args[i].Bits)
		}
	}
	for i, o := range k.p.Objects() {
		l.spans = append(l.spans, l.spanOf(i, o, in))
	}
	return l
}

// spanOf places an object: buffers where they are, shared arrays one after the other, each at a multiple of 16.
func (l *launch) spanOf(i int, o ir.ObjectInfo, in *interp.Launch) span {
	switch {
	case o.Param != nil:
		mem := in.Args[o.Index].Mem
		n := uint64(len(mem)) / uint64(o.Param.Bytes())
		s := span{len: n * uint64(o.Count())}
		if n > 0 {
			s.base = unsafe.Pointer(&mem[o.Offset()])
		}
		return s
	case o.Shared():
		s := span{len: o.Array.Len, shared: true, at: (l.shared + 15) &^ 15}
		if s.len == ir.RestLen {
			s.len = uint64(in.Rest)
		}
		l.shared = s.at + s.len*uint64(o.Type().Size())
		return s
	case o.Table():
		return span{base: l.k.tables[i], len: o.Array.Len}
	}
	return span{len: o.Array.Len}
}

// Times that scheduling goes by: a block of groups, and what is not worth another goroutine.
const (
	blockTime = 50 * time.Microsecond
	smallTime = 20 * time.Microsecond
)

// work runs all groups. The first one runs here, alone: it tells whether others should help, and how many groups are a
// block.
func (l *launch) work() {
	workers := l.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = int(min(uint64(workers), l.total))
	if l.k.p.Traits().Resident {
		l.resident(workers)
		return
	}
	w := worker{l: l, frame: l.k.take(), block: 1}
	defer func() { l.k.give(w.frame) }()
	if workers == 1 {
		w.block = 16
		w.run()
		return
	}
	begin := time.Now()
	w.groups(l.next.Add(1)-1, 1)
	one := max(time.Since(begin), 1)
	w.block = uint64(max(1, blockTime/one))
	if left := time.Duration(l.total-1) * one; left < smallTime {
		w.run()
		return
	}
	var all sync.WaitGroup
	for range workers - 1 {
		all.Go(func() {
			h := worker{l: l, frame: l.k.take(), block: w.block}
			h.run()
			l.k.give(h.frame)
		})
	}
	w.run()
	all.Wait()
}

// worker runs groups, one after the other.
type worker struct {
	l     *launch
	frame *frame
	id    [3]uint32
	group uint64
	block uint64
}

func (w *worker) run() {
	l := w.l
	for !l.stop.Load() {
		first := l.next.Add(w.block) - w.block
		if first >= l.total || !w.alive() {
			return
		}
		w.groups(first, min(w.block, l.total-first))
	}
}

// alive reports whether the launch goes on: its context has not ended.
func (w *worker) alive() bool {
	if err := w.l.ctx.Err(); err != nil {
		w.l.fail(&interp.CanceledError{Kernel: w.l.k.p.Name(), Err: err})
		return false
	}
	return true
}

func (l *launch) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
	l.stop.Store(true)
}

func (w *worker) groups(first, n uint64) {
	for g := first; g < first+n && !w.l.stop.Load(); g++ {
		w.begin(g)
		if w.l.k.f.layout.alone {
			w.alone()
		} else {
			w.together()
		}
	}
}

// enter runs machine code until it stops, and returns which vector did; false if all have had their turn.
func (w *worker) enter(code uintptr, v int) (int, bool) {
	f := w.frame
	*(*uint32)(unsafe.Add(f.group, groupPolls)) = w.l.polls
	at := f.vector
	if !w.l.k.f.layout.alone {
		at = f.at(v)
	}
	enter(code, uintptr(f.group), uintptr(at), uintptr(32*v))
	stopped := *f.word(groupVector)
	return int(stopped / 32), stopped != groupEnd
}

// alone runs a group whose vectors run one after the other.
func (w *worker) alone() {
	v := vector{w.frame.vector}
	code, at := w.l.k.code, 0
	for {
		var stopped bool
		if at, stopped = w.enter(code, at); !stopped {
			return
		}
		if *v.status() == assisted {
			w.assist(v, at)
		} else if !w.alive() {
			return
		}
		code = *v.resume()
	}
}

// vector is the frame of a vector, as Go sees it.
type vector struct{ at unsafe.Pointer }

func (v vector) resume() *uintptr { return (*uintptr)(unsafe.Add(v.at, vectorResume)) }
func (v vector) status() *status  { return (*status)(unsafe.Add(v.at, vectorStatus)) }
func (v vector) row() ir.Row      { return *(*ir.Row)(unsafe.Add(v.at, vectorRow)) }

// together runs a group whose vectors wait for each other.
func (w *worker) together() {
	w.start()
	for w.advance() == polled && w.alive() {
	}
}

// start makes all vectors of a group begin.
func (w *worker) start() {
	for i := range w.l.k.f.layout.vectors {
		v := w.vector(i)
		*v.status(), *v.resume() = running, w.l.k.code
	}
}

// advance runs the vectors of a group, each until it stops, round after round: until all have ended, all wait for the
// grid, or one has run for long.
func (w *worker) advance() status {
	n := w.l.k.f.layout.vectors
	for {
		for i := 0; i < n; {
			v := w.vector(i)
			if *v.status() != running {
				i++
				continue
			}
			at, stopped := w.enter(*v.resume(), i)
			if !stopped {
				break
			}
			i = at
			if v := w.vector(at); *v.status() == assisted {
				w.assist(v, at)
				*v.status() = running
			}
		}
		if why := w.wake(); why != running {
			return why
		}
	}
}

func (w *worker) vector(i int) vector { return vector{w.frame.at(i)} }

// wake lets vectors go on whose wait is over. It returns running if some do at once, polled if some do later, atGrid
// where all wait for other groups, and ended when the group has, or the launch.
func (w *worker) wake() status {
	n := w.l.k.f.layout.vectors
	var count [atGrid + 1]int
	for i := range n {
		v := w.vector(i)
		count[*v.status()]++
		if *v.status() == polled {
			*v.status() = running
		}
	}
	switch {
	case count[ended] == n:
		return ended
	case count[atWarp] > 0 && w.wakeWarps():
		return running
	case count[polled] > 0:
		return polled
	case count[atGroup] == n:
		w.wakeGroup()
		return running
	case count[atGrid] == n:
		return atGrid
	}
	w.l.fail(w.torn())
	return ended
}
