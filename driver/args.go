package driver

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/ir"
)

// Arg is an argument of a launch: a Range, a Scalar, a Rest, or for Dispatch a Host.
type Arg interface{ arg() }

// Scalar is a value passed to a kernel, with its exact type.
type Scalar struct {
	Type ir.Type
	Bits uint64 // zero-extended
}

// Rest is the element count of a kernel's shared array of launch-time length. It comes after
// the arguments of the parameters.
type Rest int

func (Range) arg()  {}
func (Scalar) arg() {}
func (Rest) arg()   {}

// Bool passes a bool parameter.
func Bool(v bool) Scalar {
	s := Scalar{Type: ir.Bool}
	if v {
		s.Bits = 1
	}
	return s
}

// I8 passes an i8 parameter.
func I8(v int8) Scalar { return Scalar{ir.I8, uint64(uint8(v))} }

// U8 passes a u8 parameter.
func U8(v uint8) Scalar { return Scalar{ir.U8, uint64(v)} }

// I16 passes an i16 parameter.
func I16(v int16) Scalar { return Scalar{ir.I16, uint64(uint16(v))} }

// U16 passes a u16 parameter.
func U16(v uint16) Scalar { return Scalar{ir.U16, uint64(v)} }

// I32 passes an i32 parameter.
func I32(v int32) Scalar { return Scalar{ir.I32, uint64(uint32(v))} }

// U32 passes a u32 parameter.
func U32(v uint32) Scalar { return Scalar{ir.U32, uint64(v)} }

// I64 passes an i64 parameter.
func I64(v int64) Scalar { return Scalar{ir.I64, uint64(v)} }

// U64 passes a u64 parameter.
func U64(v uint64) Scalar { return Scalar{ir.U64, v} }

// F32 passes an f32 parameter.
func F32(v float32) Scalar { return Scalar{ir.F32, uint64(math.Float32bits(v))} }

// F64 passes an f64 parameter.
func F64(v float64) Scalar { return Scalar{ir.F64, math.Float64bits(v)} }

// F16 passes an f16 parameter by its bits.
func F16(bits uint16) Scalar { return Scalar{ir.F16, uint64(bits)} }

// BF16 passes a bf16 parameter by its bits.
func BF16(bits uint16) Scalar { return Scalar{ir.BF16, uint64(bits)} }

func (s Scalar) String() string { return fmt.Sprintf("%s %#x", s.Type, s.Bits) }

// slot is an Arg by value. Setters turn their argument into one at once, so that the
// interface never has to live on the heap.
type slot struct {
	kind slotKind
	mem  Range
	val  Scalar
	rest int
}

type slotKind uint8

const (
	slotNil slotKind = iota
	slotRange
	slotScalar
	slotRest
	slotHost
	slotForeign
)

func slotOf(a Arg) slot {
	switch a := a.(type) {
	case Range:
		return slot{kind: slotRange, mem: a.owned()}
	case Scalar:
		return slot{kind: slotScalar, val: a}
	case Rest:
		return slot{kind: slotRest, rest: int(a)}
	case Host:
		return slot{kind: slotHost}
	case nil:
		return slot{}
	}
	return slot{kind: slotForeign}
}

// String says what the argument is, for a message.
func (s *slot) String() string {
	switch s.kind {
	case slotRange:
		return "a range of a buffer"
	case slotScalar:
		return s.val.Type.String()
	case slotRest:
		return "a Rest"
	case slotHost:
		return "host memory, which only Dispatch takes"
	case slotForeign:
		return "of a type that is not of this package; pass the Range, the Scalar or the Rest that it embeds"
	}
	return "nil"
}
