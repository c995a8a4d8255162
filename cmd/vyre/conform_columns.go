package main

import (
	"context"
	"errors"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/columns"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/ir"
)

// batch is how many random programs go through the device's passes at once.
const batch = 256

// columnPasses optimises random programs by the passes that run on a device, many at once.
type columnPasses struct {
	ctx    context.Context
	on     *columns.Optimiser
	checks *columns.Validator

	mu    sync.Mutex
	made  map[uint64]*conform.RandomProgram // by seed
	done  map[[32]byte]*ir.Program          // by digest
	arena columns.Arena
	codes columns.Codes
	wrong map[[32]byte]error // by digest of a batch's first: where the device's verdict is not the host's
}

func openPasses(ctx context.Context, dev driver.Device) (*columnPasses, error) {
	c := &columnPasses{ctx: ctx, made: map[uint64]*conform.RandomProgram{}, done: map[[32]byte]*ir.Program{}, wrong: map[[32]byte]error{}}
	var err error
	if c.on, err = columns.Open(ctx, dev, columns.Options{}); err != nil {
		return nil, err
	}
	if c.checks, err = columns.OpenValidator(ctx, dev, columns.Options{}); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *columnPasses) Close() error {
	err := c.on.Close()
	if c.checks != nil {
		err = errors.Join(err, c.checks.Close())
	}
	return err
}

// check has the device look at programs, at each once spoilt too, and compares its verdict with the host's.
func (c *columnPasses) check(all []*ir.Program, seed uint64) {
	c.codes.Reset()
	var want []columns.Finding
	for i, p := range all {
		for k := range 2 {
			code := p.Edit()
			if k > 0 {
				columns.Spoil(code, seed+uint64(i))
			}
			found, code := columns.Sealed(code, c.codes.Len())
			if len(found) >= columns.HostMost {
				continue
			}
			if err := c.codes.Add(code); err != nil {
				c.wrong[all[0].Digest()] = err
				return
			}
			want = append(want, found...)
		}
	}
	v, err := c.checks.Run(c.ctx, &c.codes)
	if err != nil {
		c.wrong[all[0].Digest()] = err
		return
	}
	if s := v.Differs(want); s != "" {
		c.wrong[all[0].Digest()] = errors.New(s)
	}
}

// make makes the program of a seed, and with the first of a batch all of it. If these cannot go through together, pass
// says which of them it is.
func (c *columnPasses) make(seed uint64) *conform.RandomProgram {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.made[seed]; p != nil {
		delete(c.made, seed)
		return p
	}
	c.arena.Reset()
	var all []*ir.Program
	for s := seed; s < seed+batch; s++ {
		p := conform.Random(s)
		c.made[s] = p
		if c.arena.Add(p.Program) == nil {
			all = append(all, p.Program)
		}
	}
	if r, err := c.on.Run(c.ctx, &c.arena); err == nil {
		for i, p := range all {
			if q, err := c.arena.Program(r, i); err == nil {
				c.done[p.Digest()] = q
			}
		}
	}
	c.check(all, seed)
	p := c.made[seed]
	delete(c.made, seed)
	return p
}

// pass is what the passes make of a program.
func (c *columnPasses) pass(p *ir.Program) (*ir.Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.wrong[p.Digest()]; err != nil {
		return nil, err
	}
	if q := c.done[p.Digest()]; q != nil {
		delete(c.done, p.Digest())
		return q, nil
	}
	return c.on.Optimise(c.ctx, p)
}
