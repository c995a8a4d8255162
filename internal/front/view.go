package front

import (
	"fmt"
	"go/ast"
	"go/types"
	"math/bits"
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// view is what a slice stands for: an object that is known while compiling, whole or
// from off on for len elements. Offsets and lengths count Go elements and are clamped when
// the view is made, so they never leave the object.
type view struct {
	obj      *object
	part     bool
	wide     bool // off, len and room are u64, else u32
	off, len build.Value
	capped   bool        // its capacity ends before its object does
	room     build.Value // that capacity
}

func (v *view) lenType() ir.Type {
	if v.wide {
		return ir.U64
	}
	return ir.U32
}

// sliceVar is a slice variable. One that is assigned to has offset and length in
// variables, but its object is the same for life.
type sliceVar struct {
	name     string
	fixed    *val
	obj      *object
	wide     bool
	off, len *build.Var
	room     *build.Var // its capacity, in kernels where that needs a variable
	asNil    bool       // was used while it stood for nothing
	loops    int        // around its declaration
}

func (l *lowering) newSlice(name string, t *types.Slice, fixed bool, init val) *sliceVar {
	s := &sliceVar{name: "slice variable " + name, loops: l.loops}
	if name == "" {
		s.name = "the result of " + l.fr.fn.Name()
	}
	if fixed {
		s.fixed = &init
		return s
	}
	if init.view != nil {
		s.obj, s.wide = init.view.obj, init.view.obj.wide || init.view.wide
	} else {
		s.wide = true // whatever it will stand for
	}
	off, n := l.extent(init.view, s.wide)
	s.off, s.len = l.b.Var(off), l.b.Var(n)
	if l.keepsRoom(init.view) {
		s.room = l.b.Var(l.roomOf(init.view, s.wide))
	}
	return s
}

// extent returns offset and length of a view in the type that wide asks for.
func (l *lowering) extent(v *view, wide bool) (off, n build.Value) {
	t := ir.U32
	if wide {
		t = ir.U64
	}
	switch {
	case v == nil:
		return l.b.Const(t, 0), l.b.Const(t, 0)
	case v.part:
		return l.b.Cvt(t, v.off), l.b.Cvt(t, v.len)
	}
	return l.b.Const(t, 0), l.b.Cvt(t, l.lengthOf(v))
}

func (l *lowering) loadSlice(p place) val {
	s := p.node.slice
	switch {
	case s.fixed != nil:
		x := *s.fixed
		x.typ = p.typ
		return x
	case s.obj == nil:
		s.asNil = true
		return val{typ: p.typ}
	}
	v := &view{obj: s.obj, part: true, wide: s.wide, off: s.off.Get(), len: s.len.Get()}
	if s.room != nil {
		v.capped, v.room = true, s.room.Get()
	}
	return val{typ: p.typ, view: v}
}

func (l *lowering) storeSlice(p place, x val) {
	s := p.node.slice
	if x.view != nil {
		if s.obj == nil && !s.asNil {
			s.obj = x.view.obj
		}
		if s.obj != x.view.obj {
			if l.together(s.obj, x.view.obj) {
				return
			}
			l.refuseTwo(s, x.view.obj)
			return
		}
		if o := x.view.obj; o.rounds() > s.loops && !l.fr.leaves {
			l.refuseHere(l.current, newEachRound, s.name, o.name)
			return
		}
	}
	off, n := l.extent(x.view, s.wide)
	s.off.Set(off)
	s.len.Set(n)
	if l.keepsRoom(x.view) && s.room != nil {
		s.room.Set(l.roomOf(x.view, s.wide))
	}
}

// refuseTwo refuses an assignment after which a slice variable may stand for another buffer. In a loop that is how two
// buffers take turns, so the advice says how a kernel writes that.
func (l *lowering) refuseTwo(s *sliceVar, o *object) {
	which, turns := "", ""
	if s.obj != nil && s.obj != o {
		which = ", " + s.obj.name + " and " + o.name
		if l.inLoop() {
			turns = fmt.Sprintf("; where the two take turns, write two rounds into the body of the loop: step(%[1]s, %[2]s), then step(%[2]s, %[1]s)",
				s.obj.name, o.name)
		}
	}
	l.refuseHere(l.current, twoBuffers, s.name, which, turns)
}

// inLoop reports whether what is being lowered lies in a loop, of this function or of one that calls it.
func (l *lowering) inLoop() bool {
	for fr := l.fr; fr != nil; fr = fr.up {
		if slices.ContainsFunc(fr.targets, func(t target) bool { return t.loop }) {
			return true
		}
	}
	return false
}

// lengthOf returns the length of a view in Go elements, as u32 or u64.
func (l *lowering) lengthOf(v *view) build.Value {
	switch {
	case v == nil:
		return l.b.U32(0)
	case v.part:
		return v.len
	case v.obj.count >= 0:
		return l.b.U32(uint32(v.obj.count))
	}
	n := l.b.Len(v.obj.id)
	if v.obj.lanes > 1 {
		n = l.b.Shr(n, l.b.U32(uint32(bits.TrailingZeros(uint(v.obj.lanes)))))
	}
	return n
}

// asInt returns an unsigned length or count as Go's int.
func (l *lowering) asInt(n build.Value) val {
	t := types.Typ[types.Int]
	if l.b.Type(n) == ir.U32 {
		return val{typ: t, elem: ir.I64, v: n, pending: true}
	}
	return scalar(t, l.b.Cvt(ir.I64, n))
}

// sliceExpr evaluates x[lo:hi] and x[lo:hi:max].
func (l *lowering) sliceExpr(e *ast.SliceExpr) val {
	t := l.typeOf(e)
	l.firstOfSlice(e)
	x := l.operand(e.X, nil)
	if isPointer(x.typ) {
		x = l.deref(e.Pos(), x)
	}
	if isText(t) {
		return l.sliceText(e, x)
	}
	if x.bad || !l.admit(e.Pos(), t) {
		return l.bad(t)
	}
	if x.at != nil {
		l.at(e.Lbrack)
		x = l.arrayView(x)
	}
	if x.view == nil || e.Low == nil && e.High == nil {
		for _, bound := range []ast.Expr{e.Low, e.High, e.Max} {
			if l.begins != nil && bound != nil {
				l.mustSlice(l.bound(bound), l.b.U32(0)) // of a nil slice
			}
		}
		x.typ = t
		return x
	}
	return val{typ: t, view: l.sliced(e, x.view)}
}

// sliced is the view of a slice expression with bounds. They end at the capacity, or at the length if only the low one is given or
// the capacity is not known.
func (l *lowering) sliced(e *ast.SliceExpr, x *view) *view {
	v := &view{obj: x.obj, part: true, wide: x.obj.wide || x.wide, capped: x.capped, room: x.room}
	off, n := l.extent(x, v.wide)
	lo, hi, end := l.b.Const(v.lenType(), 0), n, n
	if e.High != nil {
		if room, ok := l.capacity(x); ok {
			end = l.b.Cvt(v.lenType(), room)
			v.capped, v.room = v.capped || e.Max != nil, end
		}
	}
	if e.Low != nil {
		lo = l.clamp(l.bound(e.Low), end)
	}
	if e.High != nil {
		hi = l.clamp(l.bound(e.High), end)
	}
	if e.Max != nil {
		v.room = l.clamp(l.bound(e.Max), end)
		l.mustSlice(l.unsigned(hi), v.room)
		lo, hi = l.b.Min(lo, v.room), l.b.Min(hi, v.room)
	}
	if e.Low != nil && e.High != nil {
		l.mustSlice(l.unsigned(lo), hi)
		hi = l.b.Max(hi, lo)
	}
	l.at(e.Lbrack)
	v.off, v.len = off, hi
	if e.Low != nil {
		v.len = l.b.Sub(hi, lo)
		v.off = lo
		if x.part {
			v.off = l.b.Add(off, lo)
		}
		if v.capped {
			v.room = l.b.Sub(v.room, lo)
		}
	}
	return v
}

// clamp brings a bound of a slice expression into [0, n], in n's type.
func (l *lowering) clamp(x val, n build.Value) build.Value {
	l.mustSlice(x, n)
	i := l.index(x)
	t := l.b.Type(n)
	if l.b.Type(i).IsSigned() {
		i = l.b.Max(i, l.b.Const(l.b.Type(i), 0))
	}
	if l.b.Type(i).Bits() == 64 && t == ir.U32 {
		return l.b.Cvt(t, l.b.Min(l.b.Cvt(ir.U64, i), l.b.Cvt(ir.U64, n)))
	}
	return l.b.Min(l.b.Cvt(t, i), n)
}
