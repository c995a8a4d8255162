package ir

// advice collects warnings about a sealed program.
type advice struct {
	report
	p      *Program
	flow   flow
	visits int
}

func newAdvice(p *Program) *advice {
	return &advice{report: report{c: &p.code}, p: p, flow: newFlow(&p.code)}
}

// rows looks at constants and stores, a row at a time.
func (a *advice) rows() {
	c := a.c
	uni := a.p.uni
	for r, op := range c.Op {
		a.visits++
		in := &table[op]
		for i, v := range [3]Row{c.A[r], c.B[r], c.C[r]} {
			if i >= in.Args || c.Op[v] != OpConst {
				continue
			}
			t := c.Type[r]
			switch n := c.Pool[c.X[v]]; {
			case in.In[i].Role == RoleDivisor && t.IsInt() && n == 0:
				a.add("VY601", Row(r), in.Name)
			case in.In[i].Role == RoleShift && n >= uint64(t.Bits()):
				a.add("VY607", Row(r), in.Name, n, t.Bits())
			}
		}
		// Where all invocations of the level at which the index is equal come by, they write one cell.
		if in.Attr&(Writes|Atomic) == Writes && in.Imm == ImmObject {
			index, value := uni.Value[c.A[r]], uni.Value[c.B[r]]
			if obj := a.p.objs[c.X[r]]; !obj.Local() && uni.Control[r] <= index && index < value {
				a.add("VY604", Row(r), in.Name, value, obj.Name(), index)
			}
		}
	}
}

// loops finds loops that nothing leaves.
func (a *advice) loops() {
	c := a.c
	// An exit leaves every enclosing op from some row on. leaves is the least such row
	// among the exits inside an op, by its first region; exits inside are met first when going backwards.
	leaves := make([]int64, len(c.Regions))
	for i := range leaves {
		leaves[i] = int64(c.Rows())
	}
	for r := c.Rows() - 1; r >= 0; r-- {
		a.visits++
		op := c.Op[r]
		from := int64(c.Rows())
		switch {
		case op == OpBreak:
			from = int64(c.X[r])
		case op == OpContinue:
			from = int64(c.X[r]) + 1
		case op == OpReturn:
			from = 0
		case table[op].Owns > 0:
			from = leaves[c.X[r]]
			if table[op].Attr&Repeats != 0 && from > int64(r) {
				a.add("VY602", Row(r), a.label(Row(r)))
			}
		}
		x := a.flow.owner(c.Region[r])
		leaves[x] = min(leaves[x], from)
	}
}

// unused finds parameters and arrays that no row names.
func (a *advice) unused() {
	c := a.c
	objects := make([]bool, len(a.p.objs))
	values := make([]bool, c.Rows())
	for r, op := range c.Op {
		a.visits++
		if table[op].Imm == ImmObject {
			objects[c.X[r]] = true
		}
		for _, v := range [3]Row{c.A[r], c.B[r], c.C[r]} {
			if v != NoRow {
				values[v] = true
			}
		}
		for _, v := range c.List(Row(r)) {
			values[v] = true
		}
	}
	for o, used := range objects {
		if !used {
			obj := a.p.objs[o]
			a.add("VY606", NoRow, obj.kindName()+" @"+obj.Name()).Pos = obj.Pos()
		}
	}
	for r := range Row(c.Rows()) {
		if c.Op[r] != OpArg || c.Region[r] != 0 {
			break
		}
		if !values[r] {
			a.add("VY606", r, "parameter "+a.value(r))
		}
	}
}
