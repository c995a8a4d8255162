package aot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/atomicfile"
	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/internal/source"
	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/ir"
)

// Options adjust Build.
type Options struct {
	Targets []string // architectures, such as sm_80 or sm_90a. PTX of a plain one runs on all later GPUs
	// Assembler is the path of a ptxas, which makes the machine code. Without it, and for targets that it does not know, there
	// is none, and the driver compiles the PTX.
	Assembler string
	// Device, if not nil, makes the machine code for its own architecture where the assembler does not, of those kernels whose
	// linked code is as good as their text. Only device cuda does.
	Device     driver.Device
	NoPrograms bool   // leaves the programs out: device cpu loads nothing then
	Optimise   string // the passes, as in driver.Options
	// Sequences are kept too, by their labels, which differ. They launch kernels of the bundle at their own group sizes.
	Sequences []*driver.Sequence
}

// Build compiles kernels, by label, and returns their bundle.
func Build(ctx context.Context, kernels map[string]*ir.Program, o Options) ([]byte, error) {
	b := builder{Options: o}
	var err error
	if b.passes, err = compile.Parse(o.Optimise); err != nil {
		return nil, invalid("", err)
	}
	for _, name := range o.Targets {
		t, err := ptx.ParseTarget(name)
		if err != nil {
			return nil, invalid("", err)
		}
		if !slices.Contains(b.targets, t) {
			b.targets = append(b.targets, t)
		}
	}
	slices.SortFunc(b.targets, func(x, y ptx.Target) int { return cmp.Compare(number(x), number(y)) })
	if b.knows, err = known(ctx, o.Assembler); err != nil {
		return nil, err
	}
	labels := slices.Sorted(maps.Keys(kernels))
	all, errs := make([]*bundle.Kernel, len(labels)), make([]error, len(labels))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var work sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, label := range labels {
		room <- struct{}{}
		work.Go(func() {
			defer func() { <-room }()
			all[i] = bundle.New(label)
			if errs[i] = b.kernel(ctx, all[i], kernels[label]); errs[i] != nil {
				cancel()
			}
		})
	}
	work.Wait()
	// The error that stopped the others, and not theirs.
	slices.SortStableFunc(errs, func(a, b error) int { return cmp.Compare(weight(a), weight(b)) })
	if len(errs) > 0 && errs[0] != nil {
		return nil, errs[0]
	}
	sequences, err := b.sequences(kernels)
	if err != nil {
		return nil, err
	}
	file, err := bundle.Write(all, sequences)
	if err != nil {
		return nil, invalid("", err)
	}
	return file, nil
}

// weight is 0 of an error, 1 of that of a kernel that was given up, 2 of none.
func weight(err error) int {
	switch {
	case err == nil:
		return 2
	case errors.Is(err, driver.Canceled):
		return 1
	}
	return 0
}

func invalid(label string, err error) *driver.Error {
	return &driver.Error{Op: "bundle", Label: label, Kind: driver.InvalidArgument, Msg: err.Error(), Err: err}
}

// builder makes a bundle.
type builder struct {
	Options
	passes  compile.Choice
	targets []ptx.Target
	knows   string // what the assembler says of itself
}

func (b *builder) kernel(ctx context.Context, k *bundle.Kernel, p *ir.Program) error {
	if p == nil || p.GroupSize() == 0 {
		return invalid(k.Label(), fmt.Errorf("the program holds nothing"))
	}
	k.Digest, k.Workgroup, k.Flags, k.Params = p.Digest(), p.Workgroup(), uint8(driver.FlagsOf(p.Traits())), p.Params()
	at := source.Of(p)
	k.File, k.Line, k.Spans = at.File, uint32(at.Line), spans.NamesOf(p)
	if !b.NoPrograms {
		if err := k.Pack(p); err != nil {
			return invalid(k.Label(), err)
		}
	}
	for _, t := range b.targets {
		if err := ctx.Err(); err != nil {
			return givenUp(k.Label(), err)
		}
		m, err := ptx.Compile(p, t, ptx.Options{Passes: b.passes})
		if err != nil {
			return &driver.Error{Op: "bundle", Label: k.Label(), Kind: driver.Unsupported, Msg: fmt.Sprintf("for %v: %v", t, err), Fix: "leave that target out", Err: err}
		}
		n := len(k.Codes)
		k.Codes = append(k.Codes, codeOf(&m.Kernels[0]))
		k.Forms = append(k.Forms, bundle.NewForm(number(t), bundle.PTX, "", n, []byte(m.Text)))
		image, options, err := b.image(ctx, k.Label(), p, m)
		if err != nil {
			return err
		}
		if image != nil {
			k.Forms = append(k.Forms, bundle.NewForm(number(t), bundle.Cubin, options, n, image))
		}
	}
	return nil
}

