package ir

import (
	"math/bits"
	"slices"
)

// Row is an index of the columns, and the id of the value that the row defines.
type Row uint32

// NoRow stands for an absent operand.
const NoRow Row = 0xFFFF_FFFF

// NoArgs in column Args stands for an absent operand list.
const NoArgs uint32 = 0xFFFF_FFFF

// RestLen is the length of the shared array whose element count comes with the launch.
const RestLen uint64 = ^uint64(0)

// DefaultMaxLen is the largest element count of a buffer that does not ask for more.
const DefaultMaxLen uint64 = 1<<31 - 1

// AlignAuto in Param.Align asks sealing for the default: the bytes of the buffer's widest access.
const AlignAuto = 0xFF

// Object numbers everything that can be accessed: buffer parameters in their order, each field of one with records
// by itself, then arrays in theirs (shared before local, then tables).
type Object uint32

// Region is the half-open interval of rows [First, End), nested regions included,
// owned by the structured op in row Op (NoRow for region 0, the body).
type Region struct {
	Op         Row
	First, End Row
}

// Param is a kernel parameter: a buffer, or a scalar passed by value.
type Param struct {
	Name   string
	Type   Type    // element type, or type of the scalar
	Access Access  // 0 for a scalar
	Align  uint8   // log₂ of the byte alignment of a buffer's start
	MaxLen uint64  // bound of a buffer's element count
	Record *Record // of a buffer of records, whose Type is None; else nil
	Pos    Pos     // where it was declared, if known; no part of the text
}

// IsBuffer reports whether the parameter is a buffer.
func (p *Param) IsBuffer() bool { return p.Access != 0 }

// Array is a shared or local array, or a table: an array of constants.
type Array struct {
	Name   string
	Type   Type
	Shared bool
	Len    uint64 // RestLen: comes with the launch
	Table  string // the bytes of a table's elements, little endian, as a buffer holds them; "" for all else
	Pos    Pos    // where it was declared, if known; no part of the text
}

// AddBytes returns sum and the bytes of the array, or the largest number if that is more.
func (a *Array) AddBytes(sum uint64) uint64 {
	hi, n := bits.Mul64(a.Len, uint64(a.Type.Size()))
	sum, carry := bits.Add64(sum, n, 0)
	if hi|carry != 0 {
		return ^uint64(0)
	}
	return sum
}

// Pos is a source position. A position inside an inlined call names the call in Call.
// The zero Pos is unknown.
type Pos struct {
	File      string
	Line, Col int
	Call      *Pos
}

// Code is a program that can still change: the columns, without a promise. The
// builder, the parser, the decoder and every pass produce one; Seal turns it into a
// Program. All columns have one length. Slices belong to the Code.
type Code struct {
	Name      string
	Workgroup [3]uint32
	Params    []Param
	Arrays    []Array

	Op      []Op
	Type    []Type
	Flags   []Flags
	Region  []uint32
	A, B, C []Row
	X       []uint32
	Args    []uint32

	Extra   []uint32
	Pool    []uint64
	Regions []Region

	Debug Debug
}

// Debug holds what the digest leaves out: names, positions and messages by row.
type Debug struct {
	Names     map[Row]string // of values and labels
	Messages  map[Row]string // of trap and trace rows
	Positions []Pos          // distinct positions
	PosOf     []uint32       // 1 + index into Positions, one a row; 0 unknown. May be nil.
}

// Pos returns the source position of row r.
func (d *Debug) Pos(r Row) Pos {
	if int(r) < len(d.PosOf) && d.PosOf[r] != 0 {
		return d.Positions[d.PosOf[r]-1]
	}
	return Pos{}
}

// Rows returns the number of rows.
func (c *Code) Rows() int { return len(c.Op) }

// List returns the operand list of row r, nil if it has none. It aliases Extra.
func (c *Code) List(r Row) []uint32 {
	s := c.Args[r]
	if s == NoArgs {
		return nil
	}
	n := c.Extra[s]
	return c.Extra[s+1 : s+1+n : s+1+n]
}

