package cusim

import (
	"runtime"
	"slices"

	"github.com/govyre/vyre/internal/cu"
)

// executable is what a graph was instantiated to.
type executable struct {
	dev    *device
	graph  *graph
	plan   *plan // of the launches to come
	values map[uint64]*value
	issued uint64 // launches
	done   uint64
	// pending are the streams of the launches that have not ended, in order.
	pending []*stream
	run     run // the state of the first of them
}

// value is a conditional's.
type value struct {
	conditional
	now uint32
}

// Set sets a value. It is for kernels of the graph.
func (x *executable) Set(handle uint64, to uint32) bool {
	v := x.values[handle]
	if v == nil {
		return false
	}
	v.now = to
	return true
}

// plan is the nodes of a graph and of the graphs in them, in one list. Launches that have not ended keep
// theirs when a node is changed.
type plan struct {
	steps  []step
	blocks []block
}

// block is the steps of one graph.
type block struct{ from, to int32 }

// step is a node.
type step struct {
	id    cu.GraphNode // 0 for those that no handle names
	work  work
	deps  int32
	next  []int32 // steps that depend on this one
	inner int32   // block of a body, −1 without
	cond  *value  // of a loop
}

// compile adds the steps of g to the plan and returns their block.
func (p *plan) compile(g *graph, values map[uint64]*value) int32 {
	b := int32(len(p.blocks))
	from := int32(len(p.steps))
	p.blocks = append(p.blocks, block{from, from + int32(len(g.nodes))})
	at := make(map[*node]int32)
	for i, n := range g.nodes {
		at[n] = from + int32(i)
		s := step{id: n.id, work: n.work, deps: int32(len(n.deps)), inner: -1}
		s.work.launch.Params = slices.Clone(n.work.launch.Params)
		if n.loops() {
			s.cond = values[n.cond]
		}
		p.steps = append(p.steps, s)
	}
	for _, n := range g.nodes {
		for _, dep := range n.deps {
			p.steps[at[dep]].next = append(p.steps[at[dep]].next, at[n])
		}
		if n.inner != nil {
			inner := p.compile(n.inner, values)
			p.steps[at[n]].inner = inner
		}
	}
	return b
}

// sound reports whether g may be instantiated: every value has its node, and what is in a body is of the kinds that
// the device starts by itself.
func (g *graph) sound() bool {
	for _, c := range g.conds {
		if !c.taken {
			return false
		}
	}
	return g.startable(false)
}

func (g *graph) startable(body bool) bool {
	for _, n := range g.nodes {
		switch {
		case n.inner != nil && !n.inner.startable(body || n.loops()):
			return false
		case body && len(n.work.host) > 0 && !g.dev.drv.mapped(n.work.host):
			return false // the device copies, and finds no such memory
		}
	}
	return true
}

// instantiated reports whether there is an executable of g. A graph with loops has one at a time.
func (d *Driver) instantiated(g *graph) bool {
	for _, x := range d.execs {
		if x.graph == g {
			return true
		}
	}
	return false
}

// GraphInstantiate makes an executable of a graph as it is.
func (d *Driver) GraphInstantiate(h cu.Graph) (cu.GraphExec, error) {
	const call = "cuGraphInstantiateWithFlags"
	d.mu.Lock()
	defer d.mu.Unlock()
	g, err := d.graph(call, h)
	if err != nil {
		return 0, err
	}
	if g.whole != g || !g.sound() || len(g.conds) > 0 && d.instantiated(g) {
		return 0, failed(call, invalidValue)
	}
	x := &executable{dev: g.dev, graph: g, plan: &plan{}, values: make(map[uint64]*value)}
	for id, c := range g.conds {
		x.values[id] = &value{conditional: *c, now: c.initial}
	}
	x.plan.compile(g, x.values)
	for i := range x.plan.steps {
		s := &x.plan.steps[i]
		if s.inner >= 0 || s.work.kind != kernel {
			continue
		}
		if err := d.fits(call, s.work.fn, &s.work.launch); err != nil {
			return 0, err
		}
		s.work.launch.Conditionals = x
	}
	if err := d.leave(call); err != nil {
		return 0, err
	}
	e := cu.GraphExec(d.handle())
	d.execs[e] = x
	return e, nil
}

