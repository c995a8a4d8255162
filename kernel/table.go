package kernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"math/bits"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// table is a package variable that nothing assigns to and whose initialiser is constant. Reading it at constant indices
// gives constants; at a computed index, a choice among them: the elements stand in words of 64 bits, one of which is
// chosen by a tree of selects, a level for each bit of the index.
type table struct {
	fields []field    // as of the element of a buffer
	values [][]uint64 // by field: the raw bits of its elements
}

const globalAdvice = "make it a constant, or pass it as a parameter"

// maxTableBytes bounds a table that is read at computed indices: 256 words, so 255 selects.
const maxTableBytes = 2048

// globals is what is known of the package variables of a compilation.
type globals struct {
	init    map[*types.Var]ast.Expr  // nil: one without an initialiser of its own
	written map[*types.Var]token.Pos // where it is assigned, or its address is taken
	tables  map[*types.Var]*table
}

// collect looks for package variables and for what changes them, in files of any package.
func (g *globals) collect(s *source, files []*ast.File) {
	for _, f := range files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, name := range spec.Names {
					if v, ok := s.info.Defs[name].(*types.Var); ok {
						g.init[v] = nil
						switch {
						case len(spec.Values) == len(spec.Names):
							g.init[v] = spec.Values[i]
						case len(spec.Values) > 0:
							g.written[v] = name.Pos() // one of the results of a call
						}
					}
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			g.note(s, n)
			return true
		})
	}
}

// note records what a node may change.
func (g *globals) note(s *source, n ast.Node) {
	change := func(e ast.Expr) {
		if v := s.globalOf(e); v != nil {
			if _, known := g.written[v]; !known {
				g.written[v] = e.Pos()
			}
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			change(e)
		}
	case *ast.IncDecStmt:
		change(n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			change(n.X)
		}
	case *ast.RangeStmt:
		change(n.Key)
		change(n.Value)
	case *ast.SliceExpr:
		change(n.X)
	case *ast.SelectorExpr: // a method with a pointer receiver takes the address
		if sel := s.info.Selections[n]; sel != nil && sel.Kind() != types.FieldVal {
			if sig, ok := sel.Obj().Type().(*types.Signature); ok && sig.Recv() != nil {
				if _, ptr := sig.Recv().Type().(*types.Pointer); ptr {
					change(n.X)
				}
			}
		}
	}
}

// globalOf returns the package variable that e is, or is a part of; nil if there is none or e is reached through a slice or a
// pointer.
func (s *source) globalOf(e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return packageVar(s.info.Uses[x])
		case *ast.SelectorExpr:
			if s.info.Selections[x] == nil {
				return packageVar(s.info.Uses[x.Sel])
			}
			e = x.X
		case *ast.IndexExpr:
			if t := s.info.TypeOf(x.X); t == nil || !isArray(t) {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

func packageVar(o types.Object) *types.Var {
	v, ok := o.(*types.Var)
	if !ok || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return nil
	}
	return v
}

// global evaluates a package variable: a table, or refused.
func (l *lowering) global(p token.Pos, v *types.Var) val {
	t := v.Type()
	g := &l.src.globals
	refuse := func(why, instead string) val {
		l.refuse(p, noGlobal, v.Name()+why, instead)
		return l.bad(t)
	}
	init, known := g.init[v]
	at, written := g.written[v]
	switch {
	case !known:
		return refuse("", globalAdvice)
	case written:
		return refuse(fmt.Sprintf(", which is changed or referred to at %v,", l.src.pos(at)), "leave it as its initialiser says, or pass it as a parameter")
	case cells(t) > maxTableBytes || extent(t) > maxLocalCells:
		return refuse(", which is larger than "+decimal(maxTableBytes)+" scalars,", "pass it as a slice")
	}
	if !l.admit(p, t) {
		return l.bad(t)
	}
	if isSlice(t) {
		return refuse(", which is a slice,", "make it an array: [...]T{…}")
	}
	tab, done := g.tables[v]
	if !done {
		tab = &table{fields: fieldsIn(t)}
		for i := range tab.fields {
			tab.values = append(tab.values, make([]uint64, tab.fields[i].count()))
		}
		if init != nil && !l.fillTable(tab, init, t, 0, 0) {
			tab = nil
		}
		g.tables[v] = tab
	}
	if tab == nil {
		return refuse(", whose initialiser is not constant,", "write constants, or pass it as a parameter")
	}
	x := place{typ: t, table: tab, hi: len(tab.fields)}
	return l.load(x)
}

// fillTable evaluates the initialiser of the part of a table that begins with field lo; at is the number of the element
// among those of the arrays around it.
func (l *lowering) fillTable(tab *table, e ast.Expr, t types.Type, lo int, at int64) bool {
	if scalarOf(t) != ir.None {
		c := l.src.info.Types[e].Value
		if c == nil || scalarOf(t).IsHalf() {
			return false
		}
		x := l.constant(t, c)
		tab.values[lo][at] = l.constBits(x)
		return true
	}
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return false
	}
	n, part := partsOf(t)
	s := fieldsOf(t)
	next := 0
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			next, elt = l.elementKey(s, kv.Key, next), kv.Value
		}
		if next < 0 || int64(next) >= n {
			return false
		}
		first, k := lo, at*n+int64(next)
		if s != nil {
			k = at
			for i := range next {
				first += leavesOf(part(i))
			}
		}
		if !l.fillTable(tab, elt, part(next), first, k) {
			return false
		}
		next++
	}
	return true
}

