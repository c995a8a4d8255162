package explain_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/explain"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// write returns the page of a program whose positions are in files.
func write(t testing.TB, p *ir.Program, files map[string]string) string {
	t.Helper()
	in := explain.Input{Program: p, Target: ptx.Target{SM: 90}}
	in.Read = func(name string) ([]byte, error) {
		if src, ok := files[name]; ok {
			return []byte(src), nil
		}
		return nil, errors.New("no file " + name)
	}
	return writeInput(t, in)
}

func writeInput(t testing.TB, in explain.Input) string {
	t.Helper()
	page, err := explain.New(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// compiled compiles a file with one kernel.
func compiled(t testing.TB, name, src string) *ir.Program {
	t.Helper()
	pkg, err := front.Parse(t.Context(), []front.File{{Name: name, Src: []byte(src)}}, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return pkg.Kernels()[0].Program
}

// element is a node of a page, read as XML.
type element struct {
	name     string
	attrs    map[string]string
	children []*element
	chars    string // of a run of text, which has no name
}

// text is that of an element and of all below.
func (e *element) text() string {
	var b strings.Builder
	for _, c := range e.all(func(e *element) bool { return e.name == "" }) {
		b.WriteString(c.chars)
	}
	return b.String()
}

// parse reads a page as XML, strictly.
func parse(t testing.TB, page string) *element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	root := &element{name: "page"}
	open := []*element{root}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			line, col := d.InputPos()
			t.Fatalf("line %d, column %d of the page: %v", line, col, err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := &element{name: tok.Name.Local, attrs: map[string]string{}}
			for _, a := range tok.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			top := open[len(open)-1]
			top.children = append(top.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top := open[len(open)-1]
			top.children = append(top.children, &element{chars: string(tok)})
		}
	}
	return root
}

// all lists the elements below e, itself included, that satisfy the condition.
func (e *element) all(is func(*element) bool) []*element {
	var list []*element
	if is(e) {
		list = append(list, e)
	}
	for _, c := range e.children {
		list = append(list, c.all(is)...)
	}
	return list
}

func (e *element) named(name string) []*element {
	return e.all(func(e *element) bool { return e.name == name })
}

// shown is a line of a column as the page has it.
type shown struct {
	number  int
	text    string
	classes []string
	origins []string
}

// columns returns the lines of a page by column.
func columns(t testing.TB, page string) map[string][]shown {
	t.Helper()
	cols := make(map[string][]shown)
	for _, section := range parse(t, page).named("section") {
		id := section.attrs["id"]
		cols[id] = []shown{}
		for _, l := range section.all(func(e *element) bool { return slices.Contains(strings.Fields(e.attrs["class"]), "l") }) {
			n, err := strconv.Atoi(l.children[0].text())
			if err != nil {
				t.Fatal(err)
			}
			cols[id] = append(cols[id], shown{
				number: n, text: l.children[len(l.children)-1].text(),
				classes: strings.Fields(l.attrs["class"])[1:], origins: strings.Fields(l.attrs["data-o"]),
			})
		}
	}
	return cols
}

// line returns the only line of a column that has the text.
func line(t testing.TB, lines []shown, text string) shown {
	t.Helper()
	var found []shown
	for _, l := range lines {
		if strings.Contains(l.text, text) {
			found = append(found, l)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d lines have %q, want 1; the column is %v", len(found), text, lines)
	}
	return found[0]
}

// linked returns the lines that belong together with l.
func linked(lines []shown, l shown) []string {
	var texts []string
	for _, k := range lines {
		if slices.ContainsFunc(k.origins, func(id string) bool { return slices.Contains(l.origins, id) }) {
			texts = append(texts, strings.TrimSpace(k.text))
		}
	}
	return texts
}
