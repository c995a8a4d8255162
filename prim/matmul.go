package prim

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/prim/internal/product"
)

func init() { ptx.LinkTiles() } // kernels of products load operands from shared memory

// Dims are the sizes of a product, and how its matrices lie: A has M rows and K columns, B has K rows and N columns, C has M rows
// and N columns. There are Batch of each; 0 is 1.
type Dims struct {
	M, N, K, Batch int
	A, B, C        Stride
}

// Stride is how far apart the parts of matrices lie in a buffer, in elements. The zero value is one behind the other.
type Stride struct {
	Line   int // from a row to the next, or from a column to the next of an operand that is transposed; 0 is as many as one has
	Matrix int // from a matrix to the next; 0 is that of all lines of one, and of A and B -1 is none: a batch takes one
}

// MatMulOptions say what a MatMul is made for.
type MatMulOptions struct {
	Dims                  // the greatest of each; their strides say nothing
	TransA, TransB bool   // A lies in memory as K lines of M elements, B as N lines of K
	Matrix         string // the generation of hardware that computes, such as sm_90, if not that of the device
}

// MatMul multiplies matrices: C = alpha·A·B + beta·C. Elements of A and B and their sums are
//
//	gpu.Float16, gpu.BFloat16   float32; C is of float32 or of the elements' type
//	float32                     float32; the 13 low bits of factors are dropped, as matrix units do
//	float64                     float64, by fused operations
//	int8, uint8                 int32, uint32, which wrap
//	uint32                      uint32: the number of bits that a row and a column have in common, of words of 32 along k
//
// A sum begins at +0 and takes its products with k ascending. So a result depends on the operands, on alpha and beta, and with
// sums of float32 on the generation, but not on strides, batch, device or grid. Alpha and beta are applied to the sum, and each
// operation is rounded; an alpha of 1 changes no bit, and with a beta of 0 C is not read. The last step rounds to nearest even.
type MatMul[T gpu.MatElem, C vyre.Element] struct {
	*made
	o      MatMulOptions
	form   productForm
	kernel kernel
	block  productBlock
}

// productForm is a kind of elements.
type productForm struct {
	sum     ir.Type
	program func() (*ir.Program, error)
	alone   bool // a workgroup of the largest block takes all registers of a unit: in half of them it would spill
	narrow  bool // C has the elements' type and not that of sums
	halves  bool // the kernel has C of both
}

// productForms are those of elements and of C.
var productForms = map[[2]string]productForm{
	{"gpu.Float16", "float32"}:       {ir.F32, product.Float16sProgram, false, false, true},
	{"gpu.Float16", "gpu.Float16"}:   {ir.F32, product.Float16sProgram, false, true, true},
	{"gpu.BFloat16", "float32"}:      {ir.F32, product.BFloat16sProgram, false, false, true},
	{"gpu.BFloat16", "gpu.BFloat16"}: {ir.F32, product.BFloat16sProgram, false, true, true},
	{"float32", "float32"}:           {ir.F32, product.Float32sProgram, false, false, false},
	{"float64", "float64"}:           {ir.F64, product.Float64sProgram, true, false, false},
	{"int8", "int32"}:                {ir.I32, product.Int8sProgram, true, false, false},
	{"uint8", "uint32"}:              {ir.U32, product.Uint8sProgram, true, false, false},
	{"uint32", "uint32"}:             {ir.U32, product.BitsProgram, false, false, false},
}

// productBlock is how many fragments of rows and columns a warp has. Its workgroup makes 32 times as many rows and columns.
type productBlock struct{ rows, cols int }

// blocksFor are those to choose from, the largest first.
var blocksFor = []productBlock{{4, 4}, {2, 2}}

// forcedBlock, if not the zero value, is that of every product: tests set it, since no result depends on it.
var forcedBlock productBlock

// registersOfTwo are those of a thread where a unit has two workgroups. While one waits at a barrier, the other multiplies.
const registersOfTwo = 128

// count is how many blocks a product has.
func (b productBlock) count(d Dims) uint64 {
	up := func(n, of int) uint64 { return (uint64(n) + uint64(32*of) - 1) / uint64(32*of) }
	hi, n := bits.Mul64(up(d.M, b.rows)*up(d.N, b.cols), uint64(d.Batch))
	if hi != 0 {
		return math.MaxUint64 // greatest sizes alone come to that
	}
	return n
}

// mostRows bounds M, N, K and Batch.
const mostRows = 1 << 31

