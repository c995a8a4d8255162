package native

import "github.com/govyre/vyre/ir"

// shape says what the lanes of a vector have to do with each other.
type shape uint8

const (
	varying     shape = iota
	consecutive       // first + lane, modulo 2^W
	uniform           // equal in all eight lanes, also in those that are not active
	unknown           // not yet looked at
)

// merge is the shape of a value that may be either of two.
func (s shape) merge(o shape) shape {
	switch {
	case s == unknown:
		return o
	case o == unknown, s == o:
		return s
	}
	return varying
}

// shapes is what is known about the lanes of a program's vectors: the shape of each value, and which structured ops
// lanes leave at different times. That is a fixed point over the region tree: what is thought of as uniform at first is
// given up where something contradicts.
type shapes struct {
	*tree
	value     []shape
	patches   []bool          // values that may be rows (memory_patches.go)
	zeros     []uint8         // low bits of lane 0 that are known to be 0
	divergent map[ir.Row]bool // structured ops, and NoRow for the body: run under masks
	leaves    map[ir.Row]bool // structured ops that an exit passes through
	continues map[ir.Row]int  // loops: how many rows continue them
	rounds    settling
	lists     []inList
}

// inList is a place in a row's list.
type inList struct {
	row ir.Row
	at  int
}

func findShapes(t *tree) *shapes {
	s := &shapes{tree: t, value: make([]shape, t.p.Rows()), divergent: map[ir.Row]bool{}, leaves: map[ir.Row]bool{}, continues: map[ir.Row]int{}}
	for r := range s.value {
		s.value[r] = unknown
		if op := t.p.Op(ir.Row(r)); op == ir.OpContinue {
			s.continues[t.target(ir.Row(r))]++
		}
	}
	s.findZeros()
	s.rounds = settling{read: s.indexRows, look: func(i int) {
		if rows := t.p.Rows(); i >= rows {
			l := s.lists[i-rows]
			first, _ := s.bring(l.row)
			s.brings(l.row, first, l.at)
			return
		}
		s.row(ir.Row(i))
	}}
	s.rounds.run(t.p.Rows())
	s.rounds, s.lists = settling{}, nil
	s.findPatches()
	return s
}

// indexRows has, by row, what goes by its shape: rows, and what lists bring, one by one. A list of a loop is as long as its
// arguments are many, and each of them may change in a round of its own.
func (s *shapes) indexRows() (*index, int) {
	p, things := s.p, s.p.Rows()
	x := newIndex(p.Rows(), func(yield func(list, number int)) {
		s.lists = s.lists[:0]
		for r := range ir.Row(p.Rows()) {
			for _, v := range [...]ir.Row{p.A(r), p.B(r), p.C(r)} {
				if v != ir.NoRow {
					yield(int(v), int(r))
				}
			}
			_, brings := s.bring(r)
			for i, v := range p.List(r) {
				if !brings {
					yield(int(v), int(r))
					continue
				}
				yield(int(v), things+len(s.lists))
				s.lists = append(s.lists, inList{r, i})
			}
		}
	})
	return x, things + len(s.lists)
}

// lower sets the shape of a value, which only ever becomes more varying.
func (s *shapes) lower(r ir.Row, to shape) {
	if to = s.value[r].merge(to); to != s.value[r] {
		s.value[r] = to
		s.rounds.change(int(r))
	}
}

func (s *shapes) row(r ir.Row) {
	p := s.p
	op := p.Op(r)
	switch {
	case op == ir.OpIf && s.value[p.A(r)] != uniform && s.value[p.A(r)] != unknown:
		s.diverge(r)
	case isExit(op):
		s.exit(r)
	}
	if to, ok := s.bring(r); ok {
		for i := range p.List(r) {
			s.brings(r, to, i)
		}
		return
	}
	switch op {
	case ir.OpArg:
		if p.Region(r) == 0 {
			s.lower(r, uniform)
		}
	default:
		if p.Type(r) != ir.None && op != ir.OpRes {
			s.lower(r, s.of(r))
		}
	}
}

// inPlace reports whether lanes that continue a loop may overwrite its arguments: the one continue ends the body, so
// nothing reads them afterwards.
func (s *shapes) inPlace(loop ir.Row) bool {
	last := s.p.Regions()[s.owned[loop][0]].End - 1
	return s.continues[loop] == 1 && s.p.Op(last) == ir.OpContinue && s.target(last) == loop
}

// bring returns the first row that a list brings its values to, results or arguments of an op; false if it brings nothing.
func (s *shapes) bring(r ir.Row) (first ir.Row, ok bool) {
	if len(s.p.List(r)) == 0 {
		return 0, false
	}
	switch s.p.Op(r) {
	case ir.OpYield:
		return s.end(s.parent(r)), true
	case ir.OpBreak:
		return s.end(s.target(r)), true
	case ir.OpContinue:
		return s.p.Regions()[s.owned[s.target(r)][0]].First, true
	case ir.OpLoop:
		return s.p.Regions()[s.owned[r][0]].First, true
	}
	return 0, false
}

