package code

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/internal/loading"
	"github.com/govyre/vyre/internal/bundle"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cutarget"
	"github.com/govyre/vyre/internal/identity"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// Load makes a kernel of an entry of a bundle: of machine code if some runs on the device, else of the best text.
func (c *Compiler) Load(ctx context.Context, im *driver.Image, o driver.Options) (driver.Kernel, error) {
	label, err := loading.Check(c.gpu.Name(), im, o)
	o.Label = label
	ended := c.gpu.Compiling(ctx, nil, o)
	var k *kernel
	if err == nil {
		k, err = c.load(ctx, im, o)
	}
	ended(err)
	if err != nil {
		return nil, c.gpu.Fail(err)
	}
	return k, nil
}

func (c *Compiler) load(ctx context.Context, im *driver.Image, o driver.Options) (*kernel, error) {
	if err := c.may(ctx, "load", o.Label); err != nil {
		return nil, err
	}
	if c.gpu.Debug().Memcheck {
		return c.checked(ctx, im, o)
	}
	forms := Forms(im.Forms, 10*c.gpu.Caps.Major+c.gpu.Caps.Minor, c.gpu.Caps.DriverVersion, o.Target)
	if driver.KernelFlags(im.Flags)&driver.Generational != 0 {
		var err error
		if forms, err = c.ofGeneration(forms, o); err != nil {
			return nil, err
		}
	}
	if len(forms) == 0 {
		wants := fmt.Sprintf("a device of capability %d.%d under CUDA %s", c.gpu.Caps.Major, c.gpu.Caps.Minor, cutarget.VersionText(c.gpu.Caps.DriverVersion))
		return nil, loading.None(c.gpu.Name(), o.Label, im, wants+" runs no form of the kernel"+ofTarget(o.Target))
	}
	code := &im.Codes[forms[0].Code]
	need := driver.Requirement{Kernel: o.Label, Group: im.Workgroup, Flags: driver.KernelFlags(im.Flags), Params: int(code.Bytes)}
	need.Shared, need.RestElem = int(code.Static+code.Dynamic), int(code.RestElem)
	if err := loading.Fits(&c.gpu.Caps, need); err != nil {
		return nil, err
	}
	parts := [][]byte{im.Digest[:]}
	for _, f := range forms {
		hash := f.Hash()
		parts = append(parts, hash[:])
	}
	m, found, err := c.modules.get(ctx, identity.Key("vyre.image.v1", uint64(forms[0].Target), 0, parts...), func() *compiled {
		own := facts{im.Label(), im.Digest, im.Params, im.Workgroup, driver.KernelFlags(im.Flags), ir.Pos{File: im.File, Line: int(im.Line)}, im.Spans}
		return &compiled{facts: own, origin: metric.CompilesImage, make: func(e *compiled) error { return c.unpack(e, im, forms) }}
	})
	if err != nil {
		err = loading.Failed(c.gpu.Name(), o.Label, err)
		primary.Diagnose(err, func(*driver.Error) driver.Diagnosis { return driver.Diagnose(&c.gpu.Caps, need) })
		return nil, err
	}
	return c.handle(m, found, o.Label)
}

// ofGeneration leaves out forms whose products of float matrices would not be those of the device's generation: text for
// less than sm_80 asks for them in other steps.
func (c *Compiler) ofGeneration(forms []*bundle.Form, o driver.Options) ([]*bundle.Form, error) {
	have := c.gpu.Caps.Matrix.Generation
	if o.Matrix != "" {
		g, err := matrix.ParseGeneration(o.Matrix)
		if err == nil && g.String() != have {
			err = fmt.Errorf("float products as %s computes them, and the device computes as %s", g, have)
		}
		if err != nil {
			return nil, &driver.Error{Op: "load", Label: o.Label, Device: c.gpu.Name(), Kind: driver.Unsupported, Msg: err.Error(),
				Fix: "use device cpu, which computes as any generation"}
		}
	}
	if c.gpu.Caps.Major < 9 {
		return forms, nil
	}
	return slices.DeleteFunc(forms, func(f *bundle.Form) bool { return f.Target.SM() < 80 }), nil
}

func ofTarget(target string) string {
	if target == "" {
		return ""
	}
	return " for " + target
}

// checked compiles the program: accesses are checked by what is put into that.
func (c *Compiler) checked(ctx context.Context, im *driver.Image, o driver.Options) (*kernel, error) {
	p, err := im.Program()
	if err == nil && p == nil {
		return nil, loading.None(c.gpu.Name(), o.Label, im, "VYRE_DEBUG=memcheck puts checks into the program")
	}
	if err != nil {
		return nil, loading.Failed(c.gpu.Name(), o.Label, err)
	}
	m, found, err := c.module(ctx, p, o, o.Label)
	if err != nil {
		return nil, loading.Failed(c.gpu.Name(), o.Label, err)
	}
	return c.handle(m, found, o.Label)
}

