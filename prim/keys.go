package prim

import (
	"fmt"
	"math"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim/internal/block"
)

// keyOf says how the bits of a key are ordered, and which unsigned integer has them.
func keyOf[T vyre.Element]() (kind uint32, bits string, ok bool) {
	switch name := typeName[T](); name {
	case "uint8", "uint16", "uint32", "uint64":
		return block.Unsigned, name, true
	case "int8", "int16", "int32", "int64":
		return block.Signed, "u" + name, true
	case "float32", "float64":
		return block.Float, fmt.Sprint("uint", 8*sizeOf[T]()), true
	}
	return 0, "", false
}

// bitsOf has the bits of a number.
func bitsOf[T vyre.Element](v T) (bits uint64) {
	for i, b := range vyre.Bytes([]T{v}) {
		bits |= uint64(b) << (8 * i)
	}
	return bits
}

// floatOf is the value of a float of either size.
func floatOf[T vyre.Element](v T) float64 {
	if sizeOf[T]() == 4 {
		return float64(math.Float32frombits(uint32(bitsOf(v))))
	}
	return math.Float64frombits(bitsOf(v))
}
