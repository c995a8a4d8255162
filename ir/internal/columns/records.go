package columns

import (
	"encoding/binary"

	"github.com/govyre/vyre/ir"
)

// Records is the section of layouts. It has, for each parameter of kind record in order,
//
//	u16 bytes of a record, u8 log₂ of its alignment, u8 zero, u32 number of fields,
//	for each field: u8 type, u8 1 for padding, else 0, u16 offset, u32 elements
//
// It is there only if there is such a parameter, and belongs to the digest.
const (
	Records     = 17
	RecordBytes = 8
	FieldBytes  = 8
)

// AppendRecords writes the layouts of c's records, nothing if it has none.
func AppendRecords(b []byte, c *ir.Code) []byte {
	for i := range c.Params {
		l := c.Params[i].Record
		if l == nil {
			continue
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(l.Stride))
		b = append(b, l.Align, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(l.Fields)))
		for _, f := range l.Fields {
			pad := byte(0)
			if f.Pad {
				pad = 1
			}
			b = append(b, byte(f.Type), pad)
			b = binary.LittleEndian.AppendUint16(b, uint16(f.Offset))
			b = binary.LittleEndian.AppendUint32(b, uint32(f.Count))
		}
	}
	return b
}
