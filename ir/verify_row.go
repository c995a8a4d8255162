package ir

import (
	"fmt"
	"math/bits"
	"strings"
)

// row checks one row against the table and against the state of its region.
func (s *structure) row(r Row) {
	c := s.c
	op := c.Op[r]
	in := &table[op]
	f := s.top()
	s.place(r, in, f)
	f.last = r
	f.ended = in.Attr&Terminator != 0
	if op != OpConst {
		f.stuck = false
	}

	if foreign := c.Flags[r] &^ in.flagMask(); foreign != 0 {
		s.fault("VY013", r, in.Name, uint32(foreign))
	}
	if t := c.Type[r]; in.Result.Kind == ResultNone && t != None {
		s.fault("VY011", r, in.Name, "no", "its row has type "+t.String())
	}
	if in.Spread == SpreadMerge {
		s.carried(r)
	}
	s.operands(r, in)
	switch in.Imm {
	case ImmPool:
		if int64(c.X[r]) >= int64(len(c.Pool)) {
			s.fault("VY002", r, "pool entry", in.Name, c.X[r], len(c.Pool))
		}
	case ImmObject:
		if int64(c.X[r]) >= int64(s.objects) {
			s.fault("VY002", r, "object", in.Name, c.X[r], s.objects)
		}
	case ImmLabel:
		s.exit(r, op, in)
	}
	if op == OpYield {
		if owner := c.Regions[f.region].Op; owner != NoRow && table[c.Op[owner]].Owns == 2 {
			s.left[c.X[owner]] = true
		} else {
			s.fault("VY009", r, in.Name)
		}
	}
}

// carried checks the type of an argument or result. It is done here because sealing
// removes those that are one value from outside, whatever type they state.
func (s *structure) carried(r Row) {
	before := len(s.diags)
	switch t := s.c.Type[r]; {
	case t == None:
		s.noType(r)
	case t.IsVector() && usable(t):
		s.add("VY111", r, s.value(r), t, "cannot be carried")
	default:
		s.valueType(r)
	}
	if len(s.diags) > before {
		s.faulty[s.top().region] = true
	}
}

// flagMask returns the flag bits that the op knows.
func (in *Info) flagMask() Flags {
	var m Flags
	if in.Orders != 0 {
		m |= MakeFlags(7, 3)
	}
	if in.Attr&Hinted != 0 {
		m |= Flags(0).WithHint(3)
	}
	if in.Attr&(Hinted|Atomic) != 0 {
		m |= InBounds
	}
	if in.Attr&Repeats != 0 {
		m |= Flags(0).WithUnroll(0xFF)
	}
	return m
}

// place checks that a row of this kind may stand at this point of its region.
func (s *structure) place(r Row, in *Info, f *opened) {
	c := s.c
	op := c.Op[r]
	if f.ended {
		s.fault("VY004", r, s.region(f.region), fmt.Sprintf("%s behind %s", in.Name, s.opName(f.last)))
		return
	}
	if op == OpConst {
		// Until sealing brings them together, constants may stand anywhere but between
		// an op and its results.
		f.op = NoRow
		return
	}
	if op == OpArg {
		s.argument(r, f)
		return
	}
	s.began(f, r)
	if op == OpRes && !f.stuck {
		switch {
		case f.op == NoRow:
			s.fault("VY007", r, "res", c.X[r], "no result")
		case int64(c.X[r]) != int64(f.res):
			s.fault("VY007", r, "res", c.X[r], fmt.Sprintf("res %d of %s", f.res, s.label(f.op)))
		}
		if f.op != NoRow {
			f.res++
			s.results[c.X[f.op]] = f.res
		}
		return
	}
	switch {
	case f.stuck && op != OpUnreachable:
		s.fault("VY012", r, in.Name, s.label(f.last), "cannot complete")
	case !f.stuck && op == OpUnreachable:
		if f.last == NoRow {
			s.fault("VY012", r, in.Name, "the start of "+s.region(f.region), "can be reached")
		} else {
			s.fault("VY012", r, in.Name, s.opName(f.last), "can complete")
		}
	}
	f.op = NoRow
}

