package tiles

import (
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/govyre/vyre/internal/guard"
)

// Places say which tiles of each row are stored, and where. A word has a bit for each of 64 columns of tiles. For each
// eight words there is the place of the first tile.
type Places struct {
	Words   int // of 64 columns of tiles
	Present []uint64
	First   []uint32
	Used    uint64 // tiles up to the end of the last row
	Tiles   uint64 // that are stored, of all columns

	room []uint32 // of a row, in tiles
}

// NewPlaces finds which tiles are not empty. None is laid out yet.
func NewPlaces(d *Dag) *Places {
	p := &Places{Words: max((TileColumns(len(d.Size))+63)/64, 1)}
	p.grow(len(d.Size))
	order, _ := d.List(nil)
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
				p.findAll(d, w, order, found)
			}
		})
	}
	team.Wait()
	for _, w := range p.Present {
		p.Tiles += uint64(bits.OnesCount64(w))
	}
	return p
}

// grow makes place for rows.
func (p *Places) grow(rows int) {
	n := rows - len(p.room)
	p.room = append(p.room, make([]uint32, n)...)
	p.Present = append(p.Present, make([]uint64, n*p.Words)...)
	p.First = append(p.First, make([]uint32, n*p.Firsts())...)
}

// findAll finds a word of all rows, from those of their successors.
func (p *Places) findAll(d *Dag, w int, order []uint32, found []uint64) {
	clear(found)
	for _, k := range order {
		x := uint64(0)
		for _, j := range d.After(k) {
			if x |= found[j]; int(j/Columns/64) == w {
				x |= 1 << (j / Columns % 64)
			}
		}
		found[k] = x
	}
	for k, x := range found {
		p.Present[k*p.Words+w] = x
	}
}

// TileColumns is how many columns of tiles there are of so many columns.
func TileColumns(columns int) int { return (columns + Columns - 1) / Columns }

// find finds the tiles of a row from those of its successors, and returns how many there are.
func (p *Places) find(d *Dag, k uint32) (n uint32) {
	own := p.row(k)
	clear(own)
	for _, j := range d.After(k) {
		for w, x := range p.row(j) {
			own[w] |= x
		}
		own[j/Columns/64] |= 1 << (j / Columns % 64)
	}
	for _, w := range own {
		n += uint32(bits.OnesCount64(w))
	}
	return n
}

func (p *Places) row(k uint32) []uint64 { return p.Present[p.Words*int(k) : p.Words*int(k+1)] }

// Firsts is how many places a row has.
func (p *Places) Firsts() int { return (p.Words + eight - 1) / eight }

func (p *Places) first(k uint32) []uint32 { return p.First[p.Firsts()*int(k) : p.Firsts()*int(k+1)] }

// ByColumn counts tiles of each column, in every step-th row, or in the listed ones.
func (p *Places) ByColumn(step int, rows []uint32) []uint64 {
	n := make([]uint64, TileColumns(p.Rows()))
	count := func(k uint32) {
		for w, rest := range p.row(k) {
			for ; rest != 0; rest &= rest - 1 {
				n[64*w+bits.TrailingZeros64(rest)]++
			}
		}
	}
	for i := 0; rows == nil && i < p.Rows(); i += step {
		count(uint32(i))
	}
	for _, k := range rows {
		count(k)
	}
	return n
}

// Lay puts the tiles of columns from up to to one row after the other.
func (p *Places) Lay(from, to int) {
	p.Used = 0
	for k := range uint32(p.Rows()) {
		p.room[k] = p.put(k, from, to, uint32(p.Used))
		p.Used += uint64(p.room[k])
	}
}

