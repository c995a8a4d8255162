package cuda

import (
	"errors"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
)

// graph is a list of commands as the driver launches it at once: all of a captured sequence, or
// one loop of a plain run that the device decides on.
type graph struct {
	r       *runner
	cmds    []driver.Cmd
	whole   bool // a captured sequence: records are cleared and fetched, and the work is timed
	overlap bool
	stamped bool // not whole, and tells its time all the same
	spare   bool // there are uploads that a run may leave out

	// full sends every upload, resident those that are Always. The latter is made when a run first
	// leaves something out; where nothing can be, it is never made.
	full, resident *image

	seen    uint64 // the Plan.Clock that both are for
	counted uint64 // the Plan.Recounted that they are for
}

// image is one executable of a graph, and what it was made of.
type image struct {
	graph    cu.Graph
	exec     cu.GraphExec
	launches []madeLaunch // those of Plan.Launches from first on that the commands span
	first    int
	loops    []madeLoop
	copies   []madeCopy
	up, down []route // of the plan's transfers
	hosted   uint64  // the Plan.Rehosted that its copies are for
}

// madeCopy is a copy, as an image has it, between the device and memory of the user, which a
// setter may replace.
type madeCopy struct {
	up   *driver.UploadCmd // nil of a read
	down *driver.ReadCmd
	part int // index in Pieces or Views
	node cu.GraphNode
	copy cu.Copy
}

// moved takes over where the user's memory is, and reports whether that is somewhere else.
func (m *madeCopy) moved() bool {
	was := m.copy
	if m.up != nil {
		m.copy.SrcHost = pieceAt(m.up.Pieces[m.part])
	} else {
		m.copy.DstHost = viewAt(m.down.Views[m.part])
	}
	return m.copy.SrcHost != was.SrcHost || m.copy.DstHost != was.DstHost
}

// madeLaunch is a launch as an image has it, at its nodes: more than one if it is in a Repeat
// that was unrolled.
type madeLaunch struct {
	l              *launch // nil if it is not one of the graph's commands
	changed, moved uint64
	empty          bool // there is no node
	nodes          []cu.GraphNode
}

// madeLoop is a Repeat as an image has it.
type madeLoop struct {
	c        *driver.LoopCmd
	count    uint64
	unrolled bool
}

// made returns a launch as the image has it; nil if it is not one of the commands.
func (im *image) made(c *driver.LaunchCmd) *madeLaunch {
	if i := c.Index - im.first; i >= 0 && i < len(im.launches) && im.launches[i].l != nil {
		return &im.launches[i]
	}
	return nil
}

// span returns from where to where in Plan.Launches those of commands are.
func span(cmds []driver.Cmd) (from, to int) {
	for _, c := range cmds {
		f, t := 0, 0
		switch c := c.(type) {
		case *driver.LaunchCmd:
			f, t = c.Index, c.Index+1
		case *driver.LoopCmd:
			f, t = span(c.Body)
		}
		if t == 0 {
			continue
		}
		if to == 0 {
			from = f
		}
		to = t
	}
	return from, to
}

// newGraph makes the executables of commands; the runner drops them with what else it has.
func (r *runner) newGraph(cmds []driver.Cmd, whole, overlap bool) (*graph, error) {
	g := &graph{r: r, cmds: cmds, whole: whole, overlap: overlap, spare: hasSpare(cmds), seen: r.plan.Clock(), counted: r.plan.Recounted}
	var err error
	if g.full, err = g.make(false); err != nil {
		return nil, err
	}
	r.graphs = append(r.graphs, g)
	if g.spare && whole && r.plan.ReplaySafe() {
		g.resident, err = g.make(true)
	}
	return g, err
}

// hasSpare reports whether there is an upload that a run may leave out.
func hasSpare(cmds []driver.Cmd) bool {
	for _, c := range cmds {
		switch c := c.(type) {
		case *driver.UploadCmd:
			if c.Mode != driver.Always {
				return true
			}
		case *driver.LoopCmd:
			if hasSpare(c.Body) {
				return true
			}
		}
	}
	return false
}

// sends reports whether the run being started sends an upload of the commands that it could
// leave out.
func (r *runner) sends(cmds []driver.Cmd) bool {
	for _, c := range cmds {
		switch c := c.(type) {
		case *driver.UploadCmd:
			if c.Mode != driver.Always && r.resident.Send[c.Index] {
				return true
			}
		case *driver.LoopCmd:
			if r.sends(c.Body) {
				return true
			}
		}
	}
	return false
}

// make builds and instantiates an image, and brings it to the device. What a failure leaves is
// destroyed.
func (g *graph) make(resident bool) (*image, error) {
	from, to := span(g.cmds)
	drv, im := g.r.dev.gpu.Driver, &image{launches: make([]madeLaunch, to-from), first: from, hosted: g.r.plan.Rehosted, up: slices.Clone(g.r.up), down: slices.Clone(g.r.down)}
	err := g.fill(im, resident)
	if err == nil {
		if im.exec, err = drv.GraphInstantiate(im.graph); err == nil {
			err = drv.GraphUpload(im.exec, g.r.Stream.Handle)
		}
	}
	if err != nil {
		_ = g.destroy(im) // the first error is the one to report
		return nil, err
	}
	return im, nil
}

// destroy gives an image back. Nothing of it runs.
func (g *graph) destroy(im *image) error {
	if im == nil || g.r.dev.gpu.Lost() {
		return nil
	}
	var first error
	if im.exec != 0 {
		first = g.r.dev.gpu.Driver.GraphExecDestroy(im.exec)
	}
	if im.graph != 0 {
		if err := g.r.dev.gpu.Driver.GraphDestroy(im.graph); first == nil {
			first = err
		}
	}
	im.exec, im.graph = 0, 0
	return first
}

