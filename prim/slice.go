package prim

import (
	"context"
	"errors"
	"io"

	"github.com/govyre/vyre"
)

// job is one run of a primitive over slices of the host.
type job struct {
	ctx     context.Context
	dev     vyre.Device
	seq     *vyre.Sequence
	buffers []io.Closer
	reads   []func() error
}

// once runs a primitive once, and gives back everything, the primitive too. record gets buffers by given and wanted.
func once(ctx context.Context, dev vyre.Device, p io.Closer, record func(*job) error) error {
	j := &job{ctx: ctx, dev: dev, seq: dev.NewSequence("once")}
	err := record(j)
	if err == nil {
		_, err = j.seq.Run(ctx)
	}
	for _, read := range j.reads {
		if err == nil {
			err = read()
		}
	}
	j.seq.Drop()
	for _, b := range j.buffers {
		err = errors.Join(err, b.Close())
	}
	return errors.Join(err, p.Close())
}

// given returns a buffer that holds a slice.
func given[T vyre.Element](j *job, x []T) (*vyre.Buffer[T], error) {
	b, err := vyre.Upload(j.ctx, j.dev, x)
	if err == nil {
		j.buffers = append(j.buffers, b)
	}
	return b, err
}

// wanted returns a buffer that is read into a slice after the run.
func wanted[T vyre.Element](j *job, x []T) (*vyre.Buffer[T], error) {
	b, err := vyre.Alloc[T](j.dev, len(x))
	if err == nil {
		j.buffers = append(j.buffers, b)
		j.reads = append(j.reads, func() error { return b.ReadInto(j.ctx, x) })
	}
	return b, err
}

// chosen returns a buffer for n elements, of which after the run the first are read into a new slice: as many as count
// says, which was wanted before. What lies behind them nobody has written.
func chosen[T vyre.Element](j *job, n int, x *[]T, count []uint64) (*vyre.Buffer[T], error) {
	b, err := vyre.Alloc[T](j.dev, n)
	if err == nil {
		j.buffers = append(j.buffers, b)
		j.reads = append(j.reads, func() error {
			*x = make([]T, count[0])
			return b.View(0, len(*x)).ReadInto(j.ctx, *x)
		})
	}
	return b, err
}
