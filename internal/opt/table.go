package opt

import (
	"math/bits"

	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// lookUp replaces a load from a table whose elements, as far as the index can name them, fit a word of 64 bits: they
// stand in a constant side by side, each with as many bits as their largest difference from the smallest has, and a
// shift brings the one asked for to the low end. Where the lanes of a warp ask for the same element, a load from
// constant memory takes fewer instructions, and stays.
//
// An index out of bounds is made the number of elements first: above the last of them the word is zero, and a shift by
// the width or more gives zero. That may only be left out where the index is proven to be in bounds.
func (w *work) lookUp(g *ranges, r ir.Row) {
	a := w.objs[w.X[r]].Array
	i := w.A(r)
	if a.Len > 64 && !w.contents(w.X[r]).equal && g.at(i).Hi >= 64 {
		return // more elements than bits
	}
	n, sure := a.Len, w.Flags[r].InBounds()
	if hi := g.at(i).Hi; g.notNegative(i) && hi < n {
		n, sure = hi+1, true
	}
	sure = w.must(checkTableBounds, sure)
	p, ok := w.pack(a, min(n, 64), sure) // of more than that, all are equal
	if !ok {
		return
	}
	if p.width == 0 {
		w.replaceAlways(r, w.constant(a.Type.Value(), p.least))
		w.hit("table-constant")
		return
	}
	if n > 64 || w.level[i] <= ir.LevelWarp {
		return
	}
	w.hit("table-word")
	if t := w.Type[i]; t.IsSigned() {
		i = w.before(r, ir.OpCvt, t.Unsigned(), 0, i)
	}
	if !sure {
		i = w.before(r, ir.OpMin, w.Type[i], 0, i, w.constant(w.Type[i], n))
	}
	if w.Type[i] != ir.U32 {
		i = w.before(r, ir.OpCvt, ir.U32, 0, i)
	}
	w.replaceAlways(r, w.unpack(r, p, i))
}

// pack is elements of a table in a word.
type pack struct {
	word  uint64
	n     uint64
	width uint   // bits of each; 0: all are the least
	least uint64 // what each is more than
}

// pack puts the first n elements of a table into a word, if they fit. Unless indices are sure to name one of them, the
// least is zero, which is what others give.
func (w *work) pack(a *ir.Array, n uint64, sure bool) (p pack, ok bool) {
	t := a.Type.Value()
	p.n = n
	if sure {
		p.least = a.Loaded(0)
		for k := range n {
			switch v := a.Loaded(k); {
			case v == p.least:
			case !t.IsInt(): // a sum of bits is no sum of floats
				p.least = 0
			case t.IsSigned() && interval.WidthOf(t).Sign(v) < interval.WidthOf(t).Sign(p.least), !t.IsSigned() && v < p.least:
				p.least = v
			}
		}
	}
	for k := range n {
		w.visits++
		more := (a.Loaded(k) - p.least) & t.Mask()
		p.width = max(p.width, uint(bits.Len64(more)))
		if uint64(p.width)*n > 64 {
			return p, false
		}
	}
	for k := range n {
		p.word |= (a.Loaded(k) - p.least) & t.Mask() << (uint(k) * p.width)
	}
	return p, true
}

// unpack takes element i out of a word, by rows in front of row r, whose type the element has.
func (w *work) unpack(r ir.Row, p pack, i ir.Row) ir.Row {
	word := ir.U32
	if p.n*uint64(p.width) > 32 {
		word = ir.U64
	}
	count := i
	switch log := uint64(bits.TrailingZeros(p.width)); {
	case p.width&(p.width-1) != 0:
		count = w.before(r, ir.OpMul, ir.U32, 0, i, w.constant(ir.U32, uint64(p.width)))
	case log > 0:
		count = w.before(r, ir.OpShl, ir.U32, 0, i, w.constant(ir.U32, log))
	}
	v := w.before(r, ir.OpShr, word, 0, w.constant(word, p.word), count)
	t := w.Type[r]
	if cut := t.Size() >= 4 && p.width >= t.Bits(); p.n > 1 && p.width < word.Bits() && !cut { // else the conversion drops the rest
		v = w.before(r, ir.OpAnd, word, 0, v, w.constant(word, 1<<p.width-1))
	}
	if t == ir.Bool {
		return w.before(r, ir.OpNe, ir.Bool, 0, v, w.constant(word, 0))
	}
	raw := t
	switch {
	case t.IsHalf():
		raw = ir.U32
	case t.IsFloat():
		raw = t.Unsigned()
	}
	if word != raw {
		v = w.before(r, ir.OpCvt, raw, 0, v)
	}
	if p.least != 0 {
		v = w.before(r, ir.OpAdd, raw, 0, v, w.constant(raw, p.least))
	}
	if raw != t {
		v = w.before(r, ir.OpBitcast, t, 0, v)
	}
	return v
}

// contents is what is known of all elements of a table.
type contents struct {
	loads interval.Interval // what a load gives, out of bounds too
	equal bool              // all elements are
}

// contents looks at a table once.
func (w *work) contents(o uint32) *contents {
	if c, ok := w.tables[o]; ok {
		return c
	}
	a := w.objs[o].Array
	n := interval.WidthOf(a.Type.Value())
	c := &contents{equal: true}
	c.loads.Exact(n, 0)
	for k := range a.Len {
		w.visits++
		v := a.Loaded(k)
		var one interval.Interval
		one.Exact(n, v)
		c.loads.Join(&c.loads, &one)
		c.equal = c.equal && v == a.Loaded(0)
	}
	c.loads.Reduced(n, &c.loads)
	if w.tables == nil {
		w.tables = make(map[uint32]*contents)
	}
	w.tables[o] = c
	return c
}
