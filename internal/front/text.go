package front

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"unicode/utf8"

	"github.com/govyre/vyre/ir"
)

// textKey names what a constant text becomes: the table of its bytes, or of its characters.
type textKey struct {
	text  string
	runes bool
}

// constText returns the constant text that an expression is: a constant, or a package variable with a constant as its
// initialiser that nothing assigns to.
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
			if _, written := l.src.globals.written[v]; !written && l.src.globals.init[v] != nil {
				c = l.src.info.Types[l.src.globals.init[v]].Value
			}
		}
	}
	if c == nil || c.Kind() != constant.String {
		return "", "", false
	}
	return constant.StringVal(c), name, true
}

// textPlace returns the table of a constant text, as an array of bytes or of characters; not ok after a refusal.
func (l *lowering) textPlace(p token.Pos, text, name string, runes bool) (place, bool) {
	elem, values := types.Typ[types.Uint8], []uint64(nil)
	if runes {
		elem = types.Typ[types.Int32]
		for _, r := range text {
			values = append(values, uint64(r))
		}
	} else {
		for i := range len(text) {
			values = append(values, uint64(text[i]))
		}
	}
	t := types.NewArray(elem, int64(len(values)))
	if tableBytes(t) > ir.MaxTableBytes {
		l.refuse(p, overLimit, "constant text "+name+" is larger than the "+decimal(ir.MaxTableBytes)+" bytes of a table", "pass it as a []uint8")
		return place{}, false
	}
	tab := l.src.globals.texts[textKey{text, runes}]
	if tab == nil {
		tab = &table{name: name, at: p, fields: fieldsIn(t), values: [][]uint64{values}}
		l.src.globals.texts[textKey{text, runes}] = tab
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
	p, ok := l.textPlace(e.Pos(), text, name, false)
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
	if n != len(text) && s.Key != nil && !isBlank(s.Key) {
		name = types.ExprString(s.X)
		l.refuse(s.X.Pos(), notConstant, "the places of the characters of "+name+", some of which have several bytes, are not evenly spaced",
			"range over len("+name+") for its bytes, or leave the place out: for _, c := range "+name)
		return
	}
	p, ok := l.textPlace(s.X.Pos(), text, name, true)
	if !ok {
		return
	}
	l.at(s.For)
	l.rounds(s, label, l.b.U32(uint32(n)), types.Typ[types.Int], func(i val) place { return l.indexPlace(p, i) })
}
