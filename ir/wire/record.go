package wire

import (
	"encoding/binary"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/columns"
)

// readRecords gives the parameters of kind record their layouts. Sizes are checked before memory is taken.
func readRecords(params []ir.Param, kinds []byte, b []byte, present bool) ir.Diags {
	le := binary.LittleEndian
	records := 0
	for i := range params {
		if kinds[i] != columns.KindRecord {
			continue
		}
		records++
		if len(b) < columns.RecordBytes {
			return wireError("VW008", "", "section records ends before the layout of parameter %d", i)
		}
		l := &ir.Record{Stride: int(le.Uint16(b)), Align: b[2]}
		n := le.Uint32(b[4:])
		if reserved := b[3]; n > ir.MaxFields || reserved != 0 {
			return wireError("VW007", "", "the records of parameter %d have %d fields, at most %d, and reserved bits %#x", i, n, ir.MaxFields, reserved)
		}
		b = b[columns.RecordBytes:]
		if len(b) < int(n)*columns.FieldBytes {
			return wireError("VW008", "", "section records has %d bytes for %d fields of parameter %d", len(b), n, i)
		}
		for ; n > 0; n-- {
			f := ir.RecordField{Type: ir.Type(b[0]), Offset: int(le.Uint16(b[2:])), Count: int(le.Uint32(b[4:])), Pad: b[1] == 1}
			if b[1] > 1 {
				return wireError("VW004", "", "a field of parameter %d has reserved bits %#x", i, b[1])
			}
			l.Fields = append(l.Fields, f)
			b = b[columns.FieldBytes:]
		}
		if fault := l.Fault(); fault != "" {
			return wireError("VW004", "", "parameter %d: %s", i, fault)
		}
		params[i].Record = l
	}
	switch {
	case len(b) > 0:
		return wireError("VW008", "", "%d bytes after the last layout of section records", len(b))
	case present != (records > 0):
		return wireError("VW006", "", "section records does not go with %d parameters of records", records)
	}
	return nil
}