// brings merges the i-th value of a list into what it brings it to.
func (s *shapes) brings(r, first ir.Row, i int) {
	to := s.value[s.p.List(r)[i]]
	switch op := s.p.Op(r); {
	case op == ir.OpYield && s.divergent[s.parent(r)], op == ir.OpBreak && s.divergent[s.target(r)],
		op == ir.OpContinue && s.divergent[s.target(r)] && !s.inPlace(s.target(r)):
		to = varying
	}
	s.lower(first+ir.Row(i), to)
}

func (s *shapes) diverge(op ir.Row) {
	if s.divergent[op] {
		return
	}
	s.divergent[op], s.rounds.changed = true, true
	first, end := ir.Row(0), ir.Row(s.p.Rows())
	if op != ir.NoRow {
		first, end = op, s.end(op)
	}
	if s.rounds.index != nil { // what ends regions in it goes by that
		for r := first; r < end; r++ {
			if s.p.Op(r).Info().Attr&ir.Terminator != 0 {
				s.rounds.lookAgain(int(r))
			}
		}
	}
}

// exit looks at a row that leaves: all that it passes through, and what it leaves to, has masks if one of them has, for
// then lanes leave at different times.
func (s *shapes) exit(r ir.Row) {
	to := s.target(r)
	any := s.divergent[to]
	for op := s.parent(r); op != to; op = s.parent(op) {
		s.leaves[op] = true
		any = any || s.divergent[op]
	}
	if !any {
		return
	}
	for op := s.parent(r); op != to; op = s.parent(op) {
		s.diverge(op)
	}
	s.diverge(to)
}

// of returns the shape of a row that is neither an argument nor a result.
func (s *shapes) of(r ir.Row) shape {
	p := s.p
	size := p.Workgroup()
	switch op := p.Op(r); op {
	case ir.OpConst, ir.OpLen, ir.OpGroup, ir.OpGroups, ir.OpWarp:
		return uniform
	case ir.OpLane:
		return consecutive
	case ir.OpLocal, ir.OpGlobal:
		switch axis := p.X(r); {
		case size[axis] == 1:
			return uniform
		case size[0]%lanes != 0:
			return varying
		case axis == 0:
			return consecutive
		}
		return uniform
	case ir.OpClock, ir.OpTimer, ir.OpElect:
		return varying
	case ir.OpAdd, ir.OpSub, ir.OpCvt, ir.OpBitcast:
		if p.Type(r).IsInt() {
			return s.sum(r)
		}
	case ir.OpShr, ir.OpAnd, ir.OpOr, ir.OpXor:
		if out, ok := s.bits(r); ok {
			return out
		}
	}
	in := p.Op(r).Info()
	switch {
	case in.Attr&ir.Atomic != 0:
		return varying
	case in.Attr&ir.Convergent != 0 && in.Spread <= ir.SpreadWarp && in.Spread != ir.SpreadOperands:
		return uniform
	case in.Spread == ir.SpreadSource: // all lanes get that of one if all ask for the same
		if from := s.value[p.B(r)]; from == uniform || from == unknown {
			return from
		}
		return varying
	case in.Attr&ir.Convergent != 0:
		return varying
	case in.Attr&ir.Reads != 0 && s.objects[p.X(r)].Local():
		return varying
	}
	return s.operands(r)
}

// operands is uniform if all operands are.
func (s *shapes) operands(r ir.Row) shape {
	out := uniform
	look := func(v ir.Row) {
		switch s.value[v] {
		case unknown:
			if out == uniform {
				out = unknown
			}
		case uniform:
		default:
			out = varying
		}
	}
	for _, v := range [...]ir.Row{s.p.A(r), s.p.B(r), s.p.C(r)} {
		if v != ir.NoRow {
			look(v)
		}
	}
	for _, v := range s.p.List(r) {
		look(ir.Row(v))
	}
	return out
}

// sum is the shape of an integer sum, difference or conversion.
func (s *shapes) sum(r ir.Row) shape {
	p := s.p
	a, op := s.value[p.A(r)], p.Op(r)
	if op == ir.OpCvt || op == ir.OpBitcast {
		if a == consecutive && !p.Type(p.A(r)).IsInt() {
			return varying
		}
		return a
	}
	b := s.value[p.B(r)]
	switch {
	case a == unknown || b == unknown:
		return unknown
	case a == uniform && b == uniform:
		return uniform
	case a == consecutive && b == uniform, a == uniform && b == consecutive && op == ir.OpAdd:
		return consecutive
	}
	return varying
}
