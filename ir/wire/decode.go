package wire

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/columns"
	"github.com/govyre/vyre/ir/internal/limits"
	"github.com/govyre/vyre/ir/verify"
)

// Decode reads a program in wire form. Nothing is believed: sizes are checked before
// memory is taken for them, then structure, digest, canonical form and everything else
// that sealing checks. Side tables that make no sense, and sections that only a newer
// version knows, are dropped; the notes say which. The program keeps no part of b.
func Decode(b []byte) (p *ir.Program, notes ir.Diags, err error) {
	sections, ds := readFrame(b)
	if ds != nil {
		return nil, nil, ds
	}
	c, ds := readColumns(sections)
	if ds != nil {
		return nil, nil, ds
	}
	if ds := checkWireRows(c); ds != nil {
		return nil, nil, ds
	}
	notes = readSideTables(c, sections)
	p, err = verify.Canonical(c, [32]byte(b[24:56]))
	return p, notes, err
}

// readSideTables reads what may be left out of a program. A table that is not in its one
// spelling is dropped as a whole.
func readSideTables(c *ir.Code, sections map[uint32][]byte) (notes ir.Diags) {
	for _, t := range []struct {
		id   uint32
		read func(*ir.Code, []byte) error
	}{{secNames, readNames}, {secPositions, readPositions}, {secMessages, readMessages}} {
		if s, ok := sections[t.id]; ok {
			if err := t.read(c, s); err != nil {
				notes = append(notes, dropped("VW012", "section %s dropped: %v", sectionName(t.id), err))
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(sections)) {
		if _, known := sectionNames[id]; !known {
			notes = append(notes, dropped("VW009", "section %s dropped: not known to this version", sectionName(id)))
		}
	}
	return notes
}

func dropped(code, format string, args ...any) ir.Diag {
	d := wireError(code, "", format, args...)[0]
	d.Severity = ir.Warning
	return d
}

// readFrame checks header and section table and cuts b into sections.
func readFrame(b []byte) (map[uint32][]byte, ir.Diags) {
	le := binary.LittleEndian
	switch {
	case len(b) < headerBytes:
		return nil, wireError("VW001", "", "%d bytes, too short for the header of %d", len(b), headerBytes)
	case string(b[:8]) != wireMagic:
		return nil, wireError("VW002", "", "starts with % x, not with % x", b[:8], wireMagic)
	case le.Uint16(b[8:]) != wireVersion:
		return nil, wireError("VW003", "read it with the version that wrote it, or a newer one", "version %d, but this reads version %d", le.Uint16(b[8:]), wireVersion)
	case le.Uint16(b[10:]) != 0 || le.Uint64(b[56:]) != 0:
		return nil, wireError("VW004", "", "reserved header bits are set: flags %#x, tail %#x", le.Uint16(b[10:]), le.Uint64(b[56:]))
	case le.Uint64(b[16:]) != uint64(len(b)):
		return nil, wireError("VW005", "", "%d bytes, but the header says %d", len(b), le.Uint64(b[16:]))
	case len(b) > limits.Wire:
		return nil, wireError("VW007", "", "%d bytes, at most %d", len(b), limits.Wire)
	}
	n := uint64(le.Uint32(b[12:]))
	if n > limits.Sections {
		return nil, wireError("VW007", "", "%d sections, at most %d", n, limits.Sections)
	}
	if n*entryBytes > uint64(len(b)-headerBytes) {
		return nil, wireError("VW001", "", "%d bytes, too short for a table of %d sections", len(b), n)
	}
	sections := make(map[uint32][]byte, 18)
	end, last, side := headerBytes+int(n)*entryBytes, uint32(0), uint64(0)
	for i := range int(n) {
		e := b[headerBytes+i*entryBytes:]
		id, flags, offset, length := le.Uint32(e), le.Uint32(e[4:]), le.Uint64(e[8:]), le.Uint64(e[16:])
		bad := func(format string, args ...any) (map[uint32][]byte, ir.Diags) {
			ds := wireError("VW006", "", format, args...)
			ds[0].Msg = "wire form: section " + sectionName(id) + ": " + ds[0].Msg[len("wire form: "):]
			return nil, ds
		}
		skippable := flags&sectionSkippable != 0
		_, known := sectionNames[id]
		switch {
		case id <= last:
			return bad("stands after section %s", sectionName(last))
		case flags&^sectionSkippable != 0:
			return bad("reserved flags %#x", flags)
		case !known && !skippable:
			return nil, wireError("VW009", "read it with the version that wrote it", "section %s is required, but not known", sectionName(id))
		case known && skippable != (id > columns.Tables):
			return bad("the flag that it may be skipped is wrong")
		case offset != uint64(alignUp(end)):
			return bad("at byte %d, but the section before ends at %d and the next multiple of %d is %d", offset, end, sectionAlign, alignUp(end))
		case offset > uint64(len(b)) || length > uint64(len(b))-offset:
			return bad("bytes %d to %d of %d", offset, offset+length, len(b))
		}
		for _, c := range b[end:offset] {
			if c != 0 {
				return bad("bytes %d to %d in front of it are not all zero", end, offset)
			}
		}
		if id > columns.Tables {
			if side += length; side > limits.Side {
				return nil, wireError("VW007", "", "side tables of %d bytes, at most %d", side, limits.Side)
			}
		}
		end, last = int(offset+length), id
		sections[id] = b[offset:end:end]
	}
	if end != len(b) {
		return nil, wireError("VW006", "", "%d bytes after the last section", len(b)-end)
	}
	for id := uint32(columns.Head); id <= columns.Last; id++ {
		if _, ok := sections[id]; !ok {
			return nil, wireError("VW006", "", "section %s is missing", sectionName(id))
		}
	}
	return sections, nil
}

// readColumns reads the required sections, after checking every size.
func readColumns(sections map[uint32][]byte) (*ir.Code, ir.Diags) {
	le := binary.LittleEndian
	head := sections[columns.Head]
	if len(head) != columns.HeadBytes {
		return nil, wireError("VW008", "", "section head has %d bytes, not %d", len(head), columns.HeadBytes)
	}
	n := columns.ReadCounts(head)
	if what, has, most := n.Exceeded(); what != "" {
		return nil, wireError("VW007", "", "%s: %d, at most %d", what, has, most)
	}
	for id := uint32(columns.Head); id <= columns.Last; id++ {
		if has, want := len(sections[id]), n.Size(id); has != want {
			return nil, wireError("VW008", "", "section %s has %d bytes, but its entries take %d", sectionName(id), has, want)
		}
	}

	c := &ir.Code{Workgroup: [3]uint32{le.Uint32(head), le.Uint32(head[4:]), le.Uint32(head[8:])}}
	var ds ir.Diags
	var kinds []byte
	if c.Params, kinds, ds = readParams(sections[columns.Params]); ds != nil {
		return nil, ds
	}
	records, present := sections[columns.Records]
	if ds := readRecords(c.Params, kinds, records, present); ds != nil {
		return nil, ds
	}
	if c.Arrays, ds = readArrays(sections[columns.Arrays]); ds != nil {
		return nil, ds
	}
	tables, present := sections[columns.Tables]
	if ds := readTables(c.Arrays, sections[columns.Arrays], tables, present); ds != nil {
		return nil, ds
	}
	ops := sections[columns.Op]
	c.Op = make([]ir.Op, n.Rows)
	for i := range c.Op {
		c.Op[i] = ir.Op(le.Uint16(ops[2*i:]))
	}
	c.Type = make([]ir.Type, n.Rows)
	for i, t := range sections[columns.Type] {
		c.Type[i] = ir.Type(t)
	}
	c.Flags = readWords[ir.Flags](sections[columns.Flags])
	c.Region = readWords[uint32](sections[columns.Region])
	c.A = readWords[ir.Row](sections[columns.A])
	c.B = readWords[ir.Row](sections[columns.B])
	c.C = readWords[ir.Row](sections[columns.C])
	c.X = readWords[uint32](sections[columns.X])
	c.Args = readWords[uint32](sections[columns.Args])
	c.Extra = readWords[uint32](sections[columns.Extra])
	c.Pool = make([]uint64, n.Pool)
	for i := range c.Pool {
		c.Pool[i] = le.Uint64(sections[columns.Pool][8*i:])
	}
	words := readWords[ir.Row](sections[columns.Last])
	c.Regions = make([]ir.Region, n.Regions)
	for i := range c.Regions {
		c.Regions[i] = ir.Region{Op: words[3*i], First: words[3*i+1], End: words[3*i+2]}
	}
	return c, nil
}

func readParams(b []byte) (params []ir.Param, kinds []byte, ds ir.Diags) {
	params = make([]ir.Param, len(b)/columns.ParamBytes)
	for i := range params {
		e := b[i*columns.ParamBytes:]
		q := ir.Param{Type: ir.Type(e[1]), Access: ir.Access(e[2]), Align: e[3], MaxLen: binary.LittleEndian.Uint64(e[8:])}
		ok := (q.Type.Valid() && !q.Type.IsVector()) != (e[0] == columns.KindRecord) && binary.LittleEndian.Uint32(e[4:]) == 0
		kinds = append(kinds, e[0])
		switch e[0] {
		case columns.KindRecord:
			ok = ok && q.Type == ir.None && q.Access >= ir.RO && q.Access <= ir.RW && q.Align < 64
		case columns.KindBuffer:
			ok = ok && q.Access >= ir.RO && q.Access <= ir.RW && q.Align < 64
		case columns.KindScalar:
			ok = ok && q.Access == 0 && q.Align == 0 && q.MaxLen == 0
		default:
			ok = false
		}
		if !ok {
			return nil, nil, wireError("VW004", "", "parameter %d is % x: unknown kind, type or access, or reserved bits", i, e[:columns.ParamBytes])
		}
		params[i] = q
	}
	return params, kinds, nil
}

func readArrays(b []byte) ([]ir.Array, ir.Diags) {
	arrays := make([]ir.Array, len(b)/columns.ParamBytes)
	for i := range arrays {
		e := b[i*columns.ParamBytes:]
		a := ir.Array{Type: ir.Type(e[1]), Shared: e[0] == columns.KindShared, Len: binary.LittleEndian.Uint64(e[8:])}
		ok := (e[0] == columns.KindShared || e[0] == columns.KindLocal || e[0] == columns.KindTable) && a.Type.Valid() && !a.Type.IsVector() &&
			e[2] == 0 && e[3] == 0 && binary.LittleEndian.Uint32(e[4:]) == 0
		if !ok {
			return nil, wireError("VW004", "", "array %d is % x: unknown kind or type, or reserved bits", i, e[:columns.ParamBytes])
		}
		arrays[i] = a
	}
	return arrays, nil
}

// checkWireRows refuses what the columns may hold elsewhere, but not in wire form.
func checkWireRows(c *ir.Code) ir.Diags {
	for r, op := range c.Op {
		if op.Info() == nil {
			ds := wireError("VW011", "read it with the version that wrote it", "row %d has the unknown opcode %#x: written by a newer version", r, uint16(op))
			ds[0].Row = ir.Row(r)
			return ds
		}
		if c.Flags[r].InBounds() {
			ds := wireError("VW013", "encode the program it was optimised from", "row %d is flagged in bounds", r)
			ds[0].Row = ir.Row(r)
			return ds
		}
		if c.Flags[r].Checked() && op == ir.OpTrace {
			ds := wireError("VW013", "encode the program it was made from", "row %d is a check that memcheck put there", r)
			ds[0].Row = ir.Row(r)
			return ds
		}
	}
	return nil
}
