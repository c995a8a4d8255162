package main

import (
	"encoding/json"
	"strings"

	"github.com/govyre/vyre/ir"
)

// scalar is a number in an element of a buffer.
type scalar struct {
	ir.Type
	offset int // bytes from the start of the element
}

// scalars are the numbers of one element, in order: the element itself, or the fields of a record, elements of arrays
// one by one.
func scalars(p *ir.Param) []scalar {
	if p.Record == nil {
		return []scalar{{p.Type, 0}}
	}
	var list []scalar
	for _, f := range p.Record.Fields {
		if f.Pad {
			continue
		}
		for i := range f.Count {
			list = append(list, scalar{f.Type, f.Offset + i*f.Type.Size()})
		}
	}
	return list
}

// put writes a number into an element.
func (s scalar) put(element []byte, bits uint64) {
	s.AppendElem(element[s.offset:s.offset], bits)
}

// words are the numbers of an element as text.
func words(list []scalar, element []byte) []string {
	var w []string
	for _, s := range list {
		w = append(w, formatElement(s.Type, s.ReadElem(element[s.offset:])))
	}
	return w
}

// shown is an element as --print shows it: a number, or the numbers of a record in braces.
func shown(p *ir.Param, w []string) string {
	if p.Record == nil {
		return w[0]
	}
	return "{" + strings.Join(w, " ") + "}"
}

// jsonOf is an element in --json: a number, a text where JSON has no number, or a list of them for a record.
func jsonOf(p *ir.Param, w []string) any {
	var list []any
	for _, text := range w {
		if json.Valid([]byte(text)) {
			list = append(list, json.RawMessage(text))
		} else {
			list = append(list, text)
		}
	}
	if p.Record == nil {
		return list[0]
	}
	return list
}
