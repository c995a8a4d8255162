package ir

import "fmt"

// access checks that row r may touch the object obj in the way it does.
func (k *checker) access(r Row, in *Info, obj ObjectInfo) {
	if in.On != 0 && in.On&obj.kind() == 0 {
		k.add("VY209", r, in.Name, obj.kindName(), obj.Name())
	}
	if p := obj.Param; p != nil && p.Access <= RW {
		switch {
		case in.Attr&Writes != 0 && !p.Access.Writes():
			k.add("VY202", r, in.Name, p.Name)
		case in.Attr&Reads != 0 && !p.Access.Reads():
			k.add("VY203", r, in.Name, p.Name)
		}
	}
	elem := obj.Type()
	if in.Elems != 0 && !in.Elems.Has(elem) {
		k.add("VY301", r, in.Name, obj.Name(), elem, in.Elems)
	}
	if in.Vec != 0 && elem.Valid() {
		what := fmt.Sprintf("the vector of %s @%s", in.Name, obj.Name())
		switch bytes := elem.Size() * in.Vec.Lanes(); {
		case obj.Field != nil:
			k.add("VY111", r, what, plural(in.Vec.Lanes(), "element"), "lies in different records")
		case !(elem.Value() | in.Vec).Valid():
			k.add("VY111", r, what, elem.Value()|in.Vec, "is wider than 16 bytes")
		case obj.Param != nil && obj.Param.Align <= maxAlign && 1<<obj.Param.Align < bytes:
			k.add("VY111", r, what, plural(bytes, "byte"), fmt.Sprintf("is more than the %d that the buffer is aligned to", 1<<obj.Param.Align))
		}
	}
	if in.Args > 0 {
		k.constantIndex(r, in, obj)
	}
}

// constantIndex checks an index that is known: its first element must exist in some launch.
func (k *checker) constantIndex(r Row, in *Info, obj ObjectInfo) {
	c := k.c
	bits, t, ok := k.constant(c.A[r])
	if !ok || !t.IsInt() {
		return
	}
	if t.IsSigned() && signed(t, bits) < 0 {
		k.add("VY206", r, k.value(c.A[r]), in.Name, obj.Name(), "it is negative")
		return
	}
	length, what := obj.bound()
	lanes := uint64(in.Vec.Lanes())
	if length != RestLen && (bits >= length || bits*lanes >= length) {
		k.add("VY206", r, k.value(c.A[r]), in.Name, obj.Name(), fmt.Sprintf("%s %d", what, length))
	}
}

// constant returns the raw bits of a const row.
func (k *checker) constant(r Row) (bits uint64, t Type, ok bool) {
	c := k.c
	if c.Op[r] != OpConst || int64(c.X[r]) >= int64(len(c.Pool)) {
		return 0, None, false
	}
	return c.Pool[c.X[r]], c.Type[r], true
}

// bound returns the largest number of elements that the object can have, and what that
// number is; RestLen if only the launch knows.
func (o ObjectInfo) bound() (n uint64, what string) {
	if o.Param == nil {
		return o.Array.Len, "its length is"
	}
	return o.MaxLen(), "its length is at most"
}

func (o ObjectInfo) kind() Kinds {
	switch {
	case o.Param != nil:
		return OnBuffer
	case o.Array.Shared:
		return OnShared
	}
	return OnLocal
}

func (o ObjectInfo) kindName() string {
	switch o.kind() {
	case OnBuffer:
		return "buffer"
	case OnShared:
		return "shared array"
	}
	return "local array"
}

// order checks order and scope of an atomic or fence.
func (k *checker) order(r Row, in *Info) {
	c := k.c
	f := c.Flags[r]
	if o := f.Order(); in.Orders>>o&1 == 0 {
		k.add("VY302", r, in.Name, o, orders(in.Orders))
	}
	shared := in.Imm == ImmObject && k.objs[c.X[r]].Shared()
	switch s := f.Scope(); {
	case shared && s != Group:
		k.add("VY303", r, in.Name, s, "wg, as the array is shared")
	case s > System:
		k.add("VY303", r, in.Name, s, "wg, dev or sys")
	}
}

// orders lists a set of memory orders.
func orders(set uint8) string {
	text := ""
	for o := Relaxed; o <= SeqCst; o++ {
		if set>>o&1 != 0 {
			if text != "" {
				text += ", "
			}
			text += o.String()
		}
	}
	return text
}
