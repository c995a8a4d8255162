package graph

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel/plan"
)

// TurnBytes is what comes to the device before the queries of a submission.
const TurnBytes = turnBytes

// HostSearch is what a search takes on this host at most, in nanoseconds.
func HostSearch(nodes, arcs int) (float64, bool) { return measuredHost().search(nodes, arcs) }

// SetNarrow says of how many arcs graphs that are made from now on have offsets of 32 bits, and returns what has been said before.
func SetNarrow(arcs uint64) (before uint64) {
	before, narrowArcs = narrowArcs, arcs
	return before
}

// Check looks for a broken invariant.
func (g *CSR) Check() error { return g.check(unending()) }

// SetBlocks says with how many blocks searches run.
func (o *SessionOptions) SetBlocks(n uint32) { o.blocks = n }

// Wide reports what the shape of a graph says.
func (g *CSR) Wide() bool { return g.wide() }

// OnRun calls f after each submission.
func (s *Session) OnRun(f func(driver.Result)) {
	s.ran = f
	for _, o := range s.sets.others {
		o.ran = f
	}
}

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

// SetPartArcs says how many arcs a part has at most, so that graphs are in parts that would fit as they are.
func (o *SessionOptions) SetPartArcs(n uint64) { o.partArcs = n }

// PartLanes is how many queries a graph in parts is searched for together.
func (s *Session) PartLanes() int { return s.parts.laidOut.lanes }

// Memory is what searches were planned to take, and to save against runs that keep nothing.
func (s *Session) Memory() plan.Session { return s.memory }