// NewMatMul makes a product of matrices of at most the sizes of the options.
//
// Errors: sizes that are negative or above 1<<31; elements without a product; a generation without the product of these
// elements; a generation that the device does not compute as.
func NewMatMul[T gpu.MatElem, C vyre.Element](ctx context.Context, dev vyre.Device, o MatMulOptions) (*MatMul[T, C], error) {
	what := fmt.Sprintf("MatMul[%s, %s]", typeName[T](), typeName[C]())
	m, err := begin(dev, what, 0)
	if err != nil {
		return nil, err
	}
	if o.Batch == 0 {
		o.Batch = 1
	}
	m.label, m.matrix = fmt.Sprintf("prim.%s of at most %s", what, o.Dims.text()), o.Matrix
	form, ok := productForms[[2]string{typeName[T](), typeName[C]()}]
	if !ok {
		return nil, unsupported(what, "C has the type of sums: float32 of gpu.Float16, gpu.BFloat16 and float32, float64 of float64, int32 of int8, "+
			"uint32 of uint8 and uint32; of gpu.Float16 and gpu.BFloat16 it may have their own")
	}
	for i, n := range o.Dims.sizes() {
		if n < 0 || n > mostRows {
			return nil, m.refuse(fmt.Sprintf("%s is at most %d", sizeNames[i], n), fmt.Sprintf("pass sizes from 0 to %d", mostRows))
		}
	}
	p := &MatMul[T, C]{made: m, o: o, form: form, block: blockFor(dev.Caps(), form, o.Dims)}
	scalars := map[string]uint64{"rows": uint64(p.block.rows), "cols": uint64(p.block.cols), staged: 0, "turnA": bit(o.TransA), "turnB": bit(o.TransB)}
	if form.halves {
		scalars["narrow"] = bit(form.narrow)
	}
	if p.block == blocksFor[0] && !form.alone && dev.Caps().Major >= 8 {
		m.registers = registersOfTwo
	}
	program, err := form.program()
	if p.kernel, err = m.compile(ctx, program, err, scalars, "a", "b"); err != nil {
		_ = m.Close() // the first error is the one to report
		return nil, err
	}
	return p, nil
}

// blockFor is the largest block that gives every unit one. Before capability 8.0 products of float64 are made of other operations,
// for which the registers of the largest are too few.
func blockFor(caps *driver.Caps, form productForm, d Dims) productBlock {
	if forcedBlock != (productBlock{}) {
		return forcedBlock
	}
	few := form.sum == ir.F64 && caps.Major > 0 && caps.Major < 8
	for i, b := range blocksFor {
		if b.count(d) >= uint64(caps.Units) && !(few && i == 0) {
			return b
		}
	}
	return blocksFor[len(blocksFor)-1]
}

var sizeNames = [...]string{"M", "N", "K", "Batch"}

func (d *Dims) sizes() [4]int { return [4]int{d.M, d.N, d.K, d.Batch} }

func (d *Dims) text() string { return fmt.Sprintf("%d×%d×%d, batch %d", d.M, d.N, d.K, d.Batch) }

func (p *MatMul[T, C]) scratchBytes() int64 { return 0 }

// MatMulStep is a product in a sequence.
type MatMulStep struct {
	of     *made
	form   productForm
	o      MatMulOptions
	block  productBlock
	kernel vyre.Kernel
	step   *driver.Step
	room   [3]int // elements of the ranges of A, B and C
	placed [10]uint64
}

// Record appends c = a·b, with matrices of some sizes. SetScale gives it alpha and beta.
func (p *MatMul[T, C]) Record(seq *vyre.Sequence, d Dims, a, b *vyre.Buffer[T], c *vyre.Buffer[C]) *MatMulStep {
	if unmade(seq, p) {
		return new(MatMulStep)
	}
	s := &MatMulStep{of: p.made, form: p.form, o: p.o, block: p.block, room: [3]int{a.Len(), b.Len(), c.Len()}}
	d, placed, err := s.admit(d)
	if err != nil {
		seq.Refuse(err)
		d = Dims{}
	}
	var args []vyre.Arg
	for i, v := range placed {
		args = append(args, s.number(i, v))
	}
	args = append(args, s.scalar(1), s.scalar(0), a.Bytes(), b.Bytes())
	switch to := c.Bytes(); {
	case p.form.narrow:
		args = append(args, vyre.Range{Buffer: to.Buffer}, to)
	case p.form.halves:
		args = append(args, to, vyre.Range{Buffer: to.Buffer})
	default:
		args = append(args, to)
	}
	s.step = p.launch(seq, p.kernel, p.block.count(d), args...)
	s.placed, s.kernel = placed, p.kernel.any
	return s
}

// number is argument i of the kernel: four sizes, and six distances.
func (s *MatMulStep) number(i int, v uint64) vyre.Arg {
	if i < len(sizeNames) {
		return driver.U32(uint32(v))
	}
	return driver.U64(v)
}

// scalar is alpha or beta as the kernel takes it.
func (s *MatMulStep) scalar(v float64) vyre.Arg {
	switch s.form.sum {
	case ir.F32:
		return driver.F32(float32(v))
	case ir.F64:
		return driver.F64(v)
	}
	return driver.Scalar{Type: s.form.sum, Bits: uint64(v)}
}

// SetDims changes the sizes and strides of the next runs. It answers like the setters of a vyre.Step, and refuses what Record does.
func (s *MatMulStep) SetDims(d Dims) error {
	if s == nil || s.of == nil {
		return unrecorded()
	}
	d, placed, refused := s.admit(d)
	if refused != nil {
		return refused
	}
	for i, v := range placed {
		if v == s.placed[i] {
			continue
		}
		if err := s.step.SetArg(i, s.number(i, v)); err != nil {
			return err
		}
		s.placed[i] = v
	}
	return s.step.SetGrid(vyre.Grid{s.of.groups(s.kernel, s.block.count(d))})
}

