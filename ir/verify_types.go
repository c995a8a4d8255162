package ir

import (
	"fmt"
	"strings"
)

// rows checks types, access rights and atomics of every row, in regions whose structure
// is sound.
func (k *checker) rows() {
	c := k.c
	for r := range Row(c.Rows()) {
		k.visits++
		if k.skip != nil && k.skip[c.Region[r]] {
			continue
		}
		in := &table[c.Op[r]]
		before := len(k.diags)
		if in.Imm == ImmObject {
			k.access(r, in, k.objs[c.X[r]])
		}
		k.operands(r, in)
		k.list(r, in)
		k.immediate(r, in)
		if in.Orders != 0 {
			k.order(r, in)
		}
		switch {
		case in.Result.Kind == ResultNone || len(k.diags) > before:
		case c.Type[r] == None:
			k.noType(r)
		case !usable(c.Type[r]):
			k.valueType(r)
		default:
			k.result(r, in)
		}
	}
}

// usable reports whether t is a type that a value can have; others are reported where
// the value is defined.
func usable(t Type) bool { return t.Valid() && t.Elem().IsValue() }

// valueType checks that the type of row r is one that a value can have.
func (p *report) valueType(r Row) {
	switch t := p.c.Type[r]; {
	case usable(t):
	case t > BF16 && t < numTypes:
		p.add("VY110", r, p.value(r), t)
	case t.IsVector() && t.Elem().IsValue():
		p.add("VY111", r, p.value(r), t, "is wider than 16 bytes")
	default:
		p.add("VY103", r, p.c.Op[r], fmt.Sprintf("code %d", t), "one of a value")
	}
}

// noType reports a value without a type.
func (p *report) noType(r Row) { p.add("VY011", r, p.c.Op[r], "a", "its row has no type") }

var operandNames = [3]string{"operand a", "operand b", "operand c"}

// operands checks A, B and C against the table's rules.
func (k *checker) operands(r Row, in *Info) {
	c := k.c
	ops := [3]Row{c.A[r], c.B[r], c.C[r]}
	for i := range in.Args {
		t := c.Type[ops[i]]
		if !usable(t) {
			continue
		}
		k.visits++
		var other, elem Type
		object := ""
		if same := in.In[i].Same; same != 0 {
			other = c.Type[ops[same-1]]
		}
		if in.Imm == ImmObject {
			obj := k.objs[c.X[r]]
			elem, object = obj.Type().Value()|in.Vec, obj.Name()
		}
		if code, args := in.misfit(i, t, other, elem, object); code != "" {
			k.add(code, r, args...)
		}
	}
}

// misfit is the finding about operand i if a value of type t does not fit it, else "".
// other is the type of the operand that it must agree with, elem the value type of the
// object's elements; where these are no types of values, that is another finding.
func (in *Info) misfit(i int, t, other, elem Type, object string) (code string, args []any) {
	rule := in.In[i]
	switch {
	case rule.Same != 0:
		if t == other || !usable(other) {
			return "", nil
		}
		if rule.Role == RoleArm {
			return "VY106", []any{in.Name, other, t}
		}
		return "VY102", []any{in.Name, other, t}
	case rule.Elem:
		if t == elem || !usable(elem) {
			return "", nil
		}
		return "VY204", []any{in.Name, t, object, elem}
	case rule.Set == 0: // elem: any vector
		if t.IsVector() {
			return "", nil
		}
		return "VY111", []any{operandNames[i] + " of " + in.Name, t, "is no vector"}
	case rule.Set.Has(t):
		return "", nil
	case rule.Role == RoleIndex:
		return "VY205", []any{in.Name, object, t}
	case t.IsVector():
		return "VY111", []any{operandNames[i] + " of " + in.Name, t, "is no scalar"}
	case rule.Role == RoleCond:
		return "VY107", []any{operandNames[i], in.Name, t}
	case rule.Role == RoleCount || rule.Role == RoleShift:
		return "VY108", []any{operandNames[i], in.Name, t}
	}
	return "VY101", []any{operandNames[i], in.Name, t, rule.Set}
}

