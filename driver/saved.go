package driver

import (
	"bytes"

	"github.com/govyre/vyre/internal/bundle"
)

// SequenceImage is what a bundle keeps of a sequence. Package aot records it again, on any device.
type SequenceImage = bundle.Sequence

// Image returns what a bundle keeps of the sequence: its commands as the setters left them, the sizes of scratch memory and
// of inputs and outputs, and the bytes of Static inputs. Other buffers are listed in the order of their first use, for
// whoever records the image brings them. kernels tells by which label the bundle has a kernel; it returns "" for one that it
// has not. A sequence that Prepare would refuse gives its error.
func (s *Sequence) Image(kernels func(Kernel) string) (*SequenceImage, error) {
	if err := s.absent("save"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, runsOf(s).closedError("save")
	case s.flying != nil:
		return nil, runsOf(s).busy("save")
	case s.depth > 0:
		return nil, s.core.Fail(s.refuse("save", s.label, "", InvalidArgument, "save the sequence when it is recorded", "the body of a loop is being recorded"))
	}
	ps := s.problems
	if s.plan == nil { // else it was checked, and setters have checked since
		ps = rulesOf(s).check()
	}
	if len(ps) > 0 {
		for _, p := range ps {
			s.core.note(p)
		}
		return nil, ps
	}
	x := saver{Sequence: s, kernels: kernels, image: bundle.NewSequence(s.label), indices: make(map[Buffer]uint32), own: make(map[Buffer]*scratch)}
	for _, sc := range s.scratch {
		if sc.inner != nil {
			x.own[sc.inner] = sc
		}
	}
	x.image.Lowering = uint8(s.lower)
	for bit, on := range map[bundle.Timing]bool{bundle.Untimed: s.untimed, bundle.TimeTransfers: s.timeTransfers, bundle.TimeCommands: s.timeCommands} {
		if on {
			x.image.Timing |= bit
		}
	}
	x.image.Commands = x.list(s.commands)
	if x.err != nil {
		return nil, s.core.Fail(x.err)
	}
	return x.image, nil
}

// saver makes the image of a sequence that breaks no rule.
type saver struct {
	*Sequence
	kernels func(Kernel) string
	image   *SequenceImage
	indices map[Buffer]uint32
	own     map[Buffer]*scratch // by the memory that it has since Prepare
	err     error
}

func (x *saver) rangeOf(r Range) bundle.Range {
	if sc := x.own[r.Buffer]; sc != nil {
		r.Buffer = sc
	}
	i, known := x.indices[r.Buffer]
	if !known {
		i = uint32(len(x.image.Buffers))
		x.indices[r.Buffer] = i
		b := bundle.Buffer{Label: r.Buffer.Label()}
		if sc, ok := r.Buffer.(*scratch); ok {
			b.Scratch, b.Bytes = true, sc.bytes
		}
		x.image.Buffers = append(x.image.Buffers, b)
	}
	if b := &x.image.Buffers[i]; !b.Scratch {
		b.Bytes = max(b.Bytes, r.End())
	}
	return bundle.Range{Buffer: i, Off: r.Off, Len: r.Len}
}

func (x *saver) list(cmds []any) (all []bundle.Command) {
	for _, c := range cmds {
		all = append(all, x.command(c))
	}
	return all
}

func (x *saver) command(c any) bundle.Command {
	switch c := c.(type) {
	case *FillCmd:
		return bundle.Command{Kind: bundle.DoFill, Dst: x.rangeOf(c.Dst), Value: c.Value, Width: uint8(c.Width)}
	case *Input:
		up := bundle.Command{Kind: bundle.DoUpload, Dst: x.rangeOf(c.dst), Width: uint8(c.mode)}
		if c.mode == Static {
			up.Data = bytes.Clone(c.src)
		}
		return up
	case *CopyCmd:
		return bundle.Command{Kind: bundle.DoCopy, Dst: x.rangeOf(c.Dst), Src: x.rangeOf(c.Src)}
	case *Output:
		return bundle.Command{Kind: bundle.DoRead, Src: x.rangeOf(c.src)}
	case *Step:
		return x.launch(c)
	}
	l := c.(*Loop)
	loop := bundle.Command{Kind: bundle.DoRepeat, Value: uint64(l.count)}
	if l.cmd.While {
		loop.Kind, loop.Dst = bundle.DoWhile, x.rangeOf(l.flag)
	}
	loop.Body = x.list(l.body)
	return loop
}

func (x *saver) launch(st *Step) bundle.Command {
	c := bundle.Command{Kind: bundle.DoLaunch, Kernel: x.kernels(st.cmd.Kernel), Grid: st.cmd.Grid, Domain: st.cmd.Domain, Traces: uint32(st.cmd.Traces), Rest: -1}
	if c.Kernel == "" && x.err == nil {
		x.err = x.refuse("save", st.cmd.Kernel.Label(), st.cmd.Path, InvalidArgument, "give the bundle the program that the kernel was compiled from, at its own group size",
			"the bundle does not have the kernel")
	}
	for i, p := range st.cmd.Kernel.Signature() {
		if a := st.cmd.Args[i]; p.IsBuffer() {
			c.Args = append(c.Args, bundle.Arg{Range: x.rangeOf(a.Range)})
		} else {
			c.Args = append(c.Args, bundle.Arg{Type: p.Type, Bits: a.Bits})
		}
	}
	if st.cmd.Kernel.Flags()&SharedRest != 0 {
		c.Rest = int64(st.cmd.Rest)
	}
	return c
}