// put puts the tiles of a row at a place, and returns how many there are.
func (p *Places) put(k uint32, from, to int, at uint32) uint32 {
	first, before := p.first(k), at
	for w, x := range p.row(k) {
		if w%eight == 0 {
			first[w/eight] = at
		}
		below := onward(from - 64*w)
		first[w/eight] -= uint32(bits.OnesCount64(x &^ below))
		at += uint32(bits.OnesCount64(x & below &^ onward(to-64*w)))
	}
	return at - before
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

// Again finds and places the listed rows after an edit, in order of heights. They have the room that they had, if that
// is enough, else they come after all others. It returns how to undo that, and false if there are too many tiles.
func (p *Places) Again(d *Dag, rows []uint32, room uint64) (undo func(), fit bool) {
	was := *p
	present, first, had := make([]uint64, 0, len(rows)*p.Words), make([]uint32, 0, len(rows)*p.Firsts()), make([]uint32, 0, len(rows))
	p.grow(len(d.Name))
	for _, k := range rows {
		present, first, had = append(present, p.row(k)...), append(first, p.first(k)...), append(had, p.room[k])
	}
	undo = func() {
		for i, k := range rows {
			copy(p.row(k), present[i*p.Words:][:p.Words])
			copy(p.first(k), first[i*p.Firsts():][:p.Firsts()])
			p.room[k] = had[i]
		}
		p.Used, p.Tiles = was.Used, was.Tiles
		p.Present, p.First, p.room = p.Present[:len(was.Present)], p.First[:len(was.First)], p.room[:len(was.room)]
	}
	for _, k := range rows {
		for _, w := range p.row(k) {
			p.Tiles -= uint64(bits.OnesCount64(w))
		}
		n := p.find(d, k) // of a free column nothing is left but the room
		p.Tiles += uint64(n)
		at := p.start(k)
		if n > p.room[k] {
			if p.Used+uint64(n) > room {
				return undo, false
			}
			at, p.room[k] = uint32(p.Used), n
			p.Used += uint64(n)
		}
		p.put(k, 0, 64*p.Words, at)
	}
	return undo, true
}

// start is where a row begins that has all its tiles, or began when it had any.
func (p *Places) start(k uint32) uint32 { return p.first(k)[0] }

// Place returns where the tile of a row is in a column of tiles, if it is stored.
func (p *Places) Place(k uint32, column int) (at uint32, stored bool) {
	row, w := p.row(k), column/64
	if row[w]>>(column%64)&1 == 0 {
		return 0, false
	}
	at = p.first(k)[w/eight] + uint32(bits.OnesCount64(row[w]&^onward(column%64)))
	for _, x := range row[w/eight*eight : w] {
		at += uint32(bits.OnesCount64(x))
	}
	return at, true
}

// Empty reports whether a row has no tile.
func (p *Places) Empty(k uint32) bool {
	return int(k) >= p.Rows() || !slices.ContainsFunc(p.row(k), func(w uint64) bool { return w != 0 })
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
func (p *Places) Rows() int { return len(p.room) }

// Tile is one tile, as the host has it: its words of 32 bits in turn, the lower half first.
type Tile [Columns / 64]uint64

// Fill does what the kernel does, on all cores of the host: each takes a column at a time. It ends when stop says so.
func (p *Places) Fill(d *Dag, way int, order, deal []uint32, tiles []Tile, stop func() bool) (sum uint64) {
	var next, all atomic.Uint64
	var team guard.Group
	for range min(runtime.GOMAXPROCS(0), len(deal)) {
		team.Go(func() {
			for i := next.Add(1) - 1; i < uint64(len(deal)) && !stop(); i = next.Add(1) - 1 {
				all.Add(p.fill(d, way, order, int(deal[i]), tiles, stop))
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

// Deal returns the columns of tiles from up to to, those with most tiles first, by a sample of rows. If rows are listed,
// it returns columns that these have tiles in.
func (p *Places) Deal(from, to int, rows []uint32) []uint32 {
	n := p.ByColumn(1+p.Rows()/4096, rows)
	var deal []uint32
	for t := from; t < to; t++ {
		if rows == nil || n[t] > 0 {
			deal = append(deal, uint32(t))
		}
	}
	slices.SortStableFunc(deal, func(a, b uint32) int { return int(n[b]) - int(n[a]) })
	return deal
}
