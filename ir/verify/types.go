package verify

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/dataflow"
	"github.com/govyre/vyre/ir/internal/finding"
)

// rows checks types, access rights and atomics of every row, in regions whose structure
// is sound.
func (k *checker) rows() {
	c := k.Code
	for r := range ir.Row(c.Rows()) {
		k.visits++
		if k.skip != nil && k.skip[c.Region[r]] {
			continue
		}
		in := c.Op[r].Info()
		before := len(k.Diags)
		if in.Imm == ir.ImmObject {
			k.access(r, in, k.objs[c.X[r]])
		}
		if in.Imm == ir.ImmCopy {
			k.copies(r)
		}
		k.operands(r, in)
		k.list(r, in)
		k.immediate(r, in)
		if in.Orders != 0 {
			k.order(r, in)
		}
		switch {
		case in.Result.Kind == ir.ResultNone || len(k.Diags) > before:
		case c.Type[r] == ir.None:
			noType(&k.Report, r)
		case !finding.Usable(c.Type[r]):
			valueType(&k.Report, r)
		default:
			k.result(r, in)
		}
	}
}

// valueType checks that the type of row r is one that a value can have.
func valueType(p *finding.Report, r ir.Row) {
	switch t := p.Code.Type[r]; {
	case finding.Usable(t):
	case t.IsScalar():
		p.Add("VY110", r, p.Value(r), t)
	case t.IsVector() && t.Elem().IsValue():
		p.Add("VY111", r, p.Value(r), t, "is wider than 16 bytes")
	default:
		p.Add("VY103", r, p.Code.Op[r], fmt.Sprintf("code %d", t), "one of a value")
	}
}

// noType reports a value without a type.
func noType(p *finding.Report, r ir.Row) {
	p.Add("VY011", r, p.Code.Op[r], "a", "its row has no type")
}

// operands checks A, B and C against the table's rules.
func (k *checker) operands(r ir.Row, in *ir.Info) {
	c := k.Code
	ops := [3]ir.Row{c.A[r], c.B[r], c.C[r]}
	for i := range in.Args {
		t := c.Type[ops[i]]
		if !finding.Usable(t) {
			continue
		}
		k.visits++
		var other, elem ir.Type
		object := ""
		if same := in.In[i].Same; same != 0 {
			other = c.Type[ops[same-1]]
		}
		if in.Imm == ir.ImmObject {
			obj := k.objs[c.X[r]]
			elem, object = obj.Type().Value()|in.Vec, obj.Name()
		}
		if in.Imm == ir.ImmCopy {
			dst, src := ir.CopyObjects(c.X[r])
			object = k.objs[[2]ir.Object{dst, src}[i]].Name()
		}
		if code, args := finding.Misfit(in, i, t, other, elem, object); code != "" {
			k.Add(code, r, args...)
		}
	}
}

// list checks the variable operands: scalars everywhere, of one type for vec.
func (k *checker) list(r ir.Row, in *ir.Info) {
	c := k.Code
	list := c.List(r)
	if len(list) == 0 {
		return
	}
	for i, v := range list {
		k.visits++
		switch t := c.Type[v]; {
		case !finding.Usable(t):
		case t.IsVector():
			k.Add("VY111", r, fmt.Sprintf("operand %d of %s", i, in.Name), t, "is no scalar")
		case in.Result.Kind == ir.ResultVec && t != c.Type[list[0]]:
			k.Add("VY102", r, in.Name, c.Type[list[0]], t)
			return
		}
	}
	if t := c.Type[list[0]]; in.Result.Kind == ir.ResultVec && finding.Usable(t) && len(list)*t.Size() > 16 {
		k.Add("VY111", r, fmt.Sprintf("the result of %s", in.Name), fmt.Sprintf("%d of %s", len(list), t), "is wider than 16 bytes")
	}
}

