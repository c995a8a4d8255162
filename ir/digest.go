package ir

import "lukechampine.com/blake3"

// digestContext separates these hashes from every other use of BLAKE3, and from those of
// another version of the form.
const digestContext = "vyre ir 1"

// digest hashes the required sections of the wire form, one after the other. Names,
// positions and messages are in none of them.
func digest(c *Code) (sum [32]byte) {
	n := c.counts()
	size := 0
	for id := uint32(secHead); id <= secRegions; id++ {
		size += n.size(id)
	}
	b := make([]byte, 0, size)
	for id := uint32(secHead); id <= secRegions; id++ {
		b = c.appendSection(b, id)
	}
	b = c.recordSection(b)
	blake3.DeriveKey(sum[:], digestContext, b)
	return sum
}
