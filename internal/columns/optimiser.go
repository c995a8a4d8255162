package columns

import (
	"context"
	_ "embed"
	"errors"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

// Source is the text of the kernels, which are compiled when a device is opened.
//
//go:embed kernels.go
var Source string

// Options adjusts an optimiser or a validator. The zero value is fine.
type Options struct {
	Group  uint32 // invocations of a workgroup, a multiple of 32; 0 is 256
	Hash   uint32 // bits that hashes are without, if tests want fewer
	Source string // of the kernels, if tests want others
	Pool   driver.PoolOptions
}

// Output is what a run leaves. It is overwritten by the next one.
type Output struct {
	Arena           // compact; Chunk is not there
	From   []uint32 // by row: which it was in its program
	Rounds []uint32 // by program: how often its rows were numbered, at most
	Timing driver.Timing

	Reports []driver.Report // of a device that watches
}

// Optimiser has the kernels, and memory for arenas of the last sizes.
type Optimiser struct {
	resident
	hash   uint32
	group  uint32
	result Output
}

// Open compiles the kernels.
func Open(ctx context.Context, dev driver.Device, o Options) (*Optimiser, error) {
	var err error
	if o.Group, err = o.group(); err != nil {
		return nil, err
	}
	if o.Source == "" {
		o.Source = Source
	}
	fold, err := foldProgram("Fold", false, o.Group)
	if err != nil {
		return nil, err
	}
	functions, err := foldProgram("FoldFunctions", true, o.Group)
	if err != nil {
		return nil, err
	}
	c := &Optimiser{hash: ^o.Hash, group: o.Group}
	if err := c.open(ctx, dev, o, o.Source, []*ir.Program{fold, functions}, vyre.Bytes(Ops[:])); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// prepare records the sequence for arenas of a size.
func (c *Optimiser) prepare(a *Arena) error {
	n, m, h, objects, data := len(a.Rows), len(a.More), len(a.Heads), 4*len(a.Objects), len(a.Data)
	sizes := [8]int{n, m, h, objects, data}
	if c.sizes == sizes {
		return nil
	}
	return c.begin(sizes, "passes over columns", total(h, n/32, 4*n, n, m, objects, data), total(n, n, 4*n, n/32, n/32, n), total(h, 4*n, n, n, m, h/HeadWords),
		func(seq *driver.Sequence, p, w, o *columns) {
			heads, chunk, rows, tag, more := p.next(h), p.next(n/32), p.next(4*n), p.next(n), p.next(max(1, m))
			objects, data := p.next(max(1, objects)), p.next(max(1, data))
			leader, inside, table := w.next(n), w.next(n), w.next(4*n)
			live, base, place := w.next(n/32), w.next(n/32), w.next(n)
			heads2, rows2, tag2, from, more2, rounds := o.next(h), o.next(4*n), o.next(n), o.next(n), o.next(max(1, m)), o.next(h/HeadWords)
			ops, hash := driver.All(c.tables.Buffers[0]), driver.U32(c.hash)
			launch := func(name string, grid driver.Grid, args ...driver.Arg) { seq.Launch(c.kernels[name], grid, args...) }
			each, warps := driver.Cover(uint64(n), c.group), driver.Cover(uint64(h/HeadWords), c.group/32)

			seq.Upload(driver.All(p.buffer), vyre.Bytes(c.in), driver.Always)
			seq.Fill(table, 1<<64-1, 8)
			seq.Fill(driver.All(o.buffer), 0, 4)
			launch("Fold", warps, heads, ops, rows, tag, objects, data)
			launch("FoldFunctions", warps, heads, ops, rows, tag, objects, data)
			launch("Epochs", warps, heads, ops, rows, tag, leader, inside)
			launch("Number", warps, hash, heads, ops, rows, tag, more, leader, rounds, table)
			launch("Live", warps, heads, ops, rows, tag, more, live, base, place, heads2)
			launch("Place", driver.Groups(1), heads2)
			launch("Compact", each, chunk, heads, ops, rows, tag, more, live, base, place, heads2, rows2, tag2, from, more2)
			seq.Read(driver.All(o.buffer), vyre.Bytes(c.out))
		})
}

// Run optimises the programs of an arena. Those of the sizes of the last one allocate nothing.
//
// Errors: OutOfMemory, with the bytes; Canceled; those of a device. The next run begins afresh.
func (c *Optimiser) Run(ctx context.Context, a *Arena) (*Output, error) {
	if a.Len() == 0 {
		c.result = Output{}
		return &c.result, nil
	}
	if err := c.prepare(a); err != nil {
		return nil, err
	}
	res, err := c.run(ctx, a.Heads, a.Chunk, flat(a.Rows), a.Tag, a.More, flat(a.Objects), a.Data)
	if err != nil {
		return nil, err
	}
	r, out, n := &c.result, c.out, len(a.Rows)
	r.Timing, r.Reports = res.Timing, res.Reports
	r.Heads, r.Rows = read(&out, len(a.Heads)), wordRows(read(&out, 4*n))
	r.Tag, r.From, r.More, r.Rounds = read(&out, n), read(&out, n), read(&out, max(1, len(a.More))), read(&out, a.Len())
	return r, nil
}

// Optimise runs the passes over one program.
func (c *Optimiser) Optimise(ctx context.Context, p *ir.Program) (*ir.Program, error) {
	a := new(Arena)
	if err := a.Add(p); err != nil {
		return nil, err
	}
	r, err := c.Run(ctx, a)
	if err != nil {
		return nil, err
	}
	return a.Program(r, 0)
}
