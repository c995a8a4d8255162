package tiles

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

const (
	// Columns is how many columns a tile has, Bytes its size.
	Columns = 1024
	Bytes   = Columns / 8

	threads = 512
	octets  = threads / 8 // rows at a time: eight lanes have a tile, 16 bytes each
	// Long is how many successors a row has at most that eight lanes fill; the group shares longer ones.
	Long = 64

	eight = 8 // words to a place
)

// Ways of Fill.
const (
	Make  = 0 // stores tiles, and counts them
	Count = 1 // counts tiles that are there
)

// Fill makes the tiles of the listed rows in one column of tiles a group, deal[group]. It goes up the heights alone,
// and so needs no barrier of the grid: a row is made of rows of less height in the same column, or of rows that are not
// listed. The list is in order of heights, an entry a row: its number, where its successors begin and end, its nodes.
// starts has two words a height: where its short rows begin, and its long ones.
//
// present has for each row and 64 columns of tiles which of them are stored, firsts for each eight such words where the
// first one is. To sums is added: nodes of the row times the nodes of the columns in it.
//
// Loads of a height wait for each other, so those of the next ones are under way meanwhile: entries two heights ahead,
// their places and first successors one. A value that was loaded ahead is not touched before it is used.
//
//vyre:kernel workgroup=512
func Fill(t gpu.Thread, way, heights, words uint32, deal, starts []uint32, list [][4]uint32, to, size []uint32, present []uint64, firsts []uint32, tiles [][4]uint32, sums []uint64) {
	sizes, ones, long := gpu.Shared[uint32](t, Columns), gpu.Shared[uint32](t, 32), gpu.Shared[uint32](t, 32)
	f := filling{tile: deal[t.Group().X], lane: t.LocalIndex() % 8, to: to, list: list, where: stored{words, present, firsts}, tiles: tiles}
	for base := uint32(0); base < Columns; base += threads {
		i := base + t.LocalIndex()
		n := gpu.At(size, f.tile*Columns+i)
		sizes[i] = n
		if one := t.Ballot(n == 1); t.Lane() == 0 {
			ones[i/32] = one
		}
	}
	t.Barrier()
	c := counting{lane: f.lane, sizes: sizes, ones: ones}
	octet, sum := t.LocalIndex()/8, uint64(0)
	r := f.row(f.entry(octet), 0)
	then := f.entry(gpu.At(starts, uint32(2)) + octet)
	for h := range heights {
		short, shared, end := starts[2*h], starts[2*h+1], starts[2*h+2]
		next := f.row(then, 0)
		then = f.entry(gpu.At(starts, 2*h+4) + octet)
		for at := short + octet; at < shared; at += octets {
			if at >= short+octets {
				r = f.row(f.entry(at), 0)
			}
			own, stored := f.where.at(r.entry[0], f.tile, r.place)
			if !stored {
				continue
			}
			var w [4]uint32
			if way == Make {
				w = f.joined(r, 4)
				tiles[uint64(own)*8+uint64(f.lane)] = w
			} else {
				w = tiles[uint64(own)*8+uint64(f.lane)]
			}
			sum += uint64(r.entry[3]) * c.sum(w)
		}
		r = next
		for at := shared; at < end; at++ {
			row := f.row(f.entry(at), 4*octet)
			own, stored := f.where.at(row.entry[0], f.tile, row.place)
			if !stored {
				continue
			}
			if way == Make {
				if t.LocalIndex() < 32 {
					long[t.LocalIndex()] = 0
				}
				t.Barrier()
				w := f.joined(row, threads/2)
				for i := range uint32(4) {
					if w[i] != 0 {
						gpu.AtomicOr(&long[4*f.lane+i], w[i])
					}
				}
				t.Barrier()
				if octet == 0 {
					w = [4]uint32{long[4*f.lane], long[4*f.lane+1], long[4*f.lane+2], long[4*f.lane+3]}
					tiles[uint64(own)*8+uint64(f.lane)] = w
					sum += uint64(row.entry[3]) * c.sum(w)
				}
				t.Barrier()
			} else if octet == 0 {
				sum += uint64(row.entry[3]) * c.sum(tiles[uint64(own)*8+uint64(f.lane)])
			}
		}
		t.Barrier()
	}
	if sum = t.BarrierAdd64(sum); t.LocalIndex() == 0 {
		gpu.AtomicAdd(&sums[0], sum)
	}
}

// filling is what is read to make rows in one column of tiles.
type filling struct {
	tile, lane  uint32
	to          []uint32
	list, tiles [][4]uint32
	where       stored
}

// listed is a row of the list as it was loaded: its entry, its place, and four successors, from some one on.
type listed struct {
	entry, after [4]uint32
	place        place
	first        uint32
}

