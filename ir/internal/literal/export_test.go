package literal

import (
	"github.com/govyre/vyre/ir"
)

// AppendLiteral and ParseLiteral are the two directions of a constant's text.
var AppendLiteral = Append

func ParseLiteral(s string) (ir.Type, uint64, string) {
	t, bits, code, _ := Parse(s)
	return t, bits, code
}

// CompareDecimal compares a decimal with a value between two of 16 bits.
var CompareDecimal = compareDecimal
