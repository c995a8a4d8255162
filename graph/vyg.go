package graph

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"lukechampine.com/blake3"
)

// A .vyg file: a header of 128 bytes, a table of sections, and the sections, each from a multiple of 4096 on, so that the
// arrays of a mapped file are aligned. All numbers are little endian.
//
//	0    magic "VYREGRF1"          16  nodes              36  sections
//	8    version                   24  arcs               40  digest of the graph, 32 bytes
//	12   flags                     32  width of offsets   112 checksum, 16 bytes: BLAKE3 of bytes 0 to 111 and of the table
//	                               33  width of kinds
//
// An entry of the table is type, width of an element, offset, length, and 16 bytes of BLAKE3 of the section. A reader skips
// sections that it does not know, unless their type has bit 31.
const (
	magic       = "VYREGRF1"
	version     = 1
	headBytes   = 128
	entryBytes  = 40
	sumAt       = 112
	sectionLine = 4096
	mostEntries = 1024
	mostText    = 16 << 20 // bytes of attributes, provenance and names of kinds
	mustKnow    = 1 << 31
)

const (
	offsetsSection = 1 + iota
	targetsSection
	kindsSection
	kindTableSection
	nodeKindsSection
	tagsSection
	_ // reverse offsets
	_ // sources
	_ // their kinds
	weightsSection
	nameEndsSection
	nameBytesSection
	positionEndsSection
	positionBytesSection
	attributesSection
	provenanceSection
	kindNamesSection
	proceduresSection
	sitesSection
	sectionTypes
)

var sectionNames = [sectionTypes]string{"", "offsets", "targets", "kinds", "kind table", "node kinds", "tags", "reverse offsets", "sources", "reverse kinds",
	"weights", "name ends", "name bytes", "position ends", "position bytes", "attributes", "provenance", "kind names", "procedures", "call sites"}

// head is the header.
type head struct {
	flags        uint32
	nodes, arcs  uint64
	width, kinds uint8 // bytes of an offset, of a kind; no kinds if 0
	sections     uint32
	digest       [32]byte
}

// section is an entry of the table.
type section struct {
	kind, width    uint32
	offset, length uint64
	sum            [16]byte
}

func (s section) String() string {
	name := fmt.Sprintf("of type %d", s.kind)
	if s.kind < sectionTypes {
		name = sectionNames[s.kind]
	}
	return fmt.Sprintf("section %s at %d", name, s.offset)
}

// header is the header and the table.
func (h head) header(table []section) []byte {
	b := make([]byte, headBytes, headBytes+entryBytes*len(table))
	copy(b, magic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], h.flags)
	le.PutUint64(b[16:], h.nodes)
	le.PutUint64(b[24:], h.arcs)
	b[32], b[33] = h.width, h.kinds
	le.PutUint32(b[36:], uint32(len(table)))
	copy(b[40:], h.digest[:])
	for _, s := range table {
		b = le.AppendUint32(le.AppendUint32(b, s.kind), s.width)
		b = append(le.AppendUint64(le.AppendUint64(b, s.offset), s.length), s.sum[:]...)
	}
	sum := headSum(b)
	copy(b[sumAt:], sum[:])
	return b
}

// headSum hashes the header and the table but for the place of the sum itself.
func headSum(b []byte) (s [16]byte) {
	h := blake3.New(32, nil)
	h.Write(b[:sumAt])
	h.Write(b[headBytes:])
	full := sum(h)
	copy(s[:], full[:])
	return s
}

// sectionSum hashes a section. It is the beginning of the digest of its bytes.
func sectionSum(p *polls, b []byte, mapped bool) (s [16]byte) {
	full := hashed(p, b, mapped)
	copy(s[:], full[:])
	return s
}

// readHead reads the header and the table of a file.
func readHead(name string, b []byte) (h head, table []section, err error) {
	return readTable(name, b, uint64(len(b)))
}

