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
	if w.Type[r] != ir.U32 {
		return false
	}
	p := permuted{w: w, g: g}
	all, ok := p.inside(r, maxBytesDeep)
	if !ok || p.ops < 3 {
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

const maxBytesDeep = 6

// permuted finds where bytes come from.
type permuted struct {
	w   *work
	g   *ranges
	ops int // that nothing else needs, r included
}

// zeroBytes are the bytes of v known to be zero, a bit for each.
func (p *permuted) zeroBytes(v ir.Row) (z uint8) {
	zeros := p.g.at(v).zeros
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
		if !isConst || c%8 != 0 || c > 24 {
			break
		}
		from, n := p.of(x, depth-1), int(c/8)
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
		return b, true
	case ir.OpAnd:
		if !isConst {
			break
		}
		b = p.of(x, depth-1)
		for k := range b {
			switch m := c >> (8 * k) & 0xFF; {
			case m == 0:
				b[k] = zeroByte
			case m != 0xFF && !w.must(checkWholeBytes, b[k].from == ir.NoRow):
				p.ops = save
				return b, false
			}
		}
		return b, true
	case ir.OpBfe:
		if pos, length := w.X[r]&0xFF, w.X[r]>>8; pos%8 == 0 && length%8 == 0 {
			from := p.of(x, depth-1)
			for k := range b {
				b[k] = zeroByte
				if k < int(length/8) {
					b[k] = from[k+int(pos/8)]
				}
			}
			return b, true
		}
	case ir.OpPrmt:
		pick, ok := w.bits(w.C(r))
		if !ok || pick&0x8888 != 0 {
			break
		}
		from := [2][4]byteOf{p.of(x, depth-1), {zeroByte, zeroByte, zeroByte, zeroByte}}
		if !w.isConst(y, 0) {
			from[1] = p.of(y, depth-1)
		}
		for k := range b {
			n := pick >> (4 * k) & 7
			b[k] = from[n/4][n%4]
		}
		return b, true
	case ir.OpOr, ir.OpXor, ir.OpAdd:
		if isConst {
			break
		}
		l, s := p.of(x, depth-1), p.of(y, depth-1)
		for k := range b {
			if b[k] = l[k]; b[k].from == ir.NoRow {
				b[k] = s[k]
			} else if s[k].from != ir.NoRow {
				p.ops = save
				return b, false
			}
		}
		return b, true
	}
	p.ops = save
	return b, false
}
