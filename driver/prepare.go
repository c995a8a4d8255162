package driver

import (
	"context"

	"github.com/govyre/vyre/internal/metric"
)

// holds is what a sequence makes of its commands, and what that refers to: a plan, scratch memory, and a
// reference to each leaf.
type holds struct{ *Sequence }

func holdsOf(s *Sequence) holds { return holds{s} }

// Prepare checks everything that was recorded, fuses it into a plan and makes that ready on
// the device. The error is a Problems with every finding. Run and Start prepare by
// themselves; preparing again does nothing.
func (s *Sequence) Prepare() error {
	if err := s.absent("prepare"); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return holdsOf(s).prepare()
}

func (s holds) prepare() error {
	if s.closed {
		return runsOf(s.Sequence).closedError("prepare")
	}
	if s.depth > 0 {
		err := &Error{Op: "prepare", Label: s.label, Device: s.dev.Name(), Kind: InvalidArgument,
			Msg: "the body of a loop is being recorded", Fix: "prepare and run the sequence when it is recorded"}
		return s.core.Fail(err)
	}
	if len(s.problems) > 0 || s.plan == nil {
		if ps := rulesOf(s.Sequence).check(); len(ps) > 0 {
			for _, p := range ps {
				s.core.note(p)
			}
			return ps
		}
	}
	if s.plain != nil {
		return nil
	}
	if err := s.settle(); err != nil {
		return s.core.Fail(err)
	}
	region := s.core.region(context.Background(), "vyre.prepare", s.label)
	r, err := s.vehicle(s.plan, func(timed bool) (Runner, error) { return s.exec.Prepare(s.plan, timed) })
	region.end()
	if err != nil {
		s.unsettle()
		return s.core.Fail(err)
	}
	s.plain = &pending{seq: s.Sequence, what: "sequence", runner: r}
	return nil
}

// settle makes the plan, with scratch memory and holds on everything it refers to.
func (s holds) settle() error {
	if s.plan != nil {
		return nil
	}
	for _, sc := range s.scratch {
		b, err := s.dev.Alloc(sc.bytes, AllocOptions{Label: sc.label})
		if err != nil {
			s.unsettle()
			return err
		}
		sc.inner = b
	}
	var f fuser
	p := &Plan{Label: s.label, Tally: s.tally, Cmds: f.list(s.commands), NoDeviceTime: s.untimed, TimeTransfers: s.timeTransfers && !s.untimed}
	for _, sc := range s.scratch {
		p.Scratch = append(p.Scratch, sc.inner)
	}
	p.index()
	for _, c := range p.Whiles {
		s.settleLowering(c)
	}
	if !s.holdAll(p) {
		s.unsettle()
		return &Error{Op: "prepare", Label: s.label, Device: s.core.name, Kind: Closed, Msg: "an object was closed meanwhile"}
	}
	s.plan = p
	s.core.Count(metric.UploadsFused, uint64(f.uploads))
	s.core.Count(metric.ReadsFused, uint64(f.reads))
	return nil
}

// unsettle undoes settle.
func (s holds) unsettle() {
	if s.plan != nil {
		s.refs(s.plan, func(l *Leaf) { l.drop(s.Sequence) })
	}
	s.plan = nil
	for _, sc := range s.scratch {
		if sc.inner == nil {
			continue
		}
		// Nothing refers to scratch memory any more, so closing it cannot be refused.
		_ = sc.inner.Close()
		sc.inner = nil
	}
}

// holdAll refers to everything that the plan refers to, or to nothing if some of it is closed.
func (s holds) holdAll(p *Plan) bool {
	for _, in := range s.inputs {
		in.host = s.core.hosts.of(in.src)
	}
	for _, out := range s.outputs {
		out.host = s.core.hosts.of(out.dst)
	}
	held, ok := 0, true
	s.refs(p, func(l *Leaf) {
		if ok = ok && l.hold(s.Sequence); ok {
			held++
		}
	})
	if !ok {
		s.refs(p, func(l *Leaf) {
			if held > 0 {
				l.drop(s.Sequence)
				held--
			}
		})
	}
	return ok
}

// refs visits every buffer, kernel and host memory of a plan, once a place that names it.
func (s holds) refs(p *Plan, visit func(*Leaf)) {
	p.walk(p.Cmds, func(c Cmd) {
		switch c := c.(type) {
		case *FillCmd:
			visit(c.Dst.Buffer.leaf())
		case *UploadCmd:
			visit(c.Dst.Buffer.leaf())
		case *CopyCmd:
			visit(c.Dst.Buffer.leaf())
			visit(c.Src.Buffer.leaf())
		case *ReadCmd:
			visit(c.Src.Buffer.leaf())
		case *LaunchCmd:
			visit(c.Kernel.leaf())
			for _, a := range c.Args {
				if a.Range.Buffer != nil {
					visit(a.Range.Buffer.leaf())
				}
			}
		case *LoopCmd:
			if c.While {
				visit(c.Flag.Buffer.leaf())
			}
		}
	})
	for _, in := range s.inputs {
		if in.host != nil {
			visit(in.host.leaf())
		}
	}
	for _, out := range s.outputs {
		if out.host != nil {
			visit(out.host.leaf())
		}
	}
}

// swap makes the sequence refer to next in a place where it referred to old. Either may be nil.
func (s holds) swap(old, next *Leaf) bool {
	if old == next {
		return true
	}
	if next != nil && !next.hold(s.Sequence) {
		return false
	}
	if old != nil {
		old.drop(s.Sequence)
	}
	return true
}

// Plan returns what Prepare made of the commands, nil before. It is for looking at.
func (s *Sequence) Plan() *Plan {
	if s.absent("plan") != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plan
}
