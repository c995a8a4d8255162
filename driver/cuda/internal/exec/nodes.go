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

// nodes is the sink that adds nodes to one graph, or to the body of one of its loops.
type nodes struct {
	r        *runner
	im       *image
	first    int  // of Plan.Launches that the image has
	resident bool // uploads that are not Always are left out
	to       cu.Graph
	order    order
	moves    moves // that have no node yet
}

// fill makes the graph of an image.
func (s *segment) fill(im *image, resident bool) error {
	var err error
	if im.graph, err = s.r.x.GPU.Driver.GraphCreate(); err != nil {
		return err
	}
	b := &nodes{r: s.r, im: im, first: s.launches[0], resident: resident, to: im.graph, order: order{overlap: s.r.overlap}}
	if err := b.all(s.ops); err != nil {
		return err
	}
	return b.flush()
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
	case !b.order.overlap:
		return touches{}
	}
	return touchesOf(o.cmd)
}

func (b *nodes) sends(u *driver.UploadCmd) bool { return !b.resident || u.Mode == driver.Always }

func (b *nodes) fill(o *op) error {
	switch f := o.fill; {
	case f.bytes <= moveMost:
		return b.move(f.move(), b.touches(o))
	case f.byKernel():
		return b.kernel(b.r.filler.launch(f), b.touches(o))
	default:
		if err := b.flush(); err != nil {
			return err
		}
		set, t := f.memset(), b.touches(o)
		set.Context = b.r.x.GPU.Handle
		n, err := b.r.x.GPU.Driver.GraphAddMemsetNode(b.to, b.order.before(t), &set)
		return b.added(n, t, err)
	}
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
		return b.move(move{to: uint64(to), from: uint64(from), bytes: uint64(c.Bytes)}, b.touches(o))
	}
	c.Context = b.r.x.GPU.Handle
	_, err := b.memcpy(&c, o)
	return err
}

// hosted adds a copy that has a node of its own, which the image remembers.
func (b *nodes) hosted(c cu.Copy, o *op, part int) error {
	c.Context = b.r.x.GPU.Handle
	n, err := b.memcpy(&c, o)
	if err == nil {
		b.im.copies = append(b.im.copies, madeCopy{o, part, n, c})
	}
	return err
}

func (b *nodes) memcpy(c *cu.Copy, o *op) (cu.GraphNode, error) {
	if err := b.flush(); err != nil {
		return 0, err
	}
	t := b.touches(o)
	n, err := b.r.x.GPU.Driver.GraphAddMemcpyNode(b.to, b.order.before(t), c)
	return n, b.added(n, t, err)
}

// move puts off what is small to the node that flush makes of it and its like.
func (b *nodes) move(m move, t touches) error {
	if b.moves.add(m, t) {
		return nil
	}
	if err := b.flush(); err != nil {
		return err
	}
	b.moves.add(m, t)
	return nil
}

// flush adds the node of the moves that were put off. Every other node comes after them.
func (b *nodes) flush() error {
	if b.moves.n == 0 {
		return nil
	}
	g := b.moves
	b.moves = moves{}
	l, err := g.launch(&b.r.x.movers)
	if err != nil {
		return err
	}
	return b.kernel(l, g.t)
}

// kernel adds a kernel of the package's own.
func (b *nodes) kernel(l *cu.Launch, t touches) error {
	if err := b.flush(); err != nil {
		return err
	}
	n, err := b.r.x.GPU.Driver.GraphAddKernelNode(b.to, b.order.before(t), l)
	return b.added(n, t, err)
}

func (b *nodes) mark(m mark) error {
	at := b.r.transfers.reach(unsafe.Pointer(&b.r.clock.stamps[m]))
	return b.move(move{to: uint64(at), how: moveTime}, everything)
}

func (b *nodes) added(n cu.GraphNode, t touches, err error) error {
	if err == nil {
		b.order.add(n, t)
	}
	return err
}

// launch adds a kernel, after the fill that clears its barrier block if it has one.
func (b *nodes) launch(o *op) error {
	r, l := b.r, o.launch
	m := &b.im.launches[l.cmd.Index-b.first]
	if m.is, m.empty = true, l.empty(); m.empty {
		return nil
	}
	t := b.touches(o)
	if l.barrier >= 0 {
		r.records.ownBlock(l)
		block := touches{list: []touch{{key: pseudo(l.cmd.Index), to: barrierBytes, writes: true}}}
		t.list = append(t.list, block.list...)
		clear := fill{to: r.records.blockAt(l), width: 4, bytes: barrierBytes}
		if err := b.move(clear.move(), block); err != nil {
			return err
		}
	}
	if err := b.flush(); err != nil {
		return err
	}
	n, err := r.x.GPU.Driver.GraphAddKernelNode(b.to, b.order.before(t), &l.call)
	if err == nil && l.resident {
		err = r.x.GPU.Driver.GraphKernelNodeSetCooperative(n)
	}
	m.nodes = append(m.nodes, n)
	return b.added(n, t, err)
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
	t.list = append(t.list, touch{key: pseudo(len(r.launches) + c.control), to: controlBytes, writes: true})
	if err := b.decide(decide, t); err != nil {
		return err
	}
	n, body, err := drv.GraphAddWhileNode(b.to, b.order.before(t), value, gpu)
	if err := b.added(n, t, err); err != nil {
		return err
	}
	inner := &nodes{r: r, im: b.im, first: b.first, resident: b.resident, to: body, order: order{overlap: b.order.overlap}}
	if err := inner.all(c.body); err != nil {
		return err
	}
	decide.next = 1
	return inner.decide(decide, everything)
}
