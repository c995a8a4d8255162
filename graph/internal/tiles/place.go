package tiles

import (
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/govyre/vyre/internal/guard"
)

// Places say which tiles of each row are stored, and where: two words for each row and 64 columns of tiles. The first
// has a bit for each tile, the second the place of the first of them, and in its upper half, of the row, how many tiles
// it has room for.
type Places struct {
	Words int // of 64 columns of tiles
	At    []uint64
	Used  uint64 // tiles up to the end of the last row
}

// NewPlaces finds which tiles are not empty. None is laid out yet.
func NewPlaces(d *Dag) *Places {
	p := &Places{Words: max((TileColumns(len(d.Size))+63)/64, 1)}
	p.At = make([]uint64, 2*p.Words*len(d.Size))
	words := make(chan int, p.Words)
	for w := range p.Words {
		words <- w
	}
	close(words)
	var team guard.Group
	for range min(p.Words, runtime.GOMAXPROCS(0)) {
		team.Go(func() {
			found := make([]uint64, len(d.Size))
			for w := range words {
				p.findAll(d, w, found)
			}
		})
	}
	team.Wait()
	return p
}

// findAll does what find does, for a word of all rows.
func (p *Places) findAll(d *Dag, w int, found []uint64) {
	for _, k := range d.ByHeight {
		x := uint64(0)
		for _, j := range d.After(k) {
			if x |= found[j]; int(j/Columns/64) == w {
				x |= 1 << (j / Columns % 64)
			}
		}
		found[k] = x
	}
	for k, x := range found {
		p.At[2*(k*p.Words+w)] = x
	}
}

// TileColumns is how many columns of tiles there are of so many columns.
func TileColumns(columns int) int { return (columns + Columns - 1) / Columns }

// find finds the tiles of a row from those of its successors.
func (p *Places) find(d *Dag, k uint32) {
	own := p.row(k)
	for w := range p.Words {
		own[2*w] = 0
	}
	for _, j := range d.After(k) {
		other := p.row(j)
		for w := range p.Words {
			own[2*w] |= other[2*w]
		}
		own[2*(j/Columns/64)] |= 1 << (j / Columns % 64)
	}
}

func (p *Places) row(k uint32) []uint64 { return p.At[2*p.Words*int(k) : 2*p.Words*int(k+1)] }

// Tiles counts the tiles of rows.
func (p *Places) Tiles() (n uint64) {
	for i := 0; i < len(p.At); i += 2 {
		n += uint64(bits.OnesCount64(p.At[i]))
	}
	return n
}

// ByColumn counts those of each column, the rows in steps.
func (p *Places) ByColumn(columns, step int) []uint64 {
	n := make([]uint64, columns)
	for i := 0; i < len(p.At)/2/p.Words; i += step {
		for w := range p.Words {
			for rest := p.At[2*(i*p.Words+w)]; rest != 0; rest &= rest - 1 {
				n[64*w+bits.TrailingZeros64(rest)]++
			}
		}
	}
	return n
}

// Lay puts the tiles of columns from up to to one row after the other.
func (p *Places) Lay(from, to int) {
	p.Used = 0
	for k := range uint32(len(p.At) / 2 / p.Words) {
		p.put(k, from, to, p.Used)
		p.Used += p.row(k)[1] >> 32
	}
}

// put puts the tiles of a row at a place.
func (p *Places) put(k uint32, from, to int, at uint64) {
	row, before := p.row(k), at
	for w := range p.Words {
		below, within := row[2*w]&^onward(from-64*w), row[2*w]&onward(from-64*w)&^onward(to-64*w)
		row[2*w+1] = uint64(uint32(at) - uint32(bits.OnesCount64(below)))
		at += uint64(bits.OnesCount64(within))
	}
	row[1] |= (at - before) << 32
}

// onward has the bits from i on.
func onward(i int) uint64 {
	switch {
	case i <= 0:
		return ^uint64(0)
	case i >= 64:
		return 0
	}
	return ^uint64(0) << i
}

