package main

import (
	"context"
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
	ctx context.Context
	on  *columns.Optimiser

	mu    sync.Mutex
	made  map[uint64]*conform.RandomProgram // by seed
	done  map[[32]byte]*ir.Program          // by digest
	arena columns.Arena
}

func openPasses(ctx context.Context, dev driver.Device) (*columnPasses, error) {
	on, err := columns.Open(ctx, dev, columns.Options{})
	return &columnPasses{ctx: ctx, on: on, made: map[uint64]*conform.RandomProgram{}, done: map[[32]byte]*ir.Program{}}, err
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
	p := c.made[seed]
	delete(c.made, seed)
	return p
}

// pass is what the passes make of a program.
func (c *columnPasses) pass(p *ir.Program) (*ir.Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q := c.done[p.Digest()]; q != nil {
		delete(c.done, p.Digest())
		return q, nil
	}
	return c.on.Optimise(c.ctx, p)
}
