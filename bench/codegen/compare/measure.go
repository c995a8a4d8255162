package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/front"
)

// device is a problem's buffers on the device.
type device struct {
	*gpu
	p        *codegen.Problem
	mem      map[*codegen.Buffer]cu.Ptr
	pristine map[*codegen.Buffer]cu.Ptr // initial contents of what launches update
}

// place allocates and uploads the buffers.
func (g *gpu) place(p *codegen.Problem) (*device, error) {
	d := &device{g, p, make(map[*codegen.Buffer]cu.Ptr), make(map[*codegen.Buffer]cu.Ptr)}
	buffers := p.Buffers
	if p.Split != nil {
		buffers = slices.Concat(buffers, p.Split.Buffers())
	}
	for _, b := range buffers {
		m, err := g.memory(b.Bytes, b.Data)
		if err != nil {
			return d, err
		}
		d.mem[b] = m
		if b.Role == codegen.Update {
			if d.pristine[b], err = g.memory(b.Bytes, b.Data); err != nil {
				return d, err
			}
		}
	}
	return d, nil
}

func (d *device) free() error {
	var errs []error
	for _, set := range []map[*codegen.Buffer]cu.Ptr{d.mem, d.pristine} {
		for _, m := range set {
			errs = append(errs, d.drv.MemFree(m))
		}
	}
	return errors.Join(errs...)
}

// restore gives the buffers that a variant updates their contents back.
func (d *device) restore(v *variant) error {
	for _, b := range v.buffers {
		if b.Role == codegen.Update {
			if err := d.drv.MemcpyDtoDAsync(d.mem[b], d.pristine[b], b.Bytes, d.stream); err != nil {
				return err
			}
		}
	}
	return nil
}

// results runs a variant once over poisoned outputs and returns what it leaves in the problem's buffers.
func (d *device) results(v *variant) (map[*codegen.Buffer][]byte, error) {
	for _, b := range v.buffers {
		if b.Role == codegen.Out {
			if err := d.drv.MemsetD32Async(d.mem[b], 0xCBCBCBCB, b.Bytes/4, d.stream); err != nil {
				return nil, err
			}
		}
	}
	if err := d.restore(v); err != nil {
		return nil, err
	}
	if _, err := d.timed(v.calls); err != nil {
		return nil, fmt.Errorf("%s: %w", v.name, err)
	}
	out := make(map[*codegen.Buffer][]byte)
	for _, b := range v.buffers {
		if b.Role == codegen.In {
			continue
		}
		got, err := d.read(d.mem[b], b.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		out[b] = got
	}
	if v.split != nil {
		return v.split.Join(out), nil
	}
	return out, nil
}

// warmUps is how often each variant runs before its samples, which lets the clocks rise.
const warmUps = 3

// measure measures one case at one size.
func (g *gpu) measure(c *codegen.Case, size codegen.Size, kernels map[string]*front.Kernel, o options) (row Row, err error) {
	p := c.Make(size)
	d, err := g.place(p)
	defer func() { err = errors.Join(err, d.free()) }()
	if err != nil {
		return row, err
	}
	vs, err := g.variants(c, p, d.mem, kernels, o)
	defer func() {
		for _, v := range vs {
			g.unload(v)
		}
	}()
	if err != nil {
		return row, err
	}
	row = Row{Case: c.Name, Group: c.Group.String(), Entry: c.Entry, Bound: c.Bound, Size: size.String(), N: p.N, Launches: len(p.Steps), Bytes: p.Bytes}
	if row.Entry == "" {
		row.Entry = c.Name
	}
	if err := d.compare(&row, size, vs); err != nil {
		return row, err
	}
	for range warmUps {
		for _, v := range vs {
			if _, err := d.sample(v); err != nil {
				return row, err
			}
		}
	}
	times := make([][]time.Duration, len(vs))
	for i := range (o.samples + 1) / 2 * 2 {
		for k := range vs {
			if i%2 == 1 {
				k = len(vs) - 1 - k
			}
			t, err := d.sample(vs[k])
			if err != nil {
				return row, err
			}
			times[k] = append(times[k], t)
		}
	}
	// Not in turn with the variants: at the size that fits into the cache it would drive their buffers out.
	if c.Bound != "" && size != codegen.Launch {
		t, err := g.copied(p.Bytes)
		if err != nil {
			return row, err
		}
		row.Copy = t.Nanoseconds()
	}
	for k, v := range vs {
		row.Variants = append(row.Variants, Variant{Name: v.name, Stats: statsOf(times[k]), Cost: v.cost})
	}
	row.finish()
	return row, nil
}

// sample is one run of a variant, timed.
func (d *device) sample(v *variant) (time.Duration, error) {
	if err := d.restore(v); err != nil {
		return 0, err
	}
	return d.timed(v.calls)
}

// compare holds what the variants compute against the reference kernel without contraction, and that at the
// smallest size against plain Go.
func (d *device) compare(row *Row, size codegen.Size, vs []*variant) error {
	want, err := d.results(vs[1])
	if err != nil {
		return err
	}
	if size == codegen.Launch {
		for b, w := range d.p.Want() {
			if err := d.p.Check(b, want[b], w); err != nil {
				row.fault("the reference kernel against plain Go", err)
			}
		}
	}
	for i, v := range vs {
		if i == 1 {
			continue
		}
		got, err := d.results(v)
		if err != nil {
			return err
		}
		for b := range want {
			same := codegen.Same
			if v.near {
				same = codegen.Near
			}
			err := same(b, got[b], want[b])
			switch {
			case err == nil:
			case v.name == byDefault: // contraction may change bits
				row.Contracted = err.Error()
			default:
				row.fault(v.name+" against the reference kernel", err)
			}
		}
	}
	return nil
}
