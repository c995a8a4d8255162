package ir

// The limits of a program. They hold for every way in (builder, text, wire), so that no
// input makes the packages behind allocate without bound.
const (
	maxRows    = 1 << 20
	maxRegions = 1 << 18
	maxNesting = 256
	maxPool    = 1 << 20
	maxExtra   = 1 << 22
	maxList    = 4096 // variable operands of one op
	maxParams  = 128
	maxArrays  = 128
	maxName    = 255      // bytes
	maxLine    = 2 << 20  // bytes of a line of text
	maxWire    = 72 << 20 // bytes of the wire form
	maxSide    = 8 << 20  // bytes of it in side tables

	maxSections = 64 // of the wire form, those of later versions included
)
