package ptx

import (
	"math/bits"
	"slices"

	"github.com/govyre/vyre/ir"
)

// The words of an operand lie in shared memory as tiles: eight lines of 16 bytes, of which lane l has word l mod 4 of line l/4. Where
// the indices of all lanes are proven to be such, and lines begin at multiples of 16 bytes, one ldmatrix loads the words of
// all tiles: lane l tells it where line l mod 8 of tile l/8 is. If the two halves of each word lie in lines of their own, one
// below the other, it turns the tiles. Else the words are loaded one by one.

// tiles are those of an operand.
type tiles struct {
	words  []uint32 // rows
	loads  []ir.Row // of the words, or of their halves, the low one first
	first  ir.Row   // the load where all are loaded
	index  *laneForm
	layout tileLayout
	place  reg // where a lane finds its line, but for the index
	at     reg // with it
}

// tileLayout says where lines are, in bytes.
type tileLayout struct {
	obj    uint32
	turned bool
	pitch  uint32 // from a line to the next
	from   uint32 // from the index of lane 0 to the first tile
	second uint32 // from there to the second tile, and from the third to the fourth
	third  uint32
}

// maxTileSpan bounds the rows between the loads of an operand.
const maxTileSpan = 512

// findTiles notes the operands of products that one instruction loads, if the program links that.
var findTiles func(*selector) func(ir.Row) bool

// LinkTiles makes operands of products in shared memory loads of tiles, from sm_75 on. Packages with such kernels call it when they
// start, and programs without them do not link it. No result depends on it.
func LinkTiles() { findTiles = tilesOf }

func tilesOf(s *selector) func(ir.Row) bool {
	if s.t.SM < 75 || s.p.GroupSize()%warpSize != 0 {
		return nil
	}
	f := newLaneForms(s)
	f.tiles = make(map[ir.Row]*tiles)
	for r := range ir.Row(s.p.Rows()) {
		if s.p.Op(r) < ir.OpMma || s.uses[r] == 0 {
			continue
		}
		for _, v := range [2]ir.Row{s.p.A(r), s.p.B(r)} {
			if s.p.Op(v) == ir.OpVec {
				f.tile(&tiles{words: s.p.List(v)})
			}
		}
	}
	return f.loaded
}

// tile notes the words of an operand, if they are loaded as tiles.
func (f *laneForms) tile(x *tiles) {
	var inner []ir.Row
	for _, w := range x.words {
		if f.s.taken[ir.Row(w)] || !f.word(x, ir.Row(w), &inner) {
			return
		}
	}
	x.layout.turned = len(inner) > 0
	if x.layout.turned && len(x.loads) != 2*len(x.words) || !f.together(x) || !f.laidOut(x) {
		return
	}
	for _, r := range x.loads {
		f.tiles[r] = x
	}
	for _, r := range inner {
		f.s.uses[r] = 0
	}
	for _, w := range x.words {
		f.s.taken[ir.Row(w)] = true
	}
}

// word finds the load of a word, or those of its halves and what lies between: nothing else uses that.
func (f *laneForms) word(x *tiles, w ir.Row, inner *[]ir.Row) bool {
	p := f.s.p
	a, b := p.A(w), p.B(w)
	once := func(v ir.Row, op ir.Op) bool { return p.Op(v) == op && f.s.uses[v] == 1 }
	if p.Op(w) == ir.OpLoad {
		x.loads = append(x.loads, w)
		return len(*inner) == 0
	}
	if p.Op(w) == ir.OpBitcast {
		x.loads = append(x.loads, a)
		return len(*inner) == 0 && once(a, ir.OpLoad)
	}
	if p.Op(w) != ir.OpOr {
		return false
	}
	for load, word := range f.s.asWord {
		if word == w {
			x.loads = append(x.loads, load)
			return len(*inner) == 0
		}
	}
	if once(a, ir.OpShl) {
		a, b = b, a
	}
	if !once(b, ir.OpShl) || !f.s.isConst(p.B(b), 16) {
		return false
	}
	*inner = append(*inner, a, b, p.A(b))
	for _, v := range [2]ir.Row{a, p.A(b)} {
		if !once(v, ir.OpBitcast) || !once(p.A(v), ir.OpLoad) || !p.Type(p.A(v)).IsHalf() {
			return false
		}
		x.loads = append(x.loads, p.A(v))
	}
	return true
}

// unit is how many bytes an index of the loads counts.
func (x *tiles) unit() uint32 {
	if x.layout.turned {
		return 2
	}
	return 4
}

// together reports whether all lanes come to the loads together, and nothing between the first and the last one changes memory.
func (f *laneForms) together(x *tiles) bool {
	p := f.s.p
	x.first = slices.Min(x.loads)
	last := slices.Max(x.loads)
	x.layout.obj = p.X(x.first)
	o := &f.s.objs[x.layout.obj]
	if o.space != shared || last-x.first > maxTileSpan {
		return false
	}
	for _, r := range x.loads {
		if _, wide := f.s.wide[r]; wide || f.s.alongside[r] || f.tiles[r] != nil || p.X(r) != x.layout.obj || !p.Flags(r).InBounds() ||
			uint32(o.Type().Size()*max(1, p.Op(r).Info().Vec.Lanes())) != x.unit() {
			return false
		}
	}
	const changes = ir.Writes | ir.Barrier | ir.Fence | ir.Atomic | ir.Structured | ir.Terminator | ir.Traps
	for r := x.first; r <= last; r++ {
		if p.Op(r).Info().Attr&changes != 0 || p.Region(r) != p.Region(x.first) || f.uni.Control[r] > ir.LevelWarp {
			return false
		}
	}
	return true
}

