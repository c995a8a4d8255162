package egraph

import (
	"fmt"

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

// Head returns the id of a head, a new one the first time.
func (g *Graph) Head(h HeadInfo) Head {
	if in := h.Op.Info(); in != nil {
		h.Commutative = in.Attr&ir.Commutative != 0
	}
	return g.heads.intern(h)
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

// Info returns a head in full.
func (g *Graph) Info(h Head) HeadInfo { return g.heads.info[h] }

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
