package matrix

import (
	"math"
	"math/bits"
)

// format is a float's: a sign, e bits of exponent, m of fraction.
type format struct {
	e, m   uint8
	bias   int32
	finite bool // all ones is a NaN, and the exponent's ones alone are a number's
}

var (
	float32s = format{e: 8, m: 23, bias: 127}
	float16s = format{e: 5, m: 10, bias: 15}
	formats  = [formEnd]format{
		F16: float16s, F16F16: float16s,
		BF16: {e: 8, m: 7, bias: 127},
		TF32: {e: 8, m: 10, bias: 127},
		E4M3: {e: 4, m: 3, bias: 7, finite: true},
		E5M2: {e: 5, m: 2, bias: 15},
	}
	// chunks says how many products are summed at once.
	chunks = [formEnd][generationEnd]uint8{
		F16:    {SM70: 4, SM75: 8, SM90: 16},
		F16F16: {SM70: 4, SM75: 8, SM90: 16},
		BF16:   {SM75: 8, SM90: 16},
		TF32:   {SM75: 4, SM90: 8},
		E4M3:   {SM90: 32},
		E5M2:   {SM90: 32},
	}
	// fractions says how many bits of a sum are below the greatest exponent.
	fractions = [generationEnd]uint8{SM70: 23, SM75: 24, SM90: 25}
)

// term is the number m·2^(e − M), M being its format's. A NaN has m = 0 and an infinity m = ±1, and the exponent special.
type term struct{ m, e int32 }

// Exponents that no number has. Their sums tell what a product is: one with an infinity or a NaN in it is at least
// 2¹⁹, even if the other factor is zero.
const (
	special = 1 << 20
	none    = -1 << 18 // of zero, which says nothing about the greatest exponent
)

// floor is what the greatest exponent is at least if this is the accumulator's format: 7 below that of its least normal.
func (f *format) floor() int32 { return 1 - f.bias - 7 }

// decode reads a number. A subnormal stays as it is, its exponent that of the least normal.
func (f *format) decode(x uint32) term {
	ones, m := uint32(1)<<f.e-1, x&(1<<f.m-1)
	n := x >> f.m & ones
	t := term{e: int32(n) - f.bias}
	switch {
	case n == ones && !f.finite:
		t = term{e: special}
		if m == 0 {
			t.m = 1
		}
	case n == ones && m == 1<<f.m-1:
		return term{e: special}
	case n > 0:
		t.m = int32(1<<f.m | m)
	case m == 0:
		return term{e: none}
	default:
		t = term{int32(m), 1 - f.bias}
	}
	if x>>(f.e+f.m)&1 != 0 {
		t.m = -t.m
	}
	return t
}

// rule is how the hardware sums products.
type rule struct {
	in, acc  *format
	chunk    int
	fraction uint8 // bits of a sum below the greatest exponent
	kept     uint8 // bits of a result's fraction
	nearest  bool  // a result is rounded so, not toward zero
}

func ruleOf(f Form, g Generation) rule {
	r := rule{in: &formats[f], acc: &float32s, chunk: int(chunks[f][g]), fraction: fractions[g], kept: 23}
	switch f {
	case F16F16:
		r.acc, r.kept, r.nearest = &float16s, 10, true
	case E4M3, E5M2:
		r.fraction, r.kept = 13, 13
	}
	return r
}

// dot is c and the products of a chunk: aligned to the greatest exponent, what is below cut off, and summed exactly.
func (r *rule) dot(a, b []term, c uint32) uint32 {
	b = b[:len(a)]
	t := r.acc.decode(c)
	top := max(r.acc.floor(), t.e)
	for i := range a {
		top = max(top, a[i].e+b[i].e)
	}
	if top >= special/2 {
		return r.special(a, b, t)
	}
	fraction := r.fraction & 63
	align := func(m int64, down int32) int64 {
		sign := m >> 63
		return int64(uint64(m^sign-sign)<<fraction>>uint32(down)) ^ sign - sign
	}
	sum := align(int64(t.m), int32(r.acc.m)+top-t.e)
	products := top + 2*int32(r.in.m)
	for i := range a {
		sum += align(int64(a[i].m)*int64(b[i].m), products-a[i].e-b[i].e)
	}
	return r.pack(sum, top-int32(r.fraction))
}

