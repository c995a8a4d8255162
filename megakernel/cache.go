package megakernel

import (
	"context"
	"fmt"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/ir"
)

// Cache keeps what plans of one device are made of, so that making an equal plan again neither writes
// its programs nor compiles them, and what was chosen for them. It may be used from any goroutine.
type Cache struct {
	dev       driver.Device
	kernels   *plan.Cache[compiled]
	decisions *plan.Decisions
}

// compiled is a kernel and the rows of its program.
type compiled struct {
	driver.Kernel
	rows int
}

// NewCache returns a cache of so many kernels beside those that open plans use; 0 is plan.DefaultCapacity.
func NewCache(dev driver.Device, capacity int) *Cache {
	if capacity == 0 {
		capacity = plan.DefaultCapacity
	}
	return &Cache{dev: dev, decisions: plan.NewDecisions(capacity),
		kernels: plan.NewCache(capacity, func(c compiled) { c.Close() })} // that of a kernel that nobody uses says nothing new
}

// CacheStats counts how often kernels were there.
type CacheStats = plan.CacheStats

// Stats returns how often kernels were there and how often they were not.
func (c *Cache) Stats() CacheStats { return c.kernels.Stats() }

// Close closes the kernels that no plan uses, and the others when their plans are closed.
func (c *Cache) Close() { c.kernels.Close() }

// release gives a kernel of a cache back.
type release struct{ *plan.Entry[compiled] }

func (r release) Close() error {
	r.Release()
	return nil
}

// identity is everything that a plan's programs and decisions depend on.
func (p *Plan) identity() *plan.Identity {
	caps := p.dev.Caps()
	id := &plan.Identity{Budget: p.o.Budget, Dependencies: p.deps,
		Device: plan.DeviceIdentity{Target: caps.Target, Units: caps.Units, WarpSize: caps.WarpSize, ThreadsPerGroup: caps.MaxThreadsPerGroup,
			SharedPerGroup: int(caps.SharedPerGroup), GridBarrier: caps.GridBarrier, LoopNodes: caps.LoopNodes, DriverVersion: caps.DriverVersion}}
	var s strings.Builder
	fmt.Fprintf(&s, "%s %v %d %d %q %d %v %v", p.o.Label, p.o.Topology, p.threads, p.enter(), p.o.Optimise, p.o.MaxRegisters, p.tabled, p.traced)
	for k := range p.params {
		q := p.params[k].param
		fmt.Fprintf(&s, "|%s %s %d %d %d", q.Name, q.ElemName(), q.Access, q.Align, q.MaxLen)
		if q.Record != nil {
			fmt.Fprintf(&s, " %+v", *q.Record)
		}
	}
	for k := range p.bindings {
		g := &p.bindings[k]
		fmt.Fprintf(&s, "|%d %v %d %d", g.parameter, g.part, g.base, g.length)
	}
	for i := range p.steps {
		w := &p.steps[i]
		fmt.Fprintf(&s, "|%v %d %d", w.Phase, w.length, w.rest)
		for _, a := range w.args {
			fmt.Fprintf(&s, " %d,%d,%x", a.kind, a.binding, a.bits)
		}
		if w.stay != nil {
			fmt.Fprintf(&s, " %x %d %d", w.stay.Program.Digest(), w.stay.rest, w.Stay.Most)
			for _, a := range w.stay.args {
				fmt.Fprintf(&s, " %d,%d,%x", a.kind, a.binding, a.bits)
			}
		}
		if w.Drain != nil && w.Drain.Program != nil {
			fmt.Fprintf(&s, " %x", w.Drain.Program.Digest())
		}
		id.Waves = append(id.Waves, plan.WaveIdentity{Program: w.Program.Digest(), Domain: uint8(w.Domain.kind), Items: uint64(w.Domain.count), Envelope: w.Bytes})
	}
	if p.drain != nil {
		fmt.Fprintf(&s, "|drain %d", p.drain.Drain.Slots)
		for _, a := range p.drain.args {
			fmt.Fprintf(&s, " %d,%d,%x", a.kind, a.binding, a.bits)
		}
	}
	id.Options = s.String()
	return id
}

// compile compiles a program of the plan, which holds the kernel until Close. If there is a cache, the
// program is made only if its kernel is not there.
func (p *Plan) compile(ctx context.Context, name string, made func() (*ir.Program, error)) (driver.Kernel, error) {
	build := func() (compiled, uint64, error) {
		program, err := made()
		if err != nil {
			return compiled{}, 0, &driver.Error{Op: "plan", Label: p.o.Label, Device: p.dev.Name(), Kind: driver.InvalidProgram, Msg: "the waves do not make a program: " + err.Error(),
				Fix: "the rule that was broken says what to change", Err: err}
		}
		if err := p.fitsShared(program); err != nil {
			return compiled{}, 0, err
		}
		k, err := p.dev.Compile(ctx, program, driver.Options{Optimise: p.o.Optimise, MaxRegisters: p.o.MaxRegisters, Label: program.Name()})
		return compiled{k, program.Rows()}, 0, err
	}
	c := p.o.Cache
	if c == nil {
		k, _, err := build()
		if err != nil {
			return nil, err
		}
		p.rows = max(p.rows, k.rows)
		p.closers = append(p.closers, k)
		return k.Kernel, nil
	}
	if p.id == nil {
		p.id = p.identity()
	}
	id := *p.id
	id.Options += "|" + name
	var keyer plan.Keyer
	e, err := c.kernels.Get(ctx, keyer.Key(&id), build)
	if err != nil {
		return nil, err
	}
	p.rows = max(p.rows, e.Value().rows)
	p.closers = append(p.closers, release{e})
	return e.Value().Kernel, nil
}
