package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim/internal/block"
)

// Unique keeps the first of each run of equal neighbours, and counts them. What equal elements are, the package comment says.
type Unique[T vyre.Element] struct {
	*made
	selection
	values values
}

// NewUnique makes a Unique of at most max elements of 1, 2, 4, 8 or 16 bytes.
func NewUnique[T vyre.Element](ctx context.Context, dev vyre.Device, max int) (*Unique[T], error) {
	what := fmt.Sprintf("Unique[%s]", typeName[T]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	of, err := payloadOf[T](what)
	if err != nil {
		return nil, err
	}
	u := &Unique[T]{made: m}
	if u.values, err = valuesOf[T](ctx, m, what); err == nil {
		u.selection, err = m.selection(ctx, of, sizeOf[T](), block.Selection{By: block.Heads})
	}
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return u, nil
}

func (u *Unique[T]) scratchBytes() int64 {
	if unmade(nil, u) {
		return 0
	}
	return u.selectionBytes() + u.values.bytes(u.max)
}

// Record appends the first elements of the runs of x[:n] to out, which has room for n, and how many they are to count.
func (u *Unique[T]) Record(seq *vyre.Sequence, n Length, x, out *vyre.Buffer[T], count Count) *Step {
	if unmade(seq, u) {
		return new(Step)
	}
	st := u.step(seq, n, min(x.Len(), out.Len()), x.Bytes())
	found := u.counter(seq, count)
	from := u.values.comparable(seq, u.made, st, n, x.Bytes(), out.Bytes(), found)
	u.choose(seq, st, u.selection, n, selects{from, out.Bytes(), from, st.nowhere, found})
	return st
}

// UniqueByKey keeps the first of each run of equal neighbouring keys, with its value.
type UniqueByKey[K, V vyre.Element] struct {
	*made
	keys, others selection
	values       values // of keys
}

// NewUniqueByKey makes a UniqueByKey of at most max keys and values of 1, 2, 4, 8 or 16 bytes.
func NewUniqueByKey[K, V vyre.Element](ctx context.Context, dev vyre.Device, max int) (*UniqueByKey[K, V], error) {
	what := fmt.Sprintf("UniqueByKey[%s, %s]", typeName[K](), typeName[V]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	keys, err := payloadOf[K](what)
	if err != nil {
		return nil, err
	}
	values, err := payloadOf[V](what)
	if err != nil {
		return nil, err
	}
	u := &UniqueByKey[K, V]{made: m}
	if u.values, err = valuesOf[K](ctx, m, what); err == nil {
		u.keys, err = m.selection(ctx, keys, sizeOf[K](), block.Selection{By: block.Heads})
	}
	if err == nil {
		u.others, err = m.selection(ctx, values, sizeOf[K](), block.Selection{By: block.Heads})
	}
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return u, nil
}

func (u *UniqueByKey[K, V]) scratchBytes() int64 {
	if unmade(nil, u) {
		return 0
	}
	return 2*u.selectionBytes() + u.values.bytes(u.max)
}

// Record appends the first keys of the runs of keys[:n], and their values, to outKeys and outValues, which have room for n,
// and how many they are to count.
func (u *UniqueByKey[K, V]) Record(seq *vyre.Sequence, n Length, keys *vyre.Buffer[K], values *vyre.Buffer[V], outKeys *vyre.Buffer[K], outValues *vyre.Buffer[V], count Count) *Step {
	if unmade(seq, u) {
		return new(Step)
	}
	st := u.step(seq, n, min(keys.Len(), values.Len(), outKeys.Len(), outValues.Len()), keys.Bytes())
	found := u.counter(seq, count)
	st.apart(seq, []vyre.Range{outKeys.Bytes(), outValues.Bytes(), found}, st.where(n), keys.Bytes(), values.Bytes())
	from := u.values.comparable(seq, u.made, st, n, keys.Bytes())
	u.choose(seq, st, u.keys, n, selects{from, outKeys.Bytes(), from, st.nowhere, found})
	u.choose(seq, st, u.others, n, selects{values.Bytes(), outValues.Bytes(), from, st.nowhere, found})
	return st
}
