package verify

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
	"github.com/govyre/vyre/ir/internal/limits"
)

// row checks one row against the table and against the state of its region.
func (s *structure) row(r ir.Row) {
	c := s.Code
	op := c.Op[r]
	in := op.Info()
	f := s.top()
	s.place(r, in, f)
	f.last = r
	f.ended = in.Attr&ir.Terminator != 0
	if op != ir.OpConst {
		f.stuck = false
	}

	if foreign := c.Flags[r] &^ flagMask(op); foreign != 0 {
		s.fault("VY013", r, in.Name, uint32(foreign))
	}
	if t := c.Type[r]; in.Result.Kind == ir.ResultNone && t != ir.None {
		s.fault("VY011", r, in.Name, "no", "its row has type "+t.String())
	}
	if in.Spread == ir.SpreadMerge {
		s.carried(r)
	}
	s.operands(r, in)
	switch in.Imm {
	case ir.ImmPool:
		if int64(c.X[r]) >= int64(len(c.Pool)) {
			s.fault("VY002", r, "pool entry", in.Name, c.X[r], len(c.Pool))
		}
	case ir.ImmObject:
		if int64(c.X[r]) >= int64(s.objects) {
			s.fault("VY002", r, "object", in.Name, c.X[r], s.objects)
		}
	case ir.ImmCopy:
		for _, o := range func(a, b ir.Object) [2]ir.Object { return [2]ir.Object{a, b} }(ir.CopyObjects(c.X[r])) {
			if int64(o) >= int64(s.objects) {
				s.fault("VY002", r, "object", in.Name, uint32(o), s.objects)
			}
		}
	case ir.ImmLabel:
		s.exit(r, op, in)
	}
	if op == ir.OpYield {
		if owner := c.Regions[f.region].Op; owner != ir.NoRow && c.Op[owner].Info().Owns == 2 {
			s.left[c.X[owner]] = true
		} else {
			s.fault("VY009", r, in.Name)
		}
	}
}

// carried checks the type of an argument or result. It is done here because sealing
// removes those that are one value from outside, whatever type they state.
func (s *structure) carried(r ir.Row) {
	before := len(s.Diags)
	switch t := s.Code.Type[r]; {
	case t == ir.None:
		noType(&s.Report, r)
	case t.IsVector() && finding.Usable(t):
		s.Add("VY111", r, s.Value(r), t, "cannot be carried")
	default:
		valueType(&s.Report, r)
	}
	if len(s.Diags) > before {
		s.faulty[s.top().region] = true
	}
}

// flagMask returns the flag bits that the op knows.
func flagMask(op ir.Op) ir.Flags {
	in := op.Info()
	var m ir.Flags
	if in.Orders != 0 {
		m |= ir.MakeFlags(7, 3)
	}
	if in.Attr&ir.Hinted != 0 {
		m |= ir.Flags(0).WithHint(3)
	}
	if in.Attr&(ir.Hinted|ir.Atomic) != 0 {
		m |= ir.InBounds
	}
	if in.Attr&ir.Hinted != 0 || op == ir.OpTrace {
		m |= ir.Checked
	}
	if in.Attr&ir.Repeats != 0 {
		m |= ir.Flags(0).WithUnroll(0xFF)
	}
	return m
}

// place checks that a row of this kind may stand at this point of its region.
func (s *structure) place(r ir.Row, in *ir.Info, f *opened) {
	c := s.Code
	op := c.Op[r]
	if f.ended {
		s.fault("VY004", r, s.Region(f.region), fmt.Sprintf("%s after %s", in.Name, s.opName(f.last)))
		return
	}
	if op == ir.OpConst {
		// Until sealing brings them together, constants may stand anywhere but between
		// an op and its results.
		f.op = ir.NoRow
		return
	}
	if op == ir.OpArg {
		s.argument(r, f)
		return
	}
	s.began(f, r)
	if op == ir.OpRes && !f.stuck {
		switch {
		case f.op == ir.NoRow:
			s.fault("VY007", r, "res", c.X[r], "no result")
		case int64(c.X[r]) != int64(f.res):
			s.fault("VY007", r, "res", c.X[r], fmt.Sprintf("res %d of %s", f.res, s.Label(f.op)))
		}
		if f.op != ir.NoRow {
			f.res++
			s.results[c.X[f.op]] = f.res
		}
		return
	}
	switch {
	case f.stuck && op != ir.OpUnreachable:
		s.fault("VY012", r, in.Name, s.Label(f.last), "cannot complete")
	case !f.stuck && op == ir.OpUnreachable:
		if f.last == ir.NoRow {
			s.fault("VY012", r, in.Name, "the start of "+s.Region(f.region), "can be reached")
		} else {
			s.fault("VY012", r, in.Name, s.opName(f.last), "can complete")
		}
	}
	f.op = ir.NoRow
}

