package cases

import (
	"math/bits"
	"math/rand/v2"

	"github.com/govyre/vyre/internal/matrix"
)

// Kind is of operands: what their elements have in common.
type Kind uint8

// The kinds. Forms of integers have those that mean something for them, else uniform bits.
const (
	Small     Kind = iota // integers
	Uniform               // any bits
	Normal                // about one, dense around zero
	Wide                  // exponents of the whole range
	Cancel                // pairs of products whose sum is zero, or nearly
	Scale                 // accumulators far above or below the products
	Zeros                 // of both signs, and few numbers of few bits
	Specials              // infinities, NaNs, greatest and least numbers
	Tiny                  // products where accumulators are subnormal
	Huge                  // products where accumulators become infinite
	ZeroLarge             // zeros and subnormals times large numbers, beside small products
	Near                  // all exponents alike
	Ties                  // sums next to the middle of two subnormal accumulators
	Kinds
)

var kindNames = [Kinds]string{"small", "uniform", "normal", "wide", "cancel", "scale", "zeros", "specials", "tiny", "huge", "zero-large", "near", "ties"}

func (k Kind) String() string { return kindNames[k] }

// Draw fills a case with operands of a kind.
func (k Kind) Draw(f matrix.Form, r *rand.PCG, c *Case) {
	switch f {
	case matrix.I8, matrix.U8, matrix.B1:
		k.integers(f, r, c)
	default:
		k.floats(f, r, c)
	}
}

// below draws a number below n.
func below(r *rand.PCG, n int) int { return int(r.Uint64() >> 33 * uint64(n) >> 31) }

// between draws one from low to high.
func between(r *rand.PCG, low, high int) int { return low + below(r, high-low+1) }

// integers draws words of bytes or bits.
func (k Kind) integers(f matrix.Form, r *rand.PCG, c *Case) {
	word := func() uint32 {
		x := r.Uint64()
		u, v := uint32(x), uint32(x>>32)
		switch {
		case k == Small && f == matrix.B1:
			return u & v
		case k == Small:
			return u & 0x03030303 // 0 to 3
		case k == Zeros && v&3 != 0:
			return 0
		case k == Huge && f == matrix.B1:
			return ^uint32(0)
		case k == Huge:
			return u&0x01010101*0x7F ^ 0x80808080*(v&1) // 0, 7F, 80 and FF
		}
		return u
	}
	for l := range 32 {
		for i := range 4 {
			c.A[l][i], c.C[l][i] = word(), uint32(r.Uint64())
			switch k {
			case Small, Zeros:
				c.C[l][i] &= 0xFF
			case Huge, Tiny: // where sums wrap
				c.C[l][i] = c.C[l][i]&0x8000001F - c.C[l][i]>>5&1<<4
			}
		}
		c.B[l][0], c.B[l][1] = word(), word()
	}
}

// format is a float's.
type format struct{ e, m, bias int }

func (f format) least() int { return 1 - f.bias - f.m } // exponent of the least subnormal

// formatsOf are those of factors and of accumulators.
func formatsOf(f matrix.Form) (in, acc format) {
	in, acc = format{5, 10, 15}, format{8, 23, 127}
	switch f {
	case matrix.F16F16:
		return in, in
	case matrix.F64:
		return format{11, 52, 1023}, format{11, 52, 1023}
	case matrix.BF16:
		in = format{8, 7, 127}
	case matrix.TF32:
		in = acc
	case matrix.E4M3:
		in = format{4, 3, 7}
	case matrix.E5M2:
		in = format{5, 2, 15}
	}
	return in, acc
}

// bits has a float of an exponent, with a fraction and a sign drawn; it is kept in range, and 0 if it is too small.
func (f format) bits(x uint64, exponent int) uint64 {
	n := min(exponent+f.bias, 1<<f.e-2)
	m := x&(1<<f.m-1) | 1<<f.m
	if n < 1 {
		m = m >> min(1-n, 63)
		n = 1
	}
	return x>>63<<(f.e+f.m) | uint64(n-1)<<f.m + m
}

// integer is v·2^scale, cut off.
func (f format) integer(v int64, scale int) uint64 {
	u := uint64(max(v, -v))
	if u == 0 {
		return uint64(v) >> 63
	}
	n := bits.Len64(u) - 1
	fraction := u << (63 - n) << 1 >> (64 - f.m)
	return f.bits(uint64(v)&(1<<63)|fraction, n+scale)
}

// drawer draws elements: exponents from low to high, so many of 256 zero or special, fractions of few bits if sparse.
type drawer struct {
	format
	low, high       int
	zeros, specials uint64
	sparse          bool
	one             bool   // a sign is all elements'
	sign            uint64 // 0 or 1<<63
}

func (d *drawer) draw(r *rand.PCG) uint64 {
	x := r.Uint64()
	if d.one {
		x = x<<1>>1 | d.sign
	}
	chance := x >> 52 & 0xFF
	switch {
	case chance < d.zeros:
		return x >> 63 << (d.e + d.m)
	case chance >= 256-d.specials:
		return d.special(x)
	}
	exponent := d.low + int(x>>32&0xFFFF*uint64(d.high-d.low+1)>>16)
	if d.sparse {
		y := x * 0x9E3779B97F4A7C15
		x &= y&(y>>24)&(y<<13) | 1<<63
	}
	return d.bits(x, exponent)
}