// images returns both; the second may be nil.
func (g *graph) images() [2]*image { return [2]*image{g.full, g.resident} }

// drop gives both images back.
func (g *graph) drop() error {
	return errors.Join(g.destroy(g.full), g.destroy(g.resident))
}

// ready brings the images up to date with the setters. A launch that changed is changed in them;
// where the driver refuses, or where the change is one of their shape, they are made anew. It looks
// at no launch that did not change. The launches are bound.
func (g *graph) ready() error {
	d, p := g.r.dev, g.r.plan
	anew := g.reshaped(g.full)
	var err error
	if !anew {
		if anew, err = g.relaunch(); err != nil {
			return err
		}
	}
	if !anew && g.whole {
		if anew, err = g.rehost(); err != nil {
			return err
		}
	}
	if anew {
		d.Count(driver.GraphRebuilds, 1)
		d.gpu.Say("graph of %q is made anew", p.Label)
		if err := g.remake(); err != nil {
			return d.gpu.Complete("start", p.Label, err)
		}
	}
	g.seen, g.counted = p.Clock(), p.Recounted
	return nil
}

// relaunch changes the launches that setters changed. It reports whether the driver refused.
func (g *graph) relaunch() (refused bool, err error) {
	d := g.r.dev
	for c := range g.r.plan.ChangedSince(g.seen) {
		counted := false
		// One image may be up to date and the other not, where an earlier change failed half-way.
		for _, im := range g.images() {
			if im == nil {
				continue
			}
			m := im.made(c)
			if m == nil || m.changed == c.Changed {
				continue
			}
			if !counted {
				d.Count(driver.GraphUpdates, 1)
				counted = true
			}
			if err := g.update(im, m); err != nil {
				if e := d.gpu.ErrorOf("start", g.r.plan.Label, err); e.Sticky {
					return false, e
				}
				refused = true
			}
		}
		if refused {
			return true, nil
		}
	}
	return false, nil
}

// update changes a launch in an image.
func (g *graph) update(im *image, m *madeLaunch) error {
	for _, n := range m.nodes {
		if err := g.r.dev.gpu.Driver.GraphExecKernelNodeSetParams(im.exec, n, &m.l.call); err != nil {
			return err
		}
	}
	m.changed, m.moved = m.l.cmd.Changed, m.l.cmd.Moved
	return nil
}

// rehost changes the copies between the device and memory of the user that is another one now. It
// reports whether the driver refused.
func (g *graph) rehost() (refused bool, err error) {
	d := g.r.dev
	for _, im := range g.images() {
		if im == nil || im.hosted == g.r.plan.Rehosted {
			continue
		}
		for i := range im.copies {
			m := &im.copies[i]
			if !m.moved() {
				continue
			}
			if im == g.full {
				d.Count(driver.GraphUpdates, 1)
			}
			if err := d.gpu.Driver.GraphExecMemcpyNodeSetParams(im.exec, m.node, &m.copy); err != nil {
				m.copy.SrcHost, m.copy.DstHost = nil, nil // it is not there yet
				if e := d.gpu.ErrorOf("start", g.r.plan.Label, err); e.Sticky {
					return false, e
				}
				return true, nil
			}
		}
		im.hosted = g.r.plan.Rehosted
	}
	return false, nil
}

// reshaped reports whether an image has other nodes, or may need other edges, than the commands
// have now.
func (g *graph) reshaped(im *image) bool {
	p := g.r.plan
	for c := range p.ChangedSince(g.seen) {
		if m := im.made(c); m != nil && (m.empty != c.Grid.Empty() || g.overlap && m.moved != c.Moved) {
			return true
		}
	}
	if g.whole && im.hosted != p.Rehosted && !(slices.Equal(im.up, g.r.up) && slices.Equal(im.down, g.r.down)) {
		return true // a transfer goes another way
	}
	if g.counted == p.Recounted {
		return false
	}
	for _, m := range im.loops {
		if m.unrolled && m.count != m.c.Count {
			return true
		}
	}
	return false
}

// remake replaces the images. The old ones stay, and stay out of date, if that fails.
func (g *graph) remake() error {
	full, err := g.make(false)
	if err != nil {
		return err
	}
	old := g.full
	g.full = full
	err = g.destroy(old)
	if g.resident != nil {
		old, g.resident = g.resident, nil // made again when it is needed
		err = errors.Join(err, g.destroy(old))
	}
	return err
}

// launch enqueues the commands. resident leaves out what does not have to be sent.
func (g *graph) launch(resident bool) error {
	im, err := g.image(resident)
	if err != nil {
		return err
	}
	return g.r.dev.gpu.Driver.GraphLaunch(im.exec, g.r.Stream.Handle)
}

// image is what a run launches that may leave out the uploads that the device still has, or may not.
func (g *graph) image(resident bool) (*image, error) {
	im := g.full
	if resident && g.spare {
		if g.resident == nil {
			var err error
			if g.resident, err = g.make(true); err != nil {
				return nil, err
			}
		}
		im = g.resident
	}
	return im, nil
}

// current reports whether ready would find nothing to do, and image nothing to make.
func (g *graph) current() bool {
	p := g.r.plan
	if g.seen != p.Clock() || g.counted != p.Recounted || g.spare && g.resident == nil {
		return false
	}
	for _, im := range g.images() {
		if im != nil && g.whole && im.hosted != p.Rehosted {
			return false
		}
	}
	return true
}
