package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// moduleColumn shows a module of one kernel.
func (o *origins) moduleColumn(m *ptx.Module) *column {
	k := &m.Kernels[0]
	c := &column{id: "ptx", title: "PTX", about: m.Target.String()}
	c.parts = []part{{lines: o.assembly(k.Program, m.Text, k.Lines)}}
	count := 0
	c.lines(func(l *line) {
		for _, t := range l.tokens {
			if t.class == operation {
				count++
			}
		}
	})
	c.fact("instructions", strconv.Itoa(count), "of the text; the driver's assembler schedules and allocates")
	if k.Static > 0 || k.Dynamic > 0 {
		c.fact("shared", fmt.Sprintf("%d bytes", k.Static+k.Dynamic), "shared memory of a workgroup")
	}
	if k.Local > 0 {
		c.fact("local", fmt.Sprintf("%d bytes", k.Local), "local arrays of an invocation")
	}
	if k.Tables > 0 {
		c.fact("tables", fmt.Sprintf("%d bytes", k.Tables), "in constant memory (.const) or global memory (.global), with the code")
	}
	return c
}

// listingColumn shows the instructions that a program has so far.
func (o *origins) listingColumn(p *ir.Program, l *ptx.Listing) *column {
	return &column{about: "instructions", parts: []part{{lines: o.assembly(p, l.Text, l.Lines)}}}
}

// assembly links lines of instructions. Most stand for a row; those that set the entry up belong to the parameters
// and arrays that they are about.
func (o *origins) assembly(p *ir.Program, text string, stand []ptx.Line) []line {
	rows := make(map[int]ir.Row, len(stand))
	for _, l := range stand {
		rows[l.Line] = l.Row
	}
	var lines []line
	carried := make(map[string][]origin) // by register that the entry set
	for i, text := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		n := line{number: i + 1, tokens: ptxTokens(text)}
		if r, ok := rows[n.number]; ok {
			n.shows(o, p.Pos(r))
		} else {
			o.entry(&n, p, carried)
		}
		lines = append(lines, n)
	}
	return lines
}

// entry finds what a line of the entry is about: a symbol in it, or registers that
// such lines have set.
func (o *origins) entry(l *line, p *ir.Program, carried map[string][]origin) {
	set := ""
	for _, t := range l.tokens {
		if t.class != name {
			continue
		}
		if t.text[0] != '%' {
			if pos, ok := declared(p, t.text); ok {
				l.shows(o, pos)
			}
			continue
		}
		if set == "" {
			set = t.text
			continue
		}
		for _, id := range carried[t.text] {
			l.add(id)
		}
	}
	if set != "" {
		carried[set] = l.origins
	}
}

// declared returns where a symbol was declared. Symbols are a letter, the index of the parameter (p, and
// n for its length) or array (s, l and t), and its name.
func declared(p *ir.Program, symbol string) (ir.Pos, bool) {
	digits, _, ok := strings.Cut(symbol[1:], "_")
	i, err := strconv.Atoi(digits)
	if !ok || err != nil || i < 0 {
		return ir.Pos{}, false
	}
	switch symbol[0] {
	case 'p', 'n':
		if i < len(p.Params()) {
			return p.Params()[i].Pos, true
		}
	case 's', 'l', 't':
		if i < len(p.Arrays()) {
			return p.Arrays()[i].Pos, true
		}
	}
	return ir.Pos{}, false
}
