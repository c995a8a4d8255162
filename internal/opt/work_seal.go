package opt

import "github.com/govyre/vyre/ir"

// code writes the work as fresh columns in program order. The work itself stays as it is.
// Arrays that no row names any more are left out, but for the one whose length comes with
// the launch: that is part of what the host was promised.
func (w *work) code() *ir.Code {
	n := w.Rows()
	src := w.Code
	out := &ir.Code{Name: src.Name, Workgroup: src.Workgroup, Params: src.Params, Pool: src.Pool}
	out.Debug.Positions = src.Debug.Positions
	s := sealing{w: w, out: out, row: make([]ir.Row, n)}
	for i := range s.row {
		s.row[i] = ir.NoRow
	}
	s.columns(n - w.removed)
	s.rows()
	s.operands()
	s.objects()
	s.debug()
	return out
}

// sealing is the state of code.
type sealing struct {
	w     *work
	out   *ir.Code
	row   []ir.Row // new row by old
	order []ir.Row // old row by new
}

func (s *sealing) columns(n int) {
	o := s.out
	o.Op, o.Type, o.Flags = make([]ir.Op, 0, n), make([]ir.Type, 0, n), make([]ir.Flags, 0, n)
	o.Region, o.X, o.Args = make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
	o.A, o.B, o.C = make([]ir.Row, 0, n), make([]ir.Row, 0, n), make([]ir.Row, 0, n)
	s.order = make([]ir.Row, 0, n)
}

// put appends row r to region reg.
func (s *sealing) put(r ir.Row, reg uint32) ir.Row {
	w, o := s.w, s.out
	at := ir.Row(len(o.Op))
	o.Op = append(o.Op, w.Op[r])
	o.Type = append(o.Type, w.Type[r])
	o.Flags = append(o.Flags, w.Flags[r])
	o.Region = append(o.Region, reg)
	o.X = append(o.X, w.X[r])
	o.Args = append(o.Args, ir.NoArgs)
	o.A = append(o.A, w.A(r))
	o.B = append(o.B, w.B(r))
	o.C = append(o.C, w.C(r))
	s.row[r] = at
	s.order = append(s.order, r)
	return at
}

// rows puts arguments, constants in use and everything else in order, and numbers regions.
// Constants come first: sealing brings them into the order of their first use.
func (s *sealing) rows() {
	w, o := s.w, s.out
	for r := w.head[0]; r != ir.NoRow && w.Op[r] == ir.OpArg; r = w.next[r] {
		s.put(r, 0)
	}
	for r := range ir.Row(w.Rows()) {
		if w.Op[r] == ir.OpConst && w.uses[r] > 0 {
			s.put(r, 0)
		}
	}
	o.Regions = append(make([]ir.Region, 0, len(w.Regions)), ir.Region{Op: ir.NoRow})
	stack := []uint32{0}
	for it := w.rows(); it.step(); {
		r := it.row
		top := len(stack) - 1
		switch it.at {
		case atRow:
			if s.row[r] != ir.NoRow {
				continue // an argument of the body
			}
			at := s.put(r, stack[top])
			in := w.info(r)
			if in.Owns > 0 {
				first := uint32(len(o.Regions))
				o.X[at] = first
				for range in.Owns {
					o.Regions = append(o.Regions, ir.Region{Op: at})
				}
				o.Regions[first].First = at + 1
				stack = append(stack, first)
			} else if in.Imm == ir.ImmLabel {
				o.X[at] = uint32(s.row[w.X[r]])
			}
		case atElse:
			end := ir.Row(len(o.Op))
			o.Regions[stack[top]].End = end
			stack[top]++
			o.Regions[stack[top]].First = end
		case atEnd:
			o.Regions[stack[top]].End = ir.Row(len(o.Op))
			stack = stack[:top]
		}
	}
	o.Regions[0].End = ir.Row(len(o.Op))
	s.numberMerges()
}

// numberMerges counts arguments and results anew, since some may have gone.
func (s *sealing) numberMerges() {
	o := s.out
	for r, op := range o.Op {
		if op != ir.OpArg && op != ir.OpRes {
			continue
		}
		o.X[r] = 0
		if r > 0 && o.Op[r-1] == op && o.Region[r-1] == o.Region[r] {
			o.X[r] = o.X[r-1] + 1
		}
	}
}

// operands translates operands.
func (s *sealing) operands() {
	w, o := s.w, s.out
	for at, r := range s.order {
		for _, v := range [3]*ir.Row{&o.A[at], &o.B[at], &o.C[at]} {
			if *v != ir.NoRow {
				*v = s.row[*v]
			}
		}
		list := w.Operands(r)
		if len(list) == 0 {
			continue
		}
		o.Args[at] = uint32(len(o.Extra))
		o.Extra = append(o.Extra, uint32(len(list)))
		for _, v := range list {
			o.Extra = append(o.Extra, uint32(s.row[v]))
		}
	}
}

// objects leaves out arrays without a use and renumbers the others.
func (s *sealing) objects() {
	w, o := s.w, s.out
	buffers := w.Buffers()
	used := make([]bool, len(w.objs))
	for at, op := range o.Op {
		switch op.Info().Imm {
		case ir.ImmObject:
			used[o.X[at]] = true
		case ir.ImmCopy:
			dst, _ := ir.CopyObjects(o.X[at])
			used[dst] = true
		}
	}
	number := make([]uint32, len(w.objs))
	for i := range number {
		number[i] = uint32(i)
	}
	o.Arrays = nil
	for i, a := range w.Arrays {
		if used[buffers+i] || a.Len == ir.RestLen {
			number[buffers+i] = uint32(buffers + len(o.Arrays))
			o.Arrays = append(o.Arrays, a)
		}
	}
	if len(o.Arrays) == len(w.Arrays) {
		return
	}
	for at, op := range o.Op {
		switch op.Info().Imm {
		case ir.ImmObject:
			o.X[at] = number[o.X[at]]
		case ir.ImmCopy:
			dst, src := ir.CopyObjects(o.X[at])
			o.X[at] = ir.MakeCopy(ir.Object(number[dst]), src)
		}
	}
}

// debug takes positions, names and messages along.
func (s *sealing) debug() {
	w, o := s.w, s.out
	if w.Debug.PosOf != nil {
		o.Debug.PosOf = make([]uint32, len(s.order))
		for at, r := range s.order {
			o.Debug.PosOf[at] = w.Debug.PosOf[r]
		}
	}
	o.Debug.Names, o.Debug.Messages = s.texts(w.Debug.Names), s.texts(w.Debug.Messages)
}

// texts gives the texts of old rows to the new ones.
func (s *sealing) texts(old map[ir.Row]string) map[ir.Row]string {
	texts := make(map[ir.Row]string, len(old))
	for r, text := range old {
		if at := s.row[r]; at != ir.NoRow {
			texts[at] = text
		}
	}
	return texts
}
