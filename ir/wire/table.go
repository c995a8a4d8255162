package wire

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/columns"
)

// readTables gives the arrays of kind table their contents, from the section of these. entries is the section of arrays.
// Sizes are checked before memory is taken.
func readTables(arrays []ir.Array, entries, b []byte, present bool) ir.Diags {
	tables := 0
	for i := range arrays {
		a := &arrays[i]
		if entries[i*columns.ParamBytes] != columns.KindTable {
			continue
		}
		tables++
		n := a.AddBytes(0)
		switch {
		case n == 0 || n > ir.MaxTableBytes:
			return wireError("VW007", "", "table %d has %d bytes, 1 to %d are possible", i, n, ir.MaxTableBytes)
		case n > uint64(len(b)):
			return wireError("VW008", "", "section tables has %d bytes where table %d takes %d", len(b), i, n)
		}
		a.Table, b = string(b[:n]), b[n:]
	}
	switch {
	case len(b) > 0:
		return wireError("VW008", "", "%d bytes after the last table of section tables", len(b))
	case present != (tables > 0):
		return wireError("VW006", "", "section tables does not go with %d tables", tables)
	}
	return nil
}
