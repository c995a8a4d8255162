package exec

import (
	"fmt"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/internal/cu"
)

// Bounds of what becomes nodes of a graph.
const (
	// unrolledNodes is how large a Repeat may be that is copied as often as it runs: up to there
	// the nodes cost less than a loop that the device decides on.
	unrolledNodes = 1024
	// mostNodes bounds that where the device has no loops.
	mostNodes = 1 << 16
)

// nodes is the sink that plans the nodes of one graph, or of the body of one of its loops, and adds them all at once: edges
// depend on what comes later, too.
type nodes struct {
	r        *runner
	im       *image
	first    int  // of Plan.Launches that the image has
	resident bool // uploads that are not Always are left out
	overlap  bool
	to       cu.Graph
	list     []planned
}

// fill makes the graph of an image.
func (s *segment) fill(im *image, resident bool) error {
	var err error
	if im.graph, err = s.r.x.GPU.Driver.GraphCreate(); err != nil {
		return err
	}
	b := &nodes{r: s.r, im: im, first: s.launches[0], resident: resident, to: im.graph, overlap: s.r.overlap}
	if err := b.all(s.ops); err != nil {
		return err
	}
	return b.place()
}

func (b *nodes) all(ops []op) error {
	for i := range ops {
		if err := b.r.emit(&ops[i], b); err != nil {
			return err
		}
	}
	return nil
}

// touches returns what an operation touches, if its place depends on that.
func (b *nodes) touches(o *op) touches {
	switch {
	case o.cmd == nil:
		return everything
	case !b.overlap:
		return touches{}
	}
	return b.r.touchesOf(o)
}

func (b *nodes) plan(t touches, add func(deps []cu.GraphNode) (cu.GraphNode, error)) {
	b.list = append(b.list, planned{touches: t, add: add})
}

func (b *nodes) sends(u *driver.UploadCmd) bool { return !b.resident || u.Mode == driver.Always }

func (b *nodes) fill(o *op) error {
	drv := b.r.x.GPU.Driver
	switch f, t := o.fill, b.touches(o); {
	case f.bytes <= moveMost:
		b.move(f.move(), t)
	case f.byKernel():
		b.plan(t, func(deps []cu.GraphNode) (cu.GraphNode, error) {
			return drv.GraphAddKernelNode(b.to, deps, b.r.filler.launch(f))
		})
	default:
		set := f.memset()
		set.Context = b.r.x.GPU.Handle
		b.plan(t, func(deps []cu.GraphNode) (cu.GraphNode, error) { return drv.GraphAddMemsetNode(b.to, deps, &set) })
	}
	return nil
}

func (b *nodes) copy(c cu.Copy, o *op) error {
	from, to := c.Src, c.Dst
	if c.SrcHost != nil {
		from = b.r.transfers.reach(c.SrcHost)
	}
	if c.DstHost != nil {
		to = b.r.transfers.reach(c.DstHost)
	}
	if host := c.SrcHost != nil || c.DstHost != nil; host && c.Bytes <= moveMost && from != 0 && to != 0 {
		b.move(move{to: uint64(to), from: uint64(from), bytes: uint64(c.Bytes)}, b.touches(o))
		return nil
	}
	b.memcpy(c, o, func(cu.GraphNode, cu.Copy) {})
	return nil
}

// hosted adds a copy that has a node of its own, which the image remembers.
func (b *nodes) hosted(c cu.Copy, o *op, part int) error {
	b.memcpy(c, o, func(n cu.GraphNode, c cu.Copy) { b.im.copies = append(b.im.copies, madeCopy{o, part, n, c}) })
	return nil
}

func (b *nodes) memcpy(c cu.Copy, o *op, made func(cu.GraphNode, cu.Copy)) {
	c.Context = b.r.x.GPU.Handle
	b.plan(b.touches(o), func(deps []cu.GraphNode) (cu.GraphNode, error) {
		n, err := b.r.x.GPU.Driver.GraphAddMemcpyNode(b.to, deps, &c)
		if err == nil {
			made(n, c)
		}
		return n, err
	})
}

// move plans what is small: its node may take others like it.
func (b *nodes) move(m move, t touches) {
	g := &moves{}
	g.add(m)
	b.list = append(b.list, planned{touches: t, moves: g})
}

