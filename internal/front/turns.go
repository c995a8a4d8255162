package front

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/govyre/vyre/ir/build"
)

// A slice variable stands for parts of one object. Where slices that a kernel makes are exchanged, as the rows of dynamic
// programming are, their arrays become rows of one array in local memory, and the variables' offsets say which.

// making is what made a slice: an expression with the calls around it, and the array behind the slice.
type making struct {
	by    string
	array *types.Array
}

// making names what makes a slice that starts as x. A helper makes another one each time that it is inlined.
func (l *lowering) making(e ast.Expr, x val) *making {
	by := l.src.fset.Position(e.Pos()).String()
	for fr := l.fr; fr.up != nil; fr = fr.up {
		by += fmt.Sprintf(" %s:%d:%d %s", fr.call.File, fr.call.Line, fr.call.Col, fr.fn.FullName())
	}
	l.makings[by]++
	return &making{fmt.Sprintf("%s %d", by, l.makings[by]), x.typ.Underlying().(*types.Array)}
}

// turns are what makes slices of one array, each of which has a row.
type turns struct {
	rows map[string]int64
	long int64 // elements of a row
	elem types.Type
}

// takeTurns notes that two slices are rows of one array. The kernel is lowered again.
func (l *lowering) takeTurns(a, b *making) bool {
	if a.by == b.by || !types.Identical(a.array.Elem(), b.array.Elem()) {
		return false
	}
	of := l.computed.turns[a.by]
	if of == nil {
		of = &turns{rows: make(map[string]int64), elem: a.array.Elem()}
	}
	join := func(e string, n int64) {
		if _, known := of.rows[e]; !known {
			of.rows[e] = int64(len(of.rows))
		}
		of.long = max(of.long, n)
		l.computed.turns[e] = of
	}
	join(a.by, a.array.Len())
	if other := l.computed.turns[b.by]; other != nil && other != of {
		for e := range other.rows {
			join(e, other.long)
		}
	}
	join(b.by, b.array.Len())
	l.retry = true
	return true
}

// sliceInTurn is sliceOf where the slice takes turns with others.
func (l *lowering) sliceInTurn(made *making, t types.Type, x val, n, room int64) (val, bool) {
	of := l.computed.turns[made.by]
	if of == nil {
		return val{}, false
	}
	b := l.shared[of]
	if b == nil {
		own := len(l.fr.locals)
		b = l.newBank(types.NewArray(types.NewArray(of.elem, of.long), int64(len(of.rows))), "of the slices")
		l.fr.locals = l.fr.locals[:own] // no helper gets them
		l.shared[of] = b
	}
	o := b.spanned(span{0, len(b.leaves), 2}, of.elem)
	if o == nil {
		return val{}, false
	}
	o.loops, o.made = max(o.loops, l.loops), made
	v := &view{obj: o, part: true, off: l.b.U32(uint32(of.rows[made.by] * of.long)), len: l.b.U32(uint32(room)), capped: true, room: l.b.U32(uint32(room))}
	if x.zero && made.array.Len() > unrolled {
		l.count(uint32(made.array.Len()), func(i build.Value) { l.store(elementAt(of.elem, v, l.unsigned(i)), l.zeroOf(of.elem)) })
	} else {
		for i := range int(made.array.Len()) {
			l.store(elementAt(of.elem, v, l.constant(types.Typ[types.Int], constInt(int64(i)))), l.part(x, i))
		}
	}
	v.len = l.b.U32(uint32(n))
	return val{typ: t, view: v}, true
}
