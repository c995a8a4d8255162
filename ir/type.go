package ir

import "strings"

// Type is the type of a value, an element or a scalar parameter. The numbers are
// part of the wire form and never change.
type Type uint8

// The scalar types. I8, U8, I16 and U16 are element and parameter types only; a
// value never has one of them.
const (
	None Type = iota
	Bool
	I32
	U32
	I64
	U64
	F32
	F64
	F16
	BF16
	I8
	U8
	I16
	U16

	// V2 and V4, added to a value type, make a vector of two or four.
	V2 Type = 64
	V4 Type = 128
)

// numTypes bounds the scalar type codes.
const numTypes = 14

var typeNames = [numTypes]string{"none", "bool", "i32", "u32", "i64", "u64", "f32", "f64", "f16", "bf16", "i8", "u8", "i16", "u16"}
var typeBytes = [numTypes]uint8{0, 1, 4, 4, 8, 8, 4, 8, 2, 2, 1, 1, 2, 2}

// Valid reports whether t is a scalar type or a vector of a value type that fits 16 bytes.
func (t Type) Valid() bool {
	e := t.Elem()
	if e == None || e >= numTypes {
		return false
	}
	switch t &^ 63 {
	case 0:
		return true
	case V2, V4:
		return e.IsValue() && t.Lanes()*e.Size() <= 16
	}
	return false
}

// String returns the type's name in text form, such as "f32" or "v4.f32".
func (t Type) String() string {
	e := t.Elem()
	name := "type?"
	if e < numTypes {
		name = typeNames[e]
	}
	switch t &^ 63 {
	case 0:
		return name
	case V2:
		return "v2." + name
	case V4:
		return "v4." + name
	}
	return "type?"
}

// ParseType returns the scalar type with the given name, or None.
func ParseType(name string) Type {
	for t := Bool; t < numTypes; t++ {
		if typeNames[t] == name {
			return t
		}
	}
	return None
}

// Elem returns the scalar type of a vector, or t itself.
func (t Type) Elem() Type { return t & 63 }

// Lanes returns 1 for a scalar, 2 or 4 for a vector.
func (t Type) Lanes() int {
	switch t &^ 63 {
	case V2:
		return 2
	case V4:
		return 4
	}
	return 1
}

// IsVector reports whether t is a v2 or v4.
func (t Type) IsVector() bool { return t&^63 != 0 }

// IsScalar reports whether t is a type and no vector.
func (t Type) IsScalar() bool { return t > None && t < numTypes }

// Size returns the bytes of one scalar of type t in memory (of one lane for a vector).
func (t Type) Size() int {
	if e := t.Elem(); e < numTypes {
		return int(typeBytes[e])
	}
	return 0
}

// Bits returns the width of the scalar value in bits; 1 for bool.
func (t Type) Bits() uint {
	if t == Bool {
		return 1
	}
	return uint(t.Size()) * 8
}

// Value returns the type that a load of element type t gives: narrow integers widen
// to I32 or U32, every other type stays.
func (t Type) Value() Type {
	switch t {
	case I8, I16:
		return I32
	case U8, U16:
		return U32
	}
	return t
}

// IsValue reports whether a value may have scalar type t.
func (t Type) IsValue() bool { return t >= Bool && t <= BF16 }

// IsInt reports whether t is one of the four value integer types.
func (t Type) IsInt() bool { return t >= I32 && t <= U64 }

// IsSigned reports whether t is a signed integer type, narrow ones included.
func (t Type) IsSigned() bool { return t == I32 || t == I64 || t == I8 || t == I16 }

// IsFloat reports whether t is F32 or F64.
func (t Type) IsFloat() bool { return t == F32 || t == F64 }

// IsHalf reports whether t is F16 or BF16.
func (t Type) IsHalf() bool { return t == F16 || t == BF16 }

// Unsigned returns the unsigned integer type of t's width.
func (t Type) Unsigned() Type {
	switch t {
	case I32, F32:
		return U32
	case I64, F64:
		return U64
	case I8:
		return U8
	case I16:
		return U16
	}
	return t
}

// Mask returns the bits that a raw value of type t may have set.
func (t Type) Mask() uint64 {
	switch t.Elem() {
	case Bool:
		return 1
	case I64, U64, F64:
		return ^uint64(0)
	case I32, U32, F32:
		return 0xFFFF_FFFF
	case F16, BF16, I16, U16:
		return 0xFFFF
	case I8, U8:
		return 0xFF
	}
	return 0
}

// TypeSet is a set of scalar types, one bit each.
type TypeSet uint32

// Set returns the set of the given types.
func Set(types ...Type) (s TypeSet) {
	for _, t := range types {
		s |= 1 << t
	}
	return s
}

// Has reports whether t is in s. A vector type never is.
func (s TypeSet) Has(t Type) bool { return t < 32 && s>>t&1 != 0 }

// One returns the only type of s, or None when s has none or several.
func (s TypeSet) One() Type {
	if s == 0 || s&(s-1) != 0 {
		return None
	}
	for t := Bool; t < numTypes; t++ {
		if s.Has(t) {
			return t
		}
	}
	return None
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

// The sets the op table is written in.
const (
	setBool  TypeSet = 1 << Bool
	setU32   TypeSet = 1 << U32
	setI     TypeSet = 1<<I32 | 1<<U32 | 1<<I64 | 1<<U64
	setF     TypeSet = 1<<F32 | 1<<F64
	setH     TypeSet = 1<<F16 | 1<<BF16
	setN             = setI | setF
	setNH            = setN | setH
	setValue         = setNH | setBool
	setF32   TypeSet = 1 << F32
)

// Access says what a kernel may do with a buffer.
type Access uint8

// The access rights of a buffer parameter.
const (
	RO Access = iota + 1 // loads only
	WO                   // stores only
	RW                   // both, and read-modify-writes
)

// String returns "ro", "wo" or "rw".
func (a Access) String() string {
	switch a {
	case RO:
		return "ro"
	case WO:
		return "wo"
	case RW:
		return "rw"
	}
	return "access?"
}

// Reads reports whether the right allows loads.
func (a Access) Reads() bool { return a == RO || a == RW }

// Writes reports whether the right allows stores.
func (a Access) Writes() bool { return a == WO || a == RW }
