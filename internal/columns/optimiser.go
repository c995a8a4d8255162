package columns

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
)

// Source is the text of the kernels, which are compiled when a device is opened.
//
//go:embed kernels.go
var Source string

// Options adjusts an optimiser. The zero value is fine.
type Options struct {
	Rounds int    // that fold and merge, at most; 0 is 8
	Group  uint32 // invocations of a workgroup, a multiple of 32; 0 is 256
	Hash   uint32 // masks hashes, if tests want fewer; 0 is all bits
	Source string // of the kernels, if tests want others
	Pool   driver.PoolOptions
}

// Output is what a run leaves. It is overwritten by the next one.
type Output struct {
	Arena           // compact; Chunk is not there
	From   []uint32 // by row: which it was in its program
	Rounds uint64   // that fold and merge
	Closed bool     // the last one found nothing; else what is merged is right, perhaps not all
	Timing driver.Timing

	Reports []driver.Report // of a device that watches
}

// Optimiser has the kernels, and memory for arenas of the last sizes.
type Optimiser struct {
	dev     driver.Device
	o       Options
	pool    *driver.Pool
	ops     *driver.StaticSet
	kernels map[string]driver.Kernel

	heads, rows, more int // what seq is for
	seq               *driver.Sequence
	buffers           []driver.Buffer
	in, out           []uint32
	result            Output
}

// Open compiles the kernels.
func Open(ctx context.Context, dev driver.Device, o Options) (*Optimiser, error) {
	if o.Rounds == 0 {
		o.Rounds = 8
	}
	if o.Group == 0 {
		o.Group = 256
	}
	if o.Hash == 0 {
		o.Hash = None
	}
	if o.Source == "" {
		o.Source = Source
	}
	if o.Group%32 != 0 || o.Group > 1024 {
		return nil, &driver.Error{Op: "open", Label: "columns", Kind: driver.InvalidArgument,
			Msg: fmt.Sprintf("workgroups of %d threads are not whole warps, or too large", o.Group), Fix: "take a multiple of 32, at most 1024"}
	}
	c := &Optimiser{dev: dev, o: o, pool: dev.NewPool(o.Pool), kernels: make(map[string]driver.Kernel)}
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Optimiser) open(ctx context.Context) error {
	src := strings.ReplaceAll(c.o.Source, "workgroup=256", fmt.Sprintf("workgroup=%d", c.o.Group))
	programs, err := kernel.Parse(ctx, []kernel.File{{Name: "kernels.go", Src: []byte(src)}}, kernel.Options{})
	if err != nil {
		return err
	}
	fold, err := foldProgram(c.o.Group)
	if err != nil {
		return err
	}
	for _, p := range append(programs, fold) {
		if c.kernels[p.Name()], err = c.dev.Compile(ctx, p, driver.Options{}); err != nil {
			return err
		}
	}
	c.ops, err = c.pool.Static(ctx, 0, vyre.Bytes(Ops[:]))
	return err
}

// columns hands out places of a buffer, each aligned, one behind the other.
type columns struct {
	buffer driver.Buffer
	at     int64
}

func (p *columns) next(words int) driver.Range {
	r := driver.Part(p.buffer, p.at, 4*int64(words))
	p.at = (r.End() + 255) &^ 255
	return r
}

// sizes are the words of the three buffers.
func (c *Optimiser) sizes(a *Arena) (in, work, out int) {
	words := func(counts ...int) (n int) {
		for _, k := range counts {
			n += (k + 63) &^ 63
		}
		return n
	}
	n, m, h := len(a.Rows), max(1, len(a.More)), len(a.Heads)
	return words(h, n/32, 4*n, n, m), words(1, h/HeadWords, h/HeadWords, n, n, 2*n, 4*n, n/32, n/32, n), words(h, 4*n, n, n, m)
}

// mostThreads are those of a round: about twice what the largest GPUs keep resident. Each warp looks at 32 chunks at a
// time, so that rounds in which few programs change are short.
const mostThreads = 1 << 19