// immediate checks column X where it is a plain number.
func (k *checker) immediate(r ir.Row, in *ir.Info) {
	c := k.Code
	x := c.X[r]
	switch in.Imm {
	case ir.ImmNone:
		if x != 0 {
			k.Add("VY109", r, "immediate", in.Name, fmt.Sprint(x), "0, as the op has none")
		}
	case ir.ImmCode:
		if c.Op[r] == ir.OpCopyWait && x > dataflow.MaxPending {
			k.Add("VY109", r, "number of batches", in.Name, fmt.Sprint(x), fmt.Sprintf("at most %d", dataflow.MaxPending))
		}
	case ir.ImmAxis:
		if x > 2 {
			k.Add("VY109", r, "axis", in.Name, fmt.Sprint(x), "0, 1 or 2")
		}
	case ir.ImmField:
		t := c.Type[c.A[r]]
		if !t.IsInt() {
			return // reported
		}
		pos, n := x&0xFF, x>>8
		if n == 0 || uint64(pos)+uint64(n) > uint64(t.Bits()) {
			k.Add("VY109", r, "bit field", in.Name, fmt.Sprintf("%d,%d", pos, n), fmt.Sprintf("at least one bit, inside the %d of %s", t.Bits(), t))
		}
	case ir.ImmLane:
		if t := c.Type[c.A[r]]; t.IsVector() && x >= uint32(t.Lanes()) {
			k.Add("VY109", r, "element", in.Name, fmt.Sprint(x), fmt.Sprintf("below %d", t.Lanes()))
		}
	}
}

// result checks the type that row r states. Its operands are in order.
func (k *checker) result(r ir.Row, in *ir.Info) {
	c := k.Code
	have := c.Type[r]
	var want ir.Type
	switch in.Result.Kind {
	case ir.ResultStated:
		k.stated(r, in)
		return
	case ir.ResultLen:
		if obj := k.objs[c.X[r]]; have != obj.LenType() {
			k.Add("VY208", r, obj.Name(), have, obj.LenType())
		}
		return
	case ir.ResultElem:
		want = k.objs[c.X[r]].Type().Value() | in.Vec
	case ir.ResultVec:
		list := c.List(r)
		want = c.Type[list[0]] | ir.V2
		if len(list) == 4 {
			want = c.Type[list[0]] | ir.V4
		}
	default:
		var ops [3]ir.Type
		for i, v := range [3]ir.Row{c.A[r], c.B[r], c.C[r]} {
			if i < in.Args {
				ops[i] = c.Type[v]
			}
		}
		want = in.ResultType(ops[:in.Args]...)
	}
	if have != want && finding.Usable(want) {
		k.Add("VY103", r, in.Name, have, want)
	}
}

// stated checks the ops whose type stands in the column only.
func (k *checker) stated(r ir.Row, in *ir.Info) {
	c := k.Code
	t := c.Type[r]
	if t.IsVector() {
		k.Add("VY111", r, k.Value(r), t, "is no scalar")
		return
	}
	switch {
	case in.Imm == ir.ImmPool:
		if bits := c.Pool[c.X[r]]; bits&^t.Mask() != 0 {
			k.Add("VY112", r, bits, t)
		}
	case in.Args == 1:
		k.conversion(r, in, c.Type[c.A[r]], t)
	case in.Imm == ir.ImmIndex && c.Op[r] == ir.OpArg && c.Region[r] == 0:
		if want := k.scalar(int(c.X[r])).Value(); t != want && finding.Usable(want) {
			k.Add("VY103", r, in.Name, t, want)
		}
	}
}

// scalar returns the type of the i-th scalar parameter.
func (k *checker) scalar(i int) ir.Type {
	for j := range k.Code.Params {
		if p := &k.Code.Params[j]; !p.IsBuffer() {
			if i == 0 {
				return p.Type
			}
			i--
		}
	}
	return ir.None
}

// conversion checks a cvt or bitcast. Both take scalars only.
func (k *checker) conversion(r ir.Row, in *ir.Info, from, to ir.Type) {
	switch {
	case !finding.Usable(from):
	case k.Code.Op[r] == ir.OpBitcast:
		if !ir.CanBitcast(to, from) {
			k.Add("VY105", r, from, to)
		}
	case !ir.CanConvert(to, from):
		k.Add("VY104", r, from, to)
	}
}
