package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// runs finds where runs of equal neighbours begin, and keeps their first elements. Equal ones have equal bytes.
type runs struct {
	selection
	words uint32 // of a place
}

// runsOf compiles what finds runs of elements of type K.
func runsOf[K vyre.Element](ctx context.Context, m *made, what string) (r runs, err error) {
	of, err := payloadOf[K](what)
	if err != nil {
		return r, err
	}
	r.words = 1
	if m.max >= 1<<32 {
		r.words = 2
	}
	r.selection, err = m.selection(ctx, of, sizeOf[K](), block.Selection{By: block.Heads, Places: r.words, End: true})
	return r, err
}

// startsBytes is how much memory the places where runs begin take, and the end of the last.
func (r *runs) startsBytes(max uint64) int64 { return 4 * int64(r.words) * int64(max+1) }

// find appends the search, and returns the places.
func (r *runs) find(seq *vyre.Sequence, m *made, st *Step, n Length, keys, out, count vyre.Range) (starts vyre.Range) {
	starts = driver.All(seq.Scratch(r.startsBytes(m.max)))
	m.choose(seq, st, r.selection, n, selects{keys, out, keys, starts, count})
	return starts
}

// RunLengths finds the runs of equal neighbours: the first element of each, and how long it is. What equal elements are, the
// package comment says.
type RunLengths[T vyre.Element, C uint32 | uint64] struct {
	*made
	values  values
	runs    // of 1<<31 elements and more: where they begin, for lengths to go over
	lengths kernel
	once    selection // of fewer: all in one launch
}