// prepare records the sequence for arenas of a size.
func (c *Optimiser) prepare(a *Arena) error {
	n, m, h := len(a.Rows), max(1, len(a.More)), len(a.Heads)
	if c.seq != nil && c.heads == h && c.rows == n && c.more == m {
		return nil
	}
	if err := c.forget(); err != nil {
		return err
	}
	in, work, out := c.sizes(a)
	all, err := c.pool.GetAll(4*int64(in), 4*int64(work), 4*int64(out))
	if err != nil {
		return err
	}
	c.buffers = all
	c.in, c.out = make([]uint32, in), make([]uint32, out)
	seq := c.dev.NewSequence("passes over columns")
	c.heads, c.rows, c.more, c.seq = h, n, m, seq

	p, w, o := columns{buffer: all[0]}, columns{buffer: all[1]}, columns{buffer: all[2]}
	heads, chunk, rows, tag, more := p.next(h), p.next(n/32), p.next(4*n), p.next(n), p.next(m)
	changed, busy, hit := w.next(1), w.next(h/HeadWords), w.next(h/HeadWords)
	leader, inside, value, table := w.next(n), w.next(n), w.next(2*n), w.next(4*n)
	live, base, place := w.next(n/32), w.next(n/32), w.next(n)
	heads2, rows2, tag2, from, more2 := o.next(h), o.next(4*n), o.next(n), o.next(n), o.next(m)
	ops, hash := driver.All(c.ops.Buffers[0]), driver.U32(c.o.Hash)
	launch := func(name string, grid driver.Grid, args ...driver.Arg) { seq.Launch(c.kernels[name], grid, args...) }
	each, round := driver.Cover(uint64(n), c.o.Group), driver.Cover(uint64(min(n, mostThreads)), c.o.Group)
	warps := driver.Cover(uint64(h/HeadWords), c.o.Group/32)

	seq.Upload(driver.All(all[0]), vyre.Bytes(c.in), driver.Always)
	seq.Fill(changed, 1, 4)
	seq.Fill(busy, 1, 4)
	seq.Fill(table, 1<<64-1, 8)
	seq.Fill(driver.All(all[2]), 0, 4)
	launch("Epochs", warps, heads, ops, rows, tag, leader, inside)
	seq.While(changed, c.o.Rounds, func() {
		seq.Fill(changed, 0, 4)
		seq.Fill(hit, 0, 4)
		launch("Fold", round, chunk, ops, rows, busy, leader, value, hit, changed)
		launch("Insert", round, hash, chunk, heads, ops, rows, tag, busy, leader, table)
		launch("Lookup", round, hash, chunk, heads, ops, rows, tag, busy, leader, table, hit, changed)
		launch("Refresh", round, chunk, ops, rows, tag, more, busy, leader, value, table)
		seq.Copy(busy, hit)
	})
	launch("Live", warps, heads, ops, rows, tag, more, live, base, place, heads2)
	launch("Place", driver.Groups(1), heads2)
	launch("Compact", each, chunk, heads, ops, rows, tag, more, live, base, place, heads2, rows2, tag2, from, more2)
	seq.Read(driver.All(all[2]), vyre.Bytes(c.out))
	if err := seq.Prepare(); err != nil {
		return errors.Join(err, c.forget())
	}
	return nil
}

// Run optimises the programs of an arena. Those of the sizes of the last one allocate nothing.
//
// Errors: OutOfMemory, with the bytes; Canceled; those of a device. The next run begins afresh.
func (c *Optimiser) Run(ctx context.Context, a *Arena) (*Output, error) {
	if a.Len() == 0 {
		c.result = Output{Closed: true}
		return &c.result, nil
	}
	if err := c.prepare(a); err != nil {
		return nil, err
	}
	if err := c.seq.Settle(ctx); err != nil { // what a run that failed has left under way
		return nil, err
	}
	c.image(c.in, a.Heads, a.Chunk, rowWords(a.Rows), a.Tag, a.More)
	res, err := c.seq.Run(ctx)
	if err != nil {
		return nil, err
	}
	r := &c.result
	r.Timing, r.Reports, r.Rounds, r.Closed = res.Timing, res.Reports, res.Loops[0].Iterations, res.Loops[0].Converged
	at := 0
	next := func(words int) []uint32 {
		s := c.out[at : at+words : at+words]
		at += (words + 63) &^ 63
		return s
	}
	r.Heads, r.Rows = next(c.heads), wordRows(next(4*c.rows))
	r.Tag, r.From, r.More = next(c.rows), next(c.rows), next(c.more)
	return r, nil
}

// image puts columns behind each other, each at a multiple of 256 bytes.
func (c *Optimiser) image(to []uint32, columns ...[]uint32) {
	for _, from := range columns {
		copy(to, from)
		to = to[(max(1, len(from))+63)&^63:]
	}
}

// forget gives back what arenas of the last sizes need.
func (c *Optimiser) forget() error {
	if c.seq != nil {
		_ = c.seq.Settle(context.Background()) // whatever came of it
		if err := c.seq.Close(); err != nil {
			return err
		}
		c.seq = nil
	}
	for len(c.buffers) > 0 {
		if err := c.pool.Put(c.buffers[0]); err != nil {
			return err
		}
		c.buffers = c.buffers[1:]
	}
	return nil
}

// Close gives everything back.
func (c *Optimiser) Close() error {
	err := c.forget()
	if c.ops != nil {
		err = errors.Join(err, c.pool.Release(c.ops))
		c.ops = nil
	}
	err = errors.Join(err, c.pool.Close())
	for _, k := range c.kernels {
		if k != nil {
			err = errors.Join(err, k.Close())
		}
	}
	c.kernels = nil
	return err
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
