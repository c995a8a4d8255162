package exact

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// The evaluation functions are the meaning of the pure ops: interpreter, folder and
// recipes run these and nothing else. Each is total, allocates nothing and gives the
// same bits on every host:
//
//   - Integers are computed at EvalType.Width, whatever it is, so that a rule can be
//     checked on all values of 6 or 8 bits by the very code that runs it at 32 or 64.
//   - Every float operation is converted to its type on the spot. Go may fuse a
//     product and a sum that are not, and on some machines does.
//   - A float result that is a NaN is the canonical one, since which operand's payload
//     survives differs between machines. Ops that only move bits keep all of them.

// The canonical NaNs: quiet, sign and payload 0.
const (
	nanF32  = 0x7FC0_0000
	nanF64  = 0x7FF8_0000_0000_0000
	nanF16  = 0x7E00
	nanBF16 = 0x7FC0
)

// f32, f64, f16 and bf16 read raw bits as a value.
func f32(a uint64) float32  { return math.Float32frombits(uint32(a)) }
func f64(a uint64) float64  { return math.Float64frombits(a) }
func f16(a uint64) float32  { return F16ToF32(uint16(a)) }
func bf16(a uint64) float32 { return BF16ToF32(uint16(a)) }

// rawF32, rawF64, rawF16 and rawBF16 give the raw bits of an arithmetic result.
func rawF32(v float32) uint64 {
	if v != v {
		return nanF32
	}
	return uint64(math.Float32bits(v))
}

func rawF64(v float64) uint64 {
	if v != v {
		return nanF64
	}
	return math.Float64bits(v)
}

func rawF16(v float32) uint64  { return uint64(F32ToF16(v)) }
func rawBF16(v float32) uint64 { return uint64(F32ToBF16(v)) }

func rawBool(p bool) uint64 {
	if p {
		return 1
	}
	return 0
}

// pad is the number of bits above an integer of the width. Shifted left by it, an
// integer fills 64 bits: its sign is the machine's, and what overflows the width
// overflows the machine word.
func (t Types) pad() uint8 { return (64 - t.Width) & 63 }

// mask has the bits of an integer of the width.
func (t Types) mask() uint64 { return ^uint64(0) >> t.pad() }

// signed reports whether the operands are signed integers.
func (t Types) signed() bool { return t.In == ir.I32 || t.In == ir.I64 }

// extend gives the value of a signed integer of the width.
func (t Types) extend(a uint64) int64 { return int64(a<<t.pad()) >> t.pad() }
