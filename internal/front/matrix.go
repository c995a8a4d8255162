package front

import (
	"go/ast"
	"go/types"

	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// Fragments are structs of words, and accumulators of four values, as package gpu declares them. Loads and stores become
// accesses of the elements, each under the limits of the matrix, by an index that is beyond every object where one of them
// is passed; a product becomes an op on vectors of the words.

// elementForms are the forms of A and B by their element.
var elementForms = map[ir.Type]matrix.Form{ir.F16: matrix.F16, ir.BF16: matrix.BF16, ir.F32: matrix.TF32, ir.F64: matrix.F64,
	ir.I8: matrix.I8, ir.U8: matrix.U8, ir.U32: matrix.B1}

// sums are the elements of accumulators by form.
var sums = map[matrix.Form]ir.Type{matrix.F16: ir.F32, matrix.F16F16: ir.F16, matrix.BF16: ir.F32, matrix.TF32: ir.F32,
	matrix.F64: ir.F64, matrix.I8: ir.I32, matrix.U8: ir.U32, matrix.B1: ir.U32}

func init() { // init, as in builtin_gpu.go
	gpuForms["LoadA"], gpuForms["LoadB"] = loadFragment(matrix.Form.PartsA, true), loadFragment(matrix.Form.PartsB, false)
	gpuForms["LoadAcc"], gpuForms["StoreAcc"], gpuForms["MulAdd"], gpuForms["Acc.At"] = loadAcc, storeAcc, mulAdd, placeOfAcc
	ptx.LinkTiles()
	for _, name := range []string{"LoadA", "LoadB", "LoadAcc", "MulAdd", "Acc.At"} {
		gpuQuiet[name] = true
	}
}

// laid is a matrix in a slice, and where in it an access begins; numbers are u64, so that no sum wraps.
type laid struct {
	l        *lowering
	elem     types.Type
	view     *view
	rows     build.Value
	cols     build.Value
	stride   build.Value
	turned   build.Value // whether it is transposed
	row, col build.Value // of the lane's first element
}

// laidOut evaluates the arguments (t, x, s, row, col) of a call.
func (l *lowering) laidOut(e *ast.CallExpr) (m laid, ok bool) {
	l.expr(e.Args[0])
	x := l.expr(e.Args[1])
	sig := l.typeOf(e.Fun).(*types.Signature).Params()
	s := l.settle(l.exprAs(e.Args[2], sig.At(2).Type()))
	row := l.exprAs(e.Args[3], types.Typ[types.Uint32])
	col := l.exprAs(e.Args[4], types.Typ[types.Uint32])
	slice, isSlice := l.typeOf(e.Args[1]).Underlying().(*types.Slice)
	if !isSlice || x.bad || s.bad || row.bad || col.bad {
		return m, false
	}
	l.at(e.Pos())
	wide := func(v val) build.Value { return l.b.Cvt(ir.U64, l.bits(v)) }
	return laid{l: l, elem: slice.Elem(), view: x.view, rows: wide(l.part(s, 0)), cols: wide(l.part(s, 1)), stride: wide(l.part(s, 2)),
		turned: l.raw(l.part(s, 3)), row: wide(row), col: wide(col)}, true
}

// from moves the first element of the lane: by lane/4 along one axis, and by so many times lane mod 4 along the other.
func (m *laid) from(rowsByFour bool, step int) {
	b := m.l.b
	lane := b.Lane()
	four := b.Cvt(ir.U64, b.Shr(lane, b.U32(2)))
	rest := b.Cvt(ir.U64, b.Mul(b.And(lane, b.U32(3)), b.U32(uint32(step))))
	if rowsByFour {
		m.row, m.col = b.Add(m.row, four), b.Add(m.col, rest)
	} else {
		m.row, m.col = b.Add(m.row, rest), b.Add(m.col, four)
	}
}

// line is a row or a column: whether the matrix has it, and the index of the element of it that is nearest to the first.
type line struct{ in, start build.Value }

// line works out the row or column at a distance from the first; along is the other axis. All elements of a line are at constant
// distances from one index, so that neighbours are seen to be such.
func (m *laid) line(known map[int]line, first, most, along build.Value, by int) line {
	if x, ok := known[by]; ok {
		return x
	}
	b, at := m.l.b, m.l.after(first, by)
	known[by] = line{b.Lt(at, most), b.Add(b.Mul(at, m.stride), along)}
	return known[by]
}

// after is a number so much larger.
func (l *lowering) after(v build.Value, by int) build.Value {
	if by == 0 {
		return v
	}
	return l.b.Add(v, l.b.U64(uint64(by)))
}

// each calls do with the place of each element. What the matrix does not have is out of bounds.
func (m *laid) each(parts []matrix.Part, do func(i int, p place)) {
	l, b := m.l, m.l.b
	rows, cols := make(map[int]line), make(map[int]line)
	l.checked = true
	defer func() { l.checked = false }()
	for i, part := range parts {
		r := m.line(rows, m.row, m.rows, m.col, part.Row)
		c := m.line(cols, m.col, m.cols, m.row, part.Col)
		at := b.Select(m.turned, l.after(c.start, part.Row), l.after(r.start, part.Col))
		at = b.Select(b.And(r.in, c.in), at, b.U64(ir.U64.Mask()))
		do(i, elementAt(m.elem, m.view, scalar(types.Typ[types.Uint64], at)))
	}
}

func loadFragment(parts func(matrix.Form) []matrix.Part, rowsByFour bool) gpuFunc {
	return func(l *lowering, e *ast.CallExpr, t types.Type) []val {
		m, ok := l.laidOut(e)
		if !ok {
			return l.badResults(e)
		}
		f := elementForms[scalarOf(m.elem)]
		m.from(rowsByFour, f.InWord())
		_, part := partsOf(t)
		n, _ := partsOf(part(0))
		words := make([]build.Value, n)
		m.each(parts(f), func(i int, p place) {
			l.join(words, parts(f)[i], l.load(p))
		})
		array := val{typ: part(0)}
		for _, w := range words {
			array.kids = append(array.kids, scalar(types.Typ[types.Uint32], w))
		}
		return []val{{typ: t, kids: []val{array}}}
	}
}

// join puts an element into the words of a fragment.
func (l *lowering) join(words []build.Value, at matrix.Part, x val) {
	b := l.b
	v := l.raw(x)
	switch x.elem {
	case ir.F64:
		words[at.Word], words[at.Word+1] = l.halves(v)
		return
	case ir.I8:
		v = b.And(b.Bitcast(ir.U32, v), b.U32(0xFF))
	case ir.U8:
		v = l.bits(x)
	default:
		v = b.Bitcast(ir.U32, v)
	}
	if at.Shift > 0 {
		v = b.Or(words[at.Word], b.Shl(v, b.U32(uint32(at.Shift))))
	}
	words[at.Word] = v
}

// halves are the words of an f64.
func (l *lowering) halves(v build.Value) (lo, hi build.Value) {
	b := l.b
	w := b.Bitcast(ir.U64, v)
	return b.Cvt(ir.U32, w), b.Cvt(ir.U32, b.Shr(w, b.U32(32)))
}

// doubled is the other way.
func (l *lowering) doubled(lo, hi build.Value) build.Value {
	b := l.b
	return b.Bitcast(ir.F64, b.Or(b.Cvt(ir.U64, lo), b.Shl(b.Cvt(ir.U64, hi), b.U32(32))))
}

// accParts are the elements of an accumulator.
func accParts() []matrix.Part {
	parts := make([]matrix.Part, 4)
	for i := range parts {
		parts[i].Row, parts[i].Col = matrix.PlaceC(i)
	}
	return parts
}

func loadAcc(l *lowering, e *ast.CallExpr, t types.Type) []val {
	m, ok := l.laidOut(e)
	if !ok {
		return l.badResults(e)
	}
	m.from(true, 2)
	_, part := partsOf(t)
	array := val{typ: part(0), kids: make([]val, 4)}
	m.each(accParts(), func(i int, p place) { array.kids[i] = l.load(p) })
	return []val{{typ: t, kids: []val{array}}}
}

func storeAcc(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	m, ok := l.laidOut(e)
	sig := l.typeOf(e.Fun).(*types.Signature).Params()
	c := l.settle(l.exprAs(e.Args[5], sig.At(5).Type()))
	if ok && !c.bad {
		l.at(e.Pos())
		m.from(true, 2)
		m.each(accParts(), func(i int, p place) { l.store(p, l.part(l.part(c, 0), i)) })
	}
	return nil
}

func placeOfAcc(l *lowering, e *ast.CallExpr, _ types.Type) []val {
	if s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok { // the accumulator has no say in it, but may be a call
		l.expr(s.X)
	}
	l.expr(e.Args[0])
	i := l.exprAs(e.Args[1], types.Typ[types.Int])
	if i.bad {
		return l.badResults(e)
	}
	l.at(e.Pos())
	b, u32 := l.b, types.Typ[types.Uint32]
	lane, n := b.Lane(), b.Cvt(ir.U32, l.bits(i))
	row := b.Add(b.Shr(lane, b.U32(2)), b.Mul(b.Shr(n, b.U32(1)), b.U32(8)))
	col := b.Add(b.Mul(b.And(lane, b.U32(3)), b.U32(2)), b.And(n, b.U32(1)))
	return []val{scalar(u32, row), scalar(u32, col)}
}

// argumentOf is the type argument of a generic type of package gpu.
func (l *lowering) argumentOf(e ast.Expr) types.Type {
	if n, ok := types.Unalias(l.typeOf(e)).(*types.Named); ok && n.TypeArgs().Len() == 1 {
		return n.TypeArgs().At(0)
	}
	return nil
}

func mulAdd(l *lowering, e *ast.CallExpr, t types.Type) []val {
	in, sum := scalarOf(l.argumentOf(e.Args[1])), scalarOf(l.argumentOf(e.Args[3]))
	f := elementForms[in]
	if f == matrix.F16 && sum == ir.F16 {
		f = matrix.F16F16
	}
	if f == 0 || sums[f] != sum {
		l.refuse(e.Pos(), badPair, l.typeName(l.argumentOf(e.Args[1]))+" and sums of "+l.typeName(l.argumentOf(e.Args[3])))
		return l.badResults(e)
	}
	l.expr(e.Args[0])
	var args [3]val
	for i := range args {
		args[i] = l.settle(l.expr(e.Args[i+1]))
		if args[i].bad {
			return l.badResults(e)
		}
	}
	l.at(e.Pos())
	a, b, c := l.registers(args[0]), l.registers(args[1]), l.registers(args[2])
	d := l.product(f, a, b, c)
	_, part := partsOf(t)
	array := val{typ: part(0)}
	_, elem := partsOf(part(0))
	for _, v := range d {
		array.kids = append(array.kids, scalar(elem(0), v))
	}
	return []val{{typ: t, kids: []val{array}}}
}

// registers are the values of a fragment or an accumulator.
func (l *lowering) registers(x val) (list []build.Value) {
	array := l.part(x, 0)
	n, _ := partsOf(array.typ)
	for i := range int(n) {
		list = append(list, l.bits(l.part(array, i)))
	}
	return list
}

// product returns the elements of a·b + c.
func (l *lowering) product(f matrix.Form, a, b, c []build.Value) (d []build.Value) {
	switch f {
	case matrix.F64: // the upper eight rows, then the lower
		y := l.doubled(b[0], b[1])
		for i := 0; i < 4; i += 2 {
			v := l.b.Op(f.Op(), l.doubled(a[i], a[i+1]), y, l.b.Vec(c[i:i+2]...))
			d = append(d, l.b.Elem(v, 0), l.b.Elem(v, 1))
		}
		return d
	case matrix.F16F16:
		v := l.b.Op(f.Op(), l.b.Vec(a...), l.b.Vec(b...), l.b.Vec(l.pair(c[0], c[1]), l.pair(c[2], c[3])))
		for i := range uint32(2) {
			w := l.b.Elem(v, i)
			d = append(d, l.b.Bitcast(ir.F16, w), l.b.Bitcast(ir.F16, l.b.Shr(w, l.b.U32(16))))
		}
		return d
	}
	v := l.b.Op(f.Op(), l.b.Vec(a...), l.b.Vec(b...), l.b.Vec(c...))
	for i := range uint32(4) {
		d = append(d, l.b.Elem(v, i))
	}
	return d
}

// pair is a word of two f16.
func (l *lowering) pair(lo, hi build.Value) build.Value {
	return l.b.Or(l.b.Bitcast(ir.U32, lo), l.b.Shl(l.b.Bitcast(ir.U32, hi), l.b.U32(16)))
}
