package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
)

// A list with names has an arc a line: from, to, and maybe kinds and a weight. docs/graph.md has all of it. Nodes are numbered as
// they appear, so one goroutine reads the list.

// perNode is how many bytes a node takes beside its name: its places in the table of names, which doubles, and in the list of them.
const perNode = 128

// named is a list with names under way.
type named struct {
	r     *reader
	p     parsed
	ids   map[string]uint32
	names *graph.Collector

	tabs  bool // columns are between tabs
	begun bool // the first arc says so

	kinds   map[string]int // bits
	own     [32]string     // names of kinds that the list has
	given   uint32         // bits that have their name by order of appearance
	numbers uint32         // bits of masks that are numbers
	line    int64
	start   int64 // where the line starts in the file
}

// mistake is what is wrong in a line.
type mistake struct {
	column    int // from 0
	got, want string
}

// namedList reads a list with names.
func (r *reader) namedList() (parsed, error) {
	n := &named{r: r, p: parsed{nodes: -1}, ids: make(map[string]uint32), names: graph.Collect(0), kinds: wellKnown()}
	if r.o.IDs != AutoIDs {
		return n.p, fmt.Errorf("%s: --ids %s says what numbers are, and format %s has names", r.name, r.o.IDs, Named)
	}
	in := bufio.NewReaderSize(r.in, mostLine+1)
	for {
		text, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return n.p, &graph.ParseError{File: r.name, Line: n.line + 1, Offset: n.start, Got: fmt.Sprintf("a line of more than %d bytes", mostLine), Want: "no graph has such"}
		}
		if err != nil && err != io.EOF {
			return n.p, err
		}
		n.line++
		if failed := n.read(string(text)); failed != nil {
			return n.p, failed
		}
		n.start += int64(len(text))
		if err == io.EOF {
			break
		}
	}
	if len(r.errs) > 0 {
		return n.p, errors.Join(r.errs...)
	}
	n.p.nodes = int64(len(n.ids))
	n.p.names, n.p.kindNames = n.settled(), n.own
	return n.p, nil
}

// wellKnown are the bits of the kinds that all graphs have names for.
func wellKnown() map[string]int {
	known := make(map[string]int, 32)
	for bit := range 32 {
		known[(&graph.CSR{}).KindName(bit)] = bit
	}
	return known
}

// read reads a line; the error ends reading.
func (n *named) read(text string) error {
	wrong, err := n.parse(strings.TrimRight(text, " \t\r\n"))
	if err != nil || wrong == nil {
		return err
	}
	at := &graph.ParseError{File: n.r.name, Line: n.line, Column: int64(wrong.column) + 1, Offset: n.start + int64(wrong.column), Got: wrong.got, Want: wrong.want}
	if !n.r.o.KeepGoing {
		return at
	}
	if n.r.errs = append(n.r.errs, at); len(n.r.errs) == mostErrors {
		return errors.Join(n.r.errs...)
	}
	return nil
}

func (n *named) parse(text string) (*mistake, error) {
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	switch word := text[indent:]; {
	case word == "":
		return nil, nil
	case strings.HasPrefix(word, "#:"):
		return n.directive(text, indent)
	case word[0] == '#' || word[0] == '%':
		return nil, nil
	}
	if !n.begun {
		n.tabs = strings.ContainsRune(text[indent:], '\t')
	}
	c := &columns{text: text, tabs: n.tabs, end: indent}
	var ends [2]column
	for i := range ends {
		word, ok, wrong := c.name()
		switch {
		case !ok && n.tabs:
			return &mistake{len(text), "the line ends", "a name, the arc target, behind a tab, as in the first line with an arc"}, nil
		case !ok:
			return &mistake{len(text), "the line ends", "a name, the arc target"}, nil
		case wrong != "":
			return &mistake{c.at, [2]string{"arc source ", "arc target "}[i] + quoted([]byte(word.text)), wrong}, nil
		}
		ends[i] = word
	}
	if !n.begun && isHead(ends[0]) && isHead(ends[1]) {
		return &mistake{indent, fmt.Sprintf("%q and %q, which the columns of a table are called", ends[0].text, ends[1].text), "# before them; in quotes they are names"}, nil
	}
	mask, weight, wrong := n.rest(c)
	if wrong != nil {
		return wrong, nil
	}
	n.begun = true
	from, err := n.node(ends[0].text)
	if err != nil {
		return nil, err
	}
	to, err := n.node(ends[1].text)
	if err != nil {
		return nil, err
	}
	return nil, n.keep(from, to, mask, weight)
}

// rest reads the columns for kinds and weight.
func (n *named) rest(c *columns) (mask, weight uint32, wrong *mistake) {
	mask, weight = 1, max(n.r.o.Scale, 1)
	word, ok, want := c.next()
	if want == "" && ok && !n.r.o.NoKinds && (word.quoted || word.text != "-" && word.text != "") {
		mask, want = n.maskOf(word)
	}
	if want != "" {
		return 0, 0, &mistake{c.at, "kinds " + quoted([]byte(word.text)), want}
	}
	word, ok, want = c.next()
	if want == "" && ok && !n.r.o.NoWeights && word.text != "-" && word.text != "" {
		weight, want = scaled([]byte(word.text), n.r.o.Scale)
	}
	if want != "" {
		return 0, 0, &mistake{c.at, "weight " + quoted([]byte(word.text)), want}
	}
	if word, ok, _ = c.next(); ok {
		return 0, 0, &mistake{c.at, quoted([]byte(word.text)), "the end of the line, after from, to, kinds and weight; a name with blanks is in quotes"}
	}
	return mask, weight, nil
}

const otherwise = "; --arc-kinds all takes the column as something else, a weight is the fourth one, behind -"

