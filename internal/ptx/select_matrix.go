package ptx

import (
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
)

// A matrix product is an instruction, or several, where the target has units for it: then each lane has what mma.sync gives it,
// as the op says. Exact products of other targets are made by shuffles: each lane fetches the rows of A and the columns of B that
// its four outputs come from. Float products have no other way, and the verifier refuses them (VY508).

// unit is an instruction for a matrix product.
type unit struct {
	op         opcode
	sm         int // from which on there is one
	major, min int // of the PTX version
}

// units are those that make a whole product of a form.
var units = [...]unit{
	matrix.F16:    {opMmaF16, 80, 7, 0},
	matrix.F16F16: {opMmaF16F16, 80, 7, 0},
	matrix.BF16:   {opMmaBF16, 80, 7, 0},
	matrix.TF32:   {opMmaTF32, 80, 7, 0},
	matrix.F64:    {opMmaF64, 80, 7, 0},
	matrix.I8:     {opMmaI8, 80, 7, 0},
	matrix.U8:     {opMmaU8, 80, 7, 0},
	matrix.B1:     {opMmaB1, 80, 7, 1},
}

// halves are those of sm_75 that make a part of one: half of k, and of integers the upper or the lower rows.
var halves = [...]unit{
	matrix.F16:    {opMmaF16K8, 75, 6, 5},
	matrix.F16F16: {opMmaF16F16K8, 75, 6, 5},
	matrix.I8:     {opMmaI8K16, 75, 6, 5},
	matrix.U8:     {opMmaU8K16, 75, 6, 5},
}

func init() { // init, because rules are found by numbers that package matrix gives
	for f := matrix.F16; f <= matrix.B1; f++ {
		rules[f.Op()] = (*selector).mulAdd
	}
}

// registers puts a value of one or more lanes, as operands of a product, into registers.
func (s *selector) registers(row ir.Row) []reg {
	t := s.typeOf(row)
	parts := s.vectors[row]
	if !t.IsVector() {
		parts = []operand{s.value(row)}
	}
	list := make([]reg, len(parts))
	for i, o := range parts {
		list[i] = s.inReg(bitsOf(t.Elem()), o)
	}
	return list
}

// mulAdd makes d = a·b + c.
func (s *selector) mulAdd(row ir.Row) {
	form := matrix.FormOf(s.p.Op(row))
	a, b, c := s.registers(s.p.A(row)), s.registers(s.p.B(row)), s.registers(s.p.C(row))
	var d []reg
	switch {
	case s.t.SM >= units[form].sm:
		d = s.product(units[form], a, b, c)
	case int(form) < len(halves) && halves[form].sm > 0 && s.t.SM >= halves[form].sm:
		d = s.halves(form, a, b, c)
	case form == matrix.F64:
		d = s.fused(a, b, c)
	default:
		d = s.dots(form, a, b, c)
	}
	parts := make([]operand, len(d))
	for i, x := range d {
		parts[i] = r(x)
	}
	s.vectors[row] = parts
}

// product adds one instruction.
func (s *selector) product(u unit, a, b, c []reg) []reg {
	s.need(u.major, u.min)
	d := make([]reg, len(c))
	for i := range d {
		d[i] = s.newReg(c[i].class())
	}
	s.add(inst{op: u.op, dst: s.vec(d...), src: [4]operand{s.vec(a...), s.vec(b...), s.vec(c...)}})
	return d
}

// halves makes a product in the order of k: of floats that is what the units of the target compute at a time.
func (s *selector) halves(form matrix.Form, a, b, c []reg) []reg {
	u := halves[form]
	if !form.Exact() {
		return s.product(u, a[2:], b[1:], s.product(u, a[:2], b[:1], c))
	}
	var d []reg
	for i := range 2 { // rows of the lane
		sum := s.product(u, a[i:i+1], b[:1], c[2*i:2*i+2])
		d = append(d, s.product(u, a[i+2:i+3], b[1:], sum)...)
	}
	return d
}

// sources are the lanes that have what a lane's outputs come from.
type sources struct {
	s           *selector
	row, column operand // that have the first words of the lane's rows of A, and of its first column of B
}

func (s *selector) sources() sources {
	return sources{s, s.do(opAnd, tB32, s.lane(), u32(28)), s.do(opAnd, tB32, s.do(opShl, tB32, s.lane(), u32(3)), u32(31))}
}

// rows are the registers of A with word t of k.
func (f sources) rows(a []reg, t uint32) []operand { return f.s.fetched(a, f.s.above(f.row, t)) }

// columns are the registers of B with word t of k, of the lane's first or second column.
func (f sources) columns(b []reg, column int, t uint32) []operand {
	return f.s.fetched(b, f.s.above(f.column, 4*uint32(column)+t))
}

// above is a lane so many above another.
func (s *selector) above(lane operand, by uint32) operand {
	if by == 0 {
		return lane
	}
	return s.do(opAdd, tU32, lane, u32(by))
}

// fetched are the registers of another lane.
func (s *selector) fetched(list []reg, lane operand) []operand {
	out := make([]operand, len(list))
	for i, x := range list {
		out[i] = s.fromLane(r(x), lane)
	}
	return out
}

// fused makes a product of f64 by fma, for k ascending.
func (s *selector) fused(a, b, c []reg) []reg {
	d, from := []reg{c[0], c[1]}, s.sources()
	for t := range uint32(4) {
		x := from.rows(a, t)[0]
		for j := range d {
			y := from.columns(b, j, t)[0]
			d[j] = s.do(opFmaRN, tF64, x, y, r(d[j])).reg
		}
	}
	return d
}

// dots makes a product of integers or of bits. The order of the sum is of no matter.
func (s *selector) dots(form matrix.Form, a, b, c []reg) []reg {
	d, from := append([]reg(nil), c...), s.sources()
	for t := range uint32(4) {
		x := from.rows(a, t) // words t and t+4 of row g in 0 and 2, of row g+8 in 1 and 3
		for column := range 2 {
			y := from.columns(b, column, t)
			for i := range 4 {
				sum := &d[i%2*2+column]
				*sum = s.dot(form, x[i], y[i/2], *sum).reg
			}
		}
	}
	return d
}

// dot adds what two words give to a sum.
func (s *selector) dot(form matrix.Form, x, y operand, sum reg) operand {
	t := tU32
	switch form {
	case matrix.I8:
		t = tS32
		fallthrough
	case matrix.U8:
		in := inst{op: opDp4a, t: t, t2: t, dst: r(s.newReg(classR)), src: [4]operand{x, y, r(sum)}}
		s.add(in)
		return in.dst
	}
	return s.do(opAdd, tU32, s.do(opPopc, tB32, s.do(opAnd, tB32, x, y)), r(sum))
}
