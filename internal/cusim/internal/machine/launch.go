package machine

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Launch is one run of a kernel.
type Launch struct {
	Grid, Block [3]uint32
	Shared      int    // dynamic bytes
	Params      []byte // as long as the kernel's block of parameters; kept until the run has ended
	// Together keeps all groups running at once, as a cooperative launch does. Otherwise groups may run one
	// after another.
	Together bool
	// Seed decides the order of groups, warps and paths. With 0 they run in ascending order, one as far as it
	// gets.
	Seed uint64
	// Budget bounds the instructions that warps take; 0 is 2³².
	Budget uint64
	// Races looks for accesses that nothing orders, in launches of up to 1024 warps. It is slow.
	Races bool
	// Now is the time in ns at which the launch begins.
	Now uint64
	// Conditionals takes what the kernel sets with cudaGraphSetConditional. It is nil outside of graphs.
	Conditionals Conditionals
}

// Conditionals are the values that decide about nodes of a graph.
type Conditionals interface {
	// Set reports whether there is a value of that handle.
	Set(handle uint64, value uint32) bool
}

// How the schedule deals with warps.
const (
	longTurn    = 4096 // steps of a warp before others run, without a seed
	shortTurn   = 24   // the most with one
	someGroups  = 3    // groups that run at once with a seed
	pollSteps   = 1 << 16
	defaultMost = 1 << 32
)

// Execution is a launch under way.
type Execution struct {
	k       *Kernel
	l       Launch
	threads uint32
	total   uint64 // groups
	begun   uint64
	atOnce  uint64
	source  rand.PCG
	dice    *rand.Rand // of source, once made
	rng     *rand.Rand // dice; nil without a seed
	report  Report
	found   map[findingKey]int
	last    *allocation // that an access hit
	spare   []*group    // that have ended
	groups  []*group    // that run
	turn    int         // index of the group that is next
	warp    int         // index of its warp
	stuck   bool        // nobody could go on when memory had changed stuckAt times
	stuckAt uint64
	races   *races // nil unless they are looked for
	lanes   values // of an instruction that only some lanes execute
}

type findingKey struct {
	kind FindingKind
	line int
}

// coin decides between two orders.
// StepsPerNs is how many instructions of warps take a nanosecond.
const StepsPerNs = 4

// now is the time of the launch, never 0.
func (e *Execution) now() uint64 { return e.l.Now + 1 + e.report.Steps/StepsPerNs }

func (e *Execution) coin() bool { return e.rng != nil && e.rng.Uint32()&1 == 0 }

// Check says which rule the launch breaks, nil if none.
func (k *Kernel) Check(l *Launch) error {
	threads := uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
	switch {
	case threads == 0 || threads > 1024:
		return fmt.Errorf("a block of %v has %d threads; 1 to 1024 are possible", l.Block, threads)
	case len(l.Params) != k.ParamBytes():
		return fmt.Errorf("%d bytes of parameters, the kernel takes %d", len(l.Params), k.ParamBytes())
	case k.source.Required != [3]uint32{} && k.source.Required != l.Block:
		return fmt.Errorf("a block of %v, the kernel demands %v", l.Block, k.source.Required)
	case k.source.Most > 0 && threads > k.source.Most:
		return fmt.Errorf("a block of %d threads, the kernel allows %d", threads, k.source.Most)
	case l.Shared < 0 || k.extern+l.Shared > maxShared:
		return fmt.Errorf("%d bytes of shared memory exceed %d", k.extern+l.Shared, maxShared)
	}
	return nil
}

// maxShared bounds a group's shared memory; no device has as much.
const maxShared = 1 << 20

// Start begins a launch. What it needs is kept for the kernel's next one, so that starting allocates
// nothing once a launch of the same shape has ended, unless those of others have taken much since.
func (k *Kernel) Start(l Launch) (*Execution, error) {
	if err := k.Check(&l); err != nil {
		return nil, err
	}
	threads := l.Block[0] * l.Block[1] * l.Block[2]
	e := k.idle
	if e != nil && e.threads == threads && e.l.Shared == l.Shared {
		k.mem.idle.drop(e)
	} else {
		e = &Execution{k: k, threads: threads, found: make(map[findingKey]int)}
	}
	if e.l = l; l.Budget == 0 {
		e.l.Budget = defaultMost
	}
	clear(e.found)
	e.report, e.last, e.begun, e.turn, e.warp, e.rng, e.stuck = Report{}, nil, 0, 0, 0, nil, false
	e.total = uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2])
	if e.races = nil; l.Races {
		e.races = newRaces(e)
	}
	e.atOnce = 1
	if l.Seed != 0 {
		e.source.Seed(l.Seed, 1)
		if e.dice == nil {
			e.dice = rand.New(&e.source)
		}
		e.rng = e.dice
		e.atOnce = someGroups
	}
	if l.Together {
		e.atOnce = e.total
	}
	return e, nil
}

