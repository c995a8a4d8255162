// Package pprof writes profiles that `go tool pprof` reads: the protocol buffer of
// https://github.com/google/pprof/blob/main/proto/profile.proto, compressed by gzip. It has as much of that as a profile of a device needs. A
// sample is a stack, leaf first, with a value of each type, and labels. Equal frames are written once.
package pprof

import (
	"compress/gzip"
	"io"
	"time"
)

// Profile is what is written.
type Profile struct {
	Subject  string // what was measured
	Types    []Type
	Default  string // the Name of the type that is shown unasked
	Samples  []Sample
	Begin    time.Time
	Duration time.Duration
	Comments []string
}

// Type is what a value of every sample counts, and its unit.
type Type struct{ Name, Unit string }

// Sample has a value for each type.
type Sample struct {
	Stack  []Frame // the leaf first
	Values []int64
	Labels []Label
}

// Frame is a function, and a line in it.
type Frame struct {
	Name, File string
	Line       int64
}

// Label tells samples of one stack apart: by a text, or by a number if that is empty.
type Label struct {
	Key, Text string
	Number    int64
}

// Write writes the profile.
func (p *Profile) Write(w io.Writer) error {
	z := gzip.NewWriter(w)
	if _, err := z.Write(p.encode()); err != nil {
		return err
	}
	return z.Close()
}

// The numbers of the fields of profile.proto.
const (
	profileTypes, profileSamples, profileMappings, profileLocations, profileFunctions, profileStrings = 1, 2, 3, 4, 5, 6
	profileTime, profileDuration, profileComments, profileDefault                                     = 9, 10, 13, 14

	typeName, typeUnit                                                   = 1, 2
	sampleLocations, sampleValues, sampleLabels                          = 1, 2, 3
	labelKey, labelText, labelNumber                                     = 1, 2, 3
	mappingID, mappingFile, mappingKnown                                 = 1, 5, 7 // the first of four fields: functions, files, lines and inlined calls are in the profile
	locationID, locationMapping, locationLines, lineFunction, lineNumber = 1, 2, 4, 1, 2
	functionID, functionName, functionSystemName, functionFile           = 1, 2, 3, 4
)

// encoder has the tables of a profile that is being written.
type encoder struct {
	strings   map[string]uint64
	texts     []string
	functions map[Frame]uint64 // by name and file alone
	locations map[Frame]uint64
	tables    message // of these
}

func (p *Profile) encode() []byte {
	e := &encoder{strings: map[string]uint64{}, functions: map[Frame]uint64{}, locations: map[Frame]uint64{}}
	e.text("") // number 0 is the empty text
	var m message
	for _, t := range p.Types {
		m.bytes(profileTypes, new(message).number(typeName, e.text(t.Name)).number(typeUnit, e.text(t.Unit)))
	}
	about := new(message).number(mappingID, 1).number(mappingFile, e.text(p.Subject))
	for i := range uint64(4) {
		about.number(mappingKnown+i, 1)
	}
	m.bytes(profileMappings, about)
	for _, s := range p.Samples {
		m.bytes(profileSamples, e.sample(s))
	}
	for _, c := range p.Comments {
		m.repeated(profileComments, e.text(c))
	}
	if !p.Begin.IsZero() {
		m.number(profileTime, uint64(p.Begin.UnixNano()))
	}
	m.number(profileDuration, uint64(p.Duration)).number(profileDefault, e.text(p.Default))
	m = append(m, e.tables...)
	for _, t := range e.texts {
		text := message(t)
		m.bytes(profileStrings, &text)
	}
	return m
}

func (e *encoder) sample(s Sample) *message {
	var m, at, values message
	for _, f := range s.Stack {
		at.varint(e.location(f))
	}
	for _, v := range s.Values {
		values.varint(uint64(v))
	}
	m.bytes(sampleLocations, &at).bytes(sampleValues, &values)
	for _, l := range s.Labels {
		one := new(message).number(labelKey, e.text(l.Key)).number(labelText, e.text(l.Text))
		if l.Text == "" {
			one.number(labelNumber, uint64(l.Number))
		}
		m.bytes(sampleLabels, one)
	}
	return &m
}

func (e *encoder) location(f Frame) uint64 {
	if id := e.locations[f]; id != 0 {
		return id
	}
	id := uint64(len(e.locations) + 1)
	e.locations[f] = id
	line := new(message).number(lineFunction, e.function(f)).number(lineNumber, uint64(f.Line))
	e.tables.bytes(profileLocations, new(message).number(locationID, id).number(locationMapping, 1).bytes(locationLines, line))
	return id
}

func (e *encoder) function(f Frame) uint64 {
	f.Line = 0
	if id := e.functions[f]; id != 0 {
		return id
	}
	id := uint64(len(e.functions) + 1)
	e.functions[f] = id
	name := e.text(f.Name)
	e.tables.bytes(profileFunctions, new(message).number(functionID, id).number(functionName, name).number(functionSystemName, name).number(functionFile, e.text(f.File)))
	return id
}

func (e *encoder) text(s string) uint64 {
	n, ok := e.strings[s]
	if !ok {
		n = uint64(len(e.texts))
		e.strings[s] = n
		e.texts = append(e.texts, s)
	}
	return n
}

// message is fields of a protocol buffer.
type message []byte

func (m *message) varint(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		*m = append(*m, byte(v)|0x80)
	}
	*m = append(*m, byte(v))
}

// number appends a field, unless it is 0, which is what a field says that is not there.
func (m *message) number(field, v uint64) *message {
	if v != 0 {
		m.repeated(field, v)
	}
	return m
}

func (m *message) repeated(field, v uint64) {
	m.varint(field << 3)
	m.varint(v)
}

func (m *message) bytes(field uint64, b *message) *message {
	m.varint(field<<3 | 2)
	m.varint(uint64(len(*b)))
	*m = append(*m, *b...)
	return m
}
