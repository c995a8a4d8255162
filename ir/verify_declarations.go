package ir

import (
	"fmt"
	"math/bits"
)

// maxAlign is the largest log₂ of an alignment, a page.
const maxAlign = 12

// declarations checks workgroup, parameters and arrays.
func (k *checker) declarations() {
	k.workgroup()
	for i := range k.c.Params {
		k.param(&k.c.Params[i])
	}
	rest := 0
	local := uint64(0)
	for i := range k.c.Arrays {
		a := &k.c.Arrays[i]
		if a.Type == None || a.Type >= numTypes {
			k.add("VY201", NoRow, fmt.Sprintf("array @%s has elements of no type (code %d)", a.Name, a.Type))
		}
		kind := "local"
		if a.Shared {
			kind = "shared"
		}
		switch {
		case a.Len == 0:
			k.add("VY207", NoRow, kind, a.Name, "is empty")
		case a.Len == RestLen && !a.Shared:
			k.add("VY207", NoRow, kind, a.Name, "has no length")
		case a.Len == RestLen:
			if rest++; rest > 1 {
				k.add("VY207", NoRow, kind, a.Name, "is the second one without a length")
			}
		case !a.Shared:
			local = addBytes(local, a)
		}
	}
	if local > maxLocal {
		k.add("VY505", NoRow, local, maxLocal)
	}
}

// workgroup checks the three sizes and their product.
func (k *checker) workgroup() {
	w := k.c.Workgroup
	size := fmt.Sprintf("%d×%d×%d", w[0], w[1], w[2])
	fits := true
	for axis, most := range [3]uint32{1024, 1024, 64} {
		switch {
		case w[axis] == 0:
			k.add("VY501", NoRow, size, fmt.Sprintf("its size along %c is zero", 'x'+axis))
			fits = false
		case w[axis] > most:
			k.add("VY501", NoRow, size, fmt.Sprintf("at most %d are possible along %c", most, 'x'+axis))
			fits = false
		}
	}
	if n := w[0] * w[1] * w[2]; fits && n > 1024 {
		k.add("VY501", NoRow, size, fmt.Sprintf("it has %d invocations", n))
	}
}

// param checks one declaration.
func (k *checker) param(p *Param) {
	what := fmt.Sprintf("parameter %s", p.Name)
	if p.Record != nil && p.IsBuffer() {
		if fault := p.Record.fault(); fault != "" {
			k.add("VY201", NoRow, what+": "+fault)
			return
		}
	} else if p.Type == None || p.Type >= numTypes {
		k.add("VY201", NoRow, fmt.Sprintf("%s is of no type (code %d)", what, p.Type))
		return
	}
	if !p.IsBuffer() {
		return
	}
	switch {
	case p.Access > RW:
		k.add("VY201", NoRow, fmt.Sprintf("%s has access right %d", what, p.Access))
	case p.Align > maxAlign:
		k.add("VY201", NoRow, fmt.Sprintf("%s is aligned to 2^%d bytes, at most 2^%d are possible", what, p.Align, maxAlign))
	case p.Record != nil && p.Align < p.Record.Align:
		k.add("VY201", NoRow, fmt.Sprintf("%s is aligned to %d, its records to %d", what, 1<<p.Align, 1<<p.Record.Align))
	case p.Record == nil && 1<<p.Align < p.Type.Size():
		k.add("VY201", NoRow, fmt.Sprintf("%s is aligned to %d, less than the %d bytes of an element", what, 1<<p.Align, p.Type.Size()))
	}
	if p.MaxLen > maxElements {
		k.add("VY502", NoRow, "elements of "+what, p.MaxLen, uint64(maxElements))
	}
}

// addBytes returns sum and the bytes of array a, or the largest number if that is more.
func addBytes(sum uint64, a *Array) uint64 {
	hi, n := bits.Mul64(a.Len, uint64(a.Type.Size()))
	sum, carry := bits.Add64(sum, n, 0)
	if hi|carry != 0 {
		return ^uint64(0)
	}
	return sum
}
