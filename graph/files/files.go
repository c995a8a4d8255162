package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
)

// Formats are those that Options.Format and Save take.
func Formats() []Format {
	return []Format{Edges, WEdges, Named, Matrix, GAP, WGAP, DIMACS, Vyre, Dot, JSON, CSV}
}

// Open reads a file. A .vyg file that is not compressed is mapped, and not verified
// yet; all else is in memory.
//
// Errors: *graph.ParseError, or several of them joined; ctx's.
func Open(ctx context.Context, name string, o Options) (*graph.CSR, Report, error) {
	if ctx == nil {
		return nil, Report{}, driver.MayStart(ctx, "read", name, "")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, Report{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, Report{}, err
	}
	if plain(f) && (o.Format == Auto || o.Format == Vyre) && o.Scale <= 1 && o.Build == (graph.BuildOptions{}) && info.Mode().IsRegular() {
		g, err := graph.Open(name)
		return g, Report{Format: Vyre, Bytes: info.Size()}, err
	}
	r := reader{ctx: ctx, name: name, o: o.settled()}
	if info.Mode().IsRegular() {
		r.total, r.file = info.Size(), f
	}
	return r.read(f)
}

// plain reports whether a file starts as a .vyg file does.
func plain(f *os.File) bool {
	var b [8]byte
	n, _ := f.ReadAt(b[:], 0)
	return string(b[:n]) == vygMagic
}

const vygMagic = "VYREGRF1"

// Read reads a graph from r; its name is for errors, and says what r holds where its bytes do not.
func Read(ctx context.Context, r io.Reader, name string, o Options) (*graph.CSR, Report, error) {
	if ctx == nil {
		return nil, Report{}, driver.MayStart(ctx, "read", name, "")
	}
	in := reader{ctx: ctx, name: name, o: o.settled()}
	return in.read(r)
}

// read tells the format, and has the file read.
func (r *reader) read(src io.Reader) (*graph.CSR, Report, error) {
	in, err := r.open(src)
	if err != nil {
		return nil, Report{}, err
	}
	r.in = in
	format := r.o.Format
	if format == Auto {
		if format, err = recognise(r.name, in.peek(), r.o.IDs); err != nil {
			return nil, Report{}, &graph.ParseError{File: r.name, Got: err.Error()}
		}
	}
	if r.o.Scale > 1 && (format == GAP || format == WGAP || format == Vyre) {
		return nil, Report{}, &graph.ParseError{File: r.name, Got: fmt.Sprintf("a scale of %d for %s, whose weights are whole", r.o.Scale, format), Want: "no scale"}
	}
	var p parsed
	switch format {
	case Edges, WEdges, Matrix, DIMACS:
		p, err = r.lines(format)
	case Named:
		p, err = r.namedList()
	case GAP, WGAP:
		p, err = gapReader{r}.parse(format == WGAP)
	case Vyre:
		return r.vyg()
	case CSV:
		return nil, Report{}, fmt.Errorf("%s: csv is written, and not read; --format el reads a list of numbers with commas between, wel one with weights", r.name)
	default:
		return nil, Report{}, fmt.Errorf("%s: %s is written, and not read; there are %s", r.name, format, readable)
	}
	if err != nil || r.arcsOnly {
		return nil, Report{}, err
	}
	return r.build(format, p)
}

// recognise tells the format by content, then by name. A list of arcs is one of names if its first lines are, unless the caller says
// what its numbers are.
func recognise(name string, first []byte, ids IDs) (Format, error) {
	list := func() Format {
		if ids == AutoIDs && hasNames(first) {
			return Named
		}
		return Edges
	}
	text := strings.TrimLeft(string(first), " \t\r\n")
	switch {
	case strings.HasPrefix(string(first), vygMagic):
		return Vyre, nil
	case strings.HasPrefix(text, "%%MatrixMarket"):
		return Matrix, nil
	case strings.HasPrefix(text, "p sp "), strings.HasPrefix(text, "c ") && strings.Contains(text, "\np sp "):
		return DIMACS, nil
	}
	switch f := FormatOf(name); f {
	case Auto:
	case Edges:
		return list(), nil
	default:
		return f, nil
	}
	if near, known := refused[extension(name)]; known {
		return Auto, errors.New(near)
	}
	if len(text) == 0 || strings.ContainsRune("#%0123456789", rune(text[0])) {
		return list(), nil
	}
	return Auto, fmt.Errorf("neither its first bytes nor its name say what it is; --format does: %s", readable)
}

// FormatOf is the format that a name says, Auto if it says none.
func FormatOf(name string) Format {
	switch ext := extension(name); ext {
	case "txt", "tsv":
		return Edges
	default:
		if f := Format(ext); slices.Contains(Formats(), f) {
			return f
		}
	}
	return Auto
}

// extension is what a name ends in, beside how it is compressed.
func extension(name string) string {
	base := strings.ToLower(filepath.Base(name))
	for _, packed := range []string{".gz", ".bz2", ".zst"} {
		base = strings.TrimSuffix(base, packed)
	}
	return strings.TrimPrefix(filepath.Ext(base), ".")
}

// refused are formats that are not read, by extension, with the nearest that is.
var refused = map[string]string{
	"graph":   "METIS graphs are not read; write it as a list of arcs (.el), a pair of numbers a line",
	"metis":   "METIS graphs are not read; write it as a list of arcs (.el), a pair of numbers a line",
	"graphml": "GraphML is not read; write it as a list of arcs (.el), a pair of numbers a line",
	"gml":     "GML is not read; write it as a list of arcs (.el), a pair of numbers a line",
	"gexf":    "GEXF is not read; write it as a list of arcs (.el), a pair of numbers a line",
	"net":     "Pajek networks are not read; write it as a list of arcs (.el), a pair of numbers a line",
	"mat":     "MATLAB files are not read; write the matrix as Matrix Market (.mtx)",
	"rb":      "Rutherford-Boeing files are not read; the collections that have them have Matrix Market (.mtx), too",
	"hb":      "Harwell-Boeing files are not read; the collections that have them have Matrix Market (.mtx), too",
	"col":     "DIMACS colouring files are not read; those for shortest paths are (.gr)",
}

// readable are the formats that are read, for people.
const readable = "el, wel, nel, mtx, sg, wsg, gr, vyg"

// Names are the formats that are written, for people.
func Names() string {
	var words []string
	for _, f := range Formats() {
		words = append(words, string(f))
	}
	return strings.Join(words, ", ")
}
