package matrix

// Words are those of an operand that a lane holds: of A, B and the accumulator.
const (
	wordsA = 4
	wordsB = 2
	wordsC = 4
)

// Part is an element of a fragment as a lane holds it: the bits from Shift on of word Word, which has Bits of them. Its place
// is Row and Col more than that of the lane's first element.
type Part struct{ Word, Shift, Row, Col int }

// Bits is how many bits an element of A and B has.
func (f Form) Bits() int {
	switch f {
	case F16, F16F16, BF16:
		return 16
	case F64:
		return 64
	case I8, U8:
		return 8
	}
	return 32
}

// InWord is how many elements of A and B a word has: of f64, one has two words.
func (f Form) InWord() int { return max(1, 32/f.Bits()) }

// PartsA lists what a lane holds of A, in 16 rows. Its first element is in row lane/4 and column InWord·(lane mod 4). Of f64
// there are two products, one below the other.
func (f Form) PartsA() (list []Part) {
	if f == F64 {
		return []Part{{}, {Word: 2, Row: 8}}
	}
	for i := range wordsA {
		for j := range f.InWord() {
			list = append(list, Part{i, j * f.Bits(), i % 2 * 8, i/2*4*f.InWord() + j})
		}
	}
	return list
}

// PartsB lists what a lane holds of B. Its first element is in row InWord·(lane mod 4) and column lane/4.
func (f Form) PartsB() (list []Part) {
	if f == F64 {
		return []Part{{}}
	}
	for i := range wordsB {
		for j := range f.InWord() {
			list = append(list, Part{i, j * f.Bits(), i*4*f.InWord() + j, 0})
		}
	}
	return list
}

// PlaceC is where element i of an accumulator is, from the lane's first one on: that is in row lane/4 and column
// 2·(lane mod 4).
func PlaceC(i int) (row, col int) { return i / 2 * 8, i % 2 }

// Warp is what the lanes of a warp hold of a product of 16 rows and 8 columns: of A and B words, of f64 the low one first, and of
// the accumulator the bits of its four elements.
type Warp struct {
	A [32][wordsA]uint32
	B [32][wordsB]uint32
	C [32][wordsC]uint64
}

// MulAdd adds the product to the accumulator.
func (w *Warp) MulAdd(f Form, g Generation) {
	if f == F64 {
		w.rows(g, 0)
		w.rows(g, 1)
		return
	}
	var c, d [32][4]uint32
	for l := range c {
		for i, v := range w.C[l] {
			if f == F16F16 {
				c[l][i/2] |= uint32(v) << (i % 2 * 16)
			} else {
				c[l][i] = uint32(v)
			}
		}
	}
	MulAdd(f, g, &w.A, &w.B, &c, &d)
	for l := range d {
		for i := range w.C[l] {
			if f == F16F16 {
				w.C[l][i] = uint64(d[l][i/2] >> (i % 2 * 16) & 0xFFFF)
			} else {
				w.C[l][i] = uint64(d[l][i])
			}
		}
	}
}

// rows is the product of f64 for the upper or the lower eight rows.
func (w *Warp) rows(g Generation, half int) {
	var a, c, d [32][4]uint32
	for l := range a {
		copy(a[l][:2], w.A[l][2*half:])
		for i, v := range w.C[l][2*half : 2*half+2] {
			c[l][2*i], c[l][2*i+1] = uint32(v), uint32(v>>32)
		}
	}
	MulAdd(F64, g, &a, &w.B, &c, &d)
	for l := range d {
		for i := range 2 {
			w.C[l][2*half+i] = uint64(d[l][2*i]) | uint64(d[l][2*i+1])<<32
		}
	}
}
