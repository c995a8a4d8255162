package native

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/ir"
)

// RunOptions are the choices of a launch.
type RunOptions struct {
	Workers  int // goroutines; 0 is GOMAXPROCS
	TraceCap int // trace records kept; 0 is 1024
	Polls    int // rounds of loops until machine code returns to Go; 0 is many

	Helped bool // start all workers at once, for tests: however little there is to do
}

// Rounds of loops until machine code returns to Go: many, and fewer where they are long. What runs between two of them is
// each byte of the code at most once, so a turn is a few milliseconds, whatever the loops.
const (
	manyPolls    = 8192
	waitingPolls = 256      // where groups wait in loops for what others write
	turnBytes    = 16 << 20 // of instructions in a turn
)

// span is where an object of a launch lies.
type span struct {
	base   unsafe.Pointer
	len    uint64
	shared bool
	at     uint64 // of a shared array: offset in the group's
}

// flight is a launch under way. A kernel keeps those that are over, with all that they are made of, so that the next one
// allocates nothing.
type flight struct {
	k       *Kernel
	ctx     context.Context
	grid    [3]uint32
	total   uint64
	scalars []uint64
	spans   []span
	shared  uint64 // bytes a group
	polls   uint32
	o       RunOptions
	team    []*member
	all     sync.WaitGroup // members that run beside the first one

	next atomic.Uint64 // groups handed out
	stop atomic.Bool

	mu      sync.Mutex
	err     error
	trap    *launch.Trap
	trapped uint64 // its group
	traces  []launch.Trace
	dropped uint64
	checks  memcheck.Tally

	residents
}

// Run executes a launch that keeps the launch contract. What happened inside it, a trap included, is in the result; the
// error is a *launch.CanceledError when the context has ended.
func (k *Kernel) Run(ctx context.Context, in *launch.Launch, o RunOptions) (res launch.Result, err error) {
	l := k.takeFlight()
	l.bind(ctx, in, o)
	if l.total > 0 {
		l.work()
	}
	runtime.KeepAlive(in)
	res, err = launch.Result{Trap: l.trap, Traces: l.traces, TracesDropped: l.dropped, Checks: l.checks}, l.err
	k.giveFlight(l)
	return res, err
}

// takeFlight returns a launch to bind.
func (k *Kernel) takeFlight() *flight {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(k.flights); n > 0 {
		l := k.flights[n-1]
		k.flights = k.flights[:n-1]
		return l
	}
	l := &flight{k: k}
	l.changed.L = &l.mu
	return l
}

// giveFlight keeps a launch that is over, and nothing of what it was about.
func (k *Kernel) giveFlight(l *flight) {
	l.ctx, l.err, l.trap, l.traces, l.dropped, l.checks = nil, nil, nil, nil, 0, nil
	clear(l.spans)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.flights) < keptFlights {
		k.flights = append(k.flights, l)
	}
}

func (l *flight) bind(ctx context.Context, in *launch.Launch, o RunOptions) {
	k := l.k
	l.ctx, l.grid, l.o, l.shared = ctx, in.Grid, o, 0
	l.total = in.Groups()
	l.next.Store(0)
	l.stop.Store(false)
	if l.polls = k.polls; o.Polls > 0 {
		l.polls = uint32(o.Polls)
	}
	if l.o.TraceCap <= 0 {
		l.o.TraceCap = launch.DefaultTraceCap
	}
	l.scalars, l.spans = l.scalars[:0], l.spans[:0]
	for i := range k.params {
		if !k.params[i].IsBuffer() {
			l.scalars = append(l.scalars, in.Args[i].Bits)
		}
	}
	for i := range k.objects {
		l.spans = append(l.spans, l.spanOf(i, &k.objects[i], in))
	}
}