// argument checks that arg row r belongs to the prologue of its region.
func (s *structure) argument(r ir.Row, f *opened) {
	c := s.Code
	takes := f.region == 0
	if !takes {
		takes = c.Op[c.Regions[f.region].Op].Info().Attr&ir.Repeats != 0
	}
	switch {
	case !takes || f.began:
		s.fault("VY007", r, "arg", c.X[r], "no argument")
	case int64(c.X[r]) != int64(f.args):
		s.fault("VY007", r, "arg", c.X[r], fmt.Sprintf("arg %d of %s", f.args, s.Region(f.region)))
	case f.region == 0 && f.args >= s.scalars:
		s.fault("VY007", r, "arg", c.X[r], fmt.Sprintf("no argument (there are %d scalar parameters)", s.scalars))
	case f.region != 0 && f.last != ir.NoRow && c.Op[f.last] != ir.OpArg:
		s.fault("VY007", r, "arg", c.X[r], "no argument")
	}
	f.args++
}

// operands checks number, range and dominance of the operands of row r.
func (s *structure) operands(r ir.Row, in *ir.Info) {
	c := s.Code
	given := 0
	inOrder := true
	for i, v := range [3]ir.Row{c.A[r], c.B[r], c.C[r]} {
		if v == ir.NoRow {
			continue
		}
		inOrder = inOrder && given == i
		given++
	}
	if given != in.Args || !inOrder {
		s.fault("VY006", r, in.Name, finding.Plural(given, "operand"), fmt.Sprint(in.Args))
	}
	for i, v := range [3]ir.Row{c.A[r], c.B[r], c.C[r]} {
		if v != ir.NoRow {
			s.operand(r, in, finding.OperandNames[i], v)
		}
	}
	start := c.Args[r]
	if start == ir.NoArgs {
		if in.Counts != 0 && in.Counts&1 == 0 {
			s.fault("VY006", r, in.Name, "no list", finding.ListLengths(in))
		}
		return
	}
	switch {
	case !in.List:
		s.fault("VY006", r, in.Name, "a list of operands", "none")
		return
	case int64(start) >= int64(len(c.Extra)):
		s.fault("VY002", r, "list", in.Name, start, len(c.Extra))
		return
	case int64(c.Extra[start]) > int64(len(c.Extra))-int64(start)-1:
		s.fault("VY002", r, "end of the list", in.Name, uint64(start)+uint64(c.Extra[start]), len(c.Extra))
		return
	}
	list := c.List(r)
	s.listed += len(list)
	switch {
	case len(list) > limits.List:
		s.fault("VY502", r, "operands of "+in.Name, len(list), limits.List)
		return
	case s.listed > limits.Extra:
		// Lists may share their storage, so the sum has to be bounded too.
		s.fault("VY502", r, "operands in lists", s.listed, limits.Extra)
		return
	case in.Counts != 0 && (len(list) > 7 || in.Counts>>len(list)&1 == 0):
		s.fault("VY006", r, in.Name, finding.Plural(len(list), "operand"), finding.ListLengths(in))
	}
	for i, v := range list {
		s.visits++
		if s.defined(r, ir.Row(v)) {
			continue
		}
		s.operand(r, in, fmt.Sprintf("operand %d", i), ir.Row(v))
	}
}

// operand checks one operand and reports what is wrong with it.
func (s *structure) operand(r ir.Row, in *ir.Info, which string, v ir.Row) {
	c := s.Code
	switch {
	case s.defined(r, v):
	case int64(v) >= int64(c.Rows()):
		s.fault("VY002", r, which, in.Name, uint32(v), c.Rows())
	case c.Op[v].Info().Result.Kind == ir.ResultNone:
		s.fault("VY011", r, s.opName(v), "no", fmt.Sprintf("it is %s of %s", which, in.Name))
	default:
		d := s.fault("VY005", r, in.Name, s.Value(v))
		s.Note(d, v, "%s is defined here, in %s", s.Value(v), s.Region(c.Region[v]))
	}
}

// defined reports whether v may be used at u. A constant may be used everywhere, since
// sealing moves it to the front of the body.
func (s *structure) defined(u, v ir.Row) bool {
	c := s.Code
	if int64(v) >= int64(c.Rows()) || c.Op[v].Info().Result.Kind == ir.ResultNone {
		return false
	}
	return c.Op[v] == ir.OpConst || v < u && u < c.Regions[c.Region[v]].End
}

// exit checks that a break or continue names an enclosing label.
func (s *structure) exit(r ir.Row, op ir.Op, in *ir.Info) {
	c := s.Code
	to := ir.Row(c.X[r])
	what := "an enclosing loop or block"
	if op == ir.OpContinue {
		what = "an enclosing loop"
	}
	if to >= r || c.Op[to].Info().Owns != 1 || r >= c.Regions[c.X[to]].End ||
		op == ir.OpContinue && c.Op[to].Info().Attr&ir.Repeats == 0 {
		s.fault("VY008", r, in.Name, s.Label(to), what)
		return
	}
	if op == ir.OpBreak {
		s.left[c.X[to]] = true
	}
}
