package interp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/ir"
)

// ReportKind says what a detector found.
type ReportKind uint8

// The findings. Only a Race makes a program wrong; accesses out of bounds are defined,
// undefined reads give some value, and a BenignRace gives the value that all wrote and would write in any order.
const (
	OutOfBounds ReportKind = iota + 1
	UndefinedRead
	BenignRace
	Race
)

func (k ReportKind) String() string {
	names := [...]string{"?", "out of bounds", "undefined read", "benign race", "race"}
	if int(k) < len(names) {
		return names[k]
	}
	return names[0]
}

// Place is one occurrence of a finding.
type Place struct {
	Index int64  // element, as the program computed it; may be negative
	Path  string // what the source calls it
	By    launch.Invocation
	Other launch.Invocation // of a race: who made the earlier access
}

// maxPlaces is how many occurrences a report shows.
const maxPlaces = 5

// Report is a finding about a row, or about two rows that race, with the first few
// places where it occurred.
type Report struct {
	Kind     ReportKind
	Kernel   string
	Row      ir.Row
	Pos      ir.Pos
	Object   string
	Len      uint64  // elements of the object, or what else the first index is out of bounds of
	Count    uint64  // occurrences in all
	Places   []Place // at least one, at most five
	OtherRow ir.Row  // of a race: the earlier access
	OtherPos ir.Pos
	access   string // "load", "atomic_add" …
	other    string
}

// Index returns the element of the first occurrence.
func (r *Report) Index() int64 { return r.Places[0].Index }

// Access says what the first occurrence did, and where: "load x[64]".
func (r *Report) Access() string { return r.access + " " + r.Places[0].Path }

// By returns the invocation of the first occurrence.
func (r *Report) By() launch.Invocation { return r.Places[0].By }

// String returns the finding on one line, the source position first.
func (r Report) String() string {
	var b strings.Builder
	first := r.Places[0]
	fmt.Fprintf(&b, "%s: kernel %s: ", place(r.Pos, r.Row), r.Kernel)
	switch r.Kind {
	case OutOfBounds:
		fmt.Fprintf(&b, "%s of %s out of bounds, length %d, by %s", r.access, first.Path, r.Len, first.By)
	case UndefinedRead:
		fmt.Fprintf(&b, "%s of %s, which nothing wrote, by %s", r.access, first.Path, first.By)
	default:
		fmt.Fprintf(&b, "%s on %s: %s by %s and %s at %s by %s", r.Kind, first.Path,
			r.access, first.By, r.other, place(r.OtherPos, r.OtherRow), first.Other)
	}
	if r.Count > 1 {
		fmt.Fprintf(&b, "; %d times", r.Count)
	}
	return b.String()
}

// place is the source position of a row, or its number.
func place(pos ir.Pos, r ir.Row) string {
	if s := pos.Where(); s != "" {
		return s
	}
	return fmt.Sprintf("row %d", r)
}

type reportKey struct {
	kind       ReportKind
	row, other ir.Row
}

// reports collects findings, one report a key.
type reports struct {
	k    *Kernel
	byID map[reportKey]*Report
}

// add counts an occurrence. It is called by one goroutine: detectors run on one worker.
func (rs *reports) add(kind ReportKind, in *instr, other ir.Row, n uint64, at Place) {
	key := reportKey{kind, in.row, other}
	r := rs.byID[key]
	if r == nil {
		p := rs.k.p
		r = &Report{Kind: kind, Kernel: p.Name(), Row: in.row, Pos: p.Pos(in.row), Len: n,
			Object: rs.k.objs[in.x].Name(), access: in.op.String(), OtherRow: other}
		if other != ir.NoRow {
			r.OtherPos, r.other = p.Pos(other), p.Op(other).String()
		}
		if rs.byID == nil {
			rs.byID = map[reportKey]*Report{}
		}
		rs.byID[key] = r
	}
	r.Count++
	if len(r.Places) < maxPlaces {
		if at.Path == "" {
			at.Path = rs.k.objs[in.x].Path(at.Index)
		}
		r.Places = append(r.Places, at)
	}
}

// sorted returns the reports in order of rows and forgets them.
func (rs *reports) sorted() []Report {
	order := slices.SortedFunc(maps.Values(rs.byID), func(a, b *Report) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.OtherRow, b.OtherRow))
	})
	rs.byID = nil
	var list []Report
	for _, r := range order {
		list = append(list, *r)
	}
	return list
}
