package asm

// Type is a fundamental type.
type Type uint8

// The types. Packed ones hold two halves in 32 bits.
const (
	None Type = iota
	Pred
	B8
	U8
	S8
	B16
	U16
	S16
	F16
	BF16
	B32
	U32
	S32
	F32
	F16x2
	BF16x2
	B64
	U64
	S64
	F64
	B128
)

type typeKind uint8

const (
	kindNone typeKind = iota
	kindPred
	kindBits
	kindUint
	kindSint
	kindFloat
)

var typeInfo = [...]struct {
	name string
	bits int
	kind typeKind
}{
	None: {"", 0, kindNone}, Pred: {"pred", 1, kindPred},
	B8: {"b8", 8, kindBits}, U8: {"u8", 8, kindUint}, S8: {"s8", 8, kindSint},
	B16: {"b16", 16, kindBits}, U16: {"u16", 16, kindUint}, S16: {"s16", 16, kindSint},
	F16: {"f16", 16, kindFloat}, BF16: {"bf16", 16, kindFloat},
	B32: {"b32", 32, kindBits}, U32: {"u32", 32, kindUint}, S32: {"s32", 32, kindSint}, F32: {"f32", 32, kindFloat},
	F16x2: {"f16x2", 32, kindFloat}, BF16x2: {"bf16x2", 32, kindFloat},
	B64: {"b64", 64, kindBits}, U64: {"u64", 64, kindUint}, S64: {"s64", 64, kindSint}, F64: {"f64", 64, kindFloat},
	B128: {"b128", 128, kindBits},
}

var typeByName = func() map[string]Type {
	m := make(map[string]Type)
	for t, i := range typeInfo {
		if i.name != "" {
			m[i.name] = Type(t)
		}
	}
	return m
}()

func (t Type) String() string { return typeInfo[t].name }

// Bits is the width.
func (t Type) Bits() int { return typeInfo[t].bits }

// Bytes is the size in memory.
func (t Type) Bytes() int { return typeInfo[t].bits / 8 }

// Signed reports whether t is a signed integer.
func (t Type) Signed() bool { return typeInfo[t].kind == kindSint }

// Float reports whether t is a float, packed ones included.
func (t Type) Float() bool { return typeInfo[t].kind == kindFloat }

// Int reports whether t is an integer; plain bits are none.
func (t Type) Int() bool { return typeInfo[t].kind == kindUint || typeInfo[t].kind == kindSint }

// wide is the type of twice the width.
func (t Type) wide() Type {
	switch t {
	case U16:
		return U32
	case S16:
		return S32
	case U32:
		return U64
	case S32:
		return S64
	}
	return None
}

// takes reports whether an operand of instruction type t may be a register of type r. Plain bits go
// with everything of their width, integers with each other.
func (t Type) takes(r Type) bool {
	a, b := typeInfo[t], typeInfo[r]
	if a.kind == kindPred || b.kind == kindPred {
		return a.kind == b.kind
	}
	if a.bits != b.bits {
		return false
	}
	switch {
	case a.kind == kindBits || b.kind == kindBits:
		return true
	case a.kind == kindFloat || b.kind == kindFloat:
		return t == r
	}
	return true
}

// takesWider is takes for the instructions that go between widths: loads, stores and conversions take
// registers that are wider than the type.
func (t Type) takesWider(r Type) bool {
	if t.takes(r) {
		return true
	}
	a, b := typeInfo[t], typeInfo[r]
	if a.bits >= b.bits || a.kind == kindPred || b.kind == kindPred {
		return false
	}
	return b.kind == kindBits || a.kind != kindFloat && b.kind != kindFloat
}
