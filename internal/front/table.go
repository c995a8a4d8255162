package front

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/govyre/vyre/ir"
)

// table is a package variable that only its initialiser and functions init assign to, or what such a slice or pointer refers to.
// Reading it at constant indices gives constants; at a computed index it loads from a table of the program, one for each scalar of
// its element.
type table struct {
	name   string
	typ    types.Type
	used   int64 // elements of a slice, of those up to its capacity
	at     token.Pos
	fields []field    // as of the element of a buffer
	values [][]uint64 // by field: the raw bits of its elements
	bad    *failed    // why it has no values
}

// tableField names one scalar of a table.
type tableField struct {
	table *table
	field int
}

const valueAdvice = "declare the variable as a value, and take its address where it is used"

const globalAdvice = "make it a constant, or pass it as a parameter"

// globals is what is known of the package variables of a compilation.
type globals struct {
	init    map[*types.Var]ast.Expr  // nil: one without an initialiser of its own
	written map[*types.Var]token.Pos // of one that gets one of several results of a call
	uses    map[*types.Var][]use     // of package variables, and of variables that refer to memory
	tables  map[tableKey]*table
	texts   map[textKey]*table // of constant texts that computed values index
	asked   bool               // whether a variable may be changed
}

// collect looks for package variables and for what may change them, in files of any package.
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
		g.follow(s, f)
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
func (l *lowering) global(at token.Pos, v *types.Var) val {
	if hasFunc(v.Type()) && !isSlice(v.Type()) {
		return l.globalFunc(at, v)
	}
	p, ok := l.globalPlace(at, v)
	if !ok {
		return l.bad(v.Type())
	}
	return l.load(p)
}

// refuseGlobal refuses a package variable.
func (l *lowering) refuseGlobal(at token.Pos, v *types.Var, why, instead string) {
	l.refuse(at, noGlobal, v.Name()+why, instead)
}

// stays reports whether only functions that inside tells may change a package variable, and refuses it otherwise.
func (l *lowering) stays(at token.Pos, v *types.Var, inside func(token.Pos) bool) bool {
	if _, known := l.src.globals.init[v]; !known {
		l.refuseGlobal(at, v, "", globalAdvice)
		return false
	}
	fill := "fill it in its initialiser or in functions init alone, or pass it as a parameter"
	if isSlice(v.Type()) {
		fill = "fill it in its initialiser alone, or an array [N]T in functions init, or pass it as a parameter"
	} else if isPointer(v.Type()) {
		fill = valueAdvice
	}
	if where, changed := l.src.globals.changed(l.src, v, inside); changed {
		l.refuseGlobal(at, v, fmt.Sprintf(", which may be changed at %v,", l.src.pos(where)), fill)
		return false
	}
	return true
}

// globalFunc evaluates a package variable that has functions.
func (l *lowering) globalFunc(at token.Pos, v *types.Var) val {
	if !l.stays(at, v, l.reached) || !l.admitUpTo(at, v.Type(), ir.MaxTableBytes) {
		return l.bad(v.Type())
	}
	x, ok := l.initialised(v, l.src.globals.init[v])
	if !ok {
		l.refuseGlobal(at, v, ", whose initialiser is not constant,", "write functions and constants")
		return l.bad(v.Type())
	}
	return x
}

// globalPlace returns the place of a package variable, a table that nothing may be stored in.
func (l *lowering) globalPlace(at token.Pos, v *types.Var) (place, bool) {
	if n := l.filled[v]; n != nil {
		return n.place(), true
	}
	inside := l.reached
	if starts := l.src.starting(v.Pkg()); !refers(v.Type()) {
		inside = func(p token.Pos) bool { return l.reached(p) || starts(p) }
	}
	if hasRows(v.Type()) {
		l.refuseGlobal(at, v, ", which has slices as elements,", "write rows of one length: [][N]T{…}")
		return place{}, false
	}
	if !l.stays(at, v, inside) || isSlice(v.Type()) && !l.admit(at, v.Type()) {
		return place{}, false
	}
	t := l.memoryOf(v)
	switch {
	case isPointer(v.Type()) && (refers(t) || hasFunc(t)):
		l.refuseGlobal(at, v, ", which points to a slice, a pointer or functions,", valueAdvice)
		return place{}, false
	case extent(t) > ir.MaxTableBytes || tableBytes(t) > ir.MaxTableBytes:
		l.refuseGlobal(at, v, ", which is larger than the "+decimal(ir.MaxTableBytes)+" bytes of a table,", "pass it as a slice")
		return place{}, false
	case !isSlice(t) && !l.admitUpTo(at, t, ir.MaxTableBytes):
		return place{}, false
	}
	tab := l.tableOf(v, t)
	if tab.bad != nil {
		l.refused = true
		d := finding(l.src.pos(at), l.name, noGlobal, v.Name()+", which the compiler cannot compute,", tab.bad.fix)
		d.Related = tab.bad.why
		l.src.found.add(d)
		return place{}, false
	}
	return place{typ: v.Type(), table: tab, hi: len(tab.fields)}, true
}

// hasRows reports whether elements of a slice or an array are slices.
func hasRows(t types.Type) bool {
	e, ok := t.Underlying().(interface{ Elem() types.Type })
	return ok && (isSlice(t) || isArray(t)) && (isSlice(e.Elem()) || isArray(e.Elem()) && hasRows(e.Elem()))
}

