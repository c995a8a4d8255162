package main

import (
	"errors"
	"io"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim"
)

// job is what the measurement of an operation on n elements needs. What fails first is its error; what is made after that means
// nothing, and is not recorded.
type job struct {
	*bench
	n       int
	closers []io.Closer
	scratch int64
	err     error
}

func (j *job) fail(err error) {
	if j.err == nil {
		j.err = err
	}
}

// keep closes p when the operation has been measured.
func (j *job) keep(p prim.Primitive, err error) {
	if err != nil {
		j.fail(err)
		return
	}
	j.closers = append(j.closers, p)
	j.scratch += prim.Bytes(p)
}

func (j *job) close() (err error) {
	for _, c := range slices.Backward(j.closers) {
		err = errors.Join(err, c.Close())
	}
	return err
}

// room is a buffer for n elements.
func room[T vyre.Element](j *job, n int) *vyre.Buffer[T] {
	b, err := vyre.Alloc[T](j.dev, n)
	if err != nil {
		j.fail(err)
		return nil
	}
	j.closers = append(j.closers, b)
	return b
}

// input is a buffer with n elements of a kind.
func input[T vyre.Element](j *job, kind uint32, n int) *vyre.Buffer[T] {
	b := room[T](j, n)
	j.launch(func(seq *vyre.Sequence) error {
		grid := vyre.Grid{1024}
		switch x := any(b).(type) {
		case *vyre.Buffer[uint32]:
			k, err := CompileInput32(j.ctx, j.dev)
			if err == nil {
				k.Launch(seq, grid, kind, j.words, x)
			}
			return err
		case *vyre.Buffer[uint64]:
			k, err := CompileInput64(j.ctx, j.dev)
			if err == nil {
				k.Launch(seq, grid, kind, j.words, x)
			}
			return err
		case *vyre.Buffer[uint8]:
			k, err := CompileInput8(j.ctx, j.dev)
			if err == nil {
				k.Launch(seq, grid, kind, j.words, x)
			}
			return err
		case *vyre.Buffer[float32]:
			k, err := CompileInputFloat(j.ctx, j.dev)
			if err == nil {
				k.Launch(seq, grid, j.words, x)
			}
			return err
		case *vyre.Buffer[float64]:
			k, err := CompileInputDouble(j.ctx, j.dev)
			if err == nil {
				k.Launch(seq, grid, j.words, x)
			}
			return err
		}
		return errors.New("no inputs of this type")
	})
	return b
}

// offsets are those of so many rows of n elements in all.
func offsets(j *job, rows int) *vyre.Buffer[uint32] {
	b := room[uint32](j, rows+1)
	j.launch(func(seq *vyre.Sequence) error {
		k, err := CompileOffsets(j.ctx, j.dev)
		if err == nil {
			k.Launch(seq, vyre.Grid{1024}, uint64(j.n), b)
		}
		return err
	})
	return b
}

// launch runs what record records, if nothing has failed.
func (j *job) launch(record func(seq *vyre.Sequence) error) {
	if j.err != nil {
		return
	}
	seq := j.dev.NewSequence("input")
	defer seq.Close()
	if err := record(seq); err != nil {
		j.fail(err)
		return
	}
	if _, err := seq.Run(j.ctx); err != nil {
		j.fail(err)
	}
}

// result is a range that both sides must have filled alike, or the first of its elements, as many as a count says.
type result struct {
	of    vyre.Range
	count *vyre.Buffer[uint32] // nil for all
	size  int64                // bytes of an element
}

func whole[T vyre.Element](b *vyre.Buffer[T]) result { return result{of: b.Bytes()} }

func counted(b, count *vyre.Buffer[uint32]) result { return result{b.Bytes(), count, 4} }

// only is a result that is compared, or none.
func only[T vyre.Element](compared bool, b *vyre.Buffer[T]) []result {
	if !compared {
		return nil
	}
	return []result{whole(b)}
}

// most bytes of a range that are compared; of a longer one nothing is.
const most = 8 << 24

// hash is that of the reference, or 0 if nothing is compared.
func (j *job) hash(results []result) (uint64, error) {
	const none = uint64(14695981039346656037)
	h := none
	for _, r := range results {
		if r.of.Len > most {
			continue
		}
		length := r.of.Len
		if r.count != nil {
			var n [1]uint32
			if err := r.count.ReadInto(j.ctx, n[:]); err != nil {
				return 0, err
			}
			length = r.size * int64(n[0])
		}
		v, err := vyre.View[uint8](r.of.Buffer)
		if err != nil {
			return 0, err
		}
		host := make([]byte, length)
		if err := v.View(int(r.of.Off), int(r.of.Off+length)).ReadInto(j.ctx, host); err != nil {
			return 0, err
		}
		for ; len(host) >= 4; host = host[4:] {
			h = (h ^ uint64(uint32(host[0])|uint32(host[1])<<8|uint32(host[2])<<16|uint32(host[3])<<24)) * 1099511628211
		}
		for _, v := range host {
			h = (h ^ uint64(v)) * 1099511628211
		}
	}
	if h == none {
		return 0, nil
	}
	return h, nil
}