// argument checks that arg row r belongs to the prologue of its region.
func (s *structure) argument(r Row, f *opened) {
	c := s.c
	takes := f.region == 0
	if !takes {
		takes = table[c.Op[c.Regions[f.region].Op]].Attr&Repeats != 0
	}
	switch {
	case !takes || f.began:
		s.fault("VY007", r, "arg", c.X[r], "no argument")
	case int64(c.X[r]) != int64(f.args):
		s.fault("VY007", r, "arg", c.X[r], fmt.Sprintf("arg %d of %s", f.args, s.region(f.region)))
	case f.region == 0 && f.args >= s.scalars:
		s.fault("VY007", r, "arg", c.X[r], fmt.Sprintf("no argument (there are %d scalar parameters)", s.scalars))
	case f.region != 0 && f.last != NoRow && c.Op[f.last] != OpArg:
		s.fault("VY007", r, "arg", c.X[r], "no argument")
	}
	f.args++
}

// operands checks number, range and dominance of the operands of row r.
func (s *structure) operands(r Row, in *Info) {
	c := s.c
	given := 0
	inOrder := true
	for i, v := range [3]Row{c.A[r], c.B[r], c.C[r]} {
		if v == NoRow {
			continue
		}
		inOrder = inOrder && given == i
		given++
	}
	if given != in.Args || !inOrder {
		s.fault("VY006", r, in.Name, plural(given, "operand"), fmt.Sprint(in.Args))
	}
	for i, v := range [3]Row{c.A[r], c.B[r], c.C[r]} {
		if v != NoRow {
			s.operand(r, in, operandNames[i], v)
		}
	}
	start := c.Args[r]
	if start == NoArgs {
		if in.Counts != 0 && in.Counts&1 == 0 {
			s.fault("VY006", r, in.Name, "no list", in.counts())
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
	case len(list) > maxList:
		s.fault("VY502", r, "operands of "+in.Name, len(list), maxList)
		return
	case s.listed > maxExtra:
		// Lists may share their storage, so the sum has to be bounded too.
		s.fault("VY502", r, "operands in lists", s.listed, maxExtra)
		return
	case in.Counts != 0 && (len(list) > 7 || in.Counts>>len(list)&1 == 0):
		s.fault("VY006", r, in.Name, plural(len(list), "operand"), in.counts())
	}
	for i, v := range list {
		s.visits++
		if s.defined(r, Row(v)) {
			continue
		}
		s.operand(r, in, fmt.Sprintf("operand %d", i), Row(v))
	}
}

// operand checks one operand and reports what is wrong with it.
func (s *structure) operand(r Row, in *Info, which string, v Row) {
	c := s.c
	switch {
	case s.defined(r, v):
	case int64(v) >= int64(c.Rows()):
		s.fault("VY002", r, which, in.Name, uint32(v), c.Rows())
	case table[c.Op[v]].Result.Kind == ResultNone:
		s.fault("VY011", r, s.opName(v), "no", fmt.Sprintf("it is %s of %s", which, in.Name))
	default:
		d := s.fault("VY005", r, in.Name, s.value(v))
		s.note(d, v, "%s is defined here, in %s", s.value(v), s.region(c.Region[v]))
	}
}

// defined reports whether v may be used at u. A constant may be used everywhere, since
// sealing moves it to the front of the body.
func (s *structure) defined(u, v Row) bool {
	c := s.c
	if int64(v) >= int64(c.Rows()) || table[c.Op[v]].Result.Kind == ResultNone {
		return false
	}
	return c.Op[v] == OpConst || v < u && u < c.Regions[c.Region[v]].End
}

// exit checks that a break or continue names an enclosing label.
func (s *structure) exit(r Row, op Op, in *Info) {
	c := s.c
	to := Row(c.X[r])
	what := "an enclosing loop or block"
	if op == OpContinue {
		what = "an enclosing loop"
	}
	if to >= r || table[c.Op[to]].Owns != 1 || r >= c.Regions[c.X[to]].End ||
		op == OpContinue && table[c.Op[to]].Attr&Repeats == 0 {
		s.fault("VY008", r, in.Name, s.label(to), what)
		return
	}
	if op == OpBreak {
		s.left[c.X[to]] = true
	}
}

// plural writes "1 operand", "2 operands".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// counts writes the list lengths that the op allows.
func (in *Info) counts() string {
	var s []string
	for set := in.Counts; set != 0; set &= set - 1 {
		s = append(s, fmt.Sprint(bits.TrailingZeros8(set)))
	}
	return strings.Join(s, " or ")
}