// maskOf reads kinds: a mask as a number, or names with + between.
func (n *named) maskOf(word column) (mask uint32, want string) {
	if word.quoted {
		return n.kind(word.text)
	}
	if c := word.text[0]; c-'0' <= 9 || c == '-' || c == '+' || c == '.' {
		v, err := strconv.ParseUint(word.text, 0, 32)
		switch {
		case err != nil || v == 0:
			return 0, "a mask from 1 to 0xffffffff, or names of kinds with + between" + otherwise
		case uint32(v)&n.given != 0:
			bit := bits.TrailingZeros32(uint32(v) & n.given)
			return 0, fmt.Sprintf("no bit that a name has come to have: bit %d is %q; a line #:kind %d NAME before says so of one's own", bit, n.own[bit], bit)
		}
		n.numbers |= uint32(v)
		return uint32(v), ""
	}
	if want := unquotable(word.text, n.tabs); want != "" {
		return 0, want
	}
	for name := range strings.SplitSeq(word.text, "+") {
		if name == "" {
			return 0, "names of kinds with one + between"
		}
		bit, want := n.kind(name)
		if want != "" {
			return 0, want
		}
		mask |= bit
	}
	return mask, ""
}

// kind returns the bit of a kind. A name that is new gets the least bit from 16 on that is free.
func (n *named) kind(name string) (mask uint32, want string) {
	if bit, known := n.kinds[name]; known {
		return 1 << bit, ""
	}
	for bit := 16; bit < 32; bit++ {
		if n.own[bit] == "" && n.numbers>>bit&1 == 0 {
			n.own[bit], n.kinds[name] = name, bit
			n.given |= 1 << bit
			n.p.kinds = append(n.p.kinds, bit)
			return 1 << bit, ""
		}
	}
	return 0, "one of the 16 names of kinds before it: no bit is left" + otherwise
}

// directive reads a line that others take for a comment.
func (n *named) directive(text string, indent int) (*mistake, error) {
	c := &columns{text: text, end: indent}
	for c.end < len(text) && text[c.end] != ' ' && text[c.end] != '\t' {
		c.end++
	}
	what := text[indent:c.end]
	bit := uint64(0)
	if what == "#:kind" {
		word, _, _ := c.next()
		var err error
		if bit, err = strconv.ParseUint(word.text, 10, 64); err != nil || bit > 31 {
			return &mistake{c.at, quoted([]byte(word.text)), "#:kind BIT NAME, with a bit from 0 to 31"}, nil
		}
	} else if what != "#:node" {
		return &mistake{indent, quoted([]byte(what)), "#:node NAME or #:kind BIT NAME; a comment has no colon there"}, nil
	}
	name, ok, wrong := c.name()
	rest := &columns{text: text, end: c.end}
	switch more, too, _ := rest.next(); {
	case !ok:
		return &mistake{len(text), "the line ends", "a name"}, nil
	case wrong != "":
		return &mistake{c.at, quoted([]byte(name.text)), wrong}, nil
	case too:
		return &mistake{rest.at, quoted([]byte(more.text)), "the end of the line; a name with blanks is in quotes"}, nil
	case what == "#:node":
		_, err := n.node(name.text)
		return nil, err
	}
	for other, has := range n.own {
		if has != "" && (other == int(bit) || has == name.text) {
			return &mistake{indent, fmt.Sprintf("bit %d is %q", bit, name.text), fmt.Sprintf("bit %d is %q already", other, has)}, nil
		}
	}
	if name.text == "" {
		return &mistake{c.at, `""`, "a name of a kind"}, nil
	}
	n.own[bit], n.kinds[name.text] = name.text, int(bit)
	return nil, nil
}

// node returns the id of a name: the next one if it is new.
func (n *named) node(name string) (uint32, error) {
	if id, known := n.ids[name]; known {
		return id, nil
	}
	id := len(n.ids)
	if id == graph.MaxNodes {
		return 0, &graph.ParseError{File: n.r.name, Line: n.line, Offset: n.start, Got: fmt.Sprintf("%d names", uint64(id)+1), Want: fmt.Sprintf("at most %d nodes have ids", uint64(graph.MaxNodes))}
	}
	if err := n.r.hold(perNode+3*int64(len(name)), "the names of %d nodes", id+1); err != nil {
		return 0, err
	}
	name = strings.Clone(name) // the line goes
	n.ids[name] = uint32(id)
	n.names.Add([]byte(name))
	return uint32(id), nil
}

// keep appends an arc.
func (n *named) keep(from, to, mask, weight uint32) error {
	last := len(n.p.arcs) - 1
	if last < 0 || len(n.p.arcs[last].from) == mostNamed {
		piece := func() []uint32 { return make([]uint32, 0, mostNamed) }
		n.p.arcs = append(n.p.arcs, arcs{from: piece(), to: piece(), masks: piece(), weights: piece()})
		last++
		if err := n.r.hold(n.p.arcs[last].bytes(), "%d arcs", n.p.count); err != nil {
			return err
		}
	}
	a := &n.p.arcs[last]
	a.from, a.to, a.masks, a.weights = append(a.from, from), append(a.to, to), append(a.masks, mask), append(a.weights, weight)
	n.p.count++
	if n.p.count%mostNamed == 0 {
		n.r.tell("reading", n.p.count)
	}
	return nil
}

// mostNamed is how many arcs are held in one piece.
const mostNamed = 16 << 10

// settled are the names, none if each is the id of its node: a list of a graph without names has these.
func (n *named) settled() graph.Strings {
	names := n.names.Strings()
	for i := range names.Len() {
		if names.At(i) != strconv.Itoa(i) {
			return names
		}
	}
	return graph.Strings{}
}