// entry is one of the list, if there is one.
func (f filling) entry(at uint32) (e [4]uint32) {
	if at < uint32(len(f.list)) {
		e = f.list[at]
	}
	return e
}

// row loads more of the row of an entry, with successors from the first one and so many on.
func (f filling) row(e [4]uint32, from uint32) listed {
	r := listed{entry: e, place: f.where.place(e[0], f.tile), first: e[1] + from}
	r.after = f.four(r.first, e[2])
	return r
}

// four loads successors; one after the last is the last again, which changes nothing.
func (f filling) four(first, end uint32) (j [4]uint32) {
	if first < end {
		j = [4]uint32{f.to[first], f.to[min(first+1, end-1)], f.to[min(first+2, end-1)], f.to[min(first+3, end-1)]}
	}
	return j
}

// stored says where tiles are.
type stored struct {
	words   uint32
	present []uint64
	firsts  []uint32
}

// place is what was loaded of that for a row and a column of tiles.
type place struct {
	present uint64
	first   uint32
}

func (s stored) place(k, tile uint32) place {
	return place{s.present[k*s.words+tile/64], s.firsts[k*((s.words+eight-1)/eight)+tile/(64*eight)]}
}

// at returns where a tile is, if it is stored.
func (s stored) at(k, tile uint32, p place) (at uint32, stored bool) {
	if stored = p.present>>(tile%64)&1 != 0; stored {
		at = p.first + uint32(bits.OnesCount64(p.present&(1<<(tile%64)-1)))
		for w := tile / (64 * eight) * eight; w < tile/64; w++ {
			at += uint32(bits.OnesCount64(s.present[k*s.words+w]))
		}
	}
	return at, stored
}

// joined returns 16 bytes of what the successors of a row are and reach, four of every so many. Those four are looked
// up together, so that loads wait for each other once.
func (f filling) joined(r listed, every uint32) (w [4]uint32) {
	for first, j := r.first, r.after; first < r.entry[2]; {
		var place [4]place
		var part [4][4]uint32
		for i := range uint32(4) {
			place[i] = f.where.place(j[i], f.tile)
		}
		for i := range uint32(4) {
			if at, stored := f.where.at(j[i], f.tile, place[i]); stored {
				part[i] = f.tiles[uint64(at)*8+uint64(f.lane)]
			}
		}
		for i := range uint32(4) {
			w = or(w, part[i])
			if j[i]/128 == f.tile*8+f.lane {
				bit := uint32(1) << (j[i] % 32)
				switch j[i] / 32 % 4 {
				case 0:
					w[0] |= bit
				case 1:
					w[1] |= bit
				case 2:
					w[2] |= bit
				default:
					w[3] |= bit
				}
			}
		}
		first += every
		j = f.four(first, r.entry[2])
	}
	return w
}

func or(a, b [4]uint32) [4]uint32 {
	return [4]uint32{a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3]}
}

// counting weighs tiles of one column.
type counting struct {
	lane        uint32
	sizes, ones []uint32 // nodes of each column; columns of one node
}

// sum adds up the sizes of the columns in 16 bytes of a tile. Words of columns of one node are counted at once.
func (c counting) sum(w [4]uint32) (n uint64) {
	for i := range uint32(4) {
		one := c.ones[4*c.lane+i]
		n += uint64(bits.OnesCount32(w[i] & one))
		for rest := w[i] &^ one; rest != 0; rest &= rest - 1 {
			n += uint64(c.sizes[(4*c.lane+i)*32+uint32(bits.TrailingZeros32(rest))])
		}
	}
	return n
}

// Column lists, as bits, the rows that have a bit in one column.
//
//vyre:kernel workgroup=256
func Column(t gpu.Thread, column, words uint32, present []uint64, firsts, tiles, out []uint32) {
	rows, s := uint32(len(present))/words, stored{words, present, firsts}
	for w := t.Group().X*8 + t.Warp(); w < uint32(len(out)); w += t.Groups().X * 8 {
		k, has := 32*w+t.Lane(), false
		if k < rows {
			if at, stored := s.at(k, column/Columns, s.place(k, column/Columns)); stored {
				has = tiles[uint64(at)*32+uint64(column%Columns/32)]>>(column%32)&1 != 0
			}
		}
		if lanes := t.Ballot(has); t.Lane() == 0 {
			out[w] = lanes
		}
	}
}

// Put puts words where an edit has changed them: pairs are where, and what.
//
//vyre:kernel workgroup=256
func Put(t gpu.Thread, pairs [][2]uint32, to []uint32) {
	for i := t.Global().X; i < uint32(len(pairs)); i += t.Groups().X * 256 {
		to[pairs[i][0]] = pairs[i][1]
	}
}