// special is the result if an infinity or a NaN is among the operands.
func (r *rule) special(a, b []term, c term) uint32 {
	var positive, negative, nan bool
	see := func(m int64, e int32) {
		if e >= special/2 {
			positive, negative, nan = positive || m > 0, negative || m < 0, nan || m == 0
		}
	}
	see(int64(c.m), c.e)
	for i := range a {
		see(int64(a[i].m)*int64(b[i].m), a[i].e+b[i].e)
	}
	sign := r.acc.e + r.acc.m
	infinity := uint32(1)<<sign - 1<<r.acc.m
	switch {
	case nan || positive && negative:
		return 1<<sign - 1
	case negative:
		return 1<<sign | infinity
	}
	return infinity
}

// pack rounds s·2^e to an accumulator. A result of zero has no sign.
func (r *rule) pack(s int64, e int32) uint32 {
	m := uint64(max(s, -s))
	if m == 0 {
		return 0
	}
	lowest := 1 - r.acc.bias
	x := max(int32(bits.Len64(m))-1+e, lowest)
	if down := x - int32(r.kept) - e; down <= 0 {
		m <<= uint32(-down)
	} else {
		odd := m >> uint32(down) & 1
		if r.nearest {
			m += 1<<uint32(down-1) - 1 + odd
		}
		m >>= uint32(down)
	}
	// The leading one of a normal number, and what rounding carries into, count in the exponent.
	sign := r.acc.e + r.acc.m
	v := uint32(x-lowest)<<r.kept + uint32(m)
	v = min(v<<(r.acc.m-r.kept), 1<<sign-1<<r.acc.m)
	if s < 0 && v != 0 {
		v |= 1 << sign
	}
	return v
}

// words are rows of A or columns of B, lowest k first.
type words [8]uint32

// MulAdd leaves a·b + c in d. Register i of lane l holds, with g = l div 4 and t = l mod 4:
//
//	a     word t + 4·(i div 2) of row g + 8·(i mod 2)
//	b     word t + 4·i of column g
//	c, d  the element in row g + 8·(i div 2) and column 2·t + i mod 2
//
// A word is 32 bits along k, lowest k first. Two accumulators of F16F16 share a register: register i holds columns 2·t and
// 2·t + 1 of row g + 8·i, and those from 2 on are zero in d. F64 has 8 rows, and two registers for each element, low half
// first: a and b hold k = t of row and column g; c and d hold columns 2·t and 2·t + 1 of row g. d may be c, and the form
// is known in the generation.
func MulAdd(f Form, g Generation, a *[32][4]uint32, b *[32][2]uint32, c, d *[32][4]uint32) {
	if !f.Known(g) {
		panic("BUG: matrix: no " + f.String() + " in generation " + g.String())
	}
	if f == F64 {
		fuse(a, b, c, d)
		return
	}
	var rows [16]words
	var columns [8]words
	for l := range 32 {
		g, t := l/4, l%4
		for i := range 4 {
			rows[g+8*(i%2)][t+4*(i/2)] = a[l][i]
		}
		columns[g][t], columns[g][t+4] = b[l][0], b[l][1]
	}
	switch f {
	case I8:
		integers(&rows, &columns, c, d, func(w uint32) int32 { return int32(int8(w)) })
	case U8:
		integers(&rows, &columns, c, d, func(w uint32) int32 { return int32(uint8(w)) })
	case B1:
		counts(&rows, &columns, c, d)
	default:
		r := ruleOf(f, g)
		r.floats(&rows, &columns, c, d)
	}
}

