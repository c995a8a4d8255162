package ir

// eachOperand calls f with the operands of row r that stay, in order: A, B, C, then
// the list without the values of dropped arguments and results.
func (k *canon) eachOperand(r Row, f func(Row)) {
	c := k.c
	for _, v := range [3]Row{c.A[r], c.B[r], c.C[r]} {
		if v != NoRow {
			k.visits++
			f(k.find(v))
		}
	}
	list := c.List(r)
	if list == nil {
		return
	}
	drop := k.dropped(r)
	for i, v := range list {
		k.visits++
		if i >= len(drop) || !drop[i] {
			f(k.find(Row(v)))
		}
	}
}

// dropped says which values of row r's list go.
func (k *canon) dropped(r Row) []bool {
	c := k.c
	switch c.Op[r] {
	case OpLoop:
		return k.noArg[k.slot[r]]
	case OpContinue:
		return k.noArg[k.slot[c.X[r]]]
	case OpBreak:
		return k.noRes[k.slot[c.X[r]]]
	case OpYield:
		return k.noRes[k.slot[c.Regions[c.Region[r]].Op]]
	}
	return nil
}

// constOrder returns the const rows that are used, in order of first use.
func (k *canon) constOrder() []Row {
	c := k.c
	seen := make([]bool, k.n)
	var consts []Row
	for r := range Row(k.n) {
		if k.fwd[r] != r || c.Op[r] == OpConst {
			continue
		}
		k.eachOperand(r, func(v Row) {
			if c.Op[v] == OpConst && !seen[v] {
				seen[v] = true
				consts = append(consts, v)
			}
		})
	}
	return consts
}

// rebuild writes the columns anew, in canonical order. Regions are numbered in the
// order of the rows that own them, both arms of an if together.
func (k *canon) rebuild() {
	c := k.c
	o := &Code{Name: c.Name, Workgroup: c.Workgroup, Params: c.Params, Arrays: c.Arrays}
	consts := k.constOrder()
	o.grow(k.n)

	newRow := make([]Row, k.n)
	for i := range newRow {
		newRow[i] = NoRow
	}
	newRegion := make([]uint32, len(c.Regions))
	o.Regions = append(make([]Region, 0, len(c.Regions)), Region{Op: NoRow})
	emit := func(r Row) int {
		at := len(o.Op)
		newRow[r] = Row(at)
		o.Op = append(o.Op, c.Op[r])
		o.Type = append(o.Type, c.Type[r])
		o.Flags = append(o.Flags, c.Flags[r])
		o.A = append(o.A, c.A[r])
		o.B = append(o.B, c.B[r])
		o.C = append(o.C, c.C[r])
		o.X = append(o.X, c.X[r])
		o.Args = append(o.Args, NoArgs)
		o.Region = append(o.Region, newRegion[c.Region[r]])
		return at
	}
	r := Row(0)
	for ; c.Region[r] == 0 && (c.Op[r] == OpArg || c.Op[r] == OpConst); r++ {
		if c.Op[r] == OpArg {
			emit(r)
		}
	}
	for i, v := range consts {
		at := emit(v)
		o.Region[at], o.X[at] = 0, uint32(i)
		o.Pool = append(o.Pool, c.Pool[c.X[v]])
	}
	stack := []uint32{0} // open regions, old numbers
	var argNo, resNo uint32
	for ; int(r) < k.n; r++ {
		k.visits++
		for c.Regions[stack[len(stack)-1]].End <= r {
			o.Regions[newRegion[stack[len(stack)-1]]].End = Row(len(o.Op))
			stack = stack[:len(stack)-1]
			resNo = 0
		}
		if reg := c.Region[r]; reg != stack[len(stack)-1] {
			o.Regions[newRegion[reg]].First = Row(len(o.Op))
			stack = append(stack, reg)
			argNo = 0
		}
		op := c.Op[r]
		if op == OpConst || k.fwd[r] != r {
			continue
		}
		at := emit(r)
		switch {
		case table[op].Attr&Structured != 0:
			o.X[at] = uint32(len(o.Regions))
			for j := range arms(op) {
				newRegion[c.X[r]+j] = uint32(len(o.Regions))
				o.Regions = append(o.Regions, Region{Op: Row(at)})
			}
		case op == OpArg:
			o.X[at] = argNo
			argNo++
		case op == OpRes:
			o.X[at] = resNo
			resNo++
		case table[op].Imm == ImmLabel:
			o.X[at] = uint32(newRow[c.X[r]])
		}
	}
	for _, reg := range stack {
		o.Regions[newRegion[reg]].End = Row(len(o.Op))
	}
	k.remapOperands(o, newRow)
	k.remapDebug(o, newRow)
	*c = *o
}

// arms returns the number of regions that op owns.
func arms(op Op) uint32 { return uint32(table[op].Owns) }

// remapOperands translates operands and writes operand lists in row order.
func (k *canon) remapOperands(o *Code, newRow []Row) {
	c := k.c
	remap := func(v *Row) {
		if *v != NoRow {
			*v = newRow[k.find(*v)]
		}
	}
	o.Extra = make([]uint32, 0, len(c.Extra))
	for _, at := range newRow {
		if at == NoRow {
			continue
		}
		remap(&o.A[at])
		remap(&o.B[at])
		remap(&o.C[at])
	}
	for old := range Row(k.n) {
		at := newRow[old]
		if at == NoRow || c.Args[old] == NoArgs {
			continue
		}
		start := len(o.Extra)
		o.Extra = append(o.Extra, 0)
		drop := k.dropped(old)
		for i, v := range c.List(old) {
			if i >= len(drop) || !drop[i] {
				o.Extra = append(o.Extra, uint32(newRow[k.find(Row(v))]))
			}
		}
		if n := len(o.Extra) - start - 1; n > 0 {
			o.Extra[start] = uint32(n)
			o.Args[at] = uint32(start)
		} else {
			o.Extra = o.Extra[:start]
		}
	}
	if len(o.Extra) == 0 {
		o.Extra = nil
	}
}

// remapDebug moves names, messages and positions to the new rows. The name of a merged
// row goes to the row it became, unless that has one.
func (k *canon) remapDebug(o *Code, newRow []Row) {
	d := &k.c.Debug
	o.Debug.Positions = d.Positions
	if d.PosOf != nil {
		o.Debug.PosOf = make([]uint32, len(o.Op))
		for old, at := range newRow {
			if at != NoRow && old < len(d.PosOf) {
				o.Debug.PosOf[at] = d.PosOf[old]
			}
		}
	}
	move := func(m map[Row]string) map[Row]string {
		if len(m) == 0 {
			return nil
		}
		out := make(map[Row]string, len(m))
		for old := range Row(k.n) {
			s, ok := m[old]
			if !ok {
				continue
			}
			at := newRow[old]
			if at != NoRow {
				out[at] = s
			} else if at = newRow[k.find(old)]; at != NoRow {
				if _, taken := m[k.find(old)]; !taken {
					if _, taken := out[at]; !taken {
						out[at] = s
					}
				}
			}
		}
		return out
	}
	o.Debug.Names, o.Debug.Messages = move(d.Names), move(d.Messages)
}

// grow makes room for n rows in every column.
func (c *Code) grow(n int) {
	c.Op, c.Type, c.Flags = make([]Op, 0, n), make([]Type, 0, n), make([]Flags, 0, n)
	c.Region, c.X, c.Args = make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
	c.A, c.B, c.C = make([]Row, 0, n), make([]Row, 0, n), make([]Row, 0, n)
}
