package explain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// column is one form of the kernel.
type column struct {
	id    string // in links to a line
	title string
	about string // what it shows, in a few words
	facts []fact
	rules []rule
	parts []part
}

// fact is a figure at a column's head.
type fact struct{ label, value, meaning string }

// rule is a rewrite rule of a pass, and how often it fired.
type rule struct {
	name  string
	count int
}

// part is a run of lines; a folded one shows its title until it is opened.
type part struct {
	title  string
	folded bool
	lines  []line
}

// line is one line of a column.
type line struct {
	number  int
	origins []origin
	tokens  []token
	note    string // what the line computes: type and uniformity
	came    bool   // the column before does not have it
	goes    bool   // the next does not have it
	weight  int    // of source: lines of PTX that come from it
}

// token is a piece of a line.
type token struct {
	class   class
	text    string
	origins []origin // of source: what stands at exactly this place
}

// class says how a token looks, and whether it is a name.
type class string

// The classes; the page's style knows them by these names.
const (
	plain     class = ""
	keyword   class = "k"
	operation class = "o"
	name      class = "v" // of a value, object, label, register or parameter
	number    class = "n"
	literal   class = "s" // string or rune
	comment   class = "c"
	directive class = "d"
)

func (c *column) fact(label, value, meaning string) {
	c.facts = append(c.facts, fact{label, value, meaning})
}

// lines calls f with each line.
func (c *column) lines(f func(*line)) {
	for i := range c.parts {
		for k := range c.parts[i].lines {
			f(&c.parts[i].lines[k])
		}
	}
}

// width is the number of characters that nine lines in ten have room in.
func (c *column) width() int {
	var all []int
	c.lines(func(l *line) {
		n := 0
		for _, t := range l.tokens {
			n += len([]rune(strings.ReplaceAll(t.text, "\t", "    ")))
		}
		all = append(all, n)
	})
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)*9/10]
}

// programColumn shows a tagged program as text.
func (o *origins) programColumn(p *ir.Program) *column {
	l := text.Printer{}.List(p)
	uniform := p.Uniformity().Value
	var decls []ir.Pos
	for i := range p.Params() {
		decls = append(decls, p.Params()[i].Pos)
	}
	for i := range p.Arrays() {
		decls = append(decls, p.Arrays()[i].Pos)
	}
	var lines []line
	for i, text := range strings.Split(strings.TrimSuffix(l.Text, "\n"), "\n") {
		n := line{number: i + 1, tokens: programTokens(text)}
		if i > 0 && i <= len(decls) { // after the head, parameters and arrays have a line each
			n.shows(o, decls[i-1])
		}
		for _, r := range l.Rows[i] {
			n.shows(o, p.Pos(r))
			if t := p.Type(r); t != ir.None && n.note == "" {
				n.note = t.String() + ", " + spread(uniform[r])
			}
		}
		lines = append(lines, n)
	}
	return &column{about: "program", parts: []part{{lines: lines}}}
}

// spread says how uniform a value of that level is.
func spread(l ir.Level) string {
	if l == ir.LevelLane {
		return "differs between invocations"
	}
	return "the same in each " + l.String()
}

// shows adds the origin that pos stands for.
func (l *line) shows(o *origins, pos ir.Pos) {
	if id, ok := o.at(pos); ok {
		l.add(id)
	}
}

func (l *line) add(id origin) {
	if !slices.Contains(l.origins, id) {
		l.origins = append(l.origins, id)
	}
}

// join writes origins for the page.
func join(ids []origin) string {
	var b []byte
	for i, id := range ids {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(b)
}
