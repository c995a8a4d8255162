package graph

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/graph/internal/mix"
	"github.com/govyre/vyre/internal/guard"
)

// file is a .vyg file that a graph is in.
type file struct {
	name  string
	bytes []byte
	head  head
	table []section
	g     *CSR // the graph as it is in the file

	unpack once[[]uint32]
	masks  atomic.Pointer[[]uint32] // nil until they are unpacked

	wrong once[error] // with the file, nil if nothing is

	// What follows is of a file that is mapped: see mapped.go.
	mapping
	calls   atomic.Int64 // that read it; less than 0 once it is unmapped
	changed atomic.Pointer[ChangedError]
	mu      sync.Mutex
	holders map[string]int // how often each holds it
	seen    stamp          // when its bytes were what they are to be
}

// mapping is how the bytes of a file came into memory. The zero value is that they are the process's own.
type mapping struct {
	unmap func() error
	from  *os.File
}

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

// section returns a section's bytes, none if it is not there.
func (f *file) section(kind uint32) []byte {
	for _, s := range f.table {
		if s.kind == kind {
			return f.bytes[s.offset : s.offset+s.length : s.offset+s.length]
		}
	}
	return nil
}

// length is how many bytes a section has, none if it is not there.
func (f *file) length(kind uint32) uint64 {
	for _, s := range f.table {
		if s.kind == kind {
			return s.length
		}
	}
	return 0
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

func (f *file) bad(at int64, got, want string) error {
	return &ParseError{File: f.name, Offset: at, Got: got, Want: want}
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

// unpacked returns the masks of kinds that are an index, made when they are first asked for; nil if there are no kinds.
// Indices outside of the table, which Verify finds, give 0.
func (f *file) unpacked() []uint32 {
	if f.head.kinds != 1 {
		return nil
	}
	if masks := f.masks.Load(); masks != nil {
		return *masks
	}
	masks, _ := f.unpacking(unending())
	return masks
}

// unpacking is unpacked until the context ends, with its error then.
func (f *file) unpacking(p *polls) ([]uint32, error) {
	return f.unpack.get(p.ctx, func() ([]uint32, error) {
		var table [256]uint32
		copy(table[:], wordsOf[uint32](f.section(kindTableSection)))
		index := f.section(kindsSection)
		masks := make([]uint32, len(index))
		for from, to := range p.pieces(0, uint64(len(index))) {
			for i, k := range index[from:to] {
				masks[int(from)+i] = table[k]
			}
		}
		if p.end {
			return nil, p.err()
		}
		f.masks.Store(&masks)
		return masks, nil
	})
}

// states reports whether the file's digest is that of g.
func (f *file) states(g *CSR) bool { return f.g == g }

// Verify looks at all of a graph that Open mapped: the checksums of its sections, that rows ascend and targets are nodes, what
// its header says, and its digest. It does so once, and each time looks whether the file was written since. Graphs that were
// built hold all that already. What a context ends is done anew by the next call.
//
// Errors: that of the context; *ParseError, with the section, the row or the arc; a graph that is nil; one that Close gave back,
// of kind driver.Closed; *ChangedError.
func (g *CSR) Verify(ctx context.Context) error {
	if g == nil {
		return errors.New("graph: the graph is nil; look at the error of what was to load it")
	}
	const work = "verification"
	if err := errOf(ctx, work); err != nil {
		return err
	}
	return g.Read(func() error {
		if g.file == nil {
			return nil
		}
		wrong, err := g.file.wrong.get(ctx, func() (error, error) {
			p := &polls{ctx: ctx}
			wrong := g.file.check(p)
			return wrong, p.err()
		})
		if err != nil {
			return errOf(ctx, work)
		}
		return wrong
	})
}

// check looks for what is wrong until the context ends; then what it returns says nothing.
func (f *file) check(p *polls) error {
	for _, s := range f.table {
		if sum := sectionSum(p, f.bytes[s.offset:s.offset+s.length], f.unmap != nil); p.end {
			return p.err()
		} else if sum != s.sum {
			return f.bad(int64(s.offset), s.String(), "checksum differs")
		}
	}
	if err := f.checkKinds(p); err != nil {
		return err
	}
	g := f.g
	if err := g.check(p); err != nil {
		return f.bad(0, err.Error(), "")
	}
	for what, s := range map[string]Strings{"names": g.data.Names, "positions": g.data.Positions} {
		if err := s.check(p); err != nil {
			return f.bad(0, what, err.Error())
		}
	}
	if err := f.checkFlags(p); err != nil {
		return err
	}
	if d := digestOf(p, g); d != f.head.digest {
		return f.bad(40, fmt.Sprintf("digest %x…", f.head.digest[:8]), fmt.Sprintf("that of what is in the file is %x…", d[:8]))
	}
	return nil
}

// checkKinds looks whether kinds that are an index are in the table, and unpacks them.
func (f *file) checkKinds(p *polls) error {
	if f.head.kinds != 1 {
		return nil
	}
	table, kinds := uint64(len(f.section(kindTableSection))/4), f.section(kindsSection)
	for from, to := range p.pieces(0, uint64(len(kinds))) {
		for i, k := range kinds[from:to] {
			if uint64(k) >= table {
				return f.bad(0, fmt.Sprintf("arc %d: kind %d", from+uint64(i), k), fmt.Sprintf("the table has %d", table))
			}
		}
	}
	if p.end {
		return p.err()
	}
	_, err := f.unpacking(p)
	return err
}

// checkFlags looks whether the arcs are as the header says. That they are symmetric is told by two sums over the arcs each
// way round, in any order: going after each arc's way back takes ten times as long, and what differs by accident differs in
// the sums.
func (f *file) checkFlags(p *polls) error {
	g := f.g
	holds := uint32(flagSymmetric | flagSorted | flagSimple | flagNoSelf)
	var ahead, back [2]uint64
	masks := g.kinds()
	for u := range g.Nodes() {
		first, last := g.rows.row(uint32(u))
		for from, to := range p.pieces(first, last) {
			for i := from; i < to; i++ {
				v := g.targets[i]
				if v == uint32(u) {
					holds &^= flagNoSelf
				}
				if i > first && g.targets[i-1] == v {
					holds &^= flagSimple
				}
				if f.head.flags&flagSymmetric == 0 {
					continue
				}
				with := mix.Golden * uint64(orOne(masks, int(i)))
				a, b := mix.Mix64((uint64(u)<<32|uint64(v))+with), mix.Mix64((uint64(v)<<32|uint64(u))+with)
				ahead[0], ahead[1] = ahead[0]+a, ahead[1]+a*a
				back[0], back[1] = back[0]+b, back[1]+b*b
			}
		}
		if p.end {
			return p.err()
		}
	}
	if ahead != back {
		holds &^= flagSymmetric
	}
	if wrong := f.head.flags & (flagSymmetric | flagSorted | flagSimple | flagNoSelf) &^ holds; wrong != 0 {
		return f.bad(12, fmt.Sprintf("flags %#x", f.head.flags), fmt.Sprintf("of these %#x do not hold", wrong))
	}
	return nil
}

// Close gives the file of a graph back; the graph, and all that shares its arrays, must not be used again. Closing again does
// nothing. A graph that is in memory has no file, and stays.
//
// Errors: of kind driver.Busy, if sessions of the graph are open, calls go over its arcs, or Hold keeps it; it stays open then.
func (g *CSR) Close() error {
	if g == nil {
		return nil
	}
	if f := g.mapped(); f != nil {
		return f.close()
	}
	return nil
}

// readFile is Open's way where files cannot be mapped.
func readFile(name string) ([]byte, mapping, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, mapping{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, mapping{}, err
	}
	if info.Size() > math.MaxInt-8 {
		return nil, mapping{}, fmt.Errorf("graph: %s has %d bytes, more than there are addresses", name, info.Size())
	}
	// Words of 64 bits, so that sections are aligned.
	b := bytesOf(make([]uint64, (info.Size()+7)/8))[:info.Size()]
	_, err = io.ReadFull(f, b)
	return b, mapping{}, err
}
