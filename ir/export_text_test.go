package ir

import "slices"

// AppendLiteral and ParseLiteral are the two directions of a constant's text.
var AppendLiteral = appendLiteral

func ParseLiteral(s string) (Type, uint64, string) {
	t, bits, code, _ := parseLiteral(s)
	return t, bits, code
}

// PrintVisits returns the rows and operands that printing c touches.
func PrintVisits(c *Code) int {
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

// Unsealed passes c off as sealed, for the wire form of what nobody sealed.
func Unsealed(c *Code) *Program {
	return &Program{code: *c, digest: digest(c)}
}

// DigestOf is the digest that sealing would take of canonical code.
var DigestOf = digest

// WithDigest returns the wire form b with the digest that its columns have, so that
// fuzzing gets past it; b itself if it has no columns.
func WithDigest(b []byte) []byte {
	sections, ds := readFrame(b)
	if ds != nil {
		return b
	}
	c, ds := readColumns(sections)
	if ds != nil {
		return b
	}
	sum := digest(c)
	return slices.Concat(b[:24], sum[:], b[56:])
}
