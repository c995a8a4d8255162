package main

import (
	"context"
	"io"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim"
)

// operation is one of a kind that the reference has, too. make returns what records it, and what the result is, nothing if
// it is not compared.
type operation struct {
	name string
	make func(j *job) (record func(seq *vyre.Sequence) vyre.Range, err error)
}

// job is what the measurement of an operation on n elements needs.
type job struct {
	*bench
	n       int
	closers []io.Closer
	scratch int64
}

// keep closes c when the operation has been measured.
func keep[T io.Closer](j *job, c T, err error) (T, error) {
	if err == nil {
		j.closers = append(j.closers, c)
		if s, ok := any(c).(interface{ Bytes() int64 }); ok {
			j.scratch += s.Bytes()
		}
	}
	return c, err
}

// room is a buffer for n elements.
func room[T vyre.Element](j *job, n int) (*vyre.Buffer[T], error) {
	b, err := vyre.Alloc[T](j.dev, n)
	if err == nil {
		j.closers = append(j.closers, b)
	}
	return b, err
}

// input is a buffer with n elements of a kind.
func input[T vyre.Element](j *job, kind uint32) (*vyre.Buffer[T], error) {
	b, err := room[T](j, j.n)
	if err != nil {
		return nil, err
	}
	seq := j.dev.NewSequence("input")
	defer seq.Close()
	grid := vyre.Grid{1024}
	switch x := any(b).(type) {
	case *vyre.Buffer[uint32]:
		k, err := CompileInput32(j.ctx, j.dev)
		if err != nil {
			return nil, err
		}
		k.Launch(seq, grid, kind, j.words, x)
	case *vyre.Buffer[uint64]:
		k, err := CompileInput64(j.ctx, j.dev)
		if err != nil {
			return nil, err
		}
		k.Launch(seq, grid, kind, j.words, x)
	case *vyre.Buffer[uint8]:
		k, err := CompileInput8(j.ctx, j.dev)
		if err != nil {
			return nil, err
		}
		k.Launch(seq, grid, kind, j.words, x)
	case *vyre.Buffer[float32]:
		k, err := CompileInputFloat(j.ctx, j.dev)
		if err != nil {
			return nil, err
		}
		k.Launch(seq, grid, j.words, x)
	case *vyre.Buffer[float64]:
		k, err := CompileInputDouble(j.ctx, j.dev)
		if err != nil {
			return nil, err
		}
		k.Launch(seq, grid, j.words, x)
	}
	_, err = seq.Run(j.ctx)
	return b, err
}

// cases are the operations, by the names that the reference has for them.
var cases = []operation{
	{"reduce-u32", reduce[uint32](wordInput, true)},
	{"reduce-u64", reduce[uint64](longInput, true)},
	{"reduce-f32", reduce[float32](uniformInput, false)},
	{"reduce-f64", reduce[float64](uniformInput, false)},
	{"scan-u32", scan[uint32](wordInput, true)},
	{"scan-u64", scan[uint64](longInput, true)},
	{"scan-f32", scan[float32](uniformInput, false)},
	{"sort-u32", sort[uint32](wordInput)},
	{"sort-u64", sort[uint64](longInput)},
	{"sort-u32-u32", sortPairs[uint32, uint32](wordInput)},
	{"sort-u64-u32", sortPairs[uint64, uint32](longInput)},
	{"sort-u64-u64", sortPairs[uint64, uint64](longInput)},
	{"select-u32", choose(prim.NewSelect[uint32, uint8])},
	{"partition-u32", choose(prim.NewPartition[uint32, uint8])},
	{"unique-u32", unique},
	{"histogram-u8", func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
		return histogram(j, prim.EachValue[uint8](), topInput)
	}},
	{"histogram-f32", func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
		return histogram(j, prim.Even[float32](1024, 0, 1.0/1024), uniformInput)
	}},
	{"random-words", draw[uint32](prim.Words)},
	{"random-uniform", draw[float32](prim.Uniform)},
}

func reduce[T vyre.Element](kind uint32, compared bool) func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
	return func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
		r, err := prim.NewReduce[T](j.ctx, j.dev, prim.Sum, j.n)
		if r, err = keep(j, r, err); err != nil {
			return nil, err
		}
		x, err := input[T](j, kind)
		if err != nil {
			return nil, err
		}
		out, err := room[T](j, 1)
		return func(seq *vyre.Sequence) vyre.Range {
			r.Record(seq, prim.N(j.n), x, out)
			if !compared {
				return vyre.Range{}
			}
			return out.Bytes()
		}, err
	}
}

