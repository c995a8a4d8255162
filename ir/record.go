package ir

import (
	"fmt"
	"math/bits"
	"slices"
)

// Record is the layout of a buffer whose elements are structs. Every field is an object of its own, which has the
// buffer's length: index i of it names that field of record i. Fields do not overlap, so accesses to different
// fields never meet. What lies between them is never read as a value and never written. Padding that a kernel clears when it
// stores a record is a field, too.
type Record struct {
	Stride int   // bytes from one record to the next
	Align  uint8 // log₂ of the alignment in bytes, which divides Stride
	Fields []RecordField
}

// RecordField is one scalar of a record, or an array of them. The elements of an array are numbered through all records:
// index e of the field names element e mod Count of record e div Count.
type RecordField struct {
	Type   Type
	Offset int // bytes from the start of the record
	Count  int
	Pad    bool // no field of the source: bytes that stores of whole records set to zero
	// Name is its path in the source, if known, such as Near.ids[4]: of an array, with the lengths of the arrays that
	// its elements are numbered through. It is no part of the text.
	Name string
}

// Same reports whether two layouts differ in names at most.
func (l *Record) Same(m *Record) bool {
	return l.Stride == m.Stride && slices.EqualFunc(l.Fields, m.Fields, func(x, y RecordField) bool {
		x.Name, y.Name = "", ""
		return x == y
	})
}

// Limits of a record.
const (
	MaxStride      = 4096
	MaxFields      = MaxStride
	MaxRecordAlign = 3 // log₂ of the largest alignment
)

// Bytes returns how many bytes one element of a buffer takes.
func (p *Param) Bytes() int {
	if p.Record != nil {
		return p.Record.Stride
	}
	return p.Type.Size()
}

// Objects returns how many objects a buffer has: one for each field of a record.
func (p *Param) Objects() int {
	switch {
	case !p.IsBuffer():
		return 0
	case p.Record != nil:
		return len(p.Record.Fields)
	}
	return 1
}

// ElemName names the element type for messages.
func (p *Param) ElemName() string {
	if p.Record != nil {
		return "record"
	}
	return p.Type.String()
}

// Stride returns the bytes from one element of the object to the next in the same record, or in the next record if each
// has only one.
func (o ObjectInfo) Stride() int {
	if o.Field != nil && o.Field.Count == 1 {
		return o.Param.Record.Stride
	}
	return o.Type().Size()
}

// Count returns how many elements of the object one record has; 1 for anything but an array in a record.
func (o ObjectInfo) Count() int {
	if o.Field != nil {
		return o.Field.Count
	}
	return 1
}

// Gap returns the bytes after an array in a record that lie between its last element and the first of the next record.
func (o ObjectInfo) Gap() int {
	if n := o.Count(); n > 1 {
		return o.Param.Record.Stride - n*o.Field.Type.Size()
	}
	return 0
}

// Offset returns where the object begins, in bytes from the start of its buffer.
func (o ObjectInfo) Offset() int {
	if o.Field != nil {
		return o.Field.Offset
	}
	return 0
}

// WideAlign is log₂ of the alignment that a buffer of such records has without saying so: the most that all of them
// have if the first does, up to the 16 bytes of the widest access.
func (l *Record) WideAlign() uint8 {
	return max(l.Align, min(4, uint8(bits.TrailingZeros(uint(l.Stride)))))
}

// Fault says what is wrong with a layout, "" if nothing is.
func (l *Record) Fault() string {
	switch {
	case l.Stride < 1 || l.Stride > MaxStride:
		return fmt.Sprintf("a record of %d bytes, 1 to %d are possible", l.Stride, MaxStride)
	case l.Align > MaxRecordAlign || l.Stride%(1<<l.Align) != 0:
		return fmt.Sprintf("records of %d bytes are aligned to 2^%d; at most 2^%d is possible, and it divides the bytes", l.Stride, l.Align, MaxRecordAlign)
	case len(l.Fields) == 0 || len(l.Fields) > MaxFields:
		return fmt.Sprintf("a record of %d fields, 1 to %d are possible", len(l.Fields), MaxFields)
	}
	end := 0
	for i := range l.Fields {
		f := &l.Fields[i]
		if !f.Type.Valid() || f.Type.IsVector() {
			return fmt.Sprintf("field %d is of no type (code %d)", i, f.Type)
		}
		size := f.Type.Size()
		switch {
		case f.Offset < end:
			return fmt.Sprintf("field %d at byte %d begins inside the one before, which ends at %d", i, f.Offset, end)
		case f.Offset%size != 0 || size > 1<<l.Align:
			return fmt.Sprintf("field %d of %d bytes at byte %d of a record aligned to %d is not aligned", i, size, f.Offset, 1<<l.Align)
		case f.Count < 1 || f.Count > (l.Stride-f.Offset)/size:
			return fmt.Sprintf("field %d has %d elements of %d bytes from byte %d on in a record of %d bytes", i, f.Count, size, f.Offset, l.Stride)
		}
		end = f.Offset + f.Count*size
	}
	return ""
}

// MaxLen returns the largest index that any launch could give the object, plus one; RestLen if only the launch knows.
func (o ObjectInfo) MaxLen() uint64 {
	if o.Param == nil {
		return o.Array.Len
	}
	n := o.Param.MaxLen
	if n == 0 {
		n = DefaultMaxLen
	}
	return n * uint64(o.Count())
}