// SetScale changes alpha and beta, which are 1 and 0 at first; sums of float32 take them as float32. Integers have an alpha of 1, and
// a beta of 0 or 1. It answers like the setters of a vyre.Step.
func (s *MatMulStep) SetScale(alpha, beta float64) error {
	if s == nil || s.of == nil {
		return unrecorded()
	}
	if s.form.sum.IsInt() && (alpha != 1 || beta != 0 && beta != 1) {
		return s.of.refuse(fmt.Sprintf("alpha %v and beta %v of integers", alpha, beta), "pass an alpha of 1, and a beta of 0 or 1")
	}
	for i, v := range []float64{alpha, beta} {
		if err := s.step.SetArg(len(s.placed)+i, s.scalar(v)); err != nil {
			return err
		}
	}
	return nil
}

// admit returns sizes as they are meant, and the numbers that the kernel gets of them.
func (s *MatMulStep) admit(d Dims) (_ Dims, placed [10]uint64, _ *vyre.Error) {
	if d.Batch == 0 {
		d.Batch = 1
	}
	most := s.o.Dims.sizes()
	for i, n := range d.sizes() {
		switch {
		case n < 0:
			return d, placed, s.of.refuse(fmt.Sprintf("%s is %d", sizeNames[i], n), "pass a size of 0 or more")
		case n > most[i]:
			return d, placed, s.of.refuse(fmt.Sprintf("%s is %d, above %d", sizeNames[i], n, most[i]), "make the product for as much as there can be")
		}
		placed[i] = uint64(n)
	}
	for i, x := range s.laid(d) {
		if err := x.fill(s.of, d.Batch, s.room[i]); err != nil {
			return d, placed, err
		}
		placed[4+2*i], placed[5+2*i] = uint64(x.Line), uint64(x.Matrix)
	}
	return d, placed, nil
}

// laid is how matrices lie in memory: so many lines of so many elements.
type laid struct {
	name          string
	lines, length int
	Stride
}

func (s *MatMulStep) laid(d Dims) [3]laid {
	all := [3]laid{{"A", d.M, d.K, d.A}, {"B", d.K, d.N, d.B}, {"C", d.M, d.N, d.C}}
	for i, turned := range []bool{s.o.TransA, s.o.TransB} {
		if x := &all[i]; turned {
			x.lines, x.length = x.length, x.lines
		}
	}
	return all
}

// fill puts distances in place of what stands for them, and refuses those with which the matrices do not lie in a range of so many
// elements, or lines share elements.
func (x *laid) fill(of *made, batch, room int) *vyre.Error {
	if x.Line == 0 {
		x.Line = x.length
	}
	if x.Line < x.length {
		return of.refuse(fmt.Sprintf("lines of %s have %d elements, and begin %d after one another", x.name, x.length, x.Line),
			fmt.Sprintf("pass a Line of %d or more, or 0", x.length))
	}
	one := needs(x.lines, x.Line, x.length)
	if x.length == 0 {
		one = 0
	}
	switch {
	case x.Matrix == -1 && x.name != "C":
		x.Matrix = 0
	case x.Matrix < 0:
		return of.refuse(fmt.Sprintf("matrices of %s begin %d after one another", x.name, x.Matrix), "pass 0 or more; -1, for all products the same matrix, is of A and B")
	case x.Matrix == 0:
		x.Matrix = int(min(needs(x.lines, x.Line, x.Line), math.MaxInt)) // as many as no range has are refused below
	}
	interleaved := x.Matrix >= x.length && needs(batch, x.Matrix, x.length) <= uint64(x.Line)
	if x.name == "C" && batch > 1 && uint64(x.Matrix) < one && !interleaved {
		return of.refuse(fmt.Sprintf("matrices of C take %d elements, and begin %d after one another", one, x.Matrix),
			fmt.Sprintf("pass a Matrix of %d or more, or 0, so that no two share elements", one))
	}
	if all := add(needs(batch, x.Matrix, 0), one); one > 0 && all > uint64(room) {
		return of.refuse(fmt.Sprintf("%s takes %s elements, and the range has %d", x.name, many(all), room), "pass a range of at least as many elements, or other strides")
	}
	return nil
}

// needs is how many elements n parts of a length take, whose starts are a distance apart; the greatest number is what overflows.
func needs(n, distance, length int) uint64 {
	if n == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n-1), uint64(distance))
	if hi != 0 {
		return math.MaxUint64
	}
	return add(lo, uint64(length))
}

func add(a, b uint64) uint64 {
	if sum, carry := bits.Add64(a, b, 0); carry == 0 {
		return sum
	}
	return math.MaxUint64
}

// many is a number, or more than any range has.
func many(n uint64) string {
	if n > mostElements {
		return fmt.Sprintf("more than %d", uint64(mostElements))
	}
	return fmt.Sprint(n)
}
