package explain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/govyre/vyre/internal/ptx"
)

// Machine is what the machine code of a kernel takes, and who says so.
type Machine struct {
	Registers int
	Spills    int     // bytes an invocation keeps in memory for want of registers; negative if nobody knows
	Occupancy float64 // share of the warps that a processor holds
	Limit     string  // what keeps it from holding more
	By        string  // who says so: a device, an assembler, an estimate
	Estimated bool
}

// MachineLine is an instruction of the machine, or a label.
type MachineLine struct {
	Text string
	PTX  int // the line of PTX that it comes from, counted from 1; 0 if none is known
}

// machine shows what the machine code takes.
func (c *column) machine(m *Machine) {
	if m == nil {
		return
	}
	about := ""
	if m.Estimated {
		about = "about "
	}
	c.fact("registers", fmt.Sprintf("%s%d", about, m.Registers), "of an invocation: "+m.By)
	if m.Spills >= 0 {
		c.fact("spills", fmt.Sprintf("%d bytes", m.Spills), "of an invocation, kept in memory for want of registers: "+m.By)
	}
	c.fact("occupancy", fmt.Sprintf("%s%.0f %%, limited by %s", about, 100*m.Occupancy, m.Limit), "of the warps that a processor holds: "+m.By)
	c.fact("as told by", m.By, "who says what the machine code takes")
}

// machineColumn shows machine code, of which each line belongs to what its line of the PTX in c belongs to.
func (c *column) machineColumn(code []MachineLine, target ptx.Target) *column {
	m := &column{id: "machine", title: "machine code", about: target.String()}
	var from []line
	c.lines(func(l *line) { from = append(from, *l) })
	lines, count := make([]line, len(code)), 0
	for i, l := range code {
		lines[i] = line{number: i + 1, tokens: machineTokens(l.Text)}
		if 0 < l.PTX && l.PTX <= len(from) {
			lines[i].origins = from[l.PTX-1].origins
		}
		if !label(l.Text) {
			count++
		}
	}
	m.parts = []part{{lines: lines}}
	m.fact("instructions", strconv.Itoa(count), "of the machine, as ptxas makes them of the PTX")
	return m
}

func label(text string) bool { return strings.HasSuffix(text, ":") }

// machineWord is a predicate and an operation at the front, a register, or a number.
var machineWord = regexp.MustCompile(`^((?:@!?U?P[0-9T]+ +)?)([A-Z][A-Z0-9_.]*)|\b(U?[RP][0-9]+|U?[RP][ZT]|SR_[A-Z0-9_.]+)\b|\b(0x[0-9a-f]+|[0-9][0-9.]*)\b`)

// machineTokens tells apart what an instruction is made of. A label is a name.
func machineTokens(text string) []token {
	if label(text) {
		return []token{{class: name, text: text}}
	}
	return split(machineWord, text, name, operation, name, number)
}

// split cuts a text into what the groups of a pattern match, of a class each, and the rest.
func split(pattern *regexp.Regexp, text string, groups ...class) []token {
	var all []token
	end := 0
	add := func(c class, from, to int) {
		if from < to {
			all = append(all, token{class: c, text: text[from:to]})
		}
	}
	for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
		add(plain, end, at[0])
		for i, c := range groups {
			if from := at[2*i+2]; from >= 0 {
				add(c, from, at[2*i+3])
			}
		}
		end = at[1]
	}
	add(plain, end, len(text))
	return all
}
