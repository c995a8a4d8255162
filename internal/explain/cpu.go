package explain

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

// cpuColumn shows the machine code that device cpu makes of a tagged program after its own passes, each line linked to the row that it is for;
// or why there is none.
func (o *origins) cpuColumn(tagged *ir.Program, choice compile.Choice) (*column, error) {
	c := &column{id: "cpu", title: "machine code of device cpu", about: native.Target()}
	tagged, err := opt.AtOnce(tagged)
	if err != nil {
		return nil, err
	}
	p, _, err := opt.Run(tagged, opt.Options{Passes: choice.ForCPU()})
	if err != nil {
		return nil, err
	}
	code, err := native.List(p, native.Target())
	var none *native.UnsupportedError
	if errors.As(err, &none) {
		c.parts = []part{{lines: []line{{number: 1, tokens: []token{{class: comment, text: "none, the interpreter runs it: " + none.Reason}}}}}}
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	count, last := 0, ir.NoRow
	var lines []line
	for _, l := range code.Lines {
		n := line{number: len(lines) + 1}
		if l.Place != "" {
			n.tokens = []token{{class: name, text: l.Place}, {text: ":"}}
			lines = append(lines, n)
			continue
		}
		count++
		n.tokens = cpuTokens(l.Op, l.Args)
		if l.Row != ir.NoRow {
			n.shows(o, p.Pos(l.Row))
			if note := code.Notes[l.Row]; note != "" && l.Row != last {
				n.tokens = append(n.tokens, token{class: comment, text: "  // " + note})
			}
		}
		last = l.Row
		lines = append(lines, n)
	}
	c.fact("instructions", strconv.Itoa(count), "for vectors of eight invocations")
	c.fact("bytes", strconv.Itoa(code.Bytes), "of machine code")
	frames := part{title: "what operands in memory mean", folded: true}
	for _, f := range code.Frames {
		c.fact("frame of "+f.Of, fmt.Sprintf("%d bytes", f.Size), "memory that "+f.Register+" has the address of")
		for _, cell := range f.Cells {
			tokens := append(split(cpuWord, fmt.Sprintf("[%s+%#x] ", f.Register, cell.At), directive, name, number), token{class: comment, text: cell.What})
			frames.lines = append(frames.lines, line{number: len(frames.lines) + 1, tokens: tokens})
		}
	}
	c.parts = []part{frames, {lines: lines}}
	return c, nil
}

// cpuWord is how much memory is meant, a register or a place, or a number.
var cpuWord = regexp.MustCompile(`\b([A-Z]+ PTR)\b|\b([xy]mm[0-9]+|[er]?[abcd]x|[er]?[sd]i|[abcd]l|[sd]il|r[0-9]+[bwd]?|[xwqsd][0-9]+|v[0-9]+\.[0-9]*[bhsd]|L[0-9]+)\b|\b(0x[0-9a-f]+|[0-9]+)\b`)

// cpuTokens tells apart what an instruction is made of.
func cpuTokens(op, args string) []token {
	all := []token{{class: operation, text: op}}
	if args == "" {
		return all
	}
	return append(append(all, token{text: " "}), split(cpuWord, args, directive, name, number)...)
}
