package prim

import (
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/prim/block"
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