func scan[T vyre.Element](kind uint32, compared bool) func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
	return func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
		s, err := prim.NewScan[T](j.ctx, j.dev, prim.Sum, j.n)
		if s, err = keep(j, s, err); err != nil {
			return nil, err
		}
		x, err := input[T](j, kind)
		if err != nil {
			return nil, err
		}
		out, err := room[T](j, j.n)
		return func(seq *vyre.Sequence) vyre.Range {
			s.Record(seq, prim.N(j.n), x, out)
			if !compared {
				return vyre.Range{}
			}
			return out.Bytes()
		}, err
	}
}

func sort[T vyre.Element](kind uint32) func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
	return func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
		s, err := prim.NewSort[T](j.ctx, j.dev, j.n, prim.SortOptions{})
		if s, err = keep(j, s, err); err != nil {
			return nil, err
		}
		x, err := input[T](j, kind)
		if err != nil {
			return nil, err
		}
		out, err := room[T](j, j.n)
		return func(seq *vyre.Sequence) vyre.Range {
			s.Record(seq, prim.N(j.n), x, out)
			return out.Bytes()
		}, err
	}
}

func sortPairs[K, V vyre.Element](kind uint32) func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
	return func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
		s, err := prim.NewSortPairs[K, V](j.ctx, j.dev, j.n, prim.SortOptions{})
		if s, err = keep(j, s, err); err != nil {
			return nil, err
		}
		x, err := input[K](j, kind)
		if err != nil {
			return nil, err
		}
		values, err := input[V](j, indexInput)
		if err != nil {
			return nil, err
		}
		out, err := room[K](j, j.n)
		if err != nil {
			return nil, err
		}
		outValues, err := room[V](j, j.n)
		return func(seq *vyre.Sequence) vyre.Range {
			s.Record(seq, prim.N(j.n), x, values, out, outValues)
			return outValues.Bytes()
		}, err
	}
}

func choose(make func(context.Context, *vyre.Device, int) (*prim.Select[uint32, uint8], error)) func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
	return func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
		s, err := make(j.ctx, j.dev, j.n)
		if s, err = keep(j, s, err); err != nil {
			return nil, err
		}
		x, err := input[uint32](j, wordInput)
		if err != nil {
			return nil, err
		}
		flags, err := input[uint8](j, flagInput)
		if err != nil {
			return nil, err
		}
		out, err := room[uint32](j, j.n)
		if err != nil {
			return nil, err
		}
		count, err := room[uint32](j, 1)
		return func(seq *vyre.Sequence) vyre.Range {
			s.Record(seq, prim.N(j.n), x, flags, out, count)
			return count.Bytes()
		}, err
	}
}

func unique(j *job) (func(*vyre.Sequence) vyre.Range, error) {
	u, err := prim.NewUnique[uint32](j.ctx, j.dev, j.n)
	if u, err = keep(j, u, err); err != nil {
		return nil, err
	}
	x, err := input[uint32](j, runsInput)
	if err != nil {
		return nil, err
	}
	out, err := room[uint32](j, j.n)
	if err != nil {
		return nil, err
	}
	count, err := room[uint32](j, 1)
	return func(seq *vyre.Sequence) vyre.Range {
		u.Record(seq, prim.N(j.n), x, out, count)
		return count.Bytes()
	}, err
}

func histogram[T vyre.Element](j *job, bins prim.Bins[T], kind uint32) (func(*vyre.Sequence) vyre.Range, error) {
	h, err := prim.NewHistogram(j.ctx, j.dev, bins, j.n)
	if h, err = keep(j, h, err); err != nil {
		return nil, err
	}
	x, err := input[T](j, kind)
	if err != nil {
		return nil, err
	}
	counts, err := room[uint32](j, bins.Len())
	return func(seq *vyre.Sequence) vyre.Range {
		h.Record(seq, prim.N(j.n), x, counts)
		return counts.Bytes()
	}, err
}

func draw[T vyre.Element](d prim.Distribution) func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
	return func(j *job) (func(*vyre.Sequence) vyre.Range, error) {
		r, err := prim.NewRandom[T](j.ctx, j.dev, d, j.n)
		if r, err = keep(j, r, err); err != nil {
			return nil, err
		}
		out, err := room[T](j, j.n)
		return func(seq *vyre.Sequence) vyre.Range {
			r.Record(seq, prim.N(j.n), prim.Source{Seed: 1}, out)
			return vyre.Range{}
		}, err
	}
}
