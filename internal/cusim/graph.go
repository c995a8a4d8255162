package cusim

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
)

// graph is nodes in the order in which they were added.
type graph struct {
	dev   *device
	nodes []*node
	conds map[uint64]*conditional
	whole *graph // that this is a body in, or itself
	outer *graph // that has the node whose body this is
}

// conditional is a value that decides about a node.
type conditional struct {
	graph   *graph // that it was made for
	initial uint32
	assign  bool // by every launch
	taken   bool // by a node
}

// node is one node of a graph.
type node struct {
	graph *graph
	id    cu.GraphNode
	deps  []*node
	work  work   // of what is one piece
	inner *graph // the body of a loop
	cond  uint64 // of a loop
}

// loops reports whether the node is one that runs its body while a value is not 0.
func (n *node) loops() bool { return n.cond != 0 }

// bodies is how many graphs belong to nodes.
func (d *Driver) bodies() int {
	n := 0
	for _, g := range d.graphs {
		if g.whole != g {
			n++
		}
	}
	return n
}

// GraphCreate makes an empty graph.
func (d *Driver) GraphCreate() (cu.Graph, error) {
	const call = "cuGraphCreate"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.Graphing) {
		return 0, failed(call, cu.NotSupported)
	}
	v, err := d.bound(call)
	if err == nil {
		err = d.leave(call)
	}
	if err != nil {
		return 0, err
	}
	g := &graph{dev: v, conds: make(map[uint64]*conditional)}
	g.whole = g
	return d.named(g), nil
}

// named gives a graph a handle.
func (d *Driver) named(g *graph) cu.Graph {
	h := cu.Graph(d.handle())
	d.graphs[h] = g
	return h
}

// graph is bound for a call about a graph.
func (d *Driver) graph(call string, h cu.Graph) (*graph, error) {
	if !d.Has(cu.Graphing) {
		return nil, failed(call, cu.NotSupported)
	}
	v, err := d.bound(call)
	if err != nil {
		return nil, err
	}
	g := d.graphs[h]
	if g == nil || g.dev != v {
		return nil, failed(call, invalidValue)
	}
	return g, nil
}

// GraphDestroy ends a graph, with the bodies in it.
func (d *Driver) GraphDestroy(h cu.Graph) error {
	const call = "cuGraphDestroy"
	d.mu.Lock()
	defer d.mu.Unlock()
	g, err := d.graph(call, h)
	if err != nil {
		return err
	}
	if g.whole != g {
		return failed(call, invalidValue) // its node owns it
	}
	for h, o := range d.graphs {
		if o.whole == g {
			delete(d.graphs, h)
			for _, n := range o.nodes {
				delete(d.nodes, n.id)
			}
		}
	}
	return d.leave(call)
}

// add ends a call that adds a node.
func (d *Driver) add(call string, g *graph, deps []cu.GraphNode, n *node) (cu.GraphNode, error) {
	for i, h := range deps {
		dep := d.nodes[h]
		if dep == nil || dep.graph != g || slices.Contains(deps[:i], h) {
			return 0, failed(call, invalidValue)
		}
		n.deps = append(n.deps, dep)
	}
	if err := d.leave(call); err != nil {
		return 0, err
	}
	n.graph, n.id = g, cu.GraphNode(d.handle())
	d.nodes[n.id] = n
	g.nodes = append(g.nodes, n)
	return n.id, nil
}

// GraphAddKernelNode adds a launch and takes its arguments over.
func (d *Driver) GraphAddKernelNode(h cu.Graph, deps []cu.GraphNode, l *cu.Launch) (cu.GraphNode, error) {
	return addWork(d, "cuGraphAddKernelNode_v2", h, deps, l, d.launching)
}

// addWork adds a node that is one piece of work, which begin makes of what describes it.
func addWork[T any](d *Driver, call string, h cu.Graph, deps []cu.GraphNode, what *T, begin func(call string, v *device, what *T) (work, error)) (cu.GraphNode, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, err := d.graph(call, h)
	if err != nil {
		return 0, err
	}
	w, err := begin(call, g.dev, what)
	if err != nil {
		return 0, err
	}
	return d.add(call, g, deps, &node{work: w})
}

// launching is the work of a kernel node.
func (d *Driver) launching(call string, v *device, l *cu.Launch) (work, error) {
	f := d.funcs[l.Function]
	if f == nil || f.dev != v {
		return work{}, failed(call, invalidHandle)
	}
	run, err := d.prepared(call, f, l, nil, false)
	return work{kind: kernel, fn: f, launch: run}, err
}

// GraphAddMemcpyNode adds a copy. Memory of the host is pinned.
func (d *Driver) GraphAddMemcpyNode(h cu.Graph, deps []cu.GraphNode, c *cu.Copy) (cu.GraphNode, error) {
	return addWork(d, "cuGraphAddMemcpyNode", h, deps, c, d.copying)
}

