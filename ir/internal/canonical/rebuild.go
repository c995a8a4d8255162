package canonical

import (
	"github.com/govyre/vyre/ir"
)

// dropped says which values of row r's list go.
func (k *canon) dropped(r ir.Row) []bool {
	c := k.c
	switch c.Op[r] {
	case ir.OpLoop:
		return k.noArg[k.slot[r]]
	case ir.OpContinue:
		return k.noArg[k.slot[c.X[r]]]
	case ir.OpBreak:
		return k.noRes[k.slot[c.X[r]]]
	case ir.OpYield:
		return k.noRes[k.slot[c.Regions[c.Region[r]].Op]]
	}
	return nil
}

// constOrder returns the const rows that are used, in order of first use.
func (k *canon) constOrder() []ir.Row {
	c := k.c
	seen := make([]bool, k.n)
	var consts []ir.Row
	see := func(v ir.Row) {
		if v == ir.NoRow {
			return
		}
		k.visits++
		if v = k.find(v); c.Op[v] == ir.OpConst && !seen[v] {
			seen[v] = true
			consts = append(consts, v)
		}
	}
	for r := range ir.Row(k.n) {
		if k.fwd[r] != r || c.Op[r] == ir.OpConst {
			continue
		}
		see(c.A[r])
		see(c.B[r])
		see(c.C[r])
		if c.Args[r] == ir.NoArgs {
			continue
		}
		drop := k.dropped(r)
		for i, v := range c.List(r) {
			if i >= len(drop) || !drop[i] {
				see(ir.Row(v))
			}
		}
	}
	return consts
}

// rebuild writes the columns anew, in canonical order. Regions are numbered in the
// order of the rows that own them, both arms of an if together.
func (k *canon) rebuild() {
	c := k.c
	o := &ir.Code{Name: c.Name, Workgroup: c.Workgroup, Params: c.Params, Arrays: c.Arrays}
	consts := k.constOrder()
	o.Grow(k.n)

	newRow := make([]ir.Row, k.n)
	for i := range newRow {
		newRow[i] = ir.NoRow
	}
	newRegion := make([]uint32, len(c.Regions))
	o.Regions = append(make([]ir.Region, 0, len(c.Regions)), ir.Region{Op: ir.NoRow})
	emit := func(r ir.Row) int {
		at := len(o.Op)
		newRow[r] = ir.Row(at)
		o.Op = append(o.Op, c.Op[r])
		o.Type = append(o.Type, c.Type[r])
		o.Flags = append(o.Flags, c.Flags[r])
		o.A = append(o.A, c.A[r])
		o.B = append(o.B, c.B[r])
		o.C = append(o.C, c.C[r])
		o.X = append(o.X, c.X[r])
		o.Args = append(o.Args, ir.NoArgs)
		o.Region = append(o.Region, newRegion[c.Region[r]])
		return at
	}
	r := ir.Row(0)
	for ; c.Region[r] == 0 && (c.Op[r] == ir.OpArg || c.Op[r] == ir.OpConst); r++ {
		if c.Op[r] == ir.OpArg {
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
			o.Regions[newRegion[stack[len(stack)-1]]].End = ir.Row(len(o.Op))
			stack = stack[:len(stack)-1]
			resNo = 0
		}
		if reg := c.Region[r]; reg != stack[len(stack)-1] {
			o.Regions[newRegion[reg]].First = ir.Row(len(o.Op))
			stack = append(stack, reg)
			argNo = 0
		}
		op := c.Op[r]
		if op == ir.OpConst || k.fwd[r] != r {
			continue
		}
		at := emit(r)
		switch {
		case op.Info().Attr&ir.Structured != 0:
			o.X[at] = uint32(len(o.Regions))
			for j := range arms(op) {
				newRegion[c.X[r]+j] = uint32(len(o.Regions))
				o.Regions = append(o.Regions, ir.Region{Op: ir.Row(at)})
			}
		case op == ir.OpArg:
			o.X[at] = argNo
			argNo++
		case op == ir.OpRes:
			o.X[at] = resNo
			resNo++
		case op.Info().Imm == ir.ImmLabel:
			o.X[at] = uint32(newRow[c.X[r]])
		}
	}
	for _, reg := range stack {
		o.Regions[newRegion[reg]].End = ir.Row(len(o.Op))
	}
	k.remapOperands(o, newRow)
	k.remapDebug(o, newRow)
	*c = *o
}

// arms returns the number of regions that op owns.
func arms(op ir.Op) uint32 { return uint32(op.Info().Owns) }

// remapOperands translates operands and writes operand lists in row order.
func (k *canon) remapOperands(o *ir.Code, newRow []ir.Row) {
	c := k.c
	remap := func(v *ir.Row) {
		if *v != ir.NoRow {
			*v = newRow[k.find(*v)]
		}
	}
	o.Extra = make([]uint32, 0, len(c.Extra))
	for _, at := range newRow {
		if at == ir.NoRow {
			continue
		}
		remap(&o.A[at])
		remap(&o.B[at])
		remap(&o.C[at])
	}
	for old := range ir.Row(k.n) {
		at := newRow[old]
		if at == ir.NoRow || c.Args[old] == ir.NoArgs {
			continue
		}
		start := len(o.Extra)
		o.Extra = append(o.Extra, 0)
		drop := k.dropped(old)
		for i, v := range c.List(old) {
			if i >= len(drop) || !drop[i] {
				o.Extra = append(o.Extra, uint32(newRow[k.find(ir.Row(v))]))
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
func (k *canon) remapDebug(o *ir.Code, newRow []ir.Row) {
	d := &k.c.Debug
	o.Debug.Positions = d.Positions
	if d.PosOf != nil {
		o.Debug.PosOf = make([]uint32, len(o.Op))
		for old, at := range newRow {
			if at != ir.NoRow && old < len(d.PosOf) {
				o.Debug.PosOf[at] = d.PosOf[old]
			}
		}
	}
	move := func(m map[ir.Row]string) map[ir.Row]string {
		if len(m) == 0 {
			return nil
		}
		out := make(map[ir.Row]string, len(m))
		for old := range ir.Row(k.n) {
			s, ok := m[old]
			if !ok {
				continue
			}
			at := newRow[old]
			if at != ir.NoRow {
				out[at] = s
			} else if at = newRow[k.find(old)]; at != ir.NoRow {
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