// Again returns places after a change of some rows, which have their old tiles' room if that is enough, and else come
// after all others; nil if there is no room for so many tiles.
func (p *Places) Again(d *Dag, changed []bool, room uint64) *Places {
	q := &Places{Words: p.Words, At: make([]uint64, 2*p.Words*len(d.Size)), Used: p.Used}
	copy(q.At, p.At)
	for k := len(p.At) / 2 / p.Words; k < len(d.Size); k++ {
		q.row(uint32(k))[1] = 0
	}
	for _, k := range d.ByHeight {
		if !changed[k] {
			continue
		}
		q.find(d, k) // of a free column nothing is left but the room
		row, tiles := q.row(k), uint64(0)
		for w := range q.Words {
			tiles += uint64(bits.OnesCount64(row[2*w]))
		}
		had, at := row[1]>>32, uint64(uint32(row[1]))
		if tiles > had {
			if at, had = q.Used, tiles; q.Used+tiles > room {
				return nil
			}
			q.Used += tiles
		}
		q.put(k, 0, 64*q.Words, at)
		row[1] = row[1]&(1<<32-1) | had<<32
	}
	return q
}

// Place returns where the tile of a row is in a column of tiles, if it is stored.
func (p *Places) Place(k uint32, column int) (at uint32, stored bool) {
	row := p.row(k)
	present, bit := row[2*(column/64)], column%64
	return uint32(row[2*(column/64)+1]) + uint32(bits.OnesCount64(present&^onward(bit))), present>>bit&1 != 0
}

// Span is where the tiles of a row are in columns from up to to, and the columns that have one.
func (p *Places) Span(k uint32, from, to int, columns []int) (first uint32, _ []int) {
	for t := from; t < to; t++ {
		if at, stored := p.Place(k, t); stored {
			if len(columns) == 0 {
				first = at
			}
			columns = append(columns, t)
		}
	}
	return first, columns
}

// Rows is how many rows there are.
func (p *Places) Rows() int { return len(p.At) / 2 / p.Words }

// Tile is one tile, as the host has it: its words of 32 bits in turn, the lower half first.
type Tile [Columns / 64]uint64

// Fill does what the kernel does, on all cores of the host: each takes a column at a time. It ends when stop says so.
func (p *Places) Fill(d *Dag, way int, order []uint32, from, to int, tiles []Tile, stop func() bool) (sum uint64) {
	var next, all atomic.Uint64
	var team guard.Group
	for range min(runtime.GOMAXPROCS(0), to-from) {
		team.Go(func() {
			for t := from + int(next.Add(1)) - 1; t < to && !stop(); t = from + int(next.Add(1)) - 1 {
				all.Add(p.fill(d, way, order, t, tiles, stop))
			}
		})
	}
	team.Wait()
	return all.Load()
}

func (p *Places) fill(d *Dag, way int, order []uint32, column int, tiles []Tile, stop func() bool) (sum uint64) {
	sizes := d.Size[column*Columns : min((column+1)*Columns, len(d.Size))]
	var ones Tile
	for i, n := range sizes {
		if n == 1 {
			ones[i/64] |= 1 << (i % 64)
		}
	}
	for i, k := range order {
		if i%pollEvery == 0 && stop() {
			return 0
		}
		own, stored := p.Place(k, column)
		if !stored {
			continue
		}
		w := &tiles[own]
		if way == Make {
			*w = Tile{}
			for _, j := range d.After(k) {
				if at, stored := p.Place(j, column); stored {
					for i, x := range &tiles[at] {
						w[i] |= x
					}
				}
				if int(j/Columns) == column {
					w[j%Columns/64] |= 1 << (j % 64)
				}
			}
		}
		n := uint64(0)
		for i, x := range w {
			n += uint64(bits.OnesCount64(x & ones[i]))
			for rest := x &^ ones[i]; rest != 0; rest &= rest - 1 {
				n += uint64(sizes[64*i+bits.TrailingZeros64(rest)])
			}
		}
		sum += uint64(d.Size[k]) * n
	}
	return sum
}

// Deal returns the columns of tiles from up to to, those with most tiles first, by a sample of rows.
func (p *Places) Deal(columns, from, to int) []uint32 {
	n := p.ByColumn(columns, 1+p.Rows()/4096)
	var deal []uint32
	for t := from; t < to; t++ {
		deal = append(deal, uint32(t))
	}
	slices.SortStableFunc(deal, func(a, b uint32) int { return int(n[b]) - int(n[a]) })
	return deal
}