// Clone returns an independent copy.
func (c *Code) Clone() *Code {
	d := *c
	d.Params, d.Arrays = slices.Clone(c.Params), slices.Clone(c.Arrays)
	d.Op, d.Type, d.Flags, d.Region = slices.Clone(c.Op), slices.Clone(c.Type), slices.Clone(c.Flags), slices.Clone(c.Region)
	d.A, d.B, d.C = slices.Clone(c.A), slices.Clone(c.B), slices.Clone(c.C)
	d.X, d.Args = slices.Clone(c.X), slices.Clone(c.Args)
	d.Extra, d.Pool, d.Regions = slices.Clone(c.Extra), slices.Clone(c.Pool), slices.Clone(c.Regions)
	d.Debug.Names, d.Debug.Messages = cloneMap(c.Debug.Names), cloneMap(c.Debug.Messages)
	d.Debug.Positions, d.Debug.PosOf = slices.Clone(c.Debug.Positions), slices.Clone(c.Debug.PosOf)
	return &d
}

func cloneMap(m map[Row]string) map[Row]string {
	if m == nil {
		return nil
	}
	n := make(map[Row]string, len(m))
	for k, v := range m {
		n[k] = v
	}
	return n
}

// Buffers returns the number of objects in buffers; object numbers from there on are arrays.
func (c *Code) Buffers() int {
	n := 0
	for i := range c.Params {
		n += c.Params[i].Objects()
	}
	return n
}

// ObjectInfo describes an object: exactly one of Param and Array is set.
type ObjectInfo struct {
	Param *Param
	Array *Array
	Index int          // of the parameter or the array
	Field *RecordField // of a buffer of records; nil for all else
	First Object       // the first object of the same parameter, itself if it has no records
}

// Pos returns where the object was declared.
func (o ObjectInfo) Pos() Pos {
	if o.Param != nil {
		return o.Param.Pos
	}
	return o.Array.Pos
}

// Type returns the element type.
func (o ObjectInfo) Type() Type {
	switch {
	case o.Field != nil:
		return o.Field.Type
	case o.Param != nil:
		return o.Param.Type
	}
	return o.Array.Type
}

// Shared reports whether the object is a shared array.
func (o ObjectInfo) Shared() bool { return o.Array != nil && o.Array.Shared }

// Local reports whether the object is a local array.
func (o ObjectInfo) Local() bool { return o.Array != nil && o.Array.Kind() == OnLocal }

// Table reports whether the object is a table.
func (o ObjectInfo) Table() bool { return o.Array != nil && o.Array.Kind() == OnTable }

// ReadOnly reports whether nothing writes the object while the kernel runs: a table, or a buffer that is ro.
func (o ObjectInfo) ReadOnly() bool { return o.Table() || o.Param != nil && o.Param.Access == RO }

// Objects lists the objects in the order of their numbers. The pointers alias c.
func (c *Code) Objects() []ObjectInfo {
	var objs []ObjectInfo
	for i := range c.Params {
		q, first := &c.Params[i], Object(len(objs))
		switch {
		case q.Record != nil:
			for k := range q.Record.Fields {
				objs = append(objs, ObjectInfo{Param: q, Index: i, Field: &q.Record.Fields[k], First: first})
			}
		case q.IsBuffer():
			objs = append(objs, ObjectInfo{Param: q, Index: i, First: first})
		}
	}
	for i := range c.Arrays {
		objs = append(objs, ObjectInfo{Array: &c.Arrays[i], Index: i, First: Object(len(objs))})
	}
	return objs
}

// LenType is the type of `len` of the object: u64 only for buffers beyond 2³²−1 elements.
func (o ObjectInfo) LenType() Type {
	if o.Param != nil && o.Param.MaxLen >= 1<<32 {
		return U64
	}
	return U32
}

// Grow makes room for n rows in every column.
func (c *Code) Grow(n int) {
	c.Op, c.Type, c.Flags = make([]Op, 0, n), make([]Type, 0, n), make([]Flags, 0, n)
	c.Region, c.X, c.Args = make([]uint32, 0, n), make([]uint32, 0, n), make([]uint32, 0, n)
	c.A, c.B, c.C = make([]Row, 0, n), make([]Row, 0, n), make([]Row, 0, n)
}

// Kind returns which kind of object it is.
func (o ObjectInfo) Kind() Kinds {
	if o.Param != nil {
		return OnBuffer
	}
	return o.Array.Kind()
}
