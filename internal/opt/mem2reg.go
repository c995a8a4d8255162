package opt

import (
	"fmt"
	"strconv"

	"github.com/govyre/vyre/ir"
)

// mem2reg makes values of the elements of a local array all of whose indices are constants in range: a load is
// what was stored last, carried through loops and out of structured ops like any other value. What was never
// stored is undefined, and becomes zero. A narrow element keeps the low bits.
//
// A structured op inside of which elements are stored gets a result for each of them, a loop an argument too;
// dce drops those that nobody needs. Two walks, O(rows + what is carried), and arrays that would have more
// carried than the program has rows stay as they are.
func mem2reg(w *work) {
	s := &promotion{w: w, stays: make([]bool, len(w.objs)), number: make(map[element]uint32), inside: make([]smallSet, len(w.Regions))}
	if !s.choose() {
		return
	}
	s.exits = w.exits()
	if !s.affordable() {
		s.stayAll()
		return
	}
	for it := w.rows(); it.step(); {
		switch it.at {
		case atRow:
			s.row(it.row)
		case atElse:
			s.other(it.row)
		case atEnd:
			s.end(it.row)
		}
	}
}

// promotion is the state of mem2reg. The elements that become values are numbered in the order of their first
// accesses.
type promotion struct {
	w      *work
	exits  *exits
	stays  []bool             // by object: it stays an array
	number map[element]uint32 // of the others' elements
	types  []ir.Type          // by number: of the element
	now    []ir.Row           // by number: its value here
	inside []smallSet         // by first region of an op: elements that are stored in it
	saved  []savedElement     // the values in front of the ops that the walk is in
}

type element struct {
	object uint32
	index  uint64
}

type savedElement struct {
	op     ir.Row
	number uint32
	value  ir.Row
}

// maxPromoted bounds the elements that become values: smallSet holds as many.
const maxPromoted = 256

// choose finds the arrays that can go, numbers their elements, and reports whether there are any.
func (s *promotion) choose() bool {
	w := s.w
	if !w.locals() {
		return false
	}
	w.left.arrays = make(map[arrayKey]string)
	var accesses []ir.Row
	for it := w.rows(); it.step(); {
		r := it.row
		in := w.info(r)
		if it.at != atRow || in.Imm != ir.ImmObject || in.Args == 0 || !w.objs[w.X[r]].Local() {
			continue
		}
		_, constant := w.bits(w.A(r))
		switch {
		case in.Vec != 0:
			s.stay(w.X[r], "elements%s are read or written in vectors", r)
		case !w.must(checkConstantIndex, constant):
			s.stay(w.X[r], "the index%s is not known at compile time", r)
		case w.outside(r):
			s.stay(w.X[r], "the index%s is out of bounds", r)
		}
		accesses = append(accesses, r)
	}
	for _, r := range accesses {
		e := s.element(r)
		if _, known := s.number[e]; known || s.stays[e.object] {
			continue
		}
		if len(s.types) == maxPromoted {
			s.stay(e.object, "the element%s is one too many of those that can be values, "+strconv.Itoa(maxPromoted), r)
			continue
		}
		t := w.objs[e.object].Type()
		s.number[e] = uint32(len(s.types))
		s.types = append(s.types, t)
		s.now = append(s.now, w.constant(t.Value(), 0))
	}
	return len(s.types) > 0
}

// stay leaves an object an array; why is said of access r, the first that asks for it, and has a verb for its place.
func (s *promotion) stay(object uint32, why string, r ir.Row) {
	s.stays[object] = true
	if a := s.w.objs[object].Array; a != nil {
		if key := (arrayKey{a.Pos, a.Name}); s.w.left.arrays[key] == "" {
			s.w.left.arrays[key] = fmt.Sprintf(why, at(s.w.Debug.Pos(r)))
		}
	}
}

// at says where something is, if that is known.
func at(pos ir.Pos) string {
	if pos.Line == 0 {
		return ""
	}
	return " at " + pos.String()
}

// stayAll leaves all arrays what they are.
func (s *promotion) stayAll() {
	for o, info := range s.w.objs {
		if info.Local() && !s.stays[o] && info.Array != nil {
			s.w.left.arrays[arrayKey{info.Array.Pos, info.Array.Name}] = "branches and loops would carry too many values"
		}
	}
}

