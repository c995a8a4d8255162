package cuda

import (
	"fmt"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
)

// Bounds of what becomes nodes of a graph.
const (
	// unrolledNodes is how large a Repeat may be that is copied as often as it runs: up to there
	// the nodes cost less than a loop that the device decides on.
	unrolledNodes = 1024
	// mostNodes bounds that where the device has no loops.
	mostNodes = 1 << 16
)

// builder adds the nodes of commands to one graph, or to the body of one of its loops.
type builder struct {
	g        *graph
	im       *image
	resident bool // uploads that are not Always are left out
	to       cu.Graph
	order    order
	copied   cu.Copy // the last one
	moves    moves   // that have no node yet
}

// fill makes the graph of an image.
func (g *graph) fill(im *image, resident bool) error {
	r := g.r
	var err error
	if im.graph, err = r.dev.gpu.Driver.GraphCreate(); err != nil {
		return err
	}
	b := &builder{g: g, im: im, resident: resident, to: im.graph, order: order{overlap: g.overlap}}
	if !g.whole {
		return b.part(g.cmds)
	}
	if err := b.clear(); err != nil {
		return err
	}
	if err := b.stamp(stampBegin); err != nil {
		return err
	}
	for i, c := range g.cmds {
		if i == r.plan.TimedFrom {
			if err := b.stamp(stampFrom); err != nil {
				return err
			}
		}
		if err := b.command(c); err != nil {
			return err
		}
		if i == r.plan.TimedTo-1 {
			if err := b.stamp(stampTo); err != nil {
				return err
			}
		}
	}
	if err := b.stamp(stampEnd); err != nil {
		return err
	}
	if len(r.reports) > 0 {
		if err := b.copy(cu.Copy{DstHost: unsafe.Pointer(&r.reports[0]), Src: r.records.fetchAt(), Bytes: int64(len(r.reports))}, everything); err != nil {
			return err
		}
	}
	return b.flush()
}

// clear makes the records ready for a run.
func (b *builder) clear() error {
	r := b.g.r
	err := r.records.clear(func(f cu.Fill) error {
		if bytes := f.N * int64(f.Width); bytes <= moveMost {
			return b.move(fillMove(f.Dst, uint64(f.Value), f.Width, bytes), everything)
		}
		return b.memset(f, everything)
	})
	if err == nil && len(r.image) > 0 {
		err = b.copy(cu.Copy{Dst: r.records.controlAt(0), SrcHost: unsafe.Pointer(&r.image[0]), Bytes: int64(len(r.image))}, everything)
	}
	return err
}

// part adds commands that are not all of a plan's.
func (b *builder) part(cmds []driver.Cmd) error {
	if b.g.stamped {
		if err := b.stamp(stampFrom); err != nil {
			return err
		}
	}
	if err := b.list(cmds); err != nil {
		return err
	}
	if b.g.stamped {
		if err := b.stamp(stampTo); err != nil {
			return err
		}
	}
	return b.flush()
}

