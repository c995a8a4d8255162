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

// findings is how many are compared one by one; of more, those of the first row of each program and their number.
const findings = 1 << 12

// columnPasses optimises random programs by the passes that run on a device, many at once.
type columnPasses struct {
	ctx context.Context
	on  *columns.Passes

	mu    sync.Mutex
	made  map[uint64]*conform.RandomProgram // by seed
	done  map[[32]byte]*ir.Program          // by digest
	arena columns.Arena
	codes columns.Codes
	wrong map[[32]byte]error // by digest of a batch's first: where the device's verdict is not the host's
}

func openPasses(ctx context.Context, dev driver.Device) (*columnPasses, error) {
	on, err := columns.Open(ctx, dev, columns.Options{})
	if err != nil {
		return nil, err
	}
	return &columnPasses{ctx: ctx, on: on, made: map[uint64]*conform.RandomProgram{}, done: map[[32]byte]*ir.Program{}, wrong: map[[32]byte]error{}}, nil
}

func (c *columnPasses) Close() error { return c.on.Close() }

// suspects makes columns of programs to check, of each once spoilt too, and returns what the host finds there.
func (c *columnPasses) suspects(all []*ir.Program, seed uint64) (want []columns.Finding, err error) {
	c.codes.Reset()
	for i, p := range all {
		for k := range 2 {
			code := p.Edit()
			if !columns.Checkable(code) {
				continue
			}
			if k > 0 {
				columns.Spoil(code, seed+uint64(i))
			}
			found, code := columns.Sealed(code, c.codes.Len())
			if len(found) >= columns.HostMost {
				continue
			}
			if err := c.codes.Add(code); err != nil {
				return nil, err
			}
			want = append(want, found...)
		}
	}
	return want, nil
}

// run has the device optimise the programs of the arena and check suspects, in one launch. If they cannot go through
// together, the suspects go alone, and each program when it is asked for.
func (c *columnPasses) run(all []*ir.Program, seed uint64) error {
	want, err := c.suspects(all, seed)
	if err != nil {
		return err
	}
	b := columns.Batch{Arena: &c.arena, Codes: &c.codes, Findings: findings}
	r, err := c.on.Run(c.ctx, b)
	if err != nil {
		b.Arena = nil
		if r, err = c.on.Run(c.ctx, b); err != nil {
			return err
		}
	} else {
		for i, p := range all {
			if q, err := c.arena.Program(&r.Output, i); err == nil {
				c.done[p.Digest()] = q
			}
		}
	}
	if s := r.Verdict.Differs(want); s != "" {
		return errors.New(s)
	}
	return nil
}

// make makes the program of a seed, and with the first of a batch all of it.
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
	if err := c.run(all, seed); err != nil && len(all) > 0 {
		c.wrong[all[0].Digest()] = err
	}
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