// spanOf places an object: buffers where they are, shared arrays one after the other, each at a multiple of 16.
func (l *flight) spanOf(i int, o *ir.ObjectInfo, in *launch.Launch) span {
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

// work runs all groups. How long one takes tells whether others should help, and how many groups are a block. The last
// launch of the kernel knows; of the first launch, one group runs here alone.
func (l *flight) work() {
	workers := l.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = int(min(uint64(workers), l.total))
	if l.k.p.Traits().Resident {
		l.resident(workers)
		return
	}
	w := &l.member(0).worker
	w.block, w.frame = 1, l.k.take()
	if l.total > 1 {
		called := l.callIfWorth(workers, time.Duration(l.k.groupTime.Load()))
		if first := l.next.Add(1) - 1; first < l.total {
			begin := time.Now()
			w.groups(first, 1)
			one := max(time.Since(begin), 1)
			l.k.groupTime.Store(int64(one))
			w.block = blockOf(one)
			if !called {
				l.callIfWorth(workers, one)
			}
		}
	}
	w.run()
	l.all.Wait()
	l.k.give(w.frame)
}

// blockOf returns how many groups are a block, if one takes so long.
func blockOf(one time.Duration) uint64 { return uint64(max(1, blockTime/one)) }

// callIfWorth starts the other members if there is enough for them to do, should a group take so long; 0 is not known.
func (l *flight) callIfWorth(members int, one time.Duration) bool {
	if members < 2 || one == 0 || !l.o.Helped && time.Duration(l.total-1)*one < smallTime {
		return false
	}
	l.call(members, blockOf(one))
	return true
}

// member is a goroutine that takes part in a launch.
type member struct {
	worker // where groups follow each other
	index  int
	body   func() // as a value: starting it allocates nothing
}

// member returns the member with a number; 0 is the caller.
func (l *flight) member(i int) *member {
	for len(l.team) <= i {
		m := &member{worker: worker{l: l}, index: len(l.team)}
		m.body = m.help
		l.team = append(l.team, m)
	}
	return l.team[i]
}

// call starts all members but the first.
func (l *flight) call(members int, block uint64) {
	l.all.Add(members - 1)
	for i := 1; i < members; i++ {
		m := l.member(i)
		m.block = block
		go m.body()
	}
}

func (m *member) help() {
	defer m.l.all.Done()
	if m.l.k.p.Traits().Resident {
		m.l.share(m.index)
		return
	}
	m.frame = m.l.k.take()
	m.run()
	m.l.k.give(m.frame)
}

// worker runs groups, one after the other.
type worker struct {
	l     *flight
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
	if w.l.stop.Load() {
		return false
	}
	if err := w.l.ctx.Err(); err != nil {
		w.l.fail(&launch.CanceledError{Kernel: w.l.k.p.Name(), Err: err})
		return false
	}
	return true
}

func (l *flight) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(err)
}

// end is fail with mu held.
func (l *flight) end(err error) {
	if l.err == nil {
		l.err = err
	}
	l.stop.Store(true)
	l.changed.Broadcast()
}

// begin gives a worker's frame to a group.
func (w *worker) begin(g uint64) {
	l := w.l
	l.k.prepare(w.frame, l)
	w.group = g
	if w.id = [3]uint32{uint32(g)}; g >= uint64(l.grid[0]) { // divisions of 64 bits are slow
		w.id = [3]uint32{uint32(g % uint64(l.grid[0])), uint32(g / uint64(l.grid[0]) % uint64(l.grid[1])), uint32(g / uint64(l.grid[0]) / uint64(l.grid[1]))}
	}
	l.k.place(w.frame, w.id)
}

func (w *worker) groups(first, n uint64) {
	l := w.l
	for g, end := first, first+n; g < end && !l.stop.Load(); g++ {
		w.begin(g)
		if l.k.f.layout.alone {
			more := min(end-g, uint64(l.grid[0]-w.id[0])) - 1
			w.alone(more)
			g += more
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

// vector is the frame of a vector, as Go sees it.
type vector struct{ at unsafe.Pointer }

func (v vector) resume() *uintptr { return (*uintptr)(unsafe.Add(v.at, vectorResume)) }
func (v vector) status() *status  { return (*status)(unsafe.Add(v.at, vectorStatus)) }
func (v vector) team() *team      { return (*team)(unsafe.Add(v.at, vectorLeft)) }
func (v vector) row() ir.Row      { return *(*ir.Row)(unsafe.Add(v.at, vectorRow)) }

// team counts the vectors of a warp, in the frame of the first one.
type team struct{ left, all uint32 }

// together runs a group whose vectors wait for each other.
func (w *worker) together() {
	w.start()
	for w.advance() == polled {
		runtime.Gosched()
	}
}

// Between two turns of machine code a goroutine gives way: timers and whoever ends the context have to run, and the
// scheduler alone would take 10 ms to notice that they wait. Where vectors stop at barriers, turns are short, and some
// of them are between two times that it does.
const turnsUntilGivingWay = 64

// start makes all vectors of a group begin.
func (w *worker) start() {
	layout, code, at := &w.l.k.f.layout, w.l.k.code, w.frame.vector
	*w.frame.word(groupWaits), *w.frame.word(groupEnded) = 0, 0
	for i := range layout.vectors {
		v := vector{at}
		*v.status(), *v.resume() = running, code
		if layout.meets {
			of := uint32(min(layout.vectors-i, warpVectors))
			*v.team() = team{left: of, all: of}
		}
		at = unsafe.Add(at, w.frame.stride)
	}
}

// advance runs the vectors of a group, each until it stops, round after round: until all have ended, or the launch has,
// all wait for other groups, or one has run for long.
func (w *worker) advance() status {
	n := w.l.k.f.layout.vectors
	for turns := 1; w.alive(); turns++ {
		if turns%turnsUntilGivingWay == 0 {
			runtime.Gosched()
		}
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
	return ended
}

func (w *worker) vector(i int) vector { return vector{w.frame.at(i)} }

// wake lets vectors go on whose wait is over. It returns running if some do at once, polled if some do later, atGrid
// where all wait for other groups, and ended when the group has, or the launch.
func (w *worker) wake() status {
	n := w.l.k.f.layout.vectors
	if *w.frame.word(groupEnded) == uint64(n) {
		return ended
	}
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