// executable is bound for a call about an executable.
func (d *Driver) executable(call string, h cu.GraphExec) (*executable, error) {
	if !d.Has(cu.Graphing) {
		return nil, failed(call, cu.NotSupported)
	}
	v, err := d.bound(call)
	if err != nil {
		return nil, err
	}
	x := d.execs[h]
	if x == nil || x.dev != v {
		return nil, failed(call, invalidValue)
	}
	return x, nil
}

// GraphExecDestroy ends an executable; launches of it still run.
func (d *Driver) GraphExecDestroy(h cu.GraphExec) error {
	const call = "cuGraphExecDestroy"
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.executable(call, h); err != nil {
		return err
	}
	delete(d.execs, h)
	return d.leave(call)
}

// GraphUpload takes the time of an upload.
func (d *Driver) GraphUpload(h cu.GraphExec, sh cu.Stream) error {
	const call = "cuGraphUpload"
	d.mu.Lock()
	defer d.mu.Unlock()
	x, err := d.executable(call, h)
	if err != nil {
		return err
	}
	s, err := d.at(x.dev, call, sh)
	if err != nil {
		return err
	}
	s.push(work{kind: nothing})
	return d.leave(call)
}

// GraphRun makes the calls of a run.
func (d *Driver) GraphRun(g *cu.GraphRun) (made int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.CtxSetCurrent(g.Context); err != nil {
		return 0, err
	}
	if err := d.GraphLaunch(g.Exec, g.Stream); err != nil {
		return 1, err
	}
	if err := d.StreamWriteValue32(g.Stream, g.Word, g.Value); err != nil {
		return 2, err
	}
	return 3, nil
}

// GraphLaunch enqueues a launch. Launches of one executable do not overlap.
func (d *Driver) GraphLaunch(h cu.GraphExec, sh cu.Stream) error {
	const call = "cuGraphLaunch"
	d.mu.Lock()
	defer d.mu.Unlock()
	x, err := d.executable(call, h)
	if err != nil {
		return err
	}
	s, err := d.at(x.dev, call, sh)
	if err != nil {
		return err
	}
	x.issued++
	x.pending = append(x.pending, s)
	s.push(work{kind: replay, exec: x, plan: x.plan, serial: x.issued})
	return d.leave(call)
}

// change begins a call that changes a node of an executable.
func (d *Driver) change(call string, h cu.GraphExec, n cu.GraphNode) (x *executable, at int, err error) {
	x, err = d.executable(call, h)
	if err != nil {
		return nil, 0, err
	}
	at = slices.IndexFunc(x.plan.steps, func(s step) bool { return s.id == n && s.inner < 0 })
	if n == 0 || at < 0 {
		return nil, 0, failed(call, invalidValue)
	}
	return x, at, nil
}

// changed makes w the work of a step. Launches under way keep what they had.
func (x *executable) changed(at int, w work) {
	if x.issued > x.done {
		p := *x.plan
		p.steps = slices.Clone(p.steps)
		x.plan = &p
	}
	x.plan.steps[at].work = w
}

// GraphExecKernelNodeSetParams changes a launch. Its function and whether it is cooperative stay.
func (d *Driver) GraphExecKernelNodeSetParams(h cu.GraphExec, n cu.GraphNode, l *cu.Launch) error {
	const call = "cuGraphExecKernelNodeSetParams_v2"
	d.mu.Lock()
	defer d.mu.Unlock()
	x, at, err := d.change(call, h, n)
	if err != nil {
		return err
	}
	w := x.plan.steps[at].work
	f := d.funcs[l.Function]
	if w.kind != kernel || f == nil || f.code != w.fn.code {
		return failed(call, invalidValue)
	}
	var block []byte
	if x.issued == x.done {
		block = w.launch.Params
	}
	run, err := d.prepared(call, f, l, block, w.launch.Together)
	if err != nil {
		return err
	}
	run.Conditionals = x
	w.fn, w.launch = f, run
	x.changed(at, w)
	return d.leave(call)
}

// GraphExecMemcpyNodeSetParams changes a copy. On which sides the device is stays.
func (d *Driver) GraphExecMemcpyNodeSetParams(h cu.GraphExec, n cu.GraphNode, c *cu.Copy) error {
	const call = "cuGraphExecMemcpyNodeSetParams"
	d.mu.Lock()
	defer d.mu.Unlock()
	x, at, err := d.change(call, h, n)
	if err != nil {
		return err
	}
	w, err := d.copying(call, x.dev, c)
	if err != nil {
		return err
	}
	if w.kind != x.plan.steps[at].work.kind {
		return failed(call, invalidValue)
	}
	x.changed(at, w)
	return d.leave(call)
}
