package limits

const (
	Rows    = 1 << 20
	Regions = 1 << 18
	Nesting = 256
	Pool    = 1 << 20
	Extra   = 1 << 22
	List    = 4096 // variable operands of one op
	Params  = 128
	Arrays  = 128

	FirstGroups = 2 // different numbers of groups that barriers of first groups wait for

	Name = 255      // bytes
	Line = 2 << 20  // bytes of a line of text
	Wire = 72 << 20 // bytes of the wire form
	Side = 8 << 20  // bytes of it in side tables

	Sections = 64 // of the wire form, those of later versions included
)
