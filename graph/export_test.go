package graph

import (
	"encoding/binary"
	"maps"
	"slices"
)

// Check looks for a broken invariant.
func (g *CSR) Check() error { return g.check(unending()) }

// VYG is a file of any content with right checksums.
type VYG struct {
	Flags        uint32
	Nodes, Arcs  uint64
	Width, Kinds uint8
	Digest       [32]byte
	Sections     map[uint32][]byte
	Lengths      map[uint32]uint64 // of sections that are not written
}

// Bytes is the file.
func (v VYG) Bytes() []byte {
	h := head{flags: v.Flags, nodes: v.Nodes, arcs: v.Arcs, width: max(v.Width, 4), kinds: v.Kinds, digest: v.Digest}
	var table []section
	at := uint64(sectionLine)
	for _, kind := range slices.Sorted(maps.Keys(v.Sections)) {
		b := v.Sections[kind]
		table = append(table, section{kind, 1, at, uint64(len(b)), sectionSum(unending(), b, false)})
		at += (uint64(len(b)) + sectionLine - 1) / sectionLine * sectionLine
	}
	for kind, length := range v.Lengths {
		table = append(table, section{kind, 1, at, length, [16]byte{}})
	}
	h.sections = uint32(len(table))
	b := h.header(table)
	for _, s := range table {
		if content, there := v.Sections[s.kind]; there {
			b = append(append(b, make([]byte, s.offset-uint64(len(b)))...), content...)
		}
	}
	return b
}

// Bytes32 and Bytes64 are words as files have them.
func Bytes32(words ...uint32) []byte { return bytesOf(words) }

func Bytes64(words ...uint64) []byte { return bytesOf(words) }

// Resummed is a file with the checksums that it should have, so that random changes get further than these.
func Resummed(b []byte) []byte {
	b = slices.Clone(b)
	_, table, _ := readHead("", b)
	for i, s := range table {
		if s.offset <= uint64(len(b)) && s.length <= uint64(len(b))-s.offset {
			sum := sectionSum(unending(), b[s.offset:s.offset+s.length], false)
			copy(b[headBytes+entryBytes*i+24:], sum[:])
		}
	}
	if end := headBytes + entryBytes*uint64(binary.LittleEndian.Uint32(append(slices.Clone(b), make([]byte, 40)...)[36:])); end <= uint64(len(b)) {
		sum := headSum(b[:end])
		copy(b[sumAt:], sum[:])
	}
	return b
}
