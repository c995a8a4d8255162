package prim

import (
	"context"
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// Flag is what stands beside an element to choose it: not zero.
type Flag interface {
	uint8 | uint16 | uint32 | uint64
}

// Count is where a primitive writes how many elements it has found: the first element of a *vyre.Buffer[uint32] or, which is
// needed if there can be 1<<31 and more, of uint64. At makes the length of another step of it.
type Count interface{ Bytes() vyre.Range }

// counter is the range of a count.
func (m *made) counter(seq *vyre.Sequence, c Count) vyre.Range {
	switch b := c.(type) {
	case *vyre.Buffer[uint32]:
		if m.max < 1<<31 {
			return b.View(0, 1).Bytes()
		}
	case *vyre.Buffer[uint64]:
		return b.View(0, 1).Bytes()
	}
	seq.Refuse(m.refuse(fmt.Sprintf("a count in a %T", c), "pass a buffer of uint32 or, for 1<<31 elements and more, of uint64"))
	return vyre.Range{}
}

// selection is a step that chooses elements by a stencil, and what it was made for.
type selection struct {
	to, within kernel
	how        block.Selection
}

// words splits stencils of so many bytes: into how many words of which type.
func words(size uintptr) (of string, n uint32) {
	switch size {
	case 1, 2:
		return fmt.Sprint("uint", 8*size), 1
	}
	return "uint32", uint32(size / 4)
}

// selection compiles a choice by stencils of so many bytes. of names the payload, or is empty.
func (m *made) selection(ctx context.Context, of string, stencil uintptr, how block.Selection) (s selection, err error) {
	s.how = how
	bits, n := words(stencil)
	program := map[string]func(string) (*ir.Program, error){"uint8": kernels.Select8Program, "uint16": kernels.Select16Program, "uint32": kernels.Select32Program}[bits]
	var wide []string
	switch of {
	case "":
		of = "uint8"
	case wideName:
		wide = []string{"x", "out"}
		fallthrough
	default:
		s.how.Payload = true
	}
	p, err := program(of)
	wide = append(wide, "stencil")
	as := build.Specialisation{Scalars: map[string]uint64{
		"by": uint64(how.By), "words": uint64(n), "inPlace": 0, "payload": bit(s.how.Payload), "others": bit(how.Others),
		"wordsOfPlace": uint64(how.Places), "end": bit(how.End), "lengths": bit(how.Lengths),
	}}
	switch {
	case of == wideName:
	case how.Others:
		m.registers = 48 // five workgroups on a multiprocessor of 65,536 registers
	default:
		m.registers = 40 // six
	}
	s.to, err = m.compileAs(ctx, p, err, as, wide...)
	if how.InPlace {
		if m.registers != 0 {
			m.registers = 80 // three: what is chosen waits in them
		}
		as.Scalars["inPlace"], as.Same = 1, map[string]string{"out": "x"}
		if wide[0] == "x" {
			wide = append([]string{"x"}, wide[2:]...)
		}
		s.within, err = m.compileAs(ctx, p, err, as, wide...)
	}
	m.registers = 0
	return s, err
}

// selectionBytes is how much memory a selection takes for its work: the state, how many are chosen, and of how many tiles.
func (m *made) selectionBytes() int64 { return 16 + 8*int64(block.StateLen(m.max, 4)) }

// selects are the ranges of a selection; those it has not are nowhere.
type selects struct{ x, out, stencil, places, count vyre.Range }

// choose appends a selection to a step.
func (m *made) choose(seq *vyre.Sequence, st *Step, s selection, n Length, r selects) {
	work := driver.All(seq.Scratch(m.selectionBytes()))
	tiles := (m.max + block.SelectTile - 1) / block.SelectTile
	if !alone(tiles) {
		seq.Fill(work, 0, 4)
	}
	total, state := driver.Part(work.Buffer, 0, 16), driver.Part(work.Buffer, 16, work.Len-16)
	length := []vyre.Arg{driver.U64(st.room), driver.U64(n.n), st.where(n)}
	args := append(length[:3:3], r.x)
	k := s.within
	if !s.how.InPlace || r.x != r.out {
		k, args = s.to, append(args, r.out)
	}
	st.launched(m.launch(seq, k, tiles, append(args, r.stencil, r.places, r.count, total, state)...), 1)
}

// Select keeps the elements beside which a flag stands, in their order, and counts them. Or it is a partition: the others
// follow, in their order.
type Select[T vyre.Element, F Flag] struct {
	*made
	selection
}

// NewSelect makes a selection among at most max elements of 1, 2, 4, 8 or 16 bytes.
func NewSelect[T vyre.Element, F Flag](ctx context.Context, dev vyre.Device, max int) (*Select[T, F], error) {
	return newSelect[T, F](ctx, dev, "Select", max, block.Selection{InPlace: true})
}

// NewPartition makes a partition of at most max elements of 1, 2, 4, 8 or 16 bytes. It reads the flags twice.
func NewPartition[T vyre.Element, F Flag](ctx context.Context, dev vyre.Device, max int) (*Select[T, F], error) {
	return newSelect[T, F](ctx, dev, "Partition", max, block.Selection{Others: true})
}

func newSelect[T vyre.Element, F Flag](ctx context.Context, dev vyre.Device, name string, max int, how block.Selection) (*Select[T, F], error) {
	what := fmt.Sprintf("%s[%s, %s]", name, typeName[T](), typeName[F]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	of, err := payloadOf[T](what)
	if err != nil {
		return nil, err
	}
	s := &Select[T, F]{made: m}
	if s.selection, err = m.selection(ctx, of, sizeOf[F](), how); err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return s, nil
}

// payloadOf is payload, or an error.
func payloadOf[T vyre.Element](what string) (string, error) {
	of, ok := payload[T]()
	if !ok {
		return "", unsupported(what, fmt.Sprintf("elements of %d bytes; there are 1, 2, 4, 8 and 16", sizeOf[T]()))
	}
	return of, nil
}

func (s *Select[T, F]) scratchBytes() int64 {
	if unmade(nil, s) {
		return 0
	}
	return s.selectionBytes()
}

// Record appends a selection from x[:n] by flags[:n] into out, or a partition into out[:n], and writes how many are chosen to
// count. out has room for n elements. A selection may have x as out.
func (s *Select[T, F]) Record(seq *vyre.Sequence, n Length, x *vyre.Buffer[T], flags *vyre.Buffer[F], out *vyre.Buffer[T], count Count) *Step {
	if unmade(seq, s) {
		return new(Step)
	}
	st := s.step(seq, n, min(x.Len(), flags.Len(), out.Len()), x.Bytes())
	s.choose(seq, st, s.selection, n, selects{x.Bytes(), out.Bytes(), flags.Bytes(), st.nowhere, s.counter(seq, count)})
	return st
}

// SelectIndices finds where flags stand, and counts them.
type SelectIndices[I uint32 | uint64, F Flag] struct {
	*made
	selection
}

// NewSelectIndices makes a selection of the places of at most max flags.
func NewSelectIndices[I uint32 | uint64, F Flag](ctx context.Context, dev vyre.Device, max int) (*SelectIndices[I, F], error) {
	what := fmt.Sprintf("SelectIndices[%s, %s]", typeName[I](), typeName[F]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	if uint64(I(m.max)) != m.max {
		return nil, m.refuse(fmt.Sprintf("places of 32 bits of %d elements", max), "pass uint64 as the type of indices")
	}
	s := &SelectIndices[I, F]{made: m}
	if s.selection, err = m.selection(ctx, "", sizeOf[F](), block.Selection{Places: uint32(sizeOf[I]() / 4)}); err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return s, nil
}

func (s *SelectIndices[I, F]) scratchBytes() int64 {
	if unmade(nil, s) {
		return 0
	}
	return s.selectionBytes()
}

// Record appends a search of flags[:n]: the places of those that are not zero go to places, which has room for n, in order,
// and how many they are to count.
func (s *SelectIndices[I, F]) Record(seq *vyre.Sequence, n Length, flags *vyre.Buffer[F], places *vyre.Buffer[I], count Count) *Step {
	if unmade(seq, s) {
		return new(Step)
	}
	st := s.step(seq, n, min(flags.Len(), places.Len()), flags.Bytes())
	s.choose(seq, st, s.selection, n, selects{st.nowhere, st.nowhere, flags.Bytes(), places.Bytes(), s.counter(seq, count)})
	return st
}

// SelectSlice returns the elements of a slice beside which a flag stands, in another of its length: it makes a Select, uploads,
// runs and reads.
func SelectSlice[T vyre.Element, F Flag](ctx context.Context, dev vyre.Device, x []T, flags []F) ([]T, error) {
	s, err := NewSelect[T, F](ctx, dev, len(x))
	if err != nil {
		return nil, err
	}
	var out []T
	count := make([]uint64, 1)
	err = once(ctx, dev, s, func(j *job) error {
		if len(flags) != len(x) {
			return s.refuse(fmt.Sprintf("%d elements and %d flags", len(x), len(flags)), "pass a flag for each element")
		}
		in, err := given(j, x)
		if err != nil {
			return err
		}
		by, err := given(j, flags)
		if err != nil {
			return err
		}
		found, err := wanted(j, count)
		if err != nil {
			return err
		}
		to, err := chosen(j, len(x), &out, count)
		if err == nil {
			s.Record(j.seq, N(len(x)), in, by, to, found)
		}
		return err
	})
	return out, err
}
