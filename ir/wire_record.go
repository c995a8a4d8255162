package ir

import "encoding/binary"

// Section records has, for each parameter of kind record in order,
//
//	u16 bytes of a record, u8 log₂ of its alignment, u8 zero, u32 number of fields,
//	for each field: u8 type, u8 zero, u16 offset, u32 elements
//
// It is there only if there is such a parameter, and belongs to the digest.
const (
	recordBytes = 8
	fieldBytes  = 8
)

// recordSection writes the layouts of c's records, nothing if it has none.
func (c *Code) recordSection(b []byte) []byte {
	for i := range c.Params {
		l := c.Params[i].Record
		if l == nil {
			continue
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(l.Stride))
		b = append(b, l.Align, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(l.Fields)))
		for _, f := range l.Fields {
			b = append(b, byte(f.Type), 0)
			b = binary.LittleEndian.AppendUint16(b, uint16(f.Offset))
			b = binary.LittleEndian.AppendUint32(b, uint32(f.Count))
		}
	}
	return b
}

// readRecords gives the parameters of kind record their layouts. Sizes are checked before memory is taken.
func readRecords(params []Param, kinds []byte, b []byte, present bool) Diags {
	le := binary.LittleEndian
	records := 0
	for i := range params {
		if kinds[i] != kindRecord {
			continue
		}
		records++
		if len(b) < recordBytes {
			return wireError("VW008", "", "section records ends before the layout of parameter %d", i)
		}
		l := &Record{Stride: int(le.Uint16(b)), Align: b[2]}
		n := le.Uint32(b[4:])
		if reserved := b[3]; n > maxFields || reserved != 0 {
			return wireError("VW007", "", "the records of parameter %d have %d fields, at most %d, and reserved bits %#x", i, n, maxFields, reserved)
		}
		b = b[recordBytes:]
		if len(b) < int(n)*fieldBytes {
			return wireError("VW008", "", "section records has %d bytes for %d fields of parameter %d", len(b), n, i)
		}
		for ; n > 0; n-- {
			f := RecordField{Type: Type(b[0]), Offset: int(le.Uint16(b[2:])), Count: int(le.Uint32(b[4:]))}
			if b[1] != 0 {
				return wireError("VW004", "", "a field of parameter %d has reserved bits %#x", i, b[1])
			}
			l.Fields = append(l.Fields, f)
			b = b[fieldBytes:]
		}
		if fault := l.fault(); fault != "" {
			return wireError("VW004", "", "parameter %d: %s", i, fault)
		}
		params[i].Record = l
	}
	switch {
	case len(b) > 0:
		return wireError("VW008", "", "%d bytes behind the last layout of section records", len(b))
	case present != (records > 0):
		return wireError("VW006", "", "section records does not go with %d parameters of records", records)
	}
	return nil
}
