package opt

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// lowOnes returns how many ones m is, if it is nothing but ones from bit 0 on.
func lowOnes(m uint64) (uint32, bool) {
	return uint32(bits.OnesCount64(m)), m != 0 && m&(m+1) == 0
}

// byteOf is where a byte of a u32 comes from: byte at of row from; NoRow for a byte of zeros.
type byteOf struct {
	from ir.Row
	at   uint8
}

var zeroByte = byteOf{from: ir.NoRow}

// permutation makes one op of shifts by whole bytes, masks of whole bytes and ors, if their bytes come from one or two
// values and it stands for at least three ops.
func (w *work) permutation(g *ranges, r ir.Row) bool {
	if w.Type[r] != ir.U32 || g == nil {
		return false
	}
	p := permuted{w: w, g: g}
	all, ok := p.inside(r, maxBytesDeep)
	if !ok || p.ops < minBytewise {
		return false
	}
	var from []ir.Row
	zeros := false
	for _, b := range all {
		if b.from == ir.NoRow {
			zeros = true
		} else if len(from) == 0 || from[0] != b.from && from[len(from)-1] != b.from {
			from = append(from, b.from)
		}
	}
	if len(from) == 0 || len(from) > 2 {
		return false
	}
	zero := uint8(4) // a byte of zeros among those that can be picked
	if len(from) == 1 {
		from = append(from, w.constant(ir.U32, 0))
	} else if zeros {
		z := bits.TrailingZeros8(p.zeroBytes(from[0]) | p.zeroBytes(from[1])<<4)
		if z == 8 {
			return false
		}
		zero = uint8(z)
	}
	pick := uint64(0)
	for k, b := range all {
		n := zero
		switch {
		case b.from == ir.NoRow:
		case b.from == from[0]:
			n = b.at
		default:
			n = 4 + b.at
		}
		pick |= uint64(n) << (4 * k)
	}
	w.become(r, ir.OpPrmt, 0, from[0], from[1], w.constant(ir.U32, pick))
	w.hit("bytes")
	return true
}

// Bounds of what one op takes the place of.
const (
	maxBytesDeep = 6
	minBytewise  = 3
)

// bytewise is how many ops row r stands for at most, if what it puts together are bytes.
func bytewise(w *work, r ir.Row, depth int) int {
	if w.visits++; w.Type[r] != ir.U32 || depth == 0 {
		return 0
	}
	n := 1
	switch w.Op[r] {
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAdd:
	default:
		return 0
	}
	for _, v := range [2]ir.Row{w.A(r), w.B(r)} {
		if w.uses[v] == 1 {
			n += bytewise(w, v, depth-1)
		}
	}
	return n
}

// permuted finds where bytes come from.
type permuted struct {
	w   *work
	g   *ranges
	ops int // that nothing else needs, r included
}

// zeroBytes are the bytes of v known to be zero, a bit for each.
func (p *permuted) zeroBytes(v ir.Row) (z uint8) {
	zeros := p.g.at(v).Zeros
	for k := range 4 {
		if zeros>>(8*k)&0xFF == 0xFF {
			z |= 1 << k
		}
	}
	return z
}

// of returns the bytes of v, which are its own if it is no permutation, or one that something else needs too.
func (p *permuted) of(v ir.Row, depth int) [4]byteOf {
	p.w.visits++
	if depth > 0 && p.w.uses[v] == 1 {
		if b, ok := p.inside(v, depth); ok {
			return b
		}
	}
	var b [4]byteOf
	z := p.zeroBytes(v)
	for k := range b {
		b[k] = byteOf{v, uint8(k)}
		if z>>k&1 != 0 {
			b[k] = zeroByte
		}
	}
	return b
}

// inside returns the bytes of what row r computes, if that moves bytes and nothing else.
func (p *permuted) inside(r ir.Row, depth int) (b [4]byteOf, ok bool) {
	w := p.w
	x, y := w.A(r), w.B(r)
	c, isConst := w.bits(y)
	if w.Type[r] != ir.U32 || x == ir.NoRow || w.Type[x] != ir.U32 {
		return b, false
	}
	save := p.ops
	p.ops++
	switch op := w.Op[r]; op {
	case ir.OpShl, ir.OpShr, ir.OpRotl:
		if isConst && c%8 == 0 && c <= 24 {
			b, ok = shifted(op, p.of(x, depth-1), int(c/8)), true
		}
	case ir.OpAnd:
		if isConst {
			b, ok = p.masked(p.of(x, depth-1), c)
		}
	case ir.OpBfe:
		if pos, length := w.X[r]&0xFF, w.X[r]>>8; pos%8 == 0 && length%8 == 0 {
			b, ok = field(p.of(x, depth-1), int(pos/8), int(length/8)), true
		}
	case ir.OpPrmt:
		if pick, known := w.bits(w.C(r)); known && pick&0x8888 == 0 {
			b, ok = p.picked(x, y, pick, depth), true
		}
	case ir.OpOr, ir.OpXor, ir.OpAdd:
		if !isConst {
			b, ok = united(p.of(x, depth-1), p.of(y, depth-1))
		}
	}
	if !ok {
		p.ops = save
	}
	return b, ok
}

// shifted are the bytes of a shift or a rotation by n bytes.
func shifted(op ir.Op, from [4]byteOf, n int) (b [4]byteOf) {
	for k := range b {
		b[k] = zeroByte
		switch {
		case op == ir.OpRotl:
			b[k] = from[(k-n)&3]
		case op == ir.OpShl && k >= n:
			b[k] = from[k-n]
		case op == ir.OpShr && k+n < 4:
			b[k] = from[k+n]
		}
	}
	return b
}

// masked are the bytes that mask leaves, false if it leaves a part of one.
func (p *permuted) masked(b [4]byteOf, mask uint64) ([4]byteOf, bool) {
	for k := range b {
		switch m := mask >> (8 * k) & 0xFF; {
		case m == 0:
			b[k] = zeroByte
		case m != 0xFF && !p.w.must(checkWholeBytes, b[k].from == ir.NoRow):
			return b, false
		}
	}
	return b, true
}

// field are the n bytes from byte pos on, and zeros.
func field(from [4]byteOf, pos, n int) (b [4]byteOf) {
	for k := range b {
		b[k] = zeroByte
		if k < n {
			b[k] = from[k+pos]
		}
	}
	return b
}

// picked are the bytes that pick names of those of x and y.
func (p *permuted) picked(x, y ir.Row, pick uint64, depth int) (b [4]byteOf) {
	from := [2][4]byteOf{p.of(x, depth-1), {zeroByte, zeroByte, zeroByte, zeroByte}}
	if !p.w.isConst(y, 0) {
		from[1] = p.of(y, depth-1)
	}
	for k := range b {
		n := pick >> (4 * k) & 7
		b[k] = from[n/4][n%4]
	}
	return b
}

// united are the bytes of two values of which at each place one has a zero, false if both have something.
func united(x, y [4]byteOf) (b [4]byteOf, ok bool) {
	for k := range b {
		if b[k] = x[k]; b[k].from == ir.NoRow {
			b[k] = y[k]
		} else if y[k].from != ir.NoRow {
			return b, false
		}
	}
	return b, true
}
