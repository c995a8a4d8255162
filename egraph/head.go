package egraph

import (
	"fmt"
	"math"
	"strconv"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// Head is an op with its type and immediate, or a name; a dense id that one graph has given it.
type Head uint32

// HeadInfo is a head in full. The zero Op is a function that nothing is known about, by its Name: a leaf, if it has no
// children. The children of a commutative head are kept in the order of their roots.
type HeadInfo struct {
	Op          ir.Op
	Type        ir.Type // of the result
	X           uint32  // immediate of the op, as in ir's column X
	Bits        uint64  // of a constant
	Name        string
	Commutative bool // of an op, its own
}

// heads gives heads their ids.
type heads struct {
	info []HeadInfo
	ids  map[HeadInfo]Head
}

func (hs *heads) intern(h HeadInfo) Head {
	if id, ok := hs.ids[h]; ok {
		return id
	}
	if hs.ids == nil {
		hs.ids = make(map[HeadInfo]Head)
	}
	id := Head(len(hs.info))
	hs.info, hs.ids[h] = append(hs.info, h), id
	return id
}

// name is how a head is printed.
func (hs *heads) name(h Head) string {
	switch in := &hs.info[h]; {
	case in.Op == ir.OpConst:
		return constant(in.Type, in.Bits)
	case in.Op == 0:
		return in.Name
	case in.Op == ir.OpCvt || in.Op == ir.OpBitcast:
		return in.Op.String() + "." + in.Type.String()
	case in.X != 0:
		return fmt.Sprintf("%s[%d]", in.Op, in.X)
	default:
		return in.Op.String()
	}
}

// constant prints raw bits in a type, as a person writes the number.
func constant(t ir.Type, bits uint64) string {
	switch {
	case t == ir.Bool:
		return strconv.FormatBool(bits != 0)
	case t.IsSigned():
		return strconv.FormatInt(interval.WidthOf(t).Sign(bits), 10)
	case t == ir.F64:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case t == ir.F32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case t.IsHalf():
		f := exact.Eval(ir.OpCvt, t, ir.F32, 0, bits, 0, 0)
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(f))), 'g', -1, 32)
	}
	return strconv.FormatUint(bits, 10)
}