// fixedHead reads what is in the first 128 bytes of a file.
func fixedHead(name string, b []byte) (h head, err error) {
	bad := func(at int, got, want string) (head, error) {
		return head{}, &ParseError{File: name, Offset: int64(at), Got: got, Want: want}
	}
	le := binary.LittleEndian
	switch {
	case len(b) < headBytes:
		return bad(len(b), fmt.Sprintf("the file has %d bytes", len(b)), fmt.Sprintf("the header alone has %d", headBytes))
	case string(b[:8]) != magic:
		return bad(0, fmt.Sprintf("it starts with %q", b[:8]), "a .vyg file starts with "+magic)
	case le.Uint32(b[8:]) != version:
		return bad(8, fmt.Sprintf("version %d", le.Uint32(b[8:])), fmt.Sprintf("version %d is read", version))
	}
	h = head{flags: le.Uint32(b[12:]), nodes: le.Uint64(b[16:]), arcs: le.Uint64(b[24:]), width: b[32], kinds: b[33], sections: le.Uint32(b[36:])}
	copy(h.digest[:], b[40:])
	if h.sections > mostEntries {
		return bad(36, fmt.Sprintf("%d sections promised", h.sections), fmt.Sprintf("a table has at most %d entries", mostEntries))
	}
	return h, nil
}

// readTable reads the header and the table, which b has, of a file of so many bytes.
func readTable(name string, b []byte, size uint64) (h head, table []section, err error) {
	bad := func(at int, got, want string) (head, []section, error) {
		return head{}, nil, &ParseError{File: name, Offset: int64(at), Got: got, Want: want}
	}
	if h, err = fixedHead(name, b); err != nil {
		return h, nil, err
	}
	le := binary.LittleEndian
	end := headBytes + entryBytes*uint64(h.sections)
	switch {
	case end > uint64(len(b)):
		return bad(36, fmt.Sprintf("%d sections promised", h.sections), fmt.Sprintf("the file has %d bytes", len(b)))
	case headSum(b[:end]) != [16]byte(b[sumAt:headBytes]):
		return bad(sumAt, "header", "checksum differs")
	case h.nodes > MaxNodes:
		return bad(16, fmt.Sprintf("%d nodes", h.nodes), fmt.Sprintf("at most %d have ids", uint64(MaxNodes)))
	case h.arcs > MaxArcs:
		return bad(24, fmt.Sprintf("%d arcs", h.arcs), fmt.Sprintf("at most %d", uint64(MaxArcs)))
	case h.width == 4 && h.arcs > math.MaxUint32:
		return bad(32, "offsets of 4 bytes", fmt.Sprintf("8 bytes each count %d arcs", h.arcs))
	case h.width != 4 && h.width != 8:
		return bad(32, fmt.Sprintf("offsets of %d bytes", h.width), "4 or 8")
	case h.kinds != 0 && h.kinds != 1 && h.kinds != 4:
		return bad(33, fmt.Sprintf("kinds of %d bytes", h.kinds), "0, 1 or 4")
	}
	for i := range h.sections {
		e := b[headBytes+entryBytes*i:]
		table = append(table, section{le.Uint32(e), le.Uint32(e[4:]), le.Uint64(e[8:]), le.Uint64(e[16:]), [16]byte(e[24:40])})
	}
	return h, table, checkTable(name, table, end, size)
}

// checkTable looks at where sections are, and at how long those are that have a length to have.
func checkTable(name string, table []section, from, size uint64) error {
	var seen []uint32
	for _, s := range table {
		bad := func(want string) error {
			return &ParseError{File: name, Offset: int64(min(s.offset, size)), Got: s.String(), Want: want}
		}
		switch {
		case s.kind >= sectionTypes && s.kind&mustKnow != 0:
			return bad("it is of no known type, and says that it must not be skipped")
		case s.offset%sectionLine != 0:
			return bad(fmt.Sprintf("sections start at multiples of %d", sectionLine))
		case s.offset < from:
			return bad("it overlaps what is before it")
		case s.offset > size || s.length > size-s.offset:
			return bad(fmt.Sprintf("%d bytes promised, the file has %d", s.length, size))
		case s.kind < sectionTypes && slices.Contains(seen, s.kind):
			return bad("it is there twice")
		}
		seen = append(seen, s.kind)
		from = s.offset + s.length
	}
	return nil
}

func textOf(b []byte, to any) error {
	if len(b) == 0 {
		return nil
	}
	if len(b) > mostText {
		return fmt.Errorf("%d bytes of text, at most %d are read", len(b), mostText)
	}
	return json.Unmarshal(b, to)
}