// copying is the work of a copy node.
func (d *Driver) copying(call string, v *device, c *cu.Copy) (work, error) {
	device := func(p cu.Ptr) bool { return v.mem.Holds(uint64(p), c.Bytes) }
	host := func(p unsafe.Pointer) []byte {
		if !d.pinned(p, c.Bytes) {
			return nil
		}
		return unsafe.Slice((*byte)(p), c.Bytes)
	}
	w := work{kind: move, dst: c.Dst, src: c.Src, n: c.Bytes}
	ok := c.Bytes > 0 && d.bearer(c.Context) == v
	switch {
	case !ok:
	case c.SrcHost == nil && c.DstHost == nil:
		ok = device(c.Src) && device(c.Dst)
	case c.DstHost == nil:
		w.kind, w.host = upload, host(c.SrcHost)
		ok = w.host != nil && device(c.Dst)
	case c.SrcHost == nil:
		w.kind, w.host = download, host(c.DstHost)
		ok = w.host != nil && device(c.Src)
	default:
		ok = false // nothing of the device's
	}
	if !ok {
		return work{}, failed(call, invalidValue)
	}
	return w, nil
}

// GraphAddMemsetNode adds a fill.
func (d *Driver) GraphAddMemsetNode(h cu.Graph, deps []cu.GraphNode, f *cu.Fill) (cu.GraphNode, error) {
	return addWork(d, "cuGraphAddMemsetNode", h, deps, f, d.filling)
}

// filling is the work of a fill node.
func (d *Driver) filling(call string, v *device, f *cu.Fill) (work, error) {
	switch {
	case d.bearer(f.Context) != v, f.Width != 1 && f.Width != 2 && f.Width != 4, f.N <= 0,
		uint64(f.Dst)%uint64(f.Width) != 0, !v.mem.Holds(uint64(f.Dst), f.N*int64(f.Width)):
		return work{}, failed(call, invalidValue)
	}
	w := work{kind: fill, dst: f.Dst, n: f.N, width: f.Width}
	binary.LittleEndian.PutUint32(w.word[:], f.Value)
	return w, nil
}

// GraphKernelNodeSetCooperative lets the groups of a kernel run at once.
func (d *Driver) GraphKernelNodeSetCooperative(h cu.GraphNode) error {
	const call = "cuGraphKernelNodeSetAttribute"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.Graphing) {
		return failed(call, cu.NotSupported)
	}
	if _, err := d.bound(call); err != nil {
		return err
	}
	n := d.nodes[h]
	if n == nil || n.inner != nil || n.work.kind != kernel {
		return failed(call, invalidValue)
	}
	n.work.launch.Together = true
	return d.leave(call)
}

// GraphConditionalHandleCreate makes a value that a node will depend on.
func (d *Driver) GraphConditionalHandleCreate(h cu.Graph, c cu.Context, initial, flags uint32) (cu.Conditional, error) {
	const call = "cuGraphConditionalHandleCreate"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.Cond) {
		return 0, failed(call, cu.NotSupported)
	}
	g, err := d.graph(call, h)
	if err != nil {
		return 0, err
	}
	if d.bearer(c) != g.dev || flags&^cu.CondAssignDefault != 0 {
		return 0, failed(call, invalidValue)
	}
	if err := d.leave(call); err != nil {
		return 0, err
	}
	id := uint64(d.handle())
	g.whole.conds[id] = &conditional{graph: g, initial: initial, assign: flags&cu.CondAssignDefault != 0}
	return cu.Conditional(id), nil
}

// within reports whether g is o or a body in it.
func (g *graph) within(o *graph) bool {
	for ; g != nil; g = g.outer {
		if g == o {
			return true
		}
	}
	return false
}

// GraphAddWhileNode adds a loop, with an empty body.
func (d *Driver) GraphAddWhileNode(h cu.Graph, deps []cu.GraphNode, cond cu.Conditional, c cu.Context) (cu.GraphNode, cu.Graph, error) {
	const call = "cuGraphAddNode"
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.Has(cu.Cond) {
		return 0, 0, failed(call, cu.NotSupported)
	}
	g, err := d.graph(call, h)
	if err != nil {
		return 0, 0, err
	}
	value := g.whole.conds[uint64(cond)]
	if value == nil || value.taken || !g.within(value.graph) || d.bearer(c) != g.dev {
		return 0, 0, failed(call, invalidValue)
	}
	body := &graph{dev: g.dev, whole: g.whole, outer: g}
	n, err := d.add(call, g, deps, &node{inner: body, cond: uint64(cond)})
	if err != nil {
		return 0, 0, err
	}
	value.taken = true
	return n, d.named(body), nil
}
