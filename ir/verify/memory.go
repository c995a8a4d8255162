package verify

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
)

// access checks that row r may touch the object obj in the way it does.
func (k *checker) access(r ir.Row, in *ir.Info, obj ir.ObjectInfo) {
	switch {
	case in.On != 0 && in.On&obj.Kind() == 0:
		k.Add("VY209", r, k.Op(r), kindName(obj), obj.Name())
	case in.Attr&ir.Writes != 0 && obj.Table():
		k.Add("VY211", r, in.Name, obj.Name())
	}
	if p := obj.Param; p != nil && p.Access <= ir.RW {
		switch {
		case in.Attr&ir.Writes != 0 && !p.Access.Writes():
			k.Add("VY202", r, in.Name, p.Name)
		case in.Attr&ir.Reads != 0 && !p.Access.Reads():
			k.Add("VY203", r, in.Name, p.Name)
		}
	}
	elem := obj.Type()
	if in.Elems != 0 && !in.Elems.Has(elem) {
		k.Add("VY301", r, in.Name, obj.Name(), elem, in.Elems)
	}
	if in.Vec != 0 && elem.Valid() {
		what := fmt.Sprintf("the vector of %s @%s", in.Name, obj.Name())
		switch bytes := elem.Size() * in.Vec.Lanes(); {
		case obj.Field != nil:
			k.Add("VY111", r, what, finding.Plural(in.Vec.Lanes(), "element"), "lies in different records")
		case !(elem.Value() | in.Vec).Valid():
			k.Add("VY111", r, what, elem.Value()|in.Vec, "is wider than 16 bytes")
		case obj.Param != nil && obj.Param.Align <= maxAlign && 1<<obj.Param.Align < bytes:
			k.Add("VY111", r, what, finding.Plural(bytes, "byte"), fmt.Sprintf("is more than the %d that the buffer is aligned to", 1<<obj.Param.Align))
		}
	}
	if in.Args > 0 {
		k.constantIndex(r, in, obj)
	}
}

// constantIndex checks an index that is known: its first element must exist in some launch.
func (k *checker) constantIndex(r ir.Row, in *ir.Info, obj ir.ObjectInfo) {
	c := k.Code
	bits, t, ok := k.constant(c.A[r])
	if !ok || !t.IsInt() {
		return
	}
	if t.IsSigned() && signed(t, bits) < 0 {
		k.Add("VY206", r, k.Value(c.A[r]), k.Op(r), obj.Name(), "it is negative")
		return
	}
	length, what := bound(obj)
	lanes := uint64(in.Vec.Lanes())
	if length != ir.RestLen && (bits >= length || bits*lanes >= length) {
		k.Add("VY206", r, k.Value(c.A[r]), k.Op(r), obj.Name(), fmt.Sprintf("%s %d", what, length))
	}
}

// constant returns the raw bits of a const row.
func (k *checker) constant(r ir.Row) (bits uint64, t ir.Type, ok bool) {
	c := k.Code
	if c.Op[r] != ir.OpConst || int64(c.X[r]) >= int64(len(c.Pool)) {
		return 0, ir.None, false
	}
	return c.Pool[c.X[r]], c.Type[r], true
}

// bound returns the largest number of elements that the object can have, and what that
// number is; RestLen if only the launch knows.
func bound(o ir.ObjectInfo) (n uint64, what string) {
	if o.Param == nil {
		return o.Array.Len, "its length is"
	}
	return o.MaxLen(), "its length is at most"
}

func kindName(o ir.ObjectInfo) string {
	switch o.Kind() {
	case ir.OnBuffer:
		return "buffer"
	case ir.OnTable:
		return "table"
	}
	return o.Array.Kind().Word() + " array"
}

// order checks order and scope of an atomic or fence.
func (k *checker) order(r ir.Row, in *ir.Info) {
	c := k.Code
	f := c.Flags[r]
	if o := f.Order(); in.Orders>>o&1 == 0 {
		k.Add("VY302", r, in.Name, o, finding.Orders(in.Orders))
	}
	shared := in.Imm == ir.ImmObject && k.objs[c.X[r]].Shared()
	switch s := f.Scope(); {
	case shared && s != ir.Group:
		k.Add("VY303", r, k.Op(r), k.scope(s), k.scope(ir.Group)+", as the array is shared")
	case s > ir.System:
		k.Add("VY303", r, in.Name, s, "wg, dev or sys")
	}
}

// scope names a scope as the source does.
func (k *checker) scope(s ir.Scope) string {
	if !k.Go() {
		return s.String()
	}
	return [...]string{ir.Group: "gpu.Workgroup", ir.Device: "gpu.Device", ir.System: "gpu.System"}[s]
}

// signed extends the raw bits of a signed integer type.
func signed(t ir.Type, bits uint64) int64 {
	shift := 64 - t.Bits()
	return int64(bits<<shift) >> shift
}
