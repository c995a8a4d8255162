package prim

import (
	"context"
	"fmt"
	"maps"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// SortOptions say how keys are sorted. The zero value sorts by all bits, ascending.
type SortOptions struct {
	Descending bool
	// From and To bound the bits of a key that are compared, From up to, but not including, To; 0 and 0 are all. Bits are
	// numbered from the lowest one of the key as an unsigned integer of the same order (see Sort).
	From, To int
	// Swap lets a sort work in the ranges that it is given, whose elements it then destroys, and take no others. The result is
	// in either of the two: Swapped tells in which.
	Swap bool
}

// sorter is what Sort and SortPairs have in common.
type sorter struct {
	*made
	o      SortOptions
	key    int64  // bytes of a key
	value  int64  // bytes of what goes with a key through the passes: 0, 4 or 8
	passes uint32 // digits, of 8 bits
	whole  kernel // sorts all, in one launch, of at most SortTile elements
	count  kernel // counts digits
	digit  kernel // sorts by one digit
}

// sortPrograms are the programs for some number of bytes beside the key.
type sortPrograms struct {
	few, group, digit func(string) (*ir.Program, error)
}

// newSorter makes a sort of keys of a kind; pairs are given as the bytes of a value.
func newSorter(ctx context.Context, m *made, kind uint32, bits string, key, value int, o SortOptions, p sortPrograms, more map[string]uint64) (*sorter, error) {
	if o.From == 0 && o.To == 0 {
		o.To = 8 * key
	}
	if o.From < 0 || o.From >= o.To || o.To > 8*key {
		return nil, m.refuse(fmt.Sprintf("bits %d up to %d", o.From, o.To), fmt.Sprintf("pass bits of a key, at least one: from 0 up to %d", 8*key))
	}
	s := &sorter{made: m, o: o, key: int64(key), value: int64(value), passes: uint32(o.To-o.From+7) / 8}
	with := func(scalars map[string]uint64, more map[string]uint64) map[string]uint64 {
		scalars["kind"], scalars["down"] = uint64(kind), bit(o.Descending)
		maps.Copy(scalars, more)
		return scalars
	}
	bounds := map[string]uint64{"from": uint64(o.From), "to": uint64(o.To)}
	var err error
	switch {
	case s.few():
		var program *ir.Program
		program, err = p.few(bits)
		s.whole, err = m.compile(ctx, program, err, with(with(map[string]uint64{}, bounds), more))
	case s.small():
		var program *ir.Program
		program, err = p.group(bits)
		s.whole, err = m.compile(ctx, program, err, with(with(map[string]uint64{"back": bit(s.Swapped())}, bounds), more))
	default:
		var count, digit *ir.Program
		count, err = kernels.SortHistogramProgram(bits)
		s.count, err = m.compile(ctx, count, err, with(with(map[string]uint64{"swap": bit(o.Swap)}, bounds), nil))
		if err == nil {
			digit, err = p.digit(bits)
			if !s.wide() || value == 0 { // the others would spill hundreds of bytes
				m.registers = 64 // two workgroups on a multiprocessor of 65,536 registers
			}
			s.digit, err = m.compile(ctx, digit, err, with(map[string]uint64{"swap": bit(o.Swap), "wide": bit(s.wide()), "items": s.items()}, more))
			m.registers = 0
		}
	}
	if err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return s, nil
}

// few reports whether each element is compared with each.
func (s *sorter) few() bool { return s.max <= block.SortFew }

// small reports whether one launch sorts all.
func (s *sorter) small() bool { return s.max <= block.SortTile }

// wide reports whether sums of digits need 64 bits.
func (s *sorter) wide() bool { return s.max >= 1<<30 }

// Swapped reports whether the result is in the ranges of the input: with Swap, if the number of digits of 8 bits is even, and the
// sort was made for more than 2,048 elements.
func (s *sorter) Swapped() bool {
	return !unmade(nil, s) && s.o.Swap && !s.few() && s.passes%2 == 0
}

// Close is that of all primitives; a zero Sort has no sorter.
func (s *sorter) Close() error {
	if s == nil {
		return nil
	}
	return s.made.Close()
}

// sortWork is where in its memory a step has what.
type sortWork struct{ control, state, keys, values, end int64 }

// work lays the memory out: what is 0 when a run begins comes first, up to half of the state.
func (s *sorter) work() (w sortWork) {
	if s.small() {
		return w
	}
	state := max(s.tiles(), block.SortSight) * 256 * 4
	if s.wide() {
		state *= 2
	}
	w.control = 8 * 256 * int64(s.passes)
	w.state = roundUp(w.control + controlBytes)
	w.keys = w.state + 2*state
	w.values, w.end = w.keys, w.keys
	if !s.o.Swap {
		w.values = roundUp(w.keys + s.key*int64(s.max))
		w.end = w.values + s.value*int64(s.max)
	}
	return w
}

// controlBytes are for a ticket counter a pass, the plan, and the count of workgroups that are done.
const controlBytes = 4 * (2*block.MaxPasses + 1)

// items is how many elements an invocation has in a pass: fewer where keys and values have 12 bytes and more, which two workgroups of
// a multiprocessor have no registers for; sums of 64 bits take too much memory for more tiles. Still fewer where there are few
// elements, which then have more workgroups, as long as a tile has eight times the bytes of its sums.
func (s *sorter) items() uint64 {
	most := uint64(block.Each)
	if s.value > 0 && s.key+s.value >= 12 && !s.wide() {
		most = 12
	}
	least := uint64(max(4, 32/(s.key+s.value)))
	switch {
	case s.max <= 1<<17:
		return min(least, most)
	case s.max <= 1<<19:
		return min(max(least, 8), most)
	}
	return most
}

// tiles is how many tiles the elements have in a pass.
func (s *sorter) tiles() int64 {
	tile := block.SortThreads * s.items()
	return int64((s.max + tile - 1) / tile)
}

func (s *sorter) scratchBytes() int64 {
	if unmade(nil, s) {
		return 0
	}
	return s.work().end
}

// record appends the launches. values are nowhere if keys have none, or if the indices are the values.
func (s *sorter) record(seq *vyre.Sequence, st *Step, n Length, keys, values, out, outValues vyre.Range) {
	length := []vyre.Arg{driver.U64(st.room), driver.U64(n.n), st.where(n)}
	if s.small() {
		args := append(length, keys, out)
		if s.value > 0 {
			args = append(args, values, outValues)
		}
		tiles := uint64(1)
		if s.few() {
			tiles = (s.max + block.Warps - 1) / block.Warps // a warp for each element
		}
		st.launched(s.launch(seq, s.whole, tiles, args...), 1)
		return
	}
	w := s.work()
	mem := seq.Scratch(w.end)
	part := func(from, to int64) vyre.Range { return driver.Part(mem, from, to-from) }
	seq.Fill(part(0, w.state+(w.keys-w.state)/2), 0, 4)
	counts, state, wide := part(0, w.control), part(w.state, w.keys), st.nowhere
	tickets, plan := part(w.control, w.control+4*block.MaxPasses), part(w.control+4*block.MaxPasses, w.control+8*block.MaxPasses)
	done := part(w.control+8*block.MaxPasses, w.control+controlBytes)
	if s.wide() {
		state, wide = wide, state
	}
	tiles := uint64(s.tiles())
	st.launched(s.launch(seq, s.count, tiles, append(length, keys, counts, done, plan)...), 1)
	in, inV, other, otherV := keys, values, part(w.keys, w.keys+s.key*int64(s.max)), part(w.values, w.end)
	if s.o.Swap {
		in, inV, other, otherV = st.nowhere, st.nowhere, keys, values
	}
	for pass := range s.passes {
		shift := uint32(s.o.From) + 8*pass
		args := append([]vyre.Arg{driver.U32(shift), driver.U32(min(8, uint32(s.o.To)-shift)), driver.U32(pass)}, length...)
		args = append(args, in, other, out)
		if s.value > 0 {
			args = append(args, inV, otherV, outValues)
		}
		args = append(args, counts, plan, tickets, state, wide)
		st.launched(s.launch(seq, s.digit, tiles, args...), 4)
	}
}

// Sort sorts keys: integers by value, floats by the total order of their bits, in which -NaN comes first, -0 before +0, and
// NaN last. Equal keys have equal bits, so the result is one thing.
//
// The method is radix sort from the lowest digit up, 8 bits a pass: all digits are counted in one reading, and a pass is one
// launch in which tiles look back over the counts of those before them (Duane Merrill and Michael Garland, "Single-pass
// parallel prefix scan with decoupled look-back", 2016; Andy Adinets and Duane Merrill, "Onesweep", 2022). A pass reads and
// writes each key once; one whose digit is the same for all keys is left out. Up to 8,192 keys are sorted in the shared memory
// of one workgroup, and up to 2,048 by comparing each with each.
type Sort[K vyre.Element] struct{ *sorter }

// NewSort makes a sort of at most max keys, integers or floats of fixed size.
func NewSort[K vyre.Element](ctx context.Context, dev vyre.Device, max int, o SortOptions) (*Sort[K], error) {
	what := fmt.Sprintf("Sort[%s]", typeName[K]())
	m, err := begin(dev, what, max)
	if err != nil {
		return nil, err
	}
	kind, bits, ok := keyOf[K]()
	if !ok {
		return nil, unsupported(what, "keys are integers and floats of fixed size")
	}
	s, err := newSorter(ctx, m, kind, bits, int(sizeOf[K]()), 0, o, sortPrograms{kernels.SortKeysFewProgram, kernels.SortKeysGroupProgram, kernels.SortKeysProgram}, nil)
	if err != nil {
		return nil, err
	}
	return &Sort[K]{s}, nil
}

// Record appends a sort of keys[:n] into out[:n]. With Swap both are destroyed but for the result.
func (s *Sort[K]) Record(seq *vyre.Sequence, n Length, keys, out *vyre.Buffer[K]) *Step {
	if unmade(seq, s) {
		return new(Step)
	}
	st := s.step(seq, n, min(keys.Len(), out.Len()), keys.Bytes())
	s.record(seq, st, n, keys.Bytes(), st.nowhere, out.Bytes(), st.nowhere)
	return st
}

// SortSlice returns the keys of a slice sorted: it makes a Sort, uploads, runs and reads. The slice stays as it is.
func SortSlice[K vyre.Element](ctx context.Context, dev vyre.Device, keys []K, o SortOptions) ([]K, error) {
	o.Swap = false
	s, err := NewSort[K](ctx, dev, len(keys), o)
	if err != nil {
		return nil, err
	}
	sorted := make([]K, len(keys))
	err = once(ctx, dev, s, func(j *job) error {
		in, err := given(j, keys)
		if err != nil {
			return err
		}
		out, err := wanted(j, sorted)
		if err == nil {
			s.Record(j.seq, N(len(keys)), in, out)
		}
		return err
	})
	return sorted, err
}
