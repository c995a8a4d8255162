package verify

import (
	"fmt"

	"github.com/govyre/vyre/ir"
)

// maxAlign is the largest log₂ of an alignment, a page.
const maxAlign = 12

// declarations checks workgroup, parameters and arrays.
func (k *checker) declarations() {
	k.workgroup()
	for i := range k.Code.Params {
		k.param(&k.Code.Params[i])
	}
	rest := 0
	local, tables := uint64(0), uint64(0)
	for i := range k.Code.Arrays {
		a := &k.Code.Arrays[i]
		if !a.Type.IsScalar() {
			k.Add("VY201", ir.NoRow, fmt.Sprintf("array @%s has elements of no type (code %d)", a.Name, a.Type)).Pos = a.Pos
		}
		kind := a.Kind().Word()
		if a.Table != "" {
			if fault := a.TableFault(); fault != "" {
				k.Add("VY210", ir.NoRow, a.Name, fault).Pos = a.Pos
			} else if n := uint64(len(a.Table)); n > ir.MaxTableBytes {
				k.Add("VY502", ir.NoRow, "bytes of table "+k.Object(a.Name), n, uint64(ir.MaxTableBytes)).Pos = a.Pos
			}
			tables += uint64(len(a.Table))
			continue
		}
		switch {
		case a.Len == 0:
			k.Add("VY207", ir.NoRow, kind, a.Name, "is empty").Pos = a.Pos
		case a.Len == ir.RestLen && !a.Shared:
			k.Add("VY207", ir.NoRow, kind, a.Name, "has no length").Pos = a.Pos
		case a.Len == ir.RestLen:
			if rest++; rest > 1 {
				k.Add("VY207", ir.NoRow, kind, a.Name, "is the second one without a length").Pos = a.Pos
			}
		case !a.Shared:
			local = a.AddBytes(local)
		}
	}
	if tables > ir.MaxTablesBytes {
		k.Add("VY502", ir.NoRow, "bytes of tables", tables, uint64(ir.MaxTablesBytes)).Pos = largest(k.Code, ir.OnTable)
	}
	if local > maxLocal {
		k.Add("VY505", ir.NoRow, local, maxLocal).Pos = largest(k.Code, ir.OnLocal)
	}
}

// largest returns where the largest array of a kind was declared: the one to shorten where all of them are too much.
func largest(c *ir.Code, kind ir.Kinds) (pos ir.Pos) {
	most := uint64(0)
	for i := range c.Arrays {
		a := &c.Arrays[i]
		if n := a.AddBytes(0); a.Kind() == kind && a.Len != ir.RestLen && n > most {
			most, pos = n, a.Pos
		}
	}
	return pos
}

// workgroup checks the three sizes and their product.
func (k *checker) workgroup() {
	w := k.Code.Workgroup
	size := fmt.Sprintf("%d×%d×%d", w[0], w[1], w[2])
	fits := true
	for axis, most := range [3]uint32{1024, 1024, 64} {
		switch {
		case w[axis] == 0:
			k.Add("VY501", ir.NoRow, size, fmt.Sprintf("its size along %c is zero", 'x'+axis))
			fits = false
		case w[axis] > most:
			k.Add("VY501", ir.NoRow, size, fmt.Sprintf("at most %d are possible along %c", most, 'x'+axis))
			fits = false
		}
	}
	if n := w[0] * w[1] * w[2]; fits && n > 1024 {
		k.Add("VY501", ir.NoRow, size, fmt.Sprintf("it has %d invocations", n))
	}
}

// param checks one declaration.
func (k *checker) param(p *ir.Param) {
	what := fmt.Sprintf("parameter %s", p.Name)
	if p.Record != nil && p.IsBuffer() {
		if fault := p.Record.Fault(); fault != "" {
			k.Add("VY201", ir.NoRow, what+": "+fault).Pos = p.Pos
			return
		}
	} else if !p.Type.IsScalar() {
		k.Add("VY201", ir.NoRow, fmt.Sprintf("%s is of no type (code %d)", what, p.Type)).Pos = p.Pos
		return
	}
	if !p.IsBuffer() {
		return
	}
	switch {
	case p.Access > ir.RW:
		k.Add("VY201", ir.NoRow, fmt.Sprintf("%s has access right %d", what, p.Access)).Pos = p.Pos
	case p.Align > maxAlign:
		k.Add("VY201", ir.NoRow, fmt.Sprintf("%s is aligned to 2^%d bytes, at most 2^%d are possible", what, p.Align, maxAlign)).Pos = p.Pos
	case p.Record != nil && p.Align < p.Record.Align:
		k.Add("VY201", ir.NoRow, fmt.Sprintf("%s is aligned to %d, its records to %d", what, 1<<p.Align, 1<<p.Record.Align)).Pos = p.Pos
	case p.Record == nil && 1<<p.Align < p.Type.Size():
		k.Add("VY201", ir.NoRow, fmt.Sprintf("%s is aligned to %d, less than the %d bytes of an element", what, 1<<p.Align, p.Type.Size())).Pos = p.Pos
	}
	if p.MaxLen > maxElements {
		k.Add("VY502", ir.NoRow, "elements of "+what, p.MaxLen, uint64(maxElements)).Pos = p.Pos
	}
}
