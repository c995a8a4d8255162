package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"unicode/utf8"

	"github.com/govyre/vyre/ir"
)

// textKey names a table that a constant text becomes.
type textKey struct {
	text string
	what textTable
}

// textTable says which table of a text is meant: its bytes, its characters, or the places of their first bytes.
type textTable int

const (
	ofBytes textTable = iota
	ofRunes
	ofStarts
)

func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// text returns the text that a value is. All texts are known while compiling.
func (x val) text() (string, bool) {
	if x.num == nil || x.num.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(x.num), true
}

func textVal(t types.Type, text string) val { return val{typ: t, num: constant.MakeString(text)} }

// admitValue is admit for a variable that starts as x, which may be a text if nothing else is assigned to it.
func (l *lowering) admitValue(p token.Pos, t types.Type, x val, fixed bool) bool {
	if _, ok := x.text(); ok && isText(t) && fixed {
		return true
	}
	return l.admit(p, t)
}

// sliceText evaluates a slice expression of a text, whose bounds are constant.
func (l *lowering) sliceText(e *ast.SliceExpr, x val) val {
	text, ok := x.text()
	bounds := [2]int64{0, int64(len(text))}
	for i, b := range []ast.Expr{e.Low, e.High} {
		if b != nil {
			n, known := l.whole(b, nil).intConst()
			bounds[i], ok = n, ok && known
		}
	}
	if !ok || bounds[0] < 0 || bounds[0] > bounds[1] || bounds[1] > int64(len(text)) {
		l.refuse(e.Pos(), noString)
		return l.bad(x.typ)
	}
	return textVal(x.typ, text[bounds[0]:bounds[1]])
}

// convertText evaluates []byte(s), []rune(s) and conversions to other types of texts.
func (l *lowering) convertText(e *ast.CallExpr, x val, t types.Type) val {
	text, _ := x.text()
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return textVal(t, text)
	}
	what := ofBytes
	if scalarOf(s.Elem()) == ir.I32 {
		what = ofRunes
	}
	p, ok := l.textPlace(e.Pos(), text, "text", what)
	if !ok {
		return l.bad(t)
	}
	n := p.typ.(*types.Array).Len()
	if n == 0 {
		return l.listed(e, t, nil)
	}
	array := types.NewArray(s.Elem(), n)
	return l.sliceOf(e, t, retype(val{at: &p}, array), n, n)
}

// textView is the bytes of a text, to be read from.
func (l *lowering) textView(p token.Pos, text string) (v *view, ok bool) {
	at, ok := l.textPlace(p, text, "text", ofBytes)
	if !ok || text == "" {
		return nil, ok
	}
	return &view{obj: &object{id: l.tableObject(at.table, 0), name: "text", elem: ir.U8, lanes: 1, count: int64(len(text)), fixed: true}}, true
}

// constText returns the constant text that an expression is: a constant, or a variable with a constant as its initialiser that
// nothing assigns to.
func (l *lowering) constText(e ast.Expr) (text, name string, ok bool) {
	e = ast.Unparen(e)
	c := l.src.info.Types[e].Value
	id, _ := e.(*ast.Ident)
	if sel, isSel := e.(*ast.SelectorExpr); isSel {
		id = sel.Sel
	}
	name = "text"
	if id != nil {
		name = id.Name
		if v := packageVar(l.src.info.Uses[id]); v != nil {
			if _, changed := l.src.globals.changed(l.src, v, l.reached); !changed && l.src.globals.init[v] != nil {
				c = l.src.info.Types[l.src.globals.init[v]].Value
			}
		}
	}
	if c == nil && isText(l.typeOf(e)) && (id == nil || packageVar(l.src.info.Uses[id]) == nil) {
		c = l.operand(e, nil).num
	}
	if c == nil || c.Kind() != constant.String {
		return "", "", false
	}
	return constant.StringVal(c), name, true
}

// textPlace returns a table of a constant text, as an array; not ok after a refusal.
func (l *lowering) textPlace(p token.Pos, text, name string, what textTable) (place, bool) {
	elem, values := types.Typ[types.Int32], []uint64(nil)
	switch what {
	case ofBytes:
		elem = types.Typ[types.Uint8]
		for i := range len(text) {
			values = append(values, uint64(text[i]))
		}
	case ofRunes:
		for _, r := range text {
			values = append(values, uint64(r))
		}
	case ofStarts:
		for i := range text {
			values = append(values, uint64(i))
		}
	}
	t := types.NewArray(elem, int64(len(values)))
	if tableBytes(t) > ir.MaxTableBytes {
		l.refuse(p, overLimit, "constant text "+name+" is larger than the "+decimal(ir.MaxTableBytes)+" bytes of a table", "pass it as a []uint8")
		return place{}, false
	}
	tab := l.src.globals.texts[textKey{text, what}]
	if tab == nil {
		tab = &table{name: name, at: p, fields: fieldsIn(t), values: [][]uint64{values}}
		l.src.globals.texts[textKey{text, what}] = tab
	}
	return place{typ: t, table: tab, hi: 1}, true
}

// indexText returns the place of a byte of a constant text; not ok after a refusal.
func (l *lowering) indexText(e *ast.IndexExpr) (place, bool) {
	text, name, ok := l.constText(e.X)
	if !ok {
		if x := l.expr(e.X); !x.bad { // else it was refused where it was declared
			l.refuse(e.Pos(), noString)
		}
		return place{}, false
	}
	i := l.wrapped(l.exprAs(e.Index, types.Typ[types.Int]))
	p, ok := l.textPlace(e.Pos(), text, name, ofBytes)
	if !ok || i.bad {
		return place{}, false
	}
	l.at(e.Lbrack)
	return l.indexPlace(p, i), true
}

// rangeText ranges over the characters of a constant text. Where all are of one byte, the n-th begins at byte n.
func (l *lowering) rangeText(s *ast.RangeStmt, label string) {
	text, name, ok := l.constText(s.X)
	if !ok {
		l.refuse(s.X.Pos(), noString)
		return
	}
	n := utf8.RuneCountInString(text)
	p, ok := l.textPlace(s.X.Pos(), text, name, ofRunes)
	if !ok {
		return
	}
	start := func(i val) val { return i }
	if n != len(text) && s.Key != nil && !isBlank(s.Key) {
		starts, ok := l.textPlace(s.X.Pos(), text, name, ofStarts)
		if !ok {
			return
		}
		start = func(i val) val { return l.convert(l.load(l.indexPlace(starts, i)), types.Typ[types.Int]) }
	}
	l.at(s.For)
	l.roundsOf(s, label, l.b.U32(uint32(n)), types.Typ[types.Int], func(i val) {
		l.setRange(s, start(i), func(val) place { return l.indexPlace(p, i) })
	})
}