// memoryOf is the type of a table: of what a pointer points to, of the array that a slice literal makes, or of the variable.
func (l *lowering) memoryOf(v *types.Var) types.Type {
	switch u := v.Type().Underlying().(type) {
	case *types.Pointer:
		return u.Elem()
	case *types.Slice:
		lit, ok := ast.Unparen(l.src.globals.init[v]).(*ast.CompositeLit)
		if !ok {
			break
		}
		n, next := 0, 0
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				next = l.elementKey(nil, kv.Key, next)
			}
			next = min(next, manyCells) + 1
			n = max(n, next)
		}
		return types.NewArray(u.Elem(), int64(n))
	}
	return v.Type()
}

// whole is all that a table holds.
func (t *table) whole() place { return place{typ: t.typ, table: t, hi: len(t.fields)} }

// reference is the value of a package variable that refers to a table.
func (l *lowering) reference(p place) val {
	to := p.table.whole()
	if isPointer(p.typ) {
		return val{typ: p.typ, ptr: &to}
	}
	x := l.arrayView(val{typ: to.typ, at: &to})
	x.typ = p.typ
	if x.view != nil && p.table.used < x.view.obj.count {
		x.view = &view{obj: x.view.obj, part: true, off: l.b.U32(0), len: l.b.U32(uint32(p.table.used))}
	}
	return x
}

// listNamed returns the array of the table that an expression names as a slice.
func (l *lowering) listNamed(e ast.Expr) (p place, ok bool) {
	e = ast.Unparen(e)
	id, _ := e.(*ast.Ident)
	if sel, ok := e.(*ast.SelectorExpr); ok && l.src.info.Selections[sel] == nil {
		id = sel.Sel
	}
	if id == nil {
		return place{}, false
	}
	v := packageVar(l.src.info.Uses[id])
	if v == nil || !isSlice(v.Type()) || l.filled[v] != nil {
		return place{}, false
	}
	if p, ok = l.globalPlace(e.Pos(), v); ok {
		p = p.table.whole()
		ok = p.table.used == p.typ.Underlying().(*types.Array).Len()
	}
	return p, ok
}

// tableOf returns the table that a package variable is: constants, or what its initialiser and functions init make. While the
// variables of its package are filled, it is what its initialiser says.
func (l *lowering) tableOf(v *types.Var, t types.Type) *table {
	g := &l.src.globals
	key := tableKey{v, l.begins == v.Pkg()}
	if tab, done := g.tables[key]; done {
		return tab
	}
	var by beginning
	tab := &table{name: v.Name(), typ: t, at: v.Pos(), fields: fieldsIn(t)}
	if a, ok := t.Underlying().(*types.Array); ok {
		tab.used = a.Len()
	}
	for i := range tab.fields {
		tab.values = append(tab.values, make([]uint64, tab.fields[i].count()))
	}
	few := true
	if !key.early {
		by, few = l.src.beginningOf(v)
	}
	if init := g.init[v]; !few {
		tab.bad = fault(l.src.pos(v.Pos()), "its package has more than "+decimal(maxInits)+" functions init", fillAdvice)
	} else if init == nil && refers(v.Type()) {
		tab.bad = fault(l.src.pos(v.Pos()), v.Name()+" is nil", fillAdvice)
	} else if len(by.inits) > 0 || init != nil && (isSlice(t) || !l.fillTable(tab, literalOf(init), t, 0, 0)) {
		l.src.evaluate(key, tab, by)
	}
	g.tables[key] = tab
	return tab
}

// literalOf is an expression without the & of a composite literal.
func literalOf(e ast.Expr) ast.Expr {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		return u.X
	}
	return e
}

// tableKey names a table: a package variable, before functions init run or after.
type tableKey struct {
	v     *types.Var
	early bool
}

// tableBytes counts the bytes of the scalars of a variable whose parts are not too many.
func tableBytes(t types.Type) (n int64) {
	for _, f := range fieldsIn(t) {
		n += f.count() * int64(f.elem.Size())
	}
	return n
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
	if c := l.src.info.Types[e].Value; isComplex(t) && c != nil {
		x := l.complexConstant(t, c)
		for i, part := range x.kids {
			tab.values[lo+i][at] = l.constBits(part)
		}
		return !x.bad
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
		l.never("index out of range with length 0")
		return l.zeroLike(p.typ, false)
	}
	l.work++
	return scalar(p.typ, l.b.Load(l.tableObject(p.table, p.lo), l.flat(f.dims, p.idx)))
}

// tableObject returns the object of the program that holds one scalar of a table, declared where the table is.
func (l *lowering) tableObject(t *table, lo int) ir.Object {
	k := tableField{t, lo}
	o, ok := l.tables[k]
	if !ok {
		at := l.current
		l.b.At(l.src.pos(t.at))
		o = l.b.Table(t.name+t.fields[lo].label(), t.fields[lo].elem, t.values[lo])
		l.at(at)
		l.tables[k] = o
	}
	return o
}

// bankOfTable is the bank that slices of a part of a table are made from: the scalars from lo to hi have objects.
func (l *lowering) bankOfTable(t *table, lo, hi int) *bank {
	b := l.banks[t]
	if b == nil {
		b = &bank{leaves: make([]leaf, len(t.fields))}
		l.banks[t] = b
	}
	for i := lo; i < hi; i++ {
		f := &t.fields[i]
		if b.leaves[i].obj == nil && f.count() > 0 {
			b.leaves[i] = leaf{&object{id: l.tableObject(t, i), name: t.name, elem: f.elem, lanes: 1, count: f.count(), fixed: true}, f.elem, f.dims}
		}
	}
	return b
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