// element returns what access r names.
func (s *promotion) element(r ir.Row) element {
	i, _ := s.w.bits(s.w.A(r))
	return element{s.w.X[r], i}
}

// of returns the number of the element that row r accesses, if that becomes a value.
func (s *promotion) of(r ir.Row) (uint32, bool) {
	w := s.w
	if w.Op[r] != ir.OpLoad && w.Op[r] != ir.OpStore || s.stays[w.X[r]] {
		return 0, false
	}
	n, ok := s.number[s.element(r)]
	return n, ok && w.objs[w.X[r]].Local()
}

// affordable finds what is stored inside each op, and reports whether the values to be carried are few enough.
func (s *promotion) affordable() bool {
	w := s.w
	carried := 0
	for it := w.rows(); it.step(); {
		r := it.row
		around := w.Region[r]
		if around != 0 {
			around = w.X[w.owner(around)]
		}
		switch {
		case it.at == atEnd:
			ways := 2
			s.exits.leaving(r, func(ir.Row) { ways++ })
			s.exits.repeating(r, func(ir.Row) { ways++ })
			s.inside[w.X[r]].each(func(uint32) { carried += ways })
			s.inside[around].join(&s.inside[w.X[r]])
		case it.at == atRow && w.Op[r] == ir.OpStore:
			if n, ok := s.of(r); ok {
				s.inside[around].add(n)
			}
		}
	}
	return carried <= 4*w.linked()+4096
}

// row takes row r to values.
func (s *promotion) row(r ir.Row) {
	w := s.w
	switch op := w.Op[r]; {
	case op == ir.OpLoad:
		if n, ok := s.of(r); ok {
			w.replaceAlways(r, s.now[n])
			w.hit("load")
		}
	case op == ir.OpStore:
		if n, ok := s.of(r); ok {
			s.now[n] = w.kept(s.types[n], w.B(r), r)
			w.remove(r)
			w.hit("store")
		}
	case op == ir.OpYield || op == ir.OpBreak || op == ir.OpContinue:
		s.carry(r, w.exitTarget(r))
	case w.structured(r):
		s.enter(r)
	}
}

// carry appends the values of what is stored inside op to the operands of row r.
func (s *promotion) carry(r, op ir.Row) {
	w := s.w
	list := append([]uint32(nil), w.Operands(r)...)
	n := len(list)
	s.inside[w.X[op]].each(func(k uint32) { list = append(list, uint32(s.now[k])) })
	w.visits += len(list) - n
	if len(list) > n {
		w.setList(r, list)
	}
}

// enter begins structured op r. A loop has arguments for what is stored in it.
func (s *promotion) enter(r ir.Row) {
	w := s.w
	inside := s.inside[w.X[r]]
	inside.each(func(k uint32) { s.saved = append(s.saved, savedElement{r, k, s.now[k]}) })
	if w.info(r).Attr&ir.Repeats == 0 {
		return
	}
	s.carry(r, r)
	s.merges(inside, ir.OpArg, w.head[w.X[r]], r)
}

// other begins the second arm of if r, with what was there in front of it.
func (s *promotion) other(r ir.Row) {
	for i := len(s.saved) - 1; i >= 0 && s.saved[i].op == r && !s.w.must(checkOtherArm, false); i-- {
		s.now[s.saved[i].number] = s.saved[i].value
	}
}

// end closes structured op r: what is stored in it is a result. If nothing comes to its end, neither does
// anything after it.
func (s *promotion) end(r ir.Row) {
	w := s.w
	for n := len(s.saved) - 1; n >= 0 && s.saved[n].op == r; n-- {
		s.now[s.saved[n].number] = s.saved[n].value
		s.saved = s.saved[:n]
	}
	if s.exits.leave[w.X[r]] != ir.NoRow {
		s.merges(s.inside[w.X[r]], ir.OpRes, w.next[r], r)
	}
}

// merges adds arguments or results, after those from row at on, and makes them the values of the elements.
func (s *promotion) merges(of smallSet, op ir.Op, at, like ir.Row) {
	w := s.w
	n := uint32(0)
	for ; w.Op[at] == op; at = w.next[at] {
		w.visits++
		n++
	}
	of.each(func(k uint32) {
		v := w.make(like, op, s.types[k].Value(), n, ir.NoRow, ir.NoRow, ir.NoRow)
		w.link(v, at)
		s.now[k] = v
		n++
	})
}