func givenUp(label string, err error) *driver.Error {
	return &driver.Error{Op: "bundle", Label: label, Kind: driver.Canceled, Msg: "it was given up", Err: err}
}

// image makes machine code of a text, where somebody does, and says with which options.
func (b *builder) image(ctx context.Context, label string, p *ir.Program, m *ptx.Module) (image []byte, options string, err error) {
	if strings.Contains(b.knows, "'"+m.Target.String()+"'") {
		if image, err = b.assemble(ctx, m); err != nil && ctx.Err() != nil {
			return nil, "", givenUp(label, ctx.Err())
		} else if err != nil {
			return nil, "", &driver.Error{Op: "bundle", Label: label, Kind: driver.Compile, Msg: fmt.Sprintf("for %v: %s: %v", m.Target, b.Assembler, err), Fix: "name another ptxas, or none", Err: err}
		}
		return image, assembling, nil
	}
	linker, ok := b.Device.(interface {
		Link(k driver.Kernel) ([]byte, error)
	})
	if !ok || b.Device.Caps().Target != m.Target.String() {
		return nil, "", nil
	}
	k, err := b.Device.Compile(ctx, p, driver.Options{Optimise: b.Optimise})
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	if a := k.Artifact(); a.Text != m.Text {
		return nil, "", &driver.Error{Op: "bundle", Label: label, Device: b.Device.Name(), Kind: driver.Internal, Msg: "the device has another text of the kernel", Fix: "open it without debug switches"}
	}
	image, err = linker.Link(k)
	return image, "linked", err
}

func number(t ptx.Target) bundle.Target {
	n := bundle.Target(t.SM)
	if t.Suffix != "" {
		n |= bundle.Specific
	}
	return n
}

// codeOf is what launches of a text need.
func codeOf(k *ptx.Kernel) bundle.Code {
	l := &k.Params
	c := bundle.Code{Entry: k.Entry, Grid: int32(l.Grid), Trap: int32(l.Trap), Trace: int32(l.Trace), Bytes: uint32(l.Bytes), Firsts: l.Firsts,
		Static: uint32(k.Static), Dynamic: uint32(k.Dynamic), RestElem: uint32(k.RestElem)}
	for _, s := range l.Slots {
		c.Slots = append(c.Slots, bundle.Slot{Offset: int32(s.Offset), Len: int32(s.Len), Size: int32(s.Size)})
	}
	for r := range ir.Row(k.Program.Rows()) {
		if k.Program.Op(r).Info().Attr&ir.Traps != 0 {
			c.Sites = append(c.Sites, bundle.Site{Row: uint32(r), Where: k.Program.Pos(r).Where(), Message: k.Program.Message(r)})
		}
	}
	return c
}

// assembling are the options of the assembler.
const assembling = "-O3"

// known returns the help text of an assembler, which lists the targets.
func known(ctx context.Context, assembler string) (string, error) {
	if assembler == "" {
		return "", nil
	}
	out, err := exec.CommandContext(ctx, assembler, "--help").Output()
	if err != nil || !bytes.Contains(out, []byte("'sm_")) {
		return "", &driver.Error{Op: "bundle", Kind: driver.Unavailable, Msg: fmt.Sprintf("%s is not a ptxas that works", assembler), Fix: "name the ptxas of a CUDA toolkit", Err: err}
	}
	return string(out), nil
}

// assemble has ptxas make machine code of a text: of the whole program, so that nothing waits for a linker.
func (b *builder) assemble(ctx context.Context, m *ptx.Module) (image []byte, err error) {
	dir, err := os.MkdirTemp("", "vyre-bundle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := atomicfile.WriteBytes(ctx, filepath.Join(dir, "k.ptx"), []byte(m.Text)); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(b.Assembler)
	if filepath.Base(b.Assembler) == b.Assembler { // a name, to be looked for
		path, err = exec.LookPath(b.Assembler)
	}
	if err != nil {
		return nil, err
	}
	// The same names in every folder: what is made does not depend on where.
	cmd := exec.CommandContext(ctx, path, assembling, "-arch", m.Target.String(), "-o", "k.cubin", "k.ptx")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	return os.ReadFile(filepath.Join(dir, "k.cubin"))
}
