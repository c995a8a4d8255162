package driver

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"
)

// rowMemory is host memory that a row of a batch names.
type rowMemory struct {
	from, to uintptr // addresses, compared as numbers only
	row, at  int     // the index among the row's inputs or outputs
	output   bool
}

func (m *rowMemory) String() string {
	if m.output {
		return fmt.Sprintf("output %d", m.at)
	}
	return fmt.Sprintf("input %d", m.at)
}

// sharedByRows returns host memory that two rows have in common and one of them writes, that of the later row second.
// Rows run at the same time: what becomes of such bytes would be chance.
func sharedByRows(rows []Row) (a, b *rowMemory) {
	var all []*rowMemory
	enter := func(row int, memory [][]byte, output bool) {
		for i, m := range memory {
			if len(m) > 0 {
				from := uintptr(unsafe.Pointer(unsafe.SliceData(m)))
				all = append(all, &rowMemory{from, from + uintptr(len(m)), row, i, output})
			}
		}
	}
	for n, r := range rows {
		enter(n, r.Inputs, false)
		enter(n, r.Outputs, true)
	}
	slices.SortFunc(all, func(a, b *rowMemory) int { return cmp.Compare(a.from, b.from) })

	// In the order of their starts, m overlaps one before it if that ends after m's start. Of outputs the one that
	// reaches furthest is enough: two of different rows that both reach m overlap each other, and were found. Inputs
	// may overlap, so that one of another row than the furthest has to be remembered too.
	none := &rowMemory{row: -1}
	output, input, other := none, none, none
	for _, m := range all {
		for _, o := range []*rowMemory{output, input, other} {
			if o.to <= m.from || o.row == m.row || !o.output && !m.output {
				continue
			}
			if o.row > m.row {
				return m, o
			}
			return o, m
		}
		switch {
		case m.output && m.to > output.to:
			output = m
		case m.output:
		case m.row == input.row:
			if m.to > input.to {
				input = m
			}
		case m.to > input.to:
			input, other = m, input
		case m.to > other.to:
			other = m
		}
	}
	return nil, nil
}