// constBits returns the raw bits that a constant has in memory.
func (l *lowering) constBits(x val) uint64 {
	switch c := x.num; {
	case x.elem == ir.Bool:
		if constant.BoolVal(c) {
			return 1
		}
		return 0
	case x.elem == ir.F32:
		f, _ := constant.Float32Val(constant.ToFloat(c))
		return uint64(math.Float32bits(f))
	case x.elem == ir.F64:
		f, _ := constant.Float64Val(constant.ToFloat(c))
		return math.Float64bits(f)
	default:
		i := constant.ToInt(c)
		if n, ok := constant.Int64Val(i); ok {
			return uint64(n) & x.elem.Mask()
		}
		n, _ := constant.Uint64Val(i)
		return n
	}
}

// loadTable reads one scalar of a table.
func (l *lowering) loadTable(p place) val {
	f, values := &p.table.fields[p.lo], p.table.values[p.lo]
	if k, ok := constIndex(f.dims, p.idx); ok {
		return l.fromBits(p.typ, values[k])
	}
	if len(values) == 0 {
		return l.zeroLike(p.typ, false)
	}
	if n := len(values) * f.elem.Size(); n > maxTableBytes {
		l.refuse(l.current, noGlobal, fmt.Sprintf("table of %d bytes, read at a computed index,", n), fmt.Sprintf("pass it as a slice; up to %d bytes can stay", maxTableBytes))
		return l.bad(p.typ)
	}
	i := l.flat(f.dims, p.idx)
	in := l.below(i, l.b.U32(uint32(len(values))))
	i = l.b.Cvt(ir.U32, i)
	each := uint(f.elem.Size()) * 8
	per := 64 / int(each)
	shift := uint(bits.TrailingZeros(uint(per)))
	words := make([]uint64, (len(values)+per-1)/per)
	for k, v := range values {
		words[k/per] |= v << (uint(k%per) * each)
	}
	w := l.choose(words, i, shift)
	if per > 1 {
		w = l.b.Shr(w, l.b.Mul(l.b.And(i, l.b.U32(uint32(per-1))), l.b.U32(uint32(each))))
	}
	zero := l.b.U64(0)
	w = l.b.Select(in, w, zero)
	return l.fromWord(p.typ, f.elem, w)
}

// choose returns the word that the bits of i from shift on name.
func (l *lowering) choose(words []uint64, i build.Value, shift uint) build.Value {
	level := make([]build.Value, len(words))
	for k, w := range words {
		level[k] = l.b.U64(w)
	}
	for ; len(level) > 1; shift++ {
		odd := l.b.Ne(l.b.And(i, l.b.U32(1<<shift)), l.b.U32(0))
		next := make([]build.Value, (len(level)+1)/2)
		for k := range next {
			next[k] = level[2*k]
			if 2*k+1 < len(level) && level[2*k+1] != level[2*k] {
				next[k] = l.b.Select(odd, level[2*k+1], level[2*k])
			}
		}
		level = next
	}
	l.work += len(words)
	return level[0]
}

// fromWord makes a value of type t of the low bits of a word.
func (l *lowering) fromWord(t types.Type, e ir.Type, w build.Value) val {
	switch {
	case e == ir.F64:
		return scalar(t, l.b.Bitcast(ir.F64, w))
	case e == ir.I64, e == ir.U64:
		return scalar(t, l.b.Cvt(e, w))
	}
	v := l.b.Cvt(ir.U32, w)
	switch {
	case e == ir.Bool:
		return scalar(t, l.b.Ne(l.b.And(v, l.b.U32(1)), l.b.U32(0)))
	case e == ir.F32:
		return scalar(t, l.b.Bitcast(ir.F32, v))
	case e.Value() == ir.I32:
		v = l.b.Bitcast(ir.I32, v)
	}
	return loosely(t, v)
}

// fromBits is the constant with the given raw bits.
func (l *lowering) fromBits(t types.Type, raw uint64) val {
	e := scalarOf(t)
	if e.IsFloat() {
		return scalar(t, l.b.Const(e, raw))
	}
	var c constant.Value
	switch {
	case e == ir.Bool:
		c = constant.MakeBool(raw != 0)
	case e == ir.I8 || e == ir.I16 || e == ir.I32 || e == ir.I64:
		drop := 64 - uint(e.Size())*8
		c = constant.MakeInt64(int64(raw<<drop) >> drop)
	default:
		c = constant.MakeUint64(raw)
	}
	return l.constant(t, c)
}
