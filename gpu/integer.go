package gpu

import (
	"fmt"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// MulHigh returns the upper half of the product of twice the width.
func MulHigh[T Word](a, b T) T { return eval2(ir.OpMulHi, a, b) }

// AddSat returns a + b, clamped to the range of T.
func AddSat[T Word](a, b T) T { return eval2(ir.OpAddSat, a, b) }

// SubSat returns a − b, clamped to the range of T.
func SubSat[T Word](a, b T) T { return eval2(ir.OpSubSat, a, b) }

// MulSat returns a · b, clamped to the range of T.
func MulSat[T Word](a, b T) T { return eval2(ir.OpMulSat, a, b) }

// AbsDiff returns |a − b|.
func AbsDiff[T ~uint32 | ~uint64](a, b T) T { return eval2(ir.OpAbsDiff, a, b) }

// AbsDiffI32 returns |a − b|, exactly.
func AbsDiffI32(a, b int32) uint32 {
	return uint32(exact.Eval(ir.OpAbsDiff, ir.I32, ir.U32, 0, toBits(a), toBits(b), 0))
}

// AbsDiffI64 returns |a − b|, exactly.
func AbsDiffI64(a, b int64) uint64 {
	return exact.Eval(ir.OpAbsDiff, ir.I64, ir.U64, 0, toBits(a), toBits(b), 0)
}

// ExtractBits returns the n bits of x from bit pos on, extended by the signedness of T.
// pos and n are constants; n is at least 1.
func ExtractBits[T Word](x T, pos, n int) T {
	t := typeOf[T]()
	return fromBits[T](exact.Eval(ir.OpBfe, t, t, field[T]("ExtractBits", pos, n), toBits(x), 0, 0))
}

// InsertBits returns base with its n bits from bit pos on replaced by the low bits of x.
// pos and n are constants; n is at least 1.
func InsertBits[T Word](base, x T, pos, n int) T {
	t := typeOf[T]()
	return fromBits[T](exact.Eval(ir.OpBfi, t, t, field[T]("InsertBits", pos, n), toBits(base), toBits(x), 0))
}

// field packs a bit field the way the program form does.
func field[T Word](op string, pos, n int) uint32 {
	if w := int(bitsOf[T]()); pos < 0 || n < 1 || n > w || pos > w-n {
		panic(fmt.Sprintf("gpu: %s of %d bits from bit %d on; a field lies within the %d bits of its type", op, n, pos, w))
	}
	return uint32(pos | n<<8)
}

// PermuteBytes picks four of the eight bytes of b:a, a the low four. Nibble k of sel
// says which becomes byte k of the result; its bit 3 asks for eight copies of that byte's top bit instead.
func PermuteBytes(a, b, sel uint32) uint32 {
	return uint32(exact.Eval(ir.OpPrmt, ir.U32, ir.U32, 0, uint64(a), uint64(b), uint64(sel)))
}

// Dot4 returns c plus the dot product of the four unsigned bytes of a and b, modulo 2³².
func Dot4(a, b, c uint32) uint32 { return eval3(ir.OpDp4a, a, b, c) }

// Dot4I returns c plus the dot product of the four signed bytes of a and b; it wraps.
func Dot4I(a, b, c int32) int32 { return eval3(ir.OpDp4a, a, b, c) }
