package text

import (
	"github.com/govyre/vyre/ir"
)

// PrintVisits returns the rows and operands that printing c touches.
func PrintVisits(c *ir.Code) int {
	p := &printer{c: c, names: nameCode(c)}
	p.kernel("k")
	return p.visits + p.names.visits
}

// ParseVisits returns the tokens of src and the rows that they make.
func ParseVisits(src string) int {
	p := parseFile("", src, false)
	n := p.lexer.tokens
	for _, c := range p.codes {
		n += c.Rows()
	}
	return n
}