func (b *builder) list(cmds []driver.Cmd) error {
	for _, c := range cmds {
		if err := b.command(c); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) command(c driver.Cmd) error {
	switch c := c.(type) {
	case *driver.FillCmd:
		if c.Dst.Len <= moveMost {
			return b.move(fillMove(memory.AddressOf(c.Dst), c.Value, c.Width, c.Dst.Len), touchesOf(c))
		}
		if byKernel(c) {
			return b.kernel(b.g.r.pairs.fill(c), touchesOf(c))
		}
		return b.memset(fillOf(c), touchesOf(c))
	case *driver.UploadCmd:
		if b.resident && c.Mode != driver.Always {
			return nil
		}
		return b.upload(c)
	case *driver.CopyCmd:
		return b.copy(cu.Copy{Dst: memory.AddressOf(c.Dst), Src: memory.AddressOf(c.Src), Bytes: c.Dst.Len}, touchesOf(c))
	case *driver.ReadCmd:
		return b.read(c)
	case *driver.LaunchCmd:
		return b.launch(c)
	case *driver.LoopCmd:
		return b.loop(c)
	}
	return nil
}

func (b *builder) upload(c *driver.UploadCmd) error {
	r, to := b.g.r, memory.AddressOf(c.Dst)
	if r.up[c.Index] == staged {
		return b.copy(cu.Copy{Dst: to, SrcHost: unsafe.Pointer(&r.staged[c.Index][0]), Bytes: c.Dst.Len}, touchesOf(c))
	}
	for i, p := range c.Pieces {
		if err := b.copy(cu.Copy{Dst: to + cu.Ptr(p.At), SrcHost: pieceAt(p), Bytes: p.Len}, touchesOf(c)); err != nil {
			return err
		}
		b.hosted(madeCopy{up: c, part: i})
	}
	return nil
}

func (b *builder) read(c *driver.ReadCmd) error {
	r, from := b.g.r, memory.AddressOf(c.Src)
	if r.down[c.Index] == staged {
		return b.copy(cu.Copy{DstHost: unsafe.Pointer(&r.fetched[c.Index][0]), Src: from, Bytes: c.Src.Len}, touchesOf(c))
	}
	for i, v := range c.Views {
		if err := b.copy(cu.Copy{DstHost: viewAt(v), Src: from + cu.Ptr(v.Off), Bytes: int64(len(v.Output.Bytes()))}, touchesOf(c)); err != nil {
			return err
		}
		b.hosted(madeCopy{down: c, part: i})
	}
	return nil
}

// hosted notes that the copy just added names memory of the user.
func (b *builder) hosted(m madeCopy) {
	m.node, m.copy = b.order.last[0], b.copied
	b.im.copies = append(b.im.copies, m)
}

func pieceAt(p driver.Piece) unsafe.Pointer { return unsafe.Pointer(&p.Input.Bytes()[p.From]) }
func viewAt(v driver.View) unsafe.Pointer   { return unsafe.Pointer(unsafe.SliceData(v.Output.Bytes())) }

// move puts off what is small to the node that flush makes of it and its like.
func (b *builder) move(m move, t touches) error {
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
func (b *builder) flush() error {
	if b.moves.n == 0 {
		return nil
	}
	g := b.moves
	b.moves = moves{}
	d := b.g.r.dev
	l, err := g.launch(&d.movers)
	if err != nil {
		return err
	}
	return b.kernel(l, g.t)
}

// kernel adds a kernel of the package's own.
func (b *builder) kernel(l *cu.Launch, t touches) error {
	if err := b.flush(); err != nil {
		return err
	}
	n, err := b.g.r.dev.gpu.Driver.GraphAddKernelNode(b.to, b.order.before(t), l)
	return b.added(n, t, err)
}

// stamp looks at the clock between what is before and what comes after, if anybody wants to know.
func (b *builder) stamp(i int) error {
	r := b.g.r
	if r.stamps == nil || (i == stampBegin || i == stampEnd) && !r.plan.TimeTransfers {
		return nil
	}
	return b.move(move{to: uint64(r.reach(unsafe.Pointer(&r.stamps[i]))), how: moveTime}, everything)
}

func (b *builder) memset(f cu.Fill, t touches) error {
	if err := b.flush(); err != nil {
		return err
	}
	f.Context = b.g.r.dev.gpu.Handle
	n, err := b.g.r.dev.gpu.Driver.GraphAddMemsetNode(b.to, b.order.before(t), &f)
	return b.added(n, t, err)
}

// copy adds a copy. One of the user's memory has a node of its own, which hosted remembers.
func (b *builder) copy(c cu.Copy, t touches) error {
	r := b.g.r
	from, to := c.Src, c.Dst
	if c.SrcHost != nil {
		from = r.reach(c.SrcHost)
	}
	if c.DstHost != nil {
		to = r.reach(c.DstHost)
	}
	if host := c.SrcHost != nil || c.DstHost != nil; host && c.Bytes <= moveMost && from != 0 && to != 0 {
		return b.move(move{to: uint64(to), from: uint64(from), bytes: uint64(c.Bytes)}, t)
	}
	if err := b.flush(); err != nil {
		return err
	}
	c.Context = r.dev.gpu.Handle
	b.copied = c
	n, err := b.g.r.dev.gpu.Driver.GraphAddMemcpyNode(b.to, b.order.before(t), &c)
	return b.added(n, t, err)
}

func (b *builder) added(n cu.GraphNode, t touches, err error) error {
	if err == nil {
		b.order.add(n, t)
	}
	return err
}

// launch adds a kernel, behind the fill that clears its barrier block if it has one.
func (b *builder) launch(c *driver.LaunchCmd) error {
	r := b.g.r
	l := &r.launches[c.Index]
	m := &b.im.launches[c.Index-b.im.first]
	if m.l == nil {
		*m = madeLaunch{l: l, changed: c.Changed, moved: c.Moved, empty: c.Grid.Empty()}
	}
	if c.Grid.Empty() {
		return nil
	}
	t := touchesOf(c)
	if l.barrier >= 0 {
		t.list = append(t.list, touch{key: pseudo(c.Index), to: barrierBytes, writes: true})
		block := touches{list: t.list[len(t.list)-1:]}
		if err := b.move(fillMove(r.records.blockAt(l), 0, 4, barrierBytes), block); err != nil {
			return err
		}
	}
	if err := b.flush(); err != nil {
		return err
	}
	n, err := r.dev.gpu.Driver.GraphAddKernelNode(b.to, b.order.before(t), &l.call)
	if err == nil && l.barrier >= 0 {
		err = r.dev.gpu.Driver.GraphKernelNodeSetCooperative(n)
	}
	m.nodes = append(m.nodes, n)
	return b.added(n, t, err)
}

// loop copies the body of a short Repeat as often as it runs. Everything else is decided on by
// the device.
func (b *builder) loop(c *driver.LoopCmd) error {
	d := b.g.r.dev
	if !c.While {
		n := driver.Mul(c.Count, nodesOf(c.Body))
		unroll := n <= unrolledNodes || !d.gpu.Caps.LoopNodes
		if unroll && n > mostNodes {
			return &driver.Error{Op: "capture", Label: b.g.r.plan.Label, Device: d.Name(), Path: c.Path, Kind: driver.Unsupported,
				Msg: fmt.Sprintf("%d rounds of the loop make %d nodes, the device has no loops in graphs and takes %d", c.Count, n, mostNodes), Fix: "run the sequence, or repeat less"}
		}
		b.im.loops = append(b.im.loops, madeLoop{c, c.Count, unroll})
		if unroll {
			for range c.Count {
				if err := b.list(c.Body); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return b.conditional(c)
}

// conditional adds a loop that the device decides on: a kernel that counts and looks at the flag
// goes before the node and to the end of its body.
func (b *builder) conditional(c *driver.LoopCmd) error {
	r := b.g.r
	d := r.dev
	value, err := d.gpu.Driver.GraphConditionalHandleCreate(b.to, d.gpu.Handle, 0, cu.CondAssignDefault)
	if err != nil {
		return err
	}
	control := r.controls[c]
	decide := decision{value: value, record: r.records.controlAt(control)}
	if c.While {
		decide.flag = memory.AddressOf(c.Flag)
	}
	t := touchesOf(c)
	t.list = append(t.list, touch{key: pseudo(len(r.launches) + control), to: controlBytes, writes: true})
	if err := b.decide(decide, t); err != nil {
		return err
	}
	n, body, err := d.gpu.Driver.GraphAddWhileNode(b.to, b.order.before(t), value, d.gpu.Handle)
	if err := b.added(n, t, err); err != nil {
		return err
	}
	inner := &builder{g: b.g, im: b.im, resident: b.resident, to: body, order: order{overlap: b.order.overlap}}
	if err := inner.list(c.Body); err != nil {
		return err
	}
	decide.next = 1
	return inner.decide(decide, everything)
}

func (b *builder) decide(x decision, t touches) error {
	l, err := x.launch(&b.g.r.dev.loops)
	if err != nil {
		return err
	}
	return b.kernel(l, t)
}

// nodesOf returns how many nodes commands make, saturated.
func nodesOf(cmds []driver.Cmd) uint64 {
	total := uint64(0)
	for _, c := range cmds {
		n := uint64(1)
		switch c := c.(type) {
		case *driver.LaunchCmd:
			if c.Kernel.Flags()&driver.GridBarrier != 0 {
				n = 2
			}
		case *driver.LoopCmd:
			body := nodesOf(c.Body)
			if n = driver.Mul(c.Count, body); c.While || n > unrolledNodes {
				n = body + 3
			}
		}
		total += min(n, 1<<62-total)
	}
	return total
}
