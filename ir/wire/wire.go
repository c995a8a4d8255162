package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/columns"
)

// The wire form is a header, a table of sections, and the sections: the columns as they
// are, little endian. Everything has one place and one spelling, so that a program has
// exactly one wire form and decoding compares nothing with anything.
const (
	wireMagic   = "\x89VYR\r\n\x1a\n"
	wireVersion = 1

	headerBytes  = 64
	entryBytes   = 24 // of the section table
	sectionAlign = 16
)

// The sections that may be left out or skipped.
const (
	secNames     = 0x8001
	secPositions = 0x8002
	secMessages  = 0x8003
)

// sectionSkippable is the flag of a section that a reader may leave out.
const sectionSkippable = 1

var sectionNames = map[uint32]string{
	columns.Head: "head", columns.Params: "params", columns.Arrays: "arrays",
	columns.Op: "Op", columns.Type: "Type", columns.Flags: "Flags", columns.Region: "Region", columns.A: "A", columns.B: "B", columns.C: "C", columns.X: "X",
	columns.Args: "Args", columns.Extra: "Extra", columns.Pool: "Pool", columns.Last: "Regions", columns.Records: "records", columns.Tables: "tables",
	secNames: "names", secPositions: "positions", secMessages: "messages",
}

func sectionName(id uint32) string {
	if n, ok := sectionNames[id]; ok {
		return n
	}
	return fmt.Sprintf("%#x", id)
}

// Keys of a side table beside the rows: parameters, arrays, the program.
const (
	keyParam   = 0x4000_0000
	keyArray   = 0x8000_0000
	keyProgram = 0xC000_0000
)

// readWords reads a column of 32-bit entries.
func readWords[T ~uint32](b []byte) []T {
	s := make([]T, len(b)/4)
	for i := range s {
		s[i] = T(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return s
}

// wireError is a finding about the wire form itself.
func wireError(code, fix, format string, args ...any) ir.Diags {
	return ir.Diags{{Code: code, Row: ir.NoRow, Msg: "wire form: " + fmt.Sprintf(format, args...), Fix: fix}}
}

func alignUp(n int) int { return (n + sectionAlign - 1) &^ (sectionAlign - 1) }
