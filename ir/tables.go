package ir

import "encoding/binary"

// Limits of tables.
const (
	MaxTableBytes  = 64 << 10 // of one table
	MaxTablesBytes = 1 << 20  // of all tables of a program
)

// Kind returns which kind of object the array is.
func (a *Array) Kind() Kinds {
	switch {
	case a.Shared:
		return OnShared
	case a.Table != "":
		return OnTable
	}
	return OnLocal
}

// ArrayKinds lists the kinds of array in the order in which a sealed program has them.
var ArrayKinds = [...]Kinds{OnShared, OnLocal, OnTable}

// Word returns the kind as a declaration in text form begins.
func (k Kinds) Word() string {
	switch k {
	case OnShared:
		return "shared"
	case OnLocal:
		return "local"
	case OnTable:
		return "table"
	}
	return "param"
}

// AppendElem appends the bytes that an element of type t with the given raw bits has in memory.
func (t Type) AppendElem(b []byte, bits uint64) []byte {
	switch t.Size() {
	case 1:
		return append(b, byte(bits))
	case 2:
		return binary.LittleEndian.AppendUint16(b, uint16(bits))
	case 4:
		return binary.LittleEndian.AppendUint32(b, uint32(bits))
	}
	return binary.LittleEndian.AppendUint64(b, bits)
}

// ReadElem returns the raw bits of the element of type t with which b begins.
func (t Type) ReadElem(b []byte) uint64 {
	switch t.Size() {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// Elem returns the raw bits of element i of a table as it lies in memory. i is below its length.
func (a *Array) Elem(i uint64) uint64 {
	n := a.Type.Size()
	var b [8]byte
	copy(b[:], a.Table[int(i)*n:int(i)*n+n])
	return binary.LittleEndian.Uint64(b[:])
}

// Loaded returns the raw bits of the value that loading element i of a table gives: a narrow integer is extended, and
// out of bounds is zero.
func (a *Array) Loaded(i uint64) uint64 {
	if i >= a.Len {
		return 0
	}
	return a.Type.Extend(a.Elem(i))
}

// Extend returns the raw bits of the value that an element of type t with the given raw bits has: a narrow integer is
// extended by its sign, if it has one.
func (t Type) Extend(bits uint64) uint64 {
	switch t {
	case I8:
		return uint64(uint32(int32(int8(bits))))
	case I16:
		return uint64(uint32(int32(int16(bits))))
	}
	return bits
}

// TableFault says what is wrong with the contents of a table, "" if nothing is.
func (a *Array) TableFault() string {
	switch {
	case a.Shared:
		return "is shared and has contents"
	case uint64(len(a.Table)) != a.AddBytes(0):
		return "does not have the bytes of its elements"
	}
	if a.Type == Bool {
		for i := range len(a.Table) {
			if a.Table[i] > 1 {
				return "has a bool that is neither false nor true"
			}
		}
	}
	return ""
}