// special has no value, or one at an end of the range.
func (d *drawer) special(x uint64) uint64 {
	ones := uint64(1)<<d.e - 1
	infinity, sign := ones<<d.m, x>>63<<(d.e+d.m)
	switch x >> 40 & 7 {
	case 0, 1:
		return sign | infinity
	case 2:
		return sign | infinity | x&(1<<d.m-1) | 1
	case 3:
		return sign | infinity | 1
	case 4:
		return sign | infinity - 1
	case 5:
		return sign | 1
	case 6:
		return sign | ones>>1<<d.m
	}
	return sign
}

// floats draws from the ranges of the kind.
func (k Kind) floats(f matrix.Form, r *rand.PCG, c *Case) {
	in, acc := formatsOf(f)
	a, b, s := k.drawers(in, acc, r)
	m, n, depth := f.Shape()
	step := 1
	if below(r, 2) == 0 {
		step = depth / 2
	}
	element := func(d *drawer) uint64 {
		x := r.Uint64()
		switch k {
		case Small:
			return d.integer(int64(x%17)-8, 0)
		case Uniform:
			return x
		case Normal:
			return d.integer(int64(x&0xFFFF+x>>16&0xFFFF+x>>32&0xFFFF+x>>48)-0x1FFFE, -15)
		}
		return d.draw(r)
	}
	small := r.Uint64()
	for j := range depth {
		da, db := &a, &b
		if k == ZeroLarge && small>>j&3 != 0 {
			da = &drawer{format: in, low: in.least(), high: -in.bias, zeros: 128}
			db = &drawer{format: in, low: in.bias - 8, high: in.bias}
		}
		for i := range m {
			SetA(f, &c.A, i, j, element(da))
		}
		for i := range n {
			SetB(f, &c.B, i, j, element(db))
		}
	}
	switch k {
	case Cancel:
		cancel(f, in, step, r, c)
	case Ties:
		tie(f, in, acc, r, c)
	}
	for i := range m * n {
		SetC(f, &c.C, i/n, i%n, element(&s))
	}
}

// drawers are those of A, B and C.
func (k Kind) drawers(in, acc format, r *rand.PCG) (a, b, c drawer) {
	first, last := in.least(), in.bias
	a, b, c = drawer{format: in, low: first, high: last}, drawer{format: in, low: first, high: last}, drawer{format: acc, low: 2 * first, high: 2 * last}
	// about makes products of an exponent, or as near it as there are any, of factors drawn.
	about := func(exponent, width int) {
		exponent = min(max(exponent, 2*first), 2*last)
		x := between(r, max(first, exponent-last), min(last, exponent-first))
		a.low, a.high = max(x-width, first), x+width
		b.low, b.high = max(exponent-x-width, first), exponent-x+width
		c.low, c.high = exponent-3*width, exponent+3*width
	}
	bottom, top := acc.least(), acc.bias
	switch k {
	case Wide:
		a.sparse, b.sparse = below(r, 2) == 0, below(r, 2) == 0
	case Cancel:
		about(between(r, bottom, top), 8)
	case Scale:
		about(between(r, -6, 6), 3)
		c.low, c.high = -60, 60
	case Zeros:
		a.zeros, b.zeros, c.zeros = 128, 192, 128
		a.sparse, b.sparse, c.sparse = true, true, true
		about(between(r, 2*first, 2*last), 12)
		if below(r, 2) == 0 { // an accumulator alone, or none
			a.zeros, c.low, c.high = 256, bottom, bottom+acc.m+8
			a.one, b.one, a.sign = true, true, r.Uint64()&(1<<63)
		}
	case Specials:
		about(0, 4)
		a.specials, b.specials, c.specials, b.zeros = 8, 8, 24, 32
	case Tiny:
		a.sparse, b.sparse = below(r, 2) == 0, below(r, 2) == 0
		if about(between(r, bottom-4, bottom+acc.m+4), 6); below(r, 2) == 0 { // and nothing greater
			about(between(r, bottom-10, bottom+6), 2)
			a.sparse, b.sparse, a.one, b.one = false, false, true, true
		}
		c.low, c.high, c.zeros = bottom, bottom+acc.m+8, 160
	case Huge:
		about(between(r, top-8, top+4), 3)
		c.low, c.high = top-6, top
	case ZeroLarge:
		about(between(r, 1-30, 4), 5)
		c.zeros = 192
	case Near:
		about(between(r, first, last), 1)
	case Ties:
		about(between(r, bottom-28, bottom-12), 3)
		a.zeros, c.zeros, a.sparse, b.sparse = 192, 192, true, true
		c.low, c.high = bottom, bottom+3
	}
	return a, b, c
}

// tie makes one product of each output an odd number of halves of the least accumulator.
func tie(f matrix.Form, in, acc format, r *rand.PCG, c *Case) {
	m, n, depth := f.Shape()
	half, j := acc.least()-1, below(r, depth)
	x := between(r, max(in.least(), half-in.bias), min(in.bias, half-in.least()))
	odd := func() int64 { return int64(2*between(r, -3, 2) + 1) }
	for i := range m {
		SetA(f, &c.A, i, j, in.integer(odd(), x))
	}
	for i := range n {
		SetB(f, &c.B, i, j, in.integer(1-2*int64(below(r, 2)), half-x))
	}
}

// cancel makes each product the negative of the one a step before, some of them but for a bit.
func cancel(f matrix.Form, in format, step int, r *rand.PCG, c *Case) {
	m, n, depth := f.Shape()
	for k := range depth {
		if k/step%2 == 0 {
			continue
		}
		for i := range m {
			SetA(f, &c.A, i, k, A(f, &c.A, i, k-step))
		}
		for i := range n {
			v := B(f, &c.B, i, k-step) ^ 1<<(in.e+in.m)
			if below(r, 4) == 0 {
				v ^= 1
			}
			SetB(f, &c.B, i, k, v)
		}
	}
}
