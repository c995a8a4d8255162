package conform

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// matrixFamilies are about products of matrices, which warps make.
func matrixFamilies() []Family {
	return []Family{
		{"mat-form", "products have the bits of the device's generation", matrixForms},
		{"mat-layout", "each element is where the lanes hold it", matrixLayouts},
		{"mat-bounds", "loads and stores keep to the limits of the matrix and of the slice", matrixBounds},
		{"mat-words", "words of fragments are what their bytes and halves make", matrixWords},
		{"mat-tiles", "operands in shared memory are loaded however they lie", matrixTiles},
	}
}

// unitsOf is the generation by which a device computes products, and the forms that it has.
func unitsOf(d Device) (matrix.Generation, []string) {
	name, forms := "", matrix.Offered(90)
	switch d := d.(type) {
	case through:
		return unitsOf(d.Device)
	case onDriver:
		units := d.dev.Caps().Matrix
		name, forms = cmp.Or(d.options.Matrix, units.Generation), units.Forms
	case *interpreter:
		name = d.o.Matrix
	case interface {
		Units() (generation, forms string)
	}:
		name, forms = d.Units()
	}
	g, err := matrix.ParseGeneration(cmp.Or(name, matrix.SM90.String()))
	if err != nil {
		return matrix.SM90, nil
	}
	return g, strings.Fields(forms)
}

// wants is what the buffers must hold; false if the device has no such products.
func (c *Case) wants(d Device) ([][]byte, bool) {
	if c.Form == 0 {
		return c.Want, true
	}
	g, forms := unitsOf(d)
	if !slices.Contains(forms, c.Form.String()) || !c.Form.Known(g) {
		return nil, false
	}
	if c.Product == nil {
		return c.Want, true
	}
	return c.Product(g), true
}

// matrixTypes are the types of a form's elements, and of its sums.
var matrixTypes = map[matrix.Form][2]ir.Type{matrix.F16: {ir.F16, ir.F32}, matrix.F16F16: {ir.F16, ir.F16}, matrix.BF16: {ir.BF16, ir.F32},
	matrix.TF32: {ir.F32, ir.F32}, matrix.F64: {ir.F64, ir.F64}, matrix.I8: {ir.I8, ir.I32}, matrix.U8: {ir.U8, ir.U32}, matrix.B1: {ir.U32, ir.U32}}

// operands are the registers of so many warps: words, of f64 the low one first.
type operands struct {
	form    matrix.Form
	a, c, d [][32][4]uint32
	b       [][32][2]uint32
}

func newOperands(f matrix.Form, warps int) *operands {
	return &operands{f, make([][32][4]uint32, warps), make([][32][4]uint32, warps), make([][32][4]uint32, warps), make([][32][2]uint32, warps)}
}

// product is a program in which each warp adds two products to its sums: those of its own operands, and of those of the warp
// that is half of all on.
func (o *operands) product(family, name string) Case {
	const group = 64
	warps := len(o.a) / 2
	b := build.New("products", build.Workgroup(group))
	as, bs, cs := b.Buffer("a", ir.U32, ir.RO), b.Buffer("b", ir.U32, ir.RO), b.Buffer("c", ir.U32, ir.RO)
	ds := b.Buffer("d", ir.U32, ir.WO)
	i, far := b.Global(0), b.U32(uint32(32*warps))
	in := o.form.Op().Info().In
	sum := wordsAs(b, in[2].Type, b.Mul(i, b.U32(4)), cs)
	for _, at := range []build.Value{i, b.Add(i, far)} {
		sum = b.Op(o.form.Op(), wordsAs(b, in[0].Type, b.Mul(at, b.U32(4)), as), wordsAs(b, in[1].Type, b.Mul(at, b.U32(2)), bs), sum)
	}
	storeWords(b, sum, b.Mul(i, b.U32(4)), ds)
	c := Case{Family: family, Name: name, Program: must(b.Program()), Form: o.form}
	c.Launch = Launch{Grid: [3]uint32{uint32(warps * 32 / group), 1, 1},
		Args: []Arg{{Data: wordsOf(o.a)}, {Data: wordsOf(o.b)}, {Data: wordsOf(o.c[:warps])}, {Data: make([]byte, 16*32*warps)}}}
	c.Product = func(g matrix.Generation) [][]byte {
		for w := range warps {
			sum := o.c[w]
			for _, at := range []int{w, w + warps} {
				matrix.MulAdd(o.form, g, &o.a[at], &o.b[at], &sum, &o.d[w])
				sum = o.d[w]
			}
		}
		return [][]byte{nil, nil, nil, wordsOf(o.d[:warps])}
	}
	return c
}

