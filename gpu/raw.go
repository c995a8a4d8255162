package gpu

import (
	"unsafe"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// Values travel between invocations, and to the op table, as raw bits: zero-extended,
// bit for bit, NaN payloads included. The size of T is known when T is instantiated, so
// the switches below cost nothing.

func toBits[T Scalar](v T) uint64 {
	p := unsafe.Pointer(&v)
	switch unsafe.Sizeof(v) {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	default:
		return *(*uint64)(p)
	}
}

func fromBits[T Scalar](b uint64) (v T) {
	p := unsafe.Pointer(&v)
	switch unsafe.Sizeof(v) {
	case 1:
		*(*uint8)(p) = uint8(b)
	case 2:
		*(*uint16)(p) = uint16(b)
	case 4:
		*(*uint32)(p) = uint32(b)
	default:
		*(*uint64)(p) = b
	}
	return v
}

func isFloat[T Number]() bool { return T(1)/T(2) != 0 }

func isSigned[T Number]() bool { return T(0)-T(1) < 0 }

func bitsOf[T Number]() uint {
	var v T
	return uint(unsafe.Sizeof(v)) * 8
}

// typeOf returns the value type that T has on a device. On a 32-bit host int and uint are narrower than there.
func typeOf[T Word | Float]() ir.Type {
	wide := bitsOf[T]() == 64
	switch {
	case isFloat[T]():
		return floatType[T]()
	case isSigned[T]() && wide:
		return ir.I64
	case isSigned[T]():
		return ir.I32
	case wide:
		return ir.U64
	default:
		return ir.U32
	}
}

// eval1, eval2 and eval3 run an op of the table whose operands and result have one type.

func eval1[T Word | Float](op ir.Op, a T) T {
	t := typeOf[T]()
	return fromBits[T](exact.Eval(op, t, t, 0, toBits(a), 0, 0))
}

func eval2[T Word | Float](op ir.Op, a, b T) T {
	t := typeOf[T]()
	return fromBits[T](exact.Eval(op, t, t, 0, toBits(a), toBits(b), 0))
}

func eval3[T Word | Float](op ir.Op, a, b, c T) T {
	t := typeOf[T]()
	return fromBits[T](exact.Eval(op, t, t, 0, toBits(a), toBits(b), toBits(c)))
}

// evalFloat2 is eval2 for a T that is known to be a float, where the constraint does not say so.
func evalFloat2[T Number](op ir.Op, a, b T) T {
	t := floatType[T]()
	return fromBits[T](exact.Eval(op, t, t, 0, toBits(a), toBits(b), 0))
}

func floatType[T Number]() ir.Type {
	if bitsOf[T]() == 64 {
		return ir.F64
	}
	return ir.F32
}

// quietNaN is the NaN with sign and payload 0.
func quietNaN[T Number]() T {
	if bitsOf[T]() == 64 {
		return fromBits[T](0x7FF8_0000_0000_0000)
	}
	return fromBits[T](0x7FC0_0000)
}