// position is the row and the column of register i of lane l of an accumulator.
func position(l, i int) (row, column int) { return l/4 + i/2*8, l%4*2 + i%2 }

// floats computes the forms that follow the rule.
func (r *rule) floats(rows *[16]words, columns *[8]words, c, d *[32][4]uint32) {
	var as [16][32]term
	var bs [8][32]term
	k := 0
	for i := range rows {
		k = r.unpack(&rows[i], &as[i])
	}
	for i := range columns {
		r.unpack(&columns[i], &bs[i])
	}
	for l := range d {
		v := r.accumulators(&c[l])
		for i := range v {
			row, column := position(l, i)
			for at := 0; at < k; at += r.chunk {
				v[i] = r.dot(as[row][at:at+r.chunk], bs[column][at:at+r.chunk], v[i])
			}
		}
		if r.acc == &float16s {
			v = [4]uint32{v[0] | v[1]<<16, v[2] | v[3]<<16}
		}
		d[l] = v
	}
}

// accumulators are the four of a lane, each alone.
func (r *rule) accumulators(c *[4]uint32) [4]uint32 {
	if r.acc == &float16s {
		return [4]uint32{c[0] & 0xFFFF, c[0] >> 16, c[1] & 0xFFFF, c[1] >> 16}
	}
	return *c
}

// unpack decodes words, and returns how many elements they hold. An element of 19 bits fills a word and is its upper part.
func (r *rule) unpack(from *words, to *[32]term) (n int) {
	width := int(r.in.e+r.in.m+1+7) &^ 7
	drop := 0
	if width > 16 {
		width, drop = 32, 13
	}
	for _, w := range from {
		for shift := 0; shift < 32; shift += width {
			to[n] = r.in.decode(w >> shift >> drop)
			n++
		}
	}
	return n
}

// integers sums products of bytes modulo 2³².
func integers(rows *[16]words, columns *[8]words, c, d *[32][4]uint32, extend func(uint32) int32) {
	var as [16][32]int32
	var bs [8][32]int32
	unpack := func(from *words, to *[32]int32) {
		for i := range to {
			to[i] = extend(from[i/4] >> (i % 4 * 8))
		}
	}
	for i := range rows {
		unpack(&rows[i], &as[i])
	}
	for i := range columns {
		unpack(&columns[i], &bs[i])
	}
	for l := range d {
		for i := range 4 {
			row, column := position(l, i)
			x, y, sum := &as[row], &bs[column], int32(c[l][i])
			for k := range x {
				sum += x[k] * y[k]
			}
			d[l][i] = uint32(sum)
		}
	}
}

// counts sums how many bits a row and a column share.
func counts(rows *[16]words, columns *[8]words, c, d *[32][4]uint32) {
	for l := range d {
		for i := range 4 {
			row, column := position(l, i)
			x, y, sum := &rows[row], &columns[column], c[l][i]
			for k := 0; k < len(x); k += 2 {
				sum += uint32(bits.OnesCount64(uint64(x[k]&y[k])<<32 | uint64(x[k+1]&y[k+1])))
			}
			d[l][i] = sum
		}
	}
}

// fuse is a chain of fused operations for each element of a product of float64.
func fuse(a *[32][4]uint32, b *[32][2]uint32, c, d *[32][4]uint32) {
	float := func(low, high uint32) float64 { return math.Float64frombits(uint64(high)<<32 | uint64(low)) }
	for l := range d {
		for i := range 2 {
			v := float(c[l][2*i], c[l][2*i+1])
			row, column := l&^3, (l%4*2+i)*4 // their first lanes
			for k := range 4 {
				x, y := &a[row+k], &b[column+k]
				v = math.FMA(float(x[0], x[1]), float(y[0], y[1]), v)
			}
			w := math.Float64bits(v)
			if v != v {
				w = 0x7FF8_0000_0000_0000 // as in all other ops
			}
			d[l][2*i], d[l][2*i+1] = uint32(w), uint32(w>>32)
		}
	}
}