// Run executes the kernel. The error is a *Fault, or says which rule the launch itself breaks; the report is
// about what ran until then.
func (k *Kernel) Run(ctx context.Context, l Launch) (Report, error) {
	e, err := k.Start(l)
	if err != nil {
		return Report{}, err
	}
	for {
		done, err := e.Advance(pollSteps)
		if done || err != nil {
			return e.Report(), err
		}
		if e.Stuck() {
			return e.Report(), e.Deadlock()
		}
		if err := ctx.Err(); err != nil {
			return e.Report(), &Fault{Kind: Canceled, Kernel: k.source.Name, Msg: err.Error(), Err: err}
		}
	}
}

// Report is what the launch has done so far.
func (e *Execution) Report() Report { return e.report }

// Advance runs on for about so many steps of warps, or not at all while it is stuck. It reports whether the launch has ended; the error is a
// *Fault. After either the execution must not be used any more, but for its report, until the next Start.
func (e *Execution) Advance(steps uint64) (done bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, ok := p.(*Fault)
			if !ok {
				panic(p)
			}
			done, err = true, f
		}
	}()
	for until := e.report.Steps + steps; e.report.Steps < until && !e.Stuck(); {
		for e.begun < e.total && uint64(len(e.groups)) < e.atOnce {
			e.groups = append(e.groups, e.begin(e.begun))
			e.begun++
		}
		if len(e.groups) == 0 {
			e.k.mem.idle.keep(e)
			return true, nil
		}
		w := e.pick()
		if w == nil {
			e.deadlock()
		}
		quantum := longTurn
		if e.rng != nil {
			quantum = 1 + e.rng.IntN(shortTurn)
		}
		w.run(quantum)
		if e.report.Steps > e.l.Budget {
			e.spent(w)
		}
		if w.g.live == 0 {
			e.end(w.g)
		}
	}
	return false, nil
}

// pick chooses the warp that runs next, nil if none can. Without a seed it goes around all warps of all
// groups that run.
func (e *Execution) pick() *warp {
	n := len(e.groups)
	if e.rng != nil {
		e.turn, e.warp = e.rng.IntN(n), e.rng.IntN(len(e.groups[0].warps))
	}
	if e.turn >= n { // a group has ended
		e.turn, e.warp = 0, 0
	}
	for range n + 1 {
		g := e.groups[e.turn]
		for ; e.warp < len(g.warps); e.warp++ {
			if w := g.warps[e.warp]; len(w.paths) > 0 {
				e.warp++
				return w
			}
		}
		e.turn, e.warp = (e.turn+1)%n, 0
	}
	return nil
}

// begin starts group number n.
func (e *Execution) begin(n uint64) *group {
	var g *group
	if len(e.spare) > 0 {
		g = e.spare[len(e.spare)-1]
		e.spare = e.spare[:len(e.spare)-1]
	} else {
		shared := e.k.extern + e.l.Shared
		g = &group{m: e, shared: make([]byte, shared), known: make([]byte, shared)}
		for range (e.threads + 31) / 32 {
			g.warps = append(g.warps, &warp{k: e.k})
		}
	}
	g.linear, g.live = n, int(e.threads)
	x, y := uint64(e.l.Grid[0]), uint64(e.l.Grid[1])
	g.id = [3]uint32{uint32(n % x), uint32(n / x % y), uint32(n / x / y)}
	// Undefined is anything but zero, so that nobody relies on it.
	for i := range g.shared {
		g.shared[i] = 0xA5
	}
	clear(g.known)
	if e.races != nil {
		e.races.begin(g)
	}
	for i := range g.barriers { // arrivals may be left that nobody waited for
		g.barriers[i].arrived, g.barriers[i].waiting = 0, g.barriers[i].waiting[:0]
	}
	for i, w := range g.warps {
		w.begin(g, uint32(i)*32, min(32, e.threads-uint32(i)*32))
	}
	return g
}

// end takes a group out of the launch.
func (e *Execution) end(g *group) {
	for i := range e.groups {
		if e.groups[i] == g {
			e.groups = append(e.groups[:i], e.groups[i+1:]...)
			break
		}
	}
	e.spare = append(e.spare, g)
}

func (e *Execution) deadlock() {
	for _, g := range e.groups {
		for _, w := range g.warps {
			for _, p := range w.parked {
				w.fault(Deadlock, &w.k.code[p.pc], p.mask, "nobody can go on: %s", g.stuck())
			}
		}
	}
	panic("BUG: no warp can run and none waits")
}

// spent ends a launch that has used up its budget while w ran.
func (e *Execution) spent(w *warp) {
	p := path{mask: w.exist}
	if n := len(w.paths); n > 0 {
		p = w.paths[n-1]
	}
	w.fault(Budget, &w.k.code[p.pc], p.mask, "%d instructions of warps exceed the budget of %d; the launch was here", e.report.Steps, e.l.Budget)
}