// wordsAs loads a value of a type whose words lie from index at on.
func wordsAs(b *build.Builder, t ir.Type, at build.Value, from ir.Object) build.Value {
	load := func(i int) build.Value { return b.Load(from, b.Add(at, b.U32(uint32(i)))) }
	one := func(i int) build.Value {
		if t.Size() < 8 {
			return b.Bitcast(t.Elem(), load(i))
		}
		wide := b.Or(b.Cvt(ir.U64, load(2*i)), b.Shl(b.Cvt(ir.U64, load(2*i+1)), b.U32(32)))
		return b.Bitcast(t.Elem(), wide)
	}
	if !t.IsVector() {
		return one(0)
	}
	parts := make([]build.Value, t.Lanes())
	for i := range parts {
		parts[i] = one(i)
	}
	return b.Vec(parts...)
}

// storeWords is the other way. Of float64, a NaN is some NaN, which becomes that of the model.
func storeWords(b *build.Builder, v build.Value, at build.Value, to ir.Object) {
	t := b.Type(v)
	store := func(i int, w build.Value) { b.Store(to, b.Add(at, b.U32(uint32(i))), w) }
	for i := range t.Lanes() {
		x := b.Elem(v, uint32(i))
		if t.Size() < 8 {
			store(i, b.Bitcast(ir.U32, x))
			continue
		}
		w := b.Select(b.Eq(x, x), b.Bitcast(ir.U64, x), b.U64(0x7FF8<<48))
		store(2*i, b.Cvt(ir.U32, w))
		store(2*i+1, b.Cvt(ir.U32, b.Shr(w, b.U32(32))))
	}
}

// wordsOf are the bytes of registers.
func wordsOf(list any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, list)
	if err != nil {
		panic(err) // of another type
	}
	return b
}

// matrixKinds say what operands look like.
var matrixKinds = []struct {
	name string
	draw func(rng *rand.Rand) float64
}{
	{"small", func(rng *rand.Rand) float64 { return float64(rng.IntN(17) - 8) }},
	{"normal", func(rng *rand.Rand) float64 { return rng.NormFloat64() }},
	{"wide", func(rng *rand.Rand) float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(28)-14) }},
	{"near", func(rng *rand.Rand) float64 { return math.Ldexp(1+float64(rng.IntN(9)-4)/1024, rng.IntN(3)-1) }},
	{"tiny", func(rng *rand.Rand) float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(14)-24) }},
	{"specials", func(rng *rand.Rand) float64 {
		return []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 65504, 0x1p-24}[rng.IntN(9)*rng.IntN(2)]
	}},
	{"bits", nil},
}

// matrixForms are products of operands of each kind.
func matrixForms() []Case {
	const warps = 8
	var cases []Case
	for f := matrix.F16; f <= matrix.B1; f++ {
		for k, kind := range matrixKinds {
			if f > matrix.F64 && kind.draw != nil {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(f), uint64(k)))
			o := newOperands(f, warps)
			types := matrixTypes[f]
			for w := range warps {
				for l := range 32 {
					drawWords(rng, types[0], kind.draw, o.a[w][l][:])
					drawWords(rng, types[0], kind.draw, o.b[w][l][:])
					drawWords(rng, types[1], kind.draw, o.c[w][l][:])
				}
			}
			cases = append(cases, o.product("mat-form", f.String()+"."+kind.name))
		}
	}
	return cases
}

// drawWords fills words with elements of a type.
func drawWords(rng *rand.Rand, t ir.Type, draw func(*rand.Rand) float64, words []uint32) {
	for i := range words {
		switch {
		case draw == nil:
			words[i] = rng.Uint32()
		case t == ir.F64 && i%2 == 0:
			bits := math.Float64bits(draw(rng))
			words[i], words[i+1] = uint32(bits), uint32(bits>>32)
		case t == ir.F64:
		case t == ir.F32:
			words[i] = math.Float32bits(float32(draw(rng)))
		default:
			words[i] = uint32(elementBits(t, draw(rng)) | elementBits(t, draw(rng))<<16)
		}
	}
}

// elementBits are those of a number as an element of a type.
func elementBits(t ir.Type, v float64) uint64 {
	switch {
	case t.IsHalf():
		return exact.Eval(ir.OpCvt, ir.F32, t, 0, uint64(math.Float32bits(float32(v))), 0, 0)
	case t == ir.F32:
		return uint64(math.Float32bits(float32(v)))
	case t == ir.F64:
		return math.Float64bits(v)
	}
	return uint64(int64(v)) & t.Mask()
}

