package ir

import (
	"encoding/binary"
	"fmt"
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
	paramBytes   = 16 // of an entry of sections params and arrays
	headBytes    = 9 * 4
)

// The sections. Those up to secRegions make the program, all of them, and the digest is
// taken over them; the others may be left out or skipped.
const (
	secHead      = 1
	secParams    = 2
	secArrays    = 3
	secOp        = 4
	secType      = 5
	secFlags     = 6
	secRegion    = 7
	secA         = 8
	secB         = 9
	secC         = 10
	secX         = 11
	secArgs      = 12
	secExtra     = 13
	secPool      = 14
	secRegions   = 15
	secRecords   = 17 // only of a program with records
	secNames     = 0x8001
	secPositions = 0x8002
	secMessages  = 0x8003
)

// sectionSkippable is the flag of a section that a reader may leave out.
const sectionSkippable = 1

var sectionNames = map[uint32]string{
	secHead: "head", secParams: "params", secArrays: "arrays",
	secOp: "Op", secType: "Type", secFlags: "Flags", secRegion: "Region", secA: "A", secB: "B", secC: "C", secX: "X",
	secArgs: "Args", secExtra: "Extra", secPool: "Pool", secRegions: "Regions", secRecords: "records",
	secNames: "names", secPositions: "positions", secMessages: "messages",
}

func sectionName(id uint32) string {
	if n, ok := sectionNames[id]; ok {
		return n
	}
	return fmt.Sprintf("%#x", id)
}

// Kinds of entries in sections params and arrays.
const (
	kindBuffer = 1
	kindScalar = 2
	kindShared = 3
	kindLocal  = 4
	kindRecord = 5
)

// Keys of a side table beside the rows: parameters, arrays, the program.
const (
	keyParam   = 0x4000_0000
	keyArray   = 0x8000_0000
	keyProgram = 0xC000_0000
)

// counts says how many entries each section has.
type counts struct {
	params, arrays, rows, extra, pool, regions int
}

func (c *Code) counts() counts {
	return counts{len(c.Params), len(c.Arrays), c.Rows(), len(c.Extra), len(c.Pool), len(c.Regions)}
}

// size returns how many bytes a required section has.
func (n counts) size(id uint32) int {
	switch id {
	case secHead:
		return headBytes
	case secParams:
		return n.params * paramBytes
	case secArrays:
		return n.arrays * paramBytes
	case secOp:
		return n.rows * 2
	case secType:
		return n.rows
	case secExtra:
		return n.extra * 4
	case secPool:
		return n.pool * 8
	case secRegions:
		return n.regions * 12
	}
	return n.rows * 4
}

// exceeded returns the first limit that the counts exceed.
func (n counts) exceeded() (what string, has, most int) {
	for _, l := range []struct {
		what      string
		has, most int
	}{
		{"parameters", n.params, maxParams},
		{"arrays", n.arrays, maxArrays},
		{"rows", n.rows, maxRows},
		{"extra operands", n.extra, maxExtra},
		{"pool entries", n.pool, maxPool},
		{"regions", n.regions, maxRegions},
	} {
		if l.has > l.most {
			return l.what, l.has, l.most
		}
	}
	return "", 0, 0
}

// appendSection writes a required section. b must have room for it.
func (c *Code) appendSection(b []byte, id uint32) []byte {
	switch id {
	case secHead:
		n := c.counts()
		for _, v := range c.Workgroup {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		for _, v := range []int{n.params, n.arrays, n.rows, n.extra, n.pool, n.regions} {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		return b
	case secParams:
		for i := range c.Params {
			q := &c.Params[i]
			if q.Record != nil {
				b = append(b, kindRecord, 0, byte(q.Access), q.Align, 0, 0, 0, 0)
			} else if q.IsBuffer() {
				b = append(b, kindBuffer, byte(q.Type), byte(q.Access), q.Align, 0, 0, 0, 0)
			} else {
				b = append(b, kindScalar, byte(q.Type), 0, q.Align, 0, 0, 0, 0)
			}
			b = binary.LittleEndian.AppendUint64(b, q.MaxLen)
		}
		return b
	case secArrays:
		for i := range c.Arrays {
			a := &c.Arrays[i]
			kind := byte(kindLocal)
			if a.Shared {
				kind = kindShared
			}
			b = append(b, kind, byte(a.Type), 0, 0, 0, 0, 0, 0)
			b = binary.LittleEndian.AppendUint64(b, a.Len)
		}
		return b
	case secOp:
		for _, op := range c.Op {
			b = binary.LittleEndian.AppendUint16(b, uint16(op))
		}
		return b
	case secType:
		for _, t := range c.Type {
			b = append(b, byte(t))
		}
		return b
	case secFlags:
		return appendWords(b, c.Flags)
	case secRegion:
		return appendWords(b, c.Region)
	case secA:
		return appendWords(b, c.A)
	case secB:
		return appendWords(b, c.B)
	case secC:
		return appendWords(b, c.C)
	case secX:
		return appendWords(b, c.X)
	case secArgs:
		return appendWords(b, c.Args)
	case secExtra:
		return appendWords(b, c.Extra)
	case secPool:
		for _, v := range c.Pool {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		return b
	}
	for _, g := range c.Regions {
		b = binary.LittleEndian.AppendUint32(b, uint32(g.Op))
		b = binary.LittleEndian.AppendUint32(b, uint32(g.First))
		b = binary.LittleEndian.AppendUint32(b, uint32(g.End))
	}
	return b
}

// appendWords writes a column of 32-bit entries.
func appendWords[T ~uint32](b []byte, s []T) []byte {
	for _, v := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// readWords reads a column of 32-bit entries.
func readWords[T ~uint32](b []byte) []T {
	s := make([]T, len(b)/4)
	for i := range s {
		s[i] = T(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return s
}

// wireError is a finding about the wire form itself.
func wireError(code, fix, format string, args ...any) Diags {
	return Diags{{Code: code, Row: NoRow, Msg: "wire form: " + fmt.Sprintf(format, args...), Fix: fix}}
}

func alignUp(n int) int { return (n + sectionAlign - 1) &^ (sectionAlign - 1) }