// laidOut reports whether the lanes' indices are those of tiles.
func (f *laneForms) laidOut(x *tiles) bool {
	if x.index = f.of(f.s.p.A(x.first)); x.index == nil {
		return false
	}
	var starts [4]uint32 // indices at which tiles begin, but for what all lanes have in common
	var pitch, odd uint32
	byLine, byWord, per := uint32(0), uint32(1), len(x.loads)/len(x.words)
	for i, r := range x.loads {
		y := f.of(f.s.p.A(r))
		if y == nil || !slices.Equal(y.terms, x.index.terms) {
			return false
		}
		half := uint32(i % per)
		switch {
		case i == 0 && per == 1:
			pitch = y.own[4] - y.own[0]
			byLine = pitch
		case i == 0:
			byLine, pitch = 1, (y.own[1]-y.own[0])/2
			byWord = 2 * pitch
		}
		if half == 0 {
			starts[i/per] = y.own[0]
		}
		for l, v := range y.own {
			if v != starts[i/per]+half*pitch+uint32(l/4)*byLine+uint32(l%4)*byWord {
				return false
			}
		}
		odd |= starts[i/per] | pitch
	}
	u, y := x.unit(), &x.layout
	y.pitch, y.from, y.second, y.third = u*pitch, u*(starts[0]-x.index.own[0]), u*(starts[1]-starts[0]), 0
	if len(x.words) == 4 {
		y.third = u * (starts[2] - starts[0])
	}
	for _, t := range x.index.terms {
		odd |= 1 << min(31, bits.TrailingZeros32(t.times)+f.low(ir.Row(t.row), maxLooks))
	}
	return u*odd%16 == 0 && (len(x.words) == 2 || starts[3]-starts[2] == starts[1]-starts[0])
}

// maxLooks bounds how far is looked for what a value is made of.
const maxLooks = 10

// loaded reports whether a row is loaded with others, and loads all of them at the first.
func (f *laneForms) loaded(row ir.Row) bool {
	x := f.tiles[row]
	if x != nil && x.first == row {
		f.load(x)
	}
	return x != nil || f.s.taken[row] && f.s.p.Op(row) == ir.OpBitcast
}

func (f *laneForms) load(x *tiles) {
	s := f.s
	s.need(6, 5)
	in := inst{op: opLdMatrix2, src: [4]operand{f.address(x)}}
	if x.layout.turned {
		in.op = opLdMatrixT2
	}
	if len(x.words) == 4 {
		in.op++
	}
	d := make([]reg, len(x.words))
	for i := range d {
		d[i] = s.newReg(classR)
	}
	in.dst = s.vec(d...)
	s.add(in)
	for i, w := range x.words {
		s.set(ir.Row(w), r(d[i]))
		if load := x.loads[i]; s.typeOf(load) == ir.F32 {
			s.set(load, s.recast(ir.F32, r(d[i]))) // of which others may see the bits
		}
	}
}

// address is where a lane finds its line: often so much after that of another operand.
func (f *laneForms) address(x *tiles) operand {
	s := f.s
	for _, y := range f.placed {
		if y.layout != x.layout {
			continue
		}
		x.place = y.place
		by := int64(int32((x.index.own[0] - y.index.own[0]) * x.unit()))
		if slices.Equal(x.index.terms, y.index.terms) && s.dominates(y.first, x.first) && by == by%maxOffset {
			return at(y.at, uint64(by))
		}
	}
	if x.place == noReg {
		s.placeLines(x)
	}
	index := s.value(s.p.A(x.first))
	if s.typeOf(s.p.A(x.first)).Size() == 8 {
		index = s.convert(opCvt, tU32, tU64, index)
	}
	x.at = s.do(opMadLo, tU32, index.as(tU32), u32(x.unit()), r(x.place)).reg
	f.placed = append(f.placed, x)
	return at(x.at, 0)
}

// placeLines works out at the entry where lanes find their lines, but for the index.
func (s *selector) placeLines(x *tiles) {
	y := &x.layout
	x.place = s.base(ir.Object(y.obj))
	lane := s.lane()
	byLine, byWord := y.pitch, uint32(4)
	if y.turned {
		byLine, byWord = 2, 2*y.pitch
	}
	s.atEntry(func() {
		x.place = s.do(opAdd, tU32, r(x.place), u32(y.from)).reg
		for _, part := range [5][3]uint32{{0, 7, y.pitch}, {2, 7, -byLine}, {0, 3, -byWord}, {3, 1, y.second}, {4, 1, y.third}} {
			n := s.do(opAnd, tB32, s.do(opShr, tU32, lane, u32(part[0])), u32(part[1]))
			x.place = s.do(opMadLo, tU32, n, u32(part[2]), r(x.place)).reg
		}
	})
}
