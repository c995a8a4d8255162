package prim

import (
	"context"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/prim/internal/block"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// compileFloats compiles the totals of tiles, and the tiles given the scan of the totals. The totals are scanned like
// elements, inclusively.
func (s *Scan[T]) compileFloats(ctx context.Context, op Operator) (err error) {
	totalsOf, tilesOf := kernels.ScanFloatTotalsProgram, kernels.ScanFloatTilesProgram
	if sizeOf[T]() == 8 {
		totalsOf, tilesOf = kernels.ScanDoubleTotalsProgram, kernels.ScanDoubleTilesProgram
	}
	totals, err := totalsOf()
	s.totals, err = s.compile(ctx, totals, err, map[string]uint64{"op": uint64(op), "exclusive": bit(s.exclusive)}, "x")
	if err != nil {
		return err
	}
	tiles, err := tilesOf()
	scalars := func(exclusive bool) map[string]uint64 {
		return map[string]uint64{"op": uint64(op), "exclusive": bit(exclusive), "empty": emptyFloat[T](op)}
	}
	s.to, s.within, err = s.both(ctx, tiles, err, scalars(s.exclusive))
	s.up = s.to
	if err == nil && s.exclusive && s.max > block.Tile {
		s.up, err = s.compile(ctx, tiles, err, scalars(false), "x", "y")
	}
	return err
}

// level is what a scan of floats keeps above the elements, or above the level below: the totals of tiles, their scan, and,
// of the first, the last running sum of each tile.
type level struct{ totals, scanned, lasts driver.Range }

// levels are parts of a step's work; their sizes in all are what Bytes says.
func (s *Scan[T]) levels(work driver.Range) (ls []level, bytes int64) {
	part := func(n uint64) driver.Range {
		size := int64(n) * int64(sizeOf[T]())
		r := driver.Part(work.Buffer, work.Off+bytes, size)
		bytes += roundUp(size)
		return r
	}
	for n := s.max; n > block.Tile; {
		n = block.Above(1, n)
		l := level{totals: part(n), scanned: part(n)}
		l.lasts = l.scanned // is written later
		if s.exclusive && len(ls) == 0 {
			l.lasts = part(n)
		}
		ls = append(ls, l)
	}
	return ls, bytes
}

// recordFloats appends the launches up the levels and down again.
func (s *Scan[T]) recordFloats(seq *vyre.Sequence, st *Step, n Length, x, y driver.Range) {
	_, bytes := s.levels(driver.Range{})
	work := st.nowhere
	if bytes > 0 {
		work = driver.All(seq.Scratch(bytes))
	}
	levels, _ := s.levels(work)
	length := func(k int) []vyre.Arg {
		return []vyre.Arg{driver.U64(st.room), driver.U64(n.n), st.where(n), driver.U32(uint32(k))}
	}
	from := x
	for k, l := range levels {
		args := append(length(k), from, l.totals, l.lasts)
		st.launched(s.launch(seq, s.totals, block.Above(uint32(k+1), s.max), args...), 1)
		from = l.totals
	}
	above := level{st.nowhere, st.nowhere, st.nowhere}
	for k := len(levels); k > 0; k-- {
		l := levels[k-1]
		args := append(length(k), l.totals, l.scanned, above.scanned, st.nowhere)
		st.launched(s.launch(seq, s.up, block.Above(uint32(k+1), s.max), args...), 1)
		above = l
	}
	st.launched(s.move(seq, s.to, s.within, block.Above(1, s.max), length(0), x, y, above.scanned, above.lasts), 1)
}
