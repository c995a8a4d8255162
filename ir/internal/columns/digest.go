package columns

import (
	"lukechampine.com/blake3"

	"github.com/govyre/vyre/ir"
)

// digestContext separates these hashes from every other use of BLAKE3, and from those of
// another version of the form.
const digestContext = "vyre ir 1"

// Digest hashes the required sections of the wire form, one after the other. Names,
// positions and messages are in none of them.
func Digest(c *ir.Code) (sum [32]byte) {
	n := Count(c)
	size := 0
	for id := uint32(Head); id <= Last; id++ {
		size += n.Size(id)
	}
	b := make([]byte, 0, size)
	for id := uint32(Head); id <= Last; id++ {
		b = Append(b, c, id)
	}
	b = AppendTables(AppendRecords(b, c), c)
	blake3.DeriveKey(sum[:], digestContext, b)
	return sum
}
