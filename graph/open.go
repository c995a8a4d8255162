package graph

import (
	"errors"
	"fmt"

	"github.com/govyre/vyre/internal/guard"
)

// Open maps a .vyg file. Nothing is read but its header and its texts, so that this takes the same time for every size: what
// the arrays hold is looked at by Verify, which every call that goes over the arcs does first. The file must not be written in
// place while the graph is in use: calls that read it notice, and answer *ChangedError. Close gives it back. Where files cannot
// be mapped it is read.
//
// Errors: *ParseError, with what is wrong.
func Open(name string) (*CSR, error) {
	b, m, err := mapFile(name)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, bytes: b, mapping: m}
	if m.unmap == nil {
		return f.open()
	}
	var g *CSR
	if f.seen, err = stampOf(m.from); err == nil {
		if p := guard.Run(func() { g, err = f.open() }); p != nil {
			err = f.bad(0, "bytes that cannot be read", "the file was truncated while it was opened")
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return g, nil
}

// Decode is Open for a file in memory, which must not be written again. Its name is for errors.
func Decode(name string, b []byte) (*CSR, error) { return (&file{name: name, bytes: b}).open() }

func (f *file) open() (_ *CSR, err error) {
	if f.head, f.table, err = readHead(f.name, f.bytes); err != nil {
		return nil, err
	}
	if err := f.checkLengths(); err != nil {
		return nil, err
	}
	if f.g, err = f.graph(); err != nil {
		return nil, err
	}
	return f.g, nil
}

// checkLengths compares sections with the header.
func (f *file) checkLengths() error {
	n, m := f.head.nodes, f.head.arcs
	for _, c := range []struct {
		kind     uint32
		want     uint64
		optional bool
	}{
		{offsetsSection, uint64(f.head.width) * (n + 1), false}, {targetsSection, 4 * m, false}, {kindsSection, uint64(f.head.kinds) * m, false},
		{nodeKindsSection, 4 * n, true}, {tagsSection, 4 * n, true}, {weightsSection, 4 * m, true},
		{proceduresSection, 4 * n, true}, {sitesSection, 4 * m, true},
		{nameEndsSection, 8 * (n + 1), true}, {positionEndsSection, 8 * (n + 1), true},
	} {
		got := f.length(c.kind)
		if got != c.want && !(c.optional && got == 0) {
			return f.bad(16, fmt.Sprintf("section %s has %d bytes", sectionNames[c.kind], got), fmt.Sprintf("%d for %d nodes and %d arcs", c.want, n, m))
		}
	}
	if t := f.length(kindTableSection); t > 4*256 || t%4 != 0 || (t > 0) != (f.head.kinds == 1 && m > 0) {
		return f.bad(33, fmt.Sprintf("a kind table of %d bytes", t), "4 bytes for each of at most 256 masks, and none where kinds are no index")
	}
	return nil
}

// graph makes the graph of the sections.
func (f *file) graph() (*CSR, error) {
	g := &CSR{arrays: arrays{file: f, targets: wordsOf[uint32](f.section(targetsSection))}}
	if b := f.section(offsetsSection); f.head.width == 4 {
		g.rows.narrow = wordsOf[uint32](b)
	} else {
		wide := wordsOf[uint64](b)
		if last := wide[f.head.nodes]; last != f.head.arcs {
			return nil, f.bad(0, fmt.Sprintf("offset %d of row %d", last, f.head.nodes), fmt.Sprintf("%d, the number of arcs", f.head.arcs))
		}
		g.rows = offsets{wide: wide}.settled()
	}
	if f.head.kinds == 4 {
		g.masks = wordsOf[uint32](f.section(kindsSection))
	}
	g.data = Data{
		NodeKinds: wordsOf[uint32](f.section(nodeKindsSection)), Tags: wordsOf[uint32](f.section(tagsSection)), Weights: wordsOf[uint32](f.section(weightsSection)),
		Procedures: wordsOf[uint32](f.section(proceduresSection)), Sites: wordsOf[uint32](f.section(sitesSection)),
		Names:     Strings{wordsOf[uint64](f.section(nameEndsSection)), f.section(nameBytesSection)},
		Positions: Strings{wordsOf[uint64](f.section(positionEndsSection)), f.section(positionBytesSection)},
	}
	var names []string
	for _, t := range []struct {
		kind uint32
		to   any
	}{{attributesSection, &g.data.Attributes}, {provenanceSection, &g.data.Provenance}, {kindNamesSection, &names}} {
		if err := textOf(f.section(t.kind), t.to); err != nil {
			return nil, f.bad(0, "section "+sectionNames[t.kind], err.Error())
		}
	}
	if len(names) > 32 {
		return nil, f.bad(0, fmt.Sprintf("names of %d kinds", len(names)), "at most 32")
	}
	copy(g.data.KindNames[:], names)
	return g, nil
}