// putA, putB and putC put an element's bits where the lanes hold it.
func putA(f matrix.Form, regs *[32][4]uint32, row, k int, v uint64) {
	lane, reg, shift := wordOf(f, row%8, k)
	orBits(regs[lane][:], reg*2+row/8, shift, v)
}

func putB(f matrix.Form, regs *[32][2]uint32, k, column int, v uint64) {
	lane, reg, shift := wordOf(f, column, k)
	orBits(regs[lane][:], reg, shift, v)
}

// wordOf is where element k of a row or column is: in which lane, in which of its words along k, and where in that.
func wordOf(f matrix.Form, line, k int) (lane, word, shift int) {
	width := layoutBits(f)
	if f == matrix.F64 {
		return 4*line + k, 0, 0
	}
	word = k * width / 32
	return 4*line + word%4, word / 4, k * width % 32
}

func layoutBits(f matrix.Form) int {
	if f == matrix.B1 {
		return 1
	}
	return 8 * matrixTypes[f][0].Size()
}

func putC(f matrix.Form, regs *[32][4]uint32, row, column int, v uint64) {
	lane, i := row%8*4+column/2, row/8*2+column%2
	switch f {
	case matrix.F16F16:
		orBits(regs[lane][:], row/8, column%2*16, v)
	case matrix.F64:
		orBits(regs[lane][:], 2*i, 0, v)
	default:
		orBits(regs[lane][:], i, 0, v)
	}
}

func orBits(words []uint32, i, shift int, v uint64) {
	words[i] |= uint32(v) << shift
	if v>>32 != 0 {
		words[i+1] = uint32(v >> 32)
	}
}

// matrixLayouts have one element in A, or in B, and numbers that tell their places in the other: a row or a column of the result
// is that of these. The sums are all different, and their places are part of it.
func matrixLayouts() []Case {
	var cases []Case
	for f := matrix.F16; f <= matrix.B1; f++ {
		cases = append(cases, layoutCase(f, true), layoutCase(f, false))
	}
	return cases
}

func layoutCase(f matrix.Form, ofA bool) Case {
	rows, columns, depth := f.Shape()
	lines := columns
	name := f.String() + ".b"
	if ofA {
		lines, name = rows, f.String()+".a"
	}
	const most = 48 // places looked at
	places := lines * depth
	step := max(1, places/most|1)
	warps := (places/step + 1) &^ 1
	o := newOperands(f, 2*warps)
	types := matrixTypes[f]
	bits := func(v int) uint64 {
		if f == matrix.B1 {
			return uint64(v & 1)
		}
		return elementBits(types[0], float64(v))
	}
	for w := range warps {
		at := w * step % places
		line, k := at/depth, at%depth
		o.fill(w, ofA, line, k, bits)
		for r := range rows {
			for c := range columns {
				sum := r*columns + c
				putC(f, &o.c[w], r, c, elementBits(types[1], float64(sum)))
				switch {
				case ofA && r == line:
					sum += codeOf(f, placeCode(k, c))
				case !ofA && c == line:
					sum += codeOf(f, placeCode(k, r))
				}
				putC(f, &o.d[w], r, c, elementBits(types[1], float64(sum)))
			}
		}
	}
	c := o.product("mat-layout", name)
	c.Want, c.Product = [][]byte{nil, nil, nil, wordsOf(o.d[:warps])}, nil
	return c
}

// placeCode is a number that tells places along both axes apart.
func placeCode(k, line int) int { return (k*5+line*3)%29 + 1 }

// codeOf is what the product of one and the number is.
func codeOf(f matrix.Form, code int) int {
	if f == matrix.B1 {
		return code & 1
	}
	return code
}

// fill puts one into A or B, and numbers into all of the other.
func (o *operands) fill(w int, ofA bool, line, k int, bits func(int) uint64) {
	rows, columns, depth := o.form.Shape()
	for i := range depth {
		for r := range rows {
			if !ofA {
				putA(o.form, &o.a[w], r, i, bits(placeCode(i, r)))
			}
		}
		for c := range columns {
			if ofA {
				putB(o.form, &o.b[w], i, c, bits(placeCode(i, c)))
			}
		}
	}
	if ofA {
		putA(o.form, &o.a[w], line, k, bits(1))
	} else {
		putB(o.form, &o.b[w], k, line, bits(1))
	}
}
