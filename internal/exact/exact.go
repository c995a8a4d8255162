package exact

import (
	"github.com/govyre/vyre/ir"
)

// Types tells an evaluation function its types. In is the type of the operand
// that the mnemonic carries, Out that of the result, Width the integer width: that of
// In, or 6 or 8 when a rule test runs the op on tiny integers.
type Types struct {
	In, Out ir.Type
	Width   uint8
}

// Func computes an op on raw bits. Values narrower than 64 bits are zero-extended,
// on the way in and out. x is column X.
type Func func(t Types, x uint32, a, b, c uint64) uint64

// Eval computes a pure op on raw bits: in is the type of the operand that the
// mnemonic carries, out the result type. It panics for an op without a function.
func Eval(op ir.Op, in, out ir.Type, x uint32, a, b, c uint64) uint64 {
	return functions[op](Types{in, out, uint8(in.Bits())}, x, a, b, c)
}