// NewRunLengths makes a search for runs among at most max elements of 1, 2, 4, 8 or 16 bytes, whose lengths have type C.
func NewRunLengths[T vyre.Element, C uint32 | uint64](ctx context.Context, dev vyre.Device, max int) (*RunLengths[T, C], error) {
	what := fmt.Sprintf("RunLengths[%s, %s]", typeName[T](), typeName[C]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	if uint64(C(m.max)) != m.max {
		return nil, m.refuse(fmt.Sprintf("lengths of 32 bits of %d elements", max), "pass uint64 as the type of lengths")
	}
	r := &RunLengths[T, C]{made: m}
	r.values, err = valuesOf[T](ctx, m, what)
	switch {
	case err != nil:
	case r.atOnce():
		r.once, err = headLengths[T](ctx, m, what, uint32(sizeOf[C]()/4))
	default:
		if r.runs, err = runsOf[T](ctx, m, what); err == nil {
			p, failed := kernels.LengthsProgram(typeName[C]())
			r.lengths, err = m.compile(ctx, p, failed, map[string]uint64{"words": uint64(r.words)})
		}
	}
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return r, nil
}

// headLengths compiles what finds runs and how long they are, in so many words.
func headLengths[T vyre.Element](ctx context.Context, m *made, what string, words uint32) (s selection, err error) {
	of, err := payloadOf[T](what)
	if err != nil {
		return s, err
	}
	return m.selection(ctx, of, sizeOf[T](), block.Selection{By: block.Heads, Places: words, Lengths: true})
}

// atOnce reports whether a count and a place fit into the word that a tile's neighbours read.
func (r *RunLengths[T, C]) atOnce() bool { return r.max < 1<<31 }

func (r *RunLengths[T, C]) scratchBytes() int64 {
	if unmade(nil, r) {
		return 0
	}
	if r.atOnce() {
		return r.selectionBytes() + r.values.bytes(r.max)
	}
	return r.selectionBytes() + r.startsBytes(r.max) + r.values.bytes(r.max)
}

// Record appends a search in x[:n]: the first elements of runs go to values, their lengths to lengths, both of which have
// room for n, and how many there are to count.
func (r *RunLengths[T, C]) Record(seq *vyre.Sequence, n Length, x, values *vyre.Buffer[T], lengths *vyre.Buffer[C], count Count) *Step {
	if unmade(seq, r) {
		return new(Step)
	}
	st := r.step(seq, n, min(x.Len(), values.Len(), lengths.Len()), x.Bytes())
	found := r.counter(seq, count)
	from := r.values.comparable(seq, r.made, st, n, x.Bytes(), values.Bytes(), lengths.Bytes(), found)
	if r.atOnce() {
		r.choose(seq, st, r.once, n, selects{from, values.Bytes(), from, lengths.Bytes(), found})
		return st
	}
	st.apart(seq, []vyre.Range{values.Bytes(), lengths.Bytes(), found}, st.where(n), x.Bytes())
	starts := r.find(seq, r.made, st, n, from, values.Bytes(), found)
	r.launch(seq, r.lengths, groupsOf(r.max), driver.U64(r.max), driver.U64(0), found, starts, lengths.All())
	return st
}

// ReduceByKey combines the values of each run of equal neighbouring keys. A run gives what a Reduce of its values alone
// gives. What equal keys are, the package comment says.
//
// Integers of 32 bits by keys of up to 8 bytes, fewer than 1<<30 of them, take one launch. Others go over the places where runs begin: a
// sum of floats has the order of its own run, and more bits do not fit beside a count in the word that a tile's neighbours read.
type ReduceByKey[K, V vyre.Element] struct {
	*made
	runs
	segments
	values values // of keys
	once   kernel // all in one launch
}

// NewReduceByKey makes a reduction of at most max values, which are integers or floats of fixed size, by keys of 1, 2, 4, 8 or
// 16 bytes.
func NewReduceByKey[K, V vyre.Element](ctx context.Context, dev vyre.Device, op Operator, max int) (*ReduceByKey[K, V], error) {
	what := fmt.Sprintf("ReduceByKey[%s, %s]", typeName[K](), typeName[V]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	if m.max > 1<<32-1 {
		return nil, m.refuse(fmt.Sprintf("at most %d runs", max), "there are fewer than 1<<32 of them")
	}
	r := &ReduceByKey[K, V]{made: m}
	r.values, err = valuesOf[K](ctx, m, what)
	switch {
	case err != nil:
	case r.atOnce():
		err = r.compileOnce(ctx, what, op)
	default:
		if r.runs, err = runsOf[K](ctx, m, what); err == nil {
			r.segments, err = segmentsOf[V](ctx, m, what, op, 4, m.max)
		}
	}
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return r, nil
}

// atOnce reports whether a count and what a run has given fit into the word that a tile's neighbours read.
func (r *ReduceByKey[K, V]) atOnce() bool {
	return kindOf[V]() == integers && sizeOf[V]() == 4 && sizeOf[K]() <= 8 && unsignedName[K]() != "" && r.max < 1<<30
}

func (r *ReduceByKey[K, V]) compileOnce(ctx context.Context, what string, op Operator) error {
	if err := r.admitOperator(op); err != nil {
		return err
	}
	if _, err := payloadOf[K](what); err != nil {
		return err
	}
	program := kernels.ReduceRunsProgram
	if sizeOf[K]() == 8 {
		program = func(string) (*ir.Program, error) { return kernels.ReduceLongRunsProgram() }
	}
	p, err := program(unsignedName[K]())
	r.registers = 64 // four workgroups on a multiprocessor of 65,536 registers
	r.once, err = r.compile(ctx, p, err, map[string]uint64{"op": uint64(op), "flip": flip[V](op)}, "keys", "values")
	return err
}

func (r *ReduceByKey[K, V]) scratchBytes() int64 {
	if unmade(nil, r) {
		return 0
	}
	if r.atOnce() {
		return r.stateBytes() + r.values.bytes(r.max)
	}
	_, all := r.segments.bytes()
	return r.selectionBytes() + r.startsBytes(r.max) + r.values.bytes(r.max) + all
}

// stateBytes is how much memory one launch takes.
func (r *ReduceByKey[K, V]) stateBytes() int64 { return 8 * int64(block.RunsLen(r.max)) }

// Record appends a reduction of values[:n] by keys[:n]: the first keys of runs go to outKeys, what their values give to out,
// both of which have room for n, and how many there are to count.
func (r *ReduceByKey[K, V]) Record(seq *vyre.Sequence, n Length, keys *vyre.Buffer[K], values *vyre.Buffer[V], outKeys *vyre.Buffer[K], out *vyre.Buffer[V], count Count) *Step {
	if unmade(seq, r) {
		return new(Step)
	}
	st := r.step(seq, n, min(keys.Len(), values.Len(), outKeys.Len(), out.Len()), keys.Bytes())
	found := r.counter(seq, count)
	from := r.values.comparable(seq, r.made, st, n, keys.Bytes(), outKeys.Bytes(), out.Bytes(), found)
	if !r.atOnce() {
		st.apart(seq, []vyre.Range{outKeys.Bytes(), out.Bytes(), found}, st.where(n), keys.Bytes(), values.Bytes())
		starts := r.find(seq, r.made, st, n, from, outKeys.Bytes(), found)
		r.combine(seq, r.made, st, r.max, at(found), starts, values.View(0, int(st.room)).Bytes(), out.Bytes())
		return st
	}
	state, tiles := driver.All(seq.Scratch(r.stateBytes())), block.Above(1, r.max)
	if !alone(tiles) {
		seq.Fill(state, 0, 4)
	}
	st.launched(r.launch(seq, r.once, tiles, driver.U64(st.room), driver.U64(n.n), st.where(n),
		from, values.Bytes(), outKeys.Bytes(), out.Bytes(), found, state), 1)
	return st
}

// RunLengthsSlice returns the first elements of the runs of a slice, and their lengths: it makes a RunLengths, uploads, runs
// and reads.
func RunLengthsSlice[T vyre.Element](ctx context.Context, dev vyre.Device, x []T) (values []T, lengths []uint32, err error) {
	r, err := NewRunLengths[T, uint32](ctx, dev, len(x))
	if err != nil {
		return nil, nil, err
	}
	count := make([]uint64, 1)
	err = once(ctx, dev, r, func(j *job) error {
		in, err := given(j, x)
		if err != nil {
			return err
		}
		c, err := wanted(j, count)
		if err != nil {
			return err
		}
		v, err := chosen(j, len(x), &values, count)
		if err != nil {
			return err
		}
		l, err := chosen(j, len(x), &lengths, count)
		if err == nil {
			r.Record(j.seq, N(len(x)), in, v, l, c)
		}
		return err
	})
	return values, lengths, err
}
