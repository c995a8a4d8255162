package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/columns"
	"github.com/govyre/vyre/ir/internal/inner"
)

// Encode returns the wire form of p, which Decode reads back: equal programs with equal
// names, positions and messages give equal bytes. An optimised program has none, since
// its in-bounds flags are proofs that nobody could trust in a file: keep its source.
func Encode(p *ir.Program) ([]byte, error) {
	if p == nil || p.GroupSize() == 0 {
		return nil, wireError("VY001", "encode a sealed program", "the program is nil, or was not sealed")
	}
	return encode(p.Code(inner.Key{}), p.Digest())
}

// encode writes columns with the digest that they are said to have.
func encode(c *ir.Code, digest [32]byte) ([]byte, error) {
	for r, f := range c.Flags {
		if f.InBounds() {
			ds := wireError("VW013", "encode the program it was optimised from", "row %d is flagged in bounds", r)
			ds[0].Kernel, ds[0].Row, ds[0].Pos = c.Name, ir.Row(r), c.Debug.Pos(ir.Row(r))
			return nil, ds
		}
		if f.Checked() && c.Op[r] == ir.OpTrace {
			ds := wireError("VW013", "encode the program it was made from", "row %d is a check that memcheck put there", r)
			ds[0].Kernel, ds[0].Row, ds[0].Pos = c.Name, ir.Row(r), c.Debug.Pos(ir.Row(r))
			return nil, ds
		}
	}
	side, err := sideTables(c)
	if err != nil {
		return nil, err
	}

	n := columns.Count(c)
	var table []section
	for id := uint32(columns.Head); id <= columns.Last; id++ {
		table = append(table, section{id: id, length: n.Size(id)})
	}
	extra := map[uint32][]byte{columns.Records: columns.AppendRecords(nil, c), columns.Tables: columns.AppendTables(nil, c)}
	for _, id := range []uint32{columns.Records, columns.Tables} {
		if n := len(extra[id]); n > 0 {
			table = append(table, section{id: id, length: n})
		}
	}
	for _, s := range side {
		table = append(table, section{id: s.id, flags: sectionSkippable, length: len(s.bytes)})
	}
	end := headerBytes + len(table)*entryBytes
	for i := range table {
		table[i].offset = alignUp(end)
		end = table[i].offset + table[i].length
	}

	le := binary.LittleEndian
	b := make([]byte, 0, end)
	b = append(b, wireMagic...)
	b = le.AppendUint16(b, wireVersion)
	b = le.AppendUint16(b, 0)
	b = le.AppendUint32(b, uint32(len(table)))
	b = le.AppendUint64(b, uint64(end))
	b = append(b, digest[:]...)
	b = le.AppendUint64(b, 0)
	for _, s := range table {
		b = le.AppendUint32(b, s.id)
		b = le.AppendUint32(b, s.flags)
		b = le.AppendUint64(b, uint64(s.offset))
		b = le.AppendUint64(b, uint64(s.length))
	}
	for i, s := range table {
		b = append(b, make([]byte, s.offset-len(b))...)
		switch {
		case s.id <= columns.Last:
			b = columns.Append(b, c, s.id)
		case s.id <= columns.Tables:
			b = append(b, extra[s.id]...)
		default:
			b = append(b, side[i+len(side)-len(table)].bytes...)
		}
	}
	if len(b) != end {
		panic(fmt.Sprintf("BUG: wire form of %s has %d bytes, planned %d", c.Name, len(b), end))
	}
	return b, nil
}

// section is an entry of the section table.
type section struct {
	id, flags      uint32
	offset, length int
}
