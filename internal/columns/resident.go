package columns

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/kernel"
)

// resident has kernels and their tables on a device, and the sequence and the memory for batches of the last sizes.
type resident struct {
	dev     driver.Device
	pool    *driver.Pool
	tables  *driver.StaticSet
	kernels map[string]driver.Kernel

	sizes   [8]int // what seq is for
	seq     *driver.Sequence
	buffers []driver.Buffer // what is uploaded, what is worked with, what is read
	in, out []uint32
}

// open compiles kernels from a source, and others.
func (c *resident) open(ctx context.Context, dev driver.Device, o Options, source string, others []*ir.Program, tables ...[]byte) error {
	c.dev, c.pool, c.kernels = dev, dev.NewPool(o.Pool), make(map[string]driver.Kernel)
	source = strings.ReplaceAll(source, "workgroup=256", fmt.Sprintf("workgroup=%d", o.Group))
	programs, err := kernel.Parse(ctx, []kernel.File{{Name: "kernels.go", Src: []byte(source)}}, kernel.Options{})
	if err != nil {
		return err
	}
	for _, p := range append(programs, others...) {
		if c.kernels[p.Name()], err = dev.Compile(ctx, p, driver.Options{}); err != nil {
			return err
		}
	}
	c.tables, err = c.pool.Static(ctx, 0, tables...)
	return err
}

// group is the workgroup's size that options ask for.
func (o Options) group() (uint32, error) {
	switch {
	case o.Group == 0:
		return 256, nil
	case o.Group%32 != 0 || o.Group > 1024:
		return 0, &driver.Error{Op: "open", Label: "columns", Kind: driver.InvalidArgument,
			Msg: fmt.Sprintf("workgroups of %d threads are not whole warps, or too large", o.Group), Fix: "take a multiple of 32, at most 1024"}
	}
	return o.Group, nil
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

// total is the words of columns of so many, as next and image place them.
func total(counts ...int) (n int) {
	for _, k := range counts {
		n += (max(1, k) + 63) &^ 63
	}
	return n
}

// begin makes memory of so many words and a sequence that record fills, for batches of some sizes.
func (c *resident) begin(sizes [8]int, label string, in, work, out int, record func(seq *driver.Sequence, in, work, out *columns)) error {
	if err := c.forget(); err != nil {
		return err
	}
	all, err := c.pool.GetAll(4*int64(in), 4*int64(work), 4*int64(out))
	if err != nil {
		return err
	}
	c.buffers = all
	c.in, c.out = make([]uint32, in), make([]uint32, out)
	c.seq = c.dev.NewSequence(label)
	record(c.seq, &columns{buffer: all[0]}, &columns{buffer: all[1]}, &columns{buffer: all[2]})
	if err := c.seq.Prepare(); err != nil {
		return errors.Join(err, c.forget())
	}
	c.sizes = sizes
	return nil
}

// run copies columns to where they are uploaded from, and runs the sequence.
func (c *resident) run(ctx context.Context, columns ...[]uint32) (driver.Result, error) {
	if err := c.seq.Settle(ctx); err != nil { // what a run that failed has left under way
		return driver.Result{}, err
	}
	to := c.in
	for _, from := range columns {
		copy(to, from)
		to = to[total(len(from)):]
	}
	return c.seq.Run(ctx)
}

// read is the next words of what was read.
func read(from *[]uint32, words int) []uint32 {
	s := (*from)[:words:words]
	*from = (*from)[total(words):]
	return s
}

// forget gives back what batches of the last sizes need.
func (c *resident) forget() error {
	c.sizes = [8]int{}
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
func (c *resident) Close() error {
	err := c.forget()
	if c.tables != nil {
		err = errors.Join(err, c.pool.Release(c.tables))
		c.tables = nil
	}
	if c.pool != nil {
		err = errors.Join(err, c.pool.Close())
	}
	for _, k := range c.kernels {
		if k != nil {
			err = errors.Join(err, k.Close())
		}
	}
	c.kernels = nil
	return err
}

// flat is rows as words.
func flat[T [2]uint32 | [4]uint32](rows []T) []uint32 {
	if len(rows) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&rows[0])), int(unsafe.Sizeof(rows[0]))/4*len(rows))
}
