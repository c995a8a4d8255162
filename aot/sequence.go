package aot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/ir"
)

// sequences are the images of the sequences that a bundle keeps.
func (b *builder) sequences(kernels map[string]*ir.Program) (all []*driver.SequenceImage, err error) {
	labels := make(map[[32]byte]string)
	for label, p := range kernels {
		if at := labels[p.Digest()]; at == "" || label < at {
			labels[p.Digest()] = label
		}
	}
	for _, s := range b.Sequences {
		if slices.ContainsFunc(all, func(o *driver.SequenceImage) bool { return o.Label() == s.Label() }) {
			return nil, invalid(s.Label(), errors.New("two sequences have that label"))
		}
		image, err := s.Image(func(k driver.Kernel) string { return labels[k.Digest()] })
		if err != nil {
			return nil, err
		}
		all = append(all, image)
	}
	return all, nil
}

// Sequences returns the sequences by ascending label.
func (b *Bundle) Sequences() []*driver.SequenceImage { return slices.Clone(b.sequences) }

// Recording is a sequence that was recorded from a bundle, with its handles in the order of its commands. Set each output, and each
// input that is not Static, before the first run: Prepare refuses those without host memory.
type Recording struct {
	*driver.Sequence
	Inputs  []*driver.Input
	Outputs []*driver.Output
	Steps   []*driver.Step
	Loops   []*driver.Loop
	kernels []driver.Kernel
}

// Record records a sequence of the bundle on a device, with kernels of the bundle. buffers stand for those of the image that
// are not scratch memory, in order; each has at least as many bytes. Close frees what is made here, and no buffer of the caller.
func (b *Bundle) Record(ctx context.Context, dev driver.Device, label string, o driver.Options, buffers ...driver.Buffer) (*Recording, error) {
	no := func(format string, args ...any) (*Recording, error) {
		return nil, &driver.Error{Op: "record", Label: label, Kind: driver.InvalidArgument, Msg: fmt.Sprintf(format, args...)}
	}
	if dev == nil {
		return no("the device is nil")
	}
	i, ok := slices.BinarySearchFunc(b.sequences, label, func(s *driver.SequenceImage, label string) int { return strings.Compare(s.Label(), label) })
	if !ok {
		var all []string
		for _, s := range b.sequences {
			all = append(all, s.Label())
		}
		return no("the bundle has no such sequence; it has %q", all)
	}
	image := b.sequences[i]
	left := buffers
	for _, m := range image.Buffers {
		switch {
		case m.Scratch:
			continue
		case len(left) == 0:
			return no("no buffer was passed for %q, of at least %d bytes", m.Label, m.Bytes)
		case left[0] == nil || left[0].Len() < m.Bytes:
			return no("the buffer for %q is nil, or has less than %d bytes", m.Label, m.Bytes)
		}
		left = left[1:]
	}
	if len(left) > 0 {
		return no("%d more buffers were passed than the sequence has", len(left))
	}
	x := recorder{image: image, into: &Recording{Sequence: dev.NewSequence(label)}, kernels: make(map[string]driver.Kernel)}
	for _, m := range image.Buffers {
		if m.Scratch {
			x.buffers = append(x.buffers, x.into.Scratch(m.Bytes))
		} else {
			x.buffers, buffers = append(x.buffers, buffers[0]), buffers[1:]
		}
	}
	if err := x.load(ctx, b, dev, o, image.Commands); err != nil {
		return nil, errors.Join(err, x.into.Close())
	}
	x.list(image.Commands)
	x.settings()
	if x.err != nil {
		return nil, errors.Join(x.err, x.into.Close())
	}
	return x.into, nil
}

// Close closes the sequence, then its kernels.
func (r *Recording) Close() error {
	errs := []error{r.Sequence.Close()}
	for _, k := range r.kernels {
		errs = append(errs, k.Close())
	}
	return errors.Join(errs...)
}

// recorder records an image.
type recorder struct {
	image   *driver.SequenceImage
	into    *Recording
	buffers []driver.Buffer
	kernels map[string]driver.Kernel
	err     error // of setters
}

// load loads the kernels that commands launch.
func (x *recorder) load(ctx context.Context, b *Bundle, dev driver.Device, o driver.Options, cmds []bundle.Command) error {
	for i := range cmds {
		c := &cmds[i]
		if c.Kind == bundle.DoLaunch && x.kernels[c.Kernel] == nil {
			k, err := b.Load(ctx, dev, c.Kernel, o)
			if err != nil {
				return err
			}
			x.kernels[c.Kernel] = k
			x.into.kernels = append(x.into.kernels, k)
		}
		if err := x.load(ctx, b, dev, o, c.Body); err != nil {
			return err
		}
	}
	return nil
}

func (x *recorder) rangeOf(r bundle.Range) driver.Range {
	return driver.Part(x.buffers[r.Buffer], r.Off, r.Len)
}

func (x *recorder) list(cmds []bundle.Command) {
	for i := range cmds {
		x.record(&cmds[i])
	}
}

func (x *recorder) record(c *bundle.Command) {
	s := x.into
	switch c.Kind {
	case bundle.DoFill:
		s.Fill(x.rangeOf(c.Dst), c.Value, int(c.Width))
	case bundle.DoUpload:
		s.Inputs = append(s.Inputs, s.Upload(x.rangeOf(c.Dst), slices.Clone(c.Data), driver.Mode(c.Width)))
	case bundle.DoCopy:
		s.Copy(x.rangeOf(c.Dst), x.rangeOf(c.Src))
	case bundle.DoRead:
		s.Outputs = append(s.Outputs, s.Read(x.rangeOf(c.Src), nil))
	case bundle.DoLaunch:
		s.Steps = append(s.Steps, x.launch(c))
	default:
		x.loop(c)
	}
}

// loop keeps the place of its handle before those of the loops inside.
func (x *recorder) loop(c *bundle.Command) {
	s := x.into
	at := len(s.Loops)
	s.Loops = append(s.Loops, nil)
	body := func() { x.list(c.Body) }
	if c.Kind == bundle.DoWhile {
		s.Loops[at] = s.While(x.rangeOf(c.Dst), int(c.Value), body)
	} else {
		s.Loops[at] = s.Repeat(int(c.Value), body)
	}
}

func (x *recorder) launch(c *bundle.Command) *driver.Step {
	var args []driver.Arg
	for _, a := range c.Args {
		if a.Type == ir.None {
			args = append(args, x.rangeOf(a.Range))
		} else {
			args = append(args, driver.Scalar{Type: a.Type, Bits: a.Bits})
		}
	}
	if c.Rest >= 0 {
		args = append(args, driver.Rest(c.Rest))
	}
	st := x.into.Launch(x.kernels[c.Kernel], driver.Grid(c.Grid), args...)
	x.note(st.SetTrace(int(c.Traces)))
	x.note(st.SetDomain(c.Domain))
	return st
}

func (x *recorder) note(err error) { x.err = errors.Join(x.err, err) }

func (x *recorder) settings() {
	s, t := x.into, x.image.Timing
	if t&bundle.Untimed != 0 {
		s.NoDeviceTime()
	}
	if t&bundle.TimeTransfers != 0 {
		s.TimeTransfers(true)
	}
	if t&bundle.TimeCommands != 0 {
		s.TimeCommands()
	}
	s.Lower(driver.Lowering(x.image.Lowering))
}