// moving adds the node of moves.
func (b *nodes) moving(g *moves) func(deps []cu.GraphNode) (cu.GraphNode, error) {
	return func(deps []cu.GraphNode) (cu.GraphNode, error) {
		l, err := g.launch(&b.r.x.movers)
		if err != nil {
			return 0, err
		}
		return b.r.x.GPU.Driver.GraphAddKernelNode(b.to, deps, l)
	}
}

func (b *nodes) mark(m mark) error {
	at := b.r.transfers.reach(unsafe.Pointer(&b.r.clock.stamps[m]))
	b.move(move{to: uint64(at), how: moveTime}, everything)
	return nil
}

func (b *nodes) lap(l *lap) error {
	b.move(l.moves.list[0], everything)
	return nil
}

// launch plans a kernel, after the fill that clears its barrier block if it has one.
func (b *nodes) launch(o *op) error {
	r, l := b.r, o.launch
	m := &b.im.launches[l.cmd.Index-b.first]
	if m.is, m.empty = true, l.empty(); m.empty {
		return nil
	}
	if l.barrier >= 0 {
		r.records.ownBlock(l)
		clear := fill{to: r.records.blockAt(l), width: 4, bytes: barrierBytes}
		b.move(clear.move(), touches{list: []touch{mine(r.keyOfBlock(l))}})
	}
	b.plan(b.touches(o), func(deps []cu.GraphNode) (cu.GraphNode, error) {
		n, err := r.x.GPU.Driver.GraphAddKernelNode(b.to, deps, &l.call)
		if err == nil && l.resident {
			err = r.x.GPU.Driver.GraphKernelNodeSetCooperative(n)
		}
		m.nodes = append(m.nodes, n)
		return n, err
	})
	return nil
}

// loop copies the body of a short Repeat as often as it runs. Everything else is decided on by
// the device.
func (b *nodes) loop(o *op) error {
	x, c := b.r.x, o.loop
	if c.While {
		return b.decided(o)
	}
	n, most := driver.Mul(c.Count, nodesOf(c.body)), uint64(mostNodes)
	unroll := n <= unrolledNodes || !x.GPU.Caps.LoopNodes
	if c.control < 0 {
		unroll, most = true, segmentNodes
	}
	if unroll && n > most {
		return &driver.Error{Op: "capture", Label: b.r.plan.Label, Device: x.GPU.Name(), Path: c.Path, Kind: driver.Unsupported,
			Msg: fmt.Sprintf("%d rounds of the loop make %d nodes, the device has no loops in graphs and takes %d", c.Count, n, most), Fix: "run the sequence, or repeat less"}
	}
	b.im.loops = append(b.im.loops, madeLoop{c.LoopCmd, c.Count, unroll})
	if !unroll {
		return b.decided(o)
	}
	rounds := c.Count
	if n == 0 {
		rounds = min(rounds, 1) // for the loops in it, whose counts may change; they add nothing now, however often
	}
	for range rounds {
		if err := b.all(c.body); err != nil {
			return err
		}
	}
	return nil
}

// decided adds a loop that the device decides on: a kernel that counts and looks at the flag
// goes before the node and to the end of its body.
func (b *nodes) decided(o *op) error {
	r, c := b.r, o.loop
	drv, gpu := r.x.GPU.Driver, r.x.GPU.Handle
	value, err := drv.GraphConditionalHandleCreate(b.to, gpu, 0, cu.CondAssignDefault)
	if err != nil {
		return err
	}
	decide := decision{value: value, record: r.records.controlAt(c.control)}
	if c.While {
		decide.flag = memory.AddressOf(c.Flag)
	}
	t := b.touches(o)
	if err := b.decide(decide, t); err != nil {
		return err
	}
	b.plan(t, func(deps []cu.GraphNode) (cu.GraphNode, error) {
		n, body, err := drv.GraphAddWhileNode(b.to, deps, value, gpu)
		if err != nil {
			return n, err
		}
		inner := &nodes{r: r, im: b.im, first: b.first, resident: b.resident, to: body, overlap: b.overlap}
		if err := inner.all(c.body); err != nil {
			return n, err
		}
		decide.next = 1
		if err := inner.decide(decide, everything); err != nil {
			return n, err
		}
		return n, inner.place()
	})
	return nil
}
