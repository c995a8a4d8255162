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
	Params      []byte // as long as the kernel's block of parameters
	// Together keeps all groups running at once, as a cooperative launch does. Otherwise groups may run one
	// after another.
	Together bool
	// Seed decides the order of groups, warps and paths. With 0 they run in ascending order, one as far as it
	// gets.
	Seed uint64
	// Budget bounds the instructions that warps take; 0 is 2³².
	Budget uint64
}

// How the schedule deals with warps.
const (
	longTurn    = 4096 // steps of a warp before others run, without a seed
	shortTurn   = 24   // the most with one
	someGroups  = 3    // groups that run at once with a seed
	pollSteps   = 1 << 16
	defaultMost = 1 << 32
)

// machine is a launch under way.
type machine struct {
	k           *Kernel
	mem         *Memory
	grid, block [3]uint32
	params      []byte
	dynamic     int
	rng         *rand.Rand // nil without a seed
	budget      uint64
	report      Report
	found       map[findingKey]int
	last        *allocation // that an access hit
	spare       []*group    // that have ended
	groups      []*group    // that run
	turn, warp  int         // indices of the group and its warp that are next
	sharedBytes int
}

// coin decides between two orders.
func (m *machine) coin() bool { return m.rng != nil && m.rng.Uint32()&1 == 0 }

// Run executes the kernel. The error is a *Fault, or says which rule the launch itself breaks; the report is
// about what ran until then.
func (k *Kernel) Run(ctx context.Context, l Launch) (r *Report, err error) {
	m := &machine{k: k, mem: k.mem, grid: l.Grid, block: l.Block, params: l.Params, dynamic: l.Shared, budget: l.Budget,
		found: make(map[findingKey]int), sharedBytes: k.extern + l.Shared}
	if m.budget == 0 {
		m.budget = defaultMost
	}
	if l.Seed != 0 {
		m.rng = rand.New(rand.NewPCG(l.Seed, 1))
	}
	threads := uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
	switch {
	case threads == 0 || threads > 1024:
		return &m.report, fmt.Errorf("a block of %v has %d threads; 1 to 1024 are possible", l.Block, threads)
	case len(l.Params) != k.ParamBytes():
		return &m.report, fmt.Errorf("%d bytes of parameters, the kernel takes %d", len(l.Params), k.ParamBytes())
	case k.source.Required != [3]uint32{} && k.source.Required != l.Block:
		return &m.report, fmt.Errorf("a block of %v, the kernel demands %v", l.Block, k.source.Required)
	case k.source.Most > 0 && threads > k.source.Most:
		return &m.report, fmt.Errorf("a block of %d threads, the kernel allows %d", threads, k.source.Most)
	case m.sharedBytes > 1<<20:
		return &m.report, fmt.Errorf("%d bytes of shared memory", m.sharedBytes)
	}
	defer func() {
		if p := recover(); p != nil {
			f, ok := p.(*Fault)
			if !ok {
				panic(p)
			}
			r, err = &m.report, f
		}
	}()
	m.run(ctx, l.Together)
	return &m.report, nil
}

// run takes groups in turn until all have ended.
func (m *machine) run(ctx context.Context, together bool) {
	total := uint64(m.grid[0]) * uint64(m.grid[1]) * uint64(m.grid[2])
	atOnce := uint64(1)
	switch {
	case together:
		atOnce = total
	case m.rng != nil:
		atOnce = someGroups
	}
	var begun uint64
	polled := uint64(0)
	for begun < total || len(m.groups) > 0 {
		for begun < total && uint64(len(m.groups)) < atOnce {
			m.groups = append(m.groups, m.begin(begun))
			begun++
		}
		w := m.pick()
		if w == nil {
			m.deadlock()
		}
		quantum := longTurn
		if m.rng != nil {
			quantum = 1 + m.rng.IntN(shortTurn)
		}
		w.run(quantum)
		if m.report.Steps > m.budget {
			m.spent(w)
		}
		if m.report.Steps-polled > pollSteps {
			polled = m.report.Steps
			if err := ctx.Err(); err != nil {
				panic(&Fault{Kind: Canceled, Kernel: m.k.source.Name, Msg: err.Error(), Err: err})
			}
		}
		if w.g.live == 0 {
			m.end(w.g)
		}
	}
}

// pick chooses the warp that runs next, nil if none can. Without a seed it goes around all warps of all
// groups that run.
func (m *machine) pick() *warp {
	n := len(m.groups)
	if m.rng != nil {
		m.turn, m.warp = m.rng.IntN(n), m.rng.IntN(len(m.groups[0].warps))
	}
	if m.turn >= n { // a group has ended
		m.turn, m.warp = 0, 0
	}
	for range n + 1 {
		g := m.groups[m.turn]
		for ; m.warp < len(g.warps); m.warp++ {
			if w := g.warps[m.warp]; len(w.paths) > 0 {
				m.warp++
				return w
			}
		}
		m.turn, m.warp = (m.turn+1)%n, 0
	}
	return nil
}

// begin starts group number n.
func (m *machine) begin(n uint64) *group {
	threads := m.block[0] * m.block[1] * m.block[2]
	var g *group
	if len(m.spare) > 0 {
		g = m.spare[len(m.spare)-1]
		m.spare = m.spare[:len(m.spare)-1]
	} else {
		g = &group{m: m, shared: make([]byte, m.sharedBytes), known: make([]byte, m.sharedBytes)}
		for range (threads + 31) / 32 {
			g.warps = append(g.warps, &warp{k: m.k})
		}
	}
	g.linear, g.live = n, int(threads)
	x, y := uint64(m.grid[0]), uint64(m.grid[1])
	g.id = [3]uint32{uint32(n % x), uint32(n / x % y), uint32(n / x / y)}
	// Undefined is anything but zero, so that nobody relies on it.
	for i := range g.shared {
		g.shared[i] = 0xA5
	}
	clear(g.known)
	for i, w := range g.warps {
		w.begin(g, uint32(i)*32, min(32, threads-uint32(i)*32))
	}
	return g
}

// end takes a group out of the launch.
func (m *machine) end(g *group) {
	for i := range m.groups {
		if m.groups[i] == g {
			m.groups = append(m.groups[:i], m.groups[i+1:]...)
			break
		}
	}
	m.spare = append(m.spare, g)
}

func (m *machine) deadlock() {
	for _, g := range m.groups {
		for _, w := range g.warps {
			for _, p := range w.parked {
				w.fault(Deadlock, &w.k.code[p.pc], p.mask, "nobody can go on: %s", g.stuck())
			}
		}
	}
	panic("BUG: no warp can run and none waits")
}

// spent ends a launch that has used up its budget while w ran.
func (m *machine) spent(w *warp) {
	p := path{mask: w.exist}
	if n := len(w.paths); n > 0 {
		p = w.paths[n-1]
	}
	w.fault(Budget, &w.k.code[p.pc], p.mask, "%d instructions of warps exceed the budget of %d; the launch was here", m.report.Steps, m.budget)
}