// list checks the variable operands: scalars everywhere, of one type for vec.
func (k *checker) list(r Row, in *Info) {
	c := k.c
	list := c.List(r)
	if len(list) == 0 {
		return
	}
	for i, v := range list {
		k.visits++
		switch t := c.Type[v]; {
		case !usable(t):
		case t.IsVector():
			k.add("VY111", r, fmt.Sprintf("operand %d of %s", i, in.Name), t, "is no scalar")
		case in.Result.Kind == ResultVec && t != c.Type[list[0]]:
			k.add("VY102", r, in.Name, c.Type[list[0]], t)
			return
		}
	}
	if t := c.Type[list[0]]; in.Result.Kind == ResultVec && usable(t) && len(list)*t.Size() > 16 {
		k.add("VY111", r, fmt.Sprintf("the result of %s", in.Name), fmt.Sprintf("%d of %s", len(list), t), "is wider than 16 bytes")
	}
}

// immediate checks column X where it is a plain number.
func (k *checker) immediate(r Row, in *Info) {
	c := k.c
	x := c.X[r]
	switch in.Imm {
	case ImmNone:
		if x != 0 {
			k.add("VY109", r, "immediate", in.Name, fmt.Sprint(x), "0, as the op has none")
		}
	case ImmAxis:
		if x > 2 {
			k.add("VY109", r, "axis", in.Name, fmt.Sprint(x), "0, 1 or 2")
		}
	case ImmField:
		t := c.Type[c.A[r]]
		if !t.IsInt() {
			return // reported
		}
		pos, n := x&0xFF, x>>8
		if n == 0 || uint64(pos)+uint64(n) > uint64(t.Bits()) {
			k.add("VY109", r, "bit field", in.Name, fmt.Sprintf("%d,%d", pos, n), fmt.Sprintf("at least one bit, inside the %d of %s", t.Bits(), t))
		}
	case ImmLane:
		if t := c.Type[c.A[r]]; t.IsVector() && x >= uint32(t.Lanes()) {
			k.add("VY109", r, "element", in.Name, fmt.Sprint(x), fmt.Sprintf("below %d", t.Lanes()))
		}
	}
}

// result checks the type that row r states. Its operands are in order.
func (k *checker) result(r Row, in *Info) {
	c := k.c
	have := c.Type[r]
	var want Type
	switch in.Result.Kind {
	case ResultStated:
		k.stated(r, in)
		return
	case ResultLen:
		if obj := k.objs[c.X[r]]; have != obj.lenType() {
			k.add("VY208", r, obj.Name(), have, obj.lenType())
		}
		return
	case ResultElem:
		want = k.objs[c.X[r]].Type().Value() | in.Vec
	case ResultVec:
		list := c.List(r)
		want = c.Type[list[0]] | V2
		if len(list) == 4 {
			want = c.Type[list[0]] | V4
		}
	default:
		var ops [3]Type
		for i, v := range [3]Row{c.A[r], c.B[r], c.C[r]} {
			if i < in.Args {
				ops[i] = c.Type[v]
			}
		}
		want = in.ResultType(ops[:in.Args]...)
	}
	if have != want && usable(want) {
		k.add("VY103", r, in.Name, have, want)
	}
}

// stated checks the ops whose type stands in the column only.
func (k *checker) stated(r Row, in *Info) {
	c := k.c
	t := c.Type[r]
	if t.IsVector() {
		k.add("VY111", r, k.value(r), t, "is no scalar")
		return
	}
	switch {
	case in.Imm == ImmPool:
		if bits := c.Pool[c.X[r]]; bits&^t.Mask() != 0 {
			k.add("VY112", r, bits, t)
		}
	case in.Args == 1:
		k.conversion(r, in, c.Type[c.A[r]], t)
	case in.Imm == ImmIndex && c.Op[r] == OpArg && c.Region[r] == 0:
		if want := k.scalar(int(c.X[r])).Value(); t != want && usable(want) {
			k.add("VY103", r, in.Name, t, want)
		}
	}
}

// scalar returns the type of the i-th scalar parameter.
func (k *checker) scalar(i int) Type {
	for j := range k.c.Params {
		if p := &k.c.Params[j]; !p.IsBuffer() {
			if i == 0 {
				return p.Type
			}
			i--
		}
	}
	return None
}

// conversion checks a cvt or bitcast. Both take scalars only.
func (k *checker) conversion(r Row, in *Info, from, to Type) {
	switch {
	case !usable(from):
	case k.c.Op[r] == OpBitcast:
		if !CanBitcast(to, from) {
			k.add("VY105", r, from, to)
		}
	case !CanConvert(to, from):
		k.add("VY104", r, from, to)
	}
}

// String lists the types of the set: "i32, u32 or f32".
func (s TypeSet) String() string {
	var names []string
	for t := Bool; t < numTypes; t++ {
		if s.Has(t) {
			names = append(names, t.String())
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}