// loners are architectures that machine code of others does not run on, and whose own runs on no others.
var loners = []int{72, 87, 88, 101}

// Forms returns the forms that a device of capability sm under a driver may take, the best first: machine code of exactly its
// architecture; of the highest below it of the same generation; the highest text. A target that somebody names is the only one.
func Forms(all []bundle.Form, sm, driverVersion int, only string) (forms []*bundle.Form) {
	for i := range all {
		f := &all[i]
		t := targetOf(f.Target)
		if only != "" && only != t.String() {
			continue
		}
		fits := cutarget.MayTake(t, sm, driverVersion)
		if f.Kind == bundle.Cubin {
			fits = t.SM == sm || t.Suffix == "" && t.SM < sm && t.SM/10 == sm/10 && !slices.Contains(loners, t.SM) && !slices.Contains(loners, sm)
		}
		if fits {
			forms = append(forms, f)
		}
	}
	slices.SortStableFunc(forms, func(a, b *bundle.Form) int {
		return cmp.Or(cmp.Compare(b.Kind, a.Kind), cmp.Compare(b.Target.SM(), a.Target.SM()), cmp.Compare(b.Target, a.Target))
	})
	return forms
}

func targetOf(t bundle.Target) ptx.Target {
	if t&bundle.Specific != 0 {
		return ptx.Target{SM: t.SM(), Suffix: "a"}
	}
	return ptx.Target{SM: t.SM()}
}

// unpack loads the first of the forms that the driver takes.
func (c *Compiler) unpack(e *compiled, im *driver.Image, forms []*bundle.Form) error {
	if err := c.gpu.Hold("load", ""); err != nil {
		return err
	}
	defer c.gpu.LetGo()
	for i, f := range forms {
		err := c.form(e, im, f)
		if err == nil {
			e.origin = metric.CompilesImage
			return nil
		}
		own, ok := err.(*driver.Error)
		if !ok || f.Kind != bundle.Cubin || i+1 == len(forms) || !slices.Contains(notFor, cu.Result(own.Code)) {
			return err
		}
		c.gpu.Say("the driver takes no %v of %s, and is given the %v: %v", f, im.Label(), forms[i+1], err)
	}
	return nil
}

// notFor are the answers of a driver to machine code for another one, or for another GPU.
var notFor = []cu.Result{cu.InvalidImage, cu.NoBinaryForGPU}

// form loads one form. The context is current.
func (c *Compiler) form(e *compiled, im *driver.Image, f *bundle.Form) error {
	payload, err := f.Payload()
	if err != nil {
		return err
	}
	code := &im.Codes[f.Code]
	m := moduleOf(code, targetOf(f.Target))
	k := &m.Kernels[0]
	e.how.target, e.params, e.fixed, e.trap = m.Target, k.Params, k.Dynamic, sites(code.Sites)
	var failed error
	if f.Kind == bundle.PTX {
		m.Text = string(payload)
		c.dump(m, "")
		failed = c.placed(e, m)
	} else if err := c.install(e, m, payload); err != nil {
		failed = err
	} else {
		e.image, e.text = payload, textOf(im, f)
	}
	if own, ok := failed.(*driver.Error); ok && cu.Result(own.Code) == cu.NotFound {
		return fmt.Errorf("bundle: the %v of kernel %s is another program's: %s", f, im.Label(), own.Msg)
	}
	return failed
}

// textOf returns the text that machine code was made of, if the bundle has it whole.
func textOf(im *driver.Image, f *bundle.Form) string {
	for i := range im.Forms {
		if t := &im.Forms[i]; t.Kind == bundle.PTX && t.Code == f.Code && t.Target == f.Target {
			text, _ := t.Payload() // nothing is loaded of it
			return string(text)
		}
	}
	return ""
}

// moduleOf is what the compiler would know of a text.
func moduleOf(c *bundle.Code, t ptx.Target) *ptx.Module {
	p := ptx.Params{Grid: int(c.Grid), Trap: int(c.Trap), Trace: int(c.Trace), Checks: -1, Firsts: c.Firsts, Bytes: int(c.Bytes)}
	for _, s := range c.Slots {
		p.Slots = append(p.Slots, ptx.Slot{Offset: int(s.Offset), Len: int(s.Len), Size: int(s.Size)})
	}
	return &ptx.Module{Target: t, Kernels: []ptx.Kernel{{Entry: c.Entry, Params: p, Static: int(c.Static), Dynamic: int(c.Dynamic), RestElem: int(c.RestElem)}}}
}

// sites finds traps in what a bundle has of them.
func sites(all []bundle.Site) func(row uint32) (message, where string, ok bool) {
	return func(row uint32) (message, where string, ok bool) {
		i, ok := slices.BinarySearchFunc(all, row, func(s bundle.Site, row uint32) int { return cmp.Compare(s.Row, row) })
		if !ok {
			return "", "", false
		}
		return all[i].Message, all[i].Where, true
	}
}
