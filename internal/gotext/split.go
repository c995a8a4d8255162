package gotext

import "lukechampine.com/blake3"

// Declaration is a declaration at the top of a file.
type Declaration struct {
	Start, End int // in the text
	Digest     [8]byte
}

// Split returns the declarations of a file in their order: each function, each type and variable, also those of a group,
// and each group of constants.
func Split(src []byte) []Declaration {
	s, tokens := splitter{}, scanner{src: string(src)}
	for {
		t := tokens.next()
		if t.text == "" {
			s.end(t.start)
			return s.found
		}
		s.add(t)
	}
}

// splitter collects the tokens of one declaration after the other.
type splitter struct {
	found   []Declaration
	text    []byte // tokens of the declaration so far, each ended by 0; none between declarations
	start   int    // of the declaration
	last    byte   // a comma or semicolon that no token has followed yet
	depth   int    // of brackets
	keyword string // of the group around it; "" without one
	begun   bool   // there is more than directives
}

func (s *splitter) add(t token) {
	text := t.text
	base := 0 // the depth of declarations
	if s.keyword != "" {
		base = 1
	}
	switch {
	case s.keyword != "" && text == ")" && s.depth == 1:
		s.end(t.start)
		s.keyword, s.depth = "", 0
		return
	case text == "(" && s.depth == 0 && (string(s.text) == "type\x00" || string(s.text) == "var\x00"):
		s.keyword, s.depth = string(s.text), 1
		s.text, s.begun = nil, false
		return
	case text == ";" && s.depth == base:
		if s.begun {
			s.end(t.start)
		}
		return
	}
	if len(s.text) == 0 {
		s.start = t.start
		s.text = append(s.text, s.keyword...)
	}
	s.begun = s.begun || text[0] != '/' || len(text) < len(directive) // no operator is so long
	closing := text == ")" || text == "]" || text == "}"
	switch {
	case text == "(" || text == "[" || text == "{":
		s.depth++
	case closing && s.depth > 0:
		s.depth--
	}
	if s.last != 0 && !closing { // the one before a bracket that closes may be left out, and gofmt does
		s.text = append(s.text, s.last, 0)
	}
	s.last = 0
	if text == ";" || text == "," {
		s.last = text[0]
		return
	}
	s.text = append(append(s.text, text...), 0)
}

// end ends the declaration, if there is one.
func (s *splitter) end(at int) {
	if len(s.text) > 0 {
		sum := blake3.Sum256(s.text)
		d := Declaration{Start: s.start, End: at}
		copy(d.Digest[:], sum[:])
		s.found = append(s.found, d)
	}
	s.text, s.last, s.begun = s.text[:0], 0, false
}
