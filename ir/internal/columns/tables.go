package columns

import "github.com/govyre/vyre/ir"

// Tables is the section of what stands in tables: the bytes of the arrays of kind table, in order, one after the other.
// It is there only if there is one, and belongs to the digest. It is the last that does.
const Tables = 18

// AppendTables writes the contents of c's tables, nothing if it has none.
func AppendTables(b []byte, c *ir.Code) []byte {
	for i := range c.Arrays {
		b = append(b, c.Arrays[i].Table...)
	}
	return b
}
