package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// SearchOptions say which place is looked for. The zero value asks for the first at which a key could stand in a range that
// ascends: its lower bound.
type SearchOptions struct {
	Upper      bool // the last place: its upper bound, behind all equal keys
	Descending bool // the range descends
}

// Search finds places in a sorted range: for each query how many keys come before it, one bisection each. I is the type of the
// indices.
type Search[K vyre.Element, I uint32 | uint64] struct {
	*made
	kernel kernel
}

// NewSearch makes a search for at most max queries at a time, in a range of any length. Keys are integers or floats of fixed
// size, in the order of Sort.
func NewSearch[K vyre.Element, I uint32 | uint64](ctx context.Context, dev vyre.Device, max int, o SearchOptions) (*Search[K, I], error) {
	what := fmt.Sprintf("Search[%s, %s]", typeName[K](), typeName[I]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	kind, bits, ok := keyOf[K]()
	if !ok {
		return nil, unsupported(what, "keys are integers and floats of fixed size")
	}
	program := kernels.SearchProgram
	if sizeOf[I]() == 8 {
		program = kernels.SearchLongProgram
	}
	p, err := program(bits)
	s := &Search[K, I]{made: m}
	scalars := map[string]uint64{"kind": uint64(kind), "down": bit(o.Descending), "upper": bit(o.Upper)}
	if s.kernel, err = m.compile(ctx, p, err, scalars); err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return s, nil
}

func (s *Search[K, I]) scratchBytes() int64 { return 0 }

// Record appends a search for queries[:m] in x[:n] into out[:m]. The two steps that it returns are one; the first sets the
// length n of the range, the second that of the queries.
func (s *Search[K, I]) Record(seq *vyre.Sequence, n, m Length, x, queries *vyre.Buffer[K], out *vyre.Buffer[I]) (ofRange, ofQueries *Step) {
	if unmade(seq, s) {
		return new(Step), new(Step)
	}
	any := *s.made
	any.max = uint64(x.Len()) // a range of any length
	if sizeOf[I]() == 4 {
		any.max = min(any.max, 1<<32-1)
	}
	of, by := any.step(seq, n, x.Len(), x.Bytes()), s.step(seq, m, min(queries.Len(), out.Len()), x.Bytes())
	k := s.launch(seq, s.kernel, groupsOf(s.max), driver.U64(of.room), driver.U64(n.n), of.where(n), driver.U64(by.room), driver.U64(m.n), by.where(m),
		x.Bytes(), queries.Bytes(), out.Bytes())
	of.launched(k, 1)
	by.launched(k, 4)
	return of, by
}
