package graph

import (
	"fmt"
	"maps"
	"slices"
)

// Data is what a graph may have beside arcs and their kinds. All of it is optional, and all but NodeKinds and Tags leaves
// the digest alone. It stays on the host.
type Data struct {
	NodeKinds []uint32 // a mask a node; whoever makes the graph says what its bits mean
	Tags      []uint32 // another one, for sets of nodes that have a name in the question: sources, sinks
	Weights   []uint32 // one an arc, in the order of Targets

	// Of a program: the procedure that each node is in, counted from 0, and for each arc the call site whose call or return it
	// is, or NoSite. With both, returns can be matched with calls: see package ifds.
	Procedures, Sites []uint32

	KindNames [32]string // of the bits of arcs' masks, where they are not those of the constants
	Names     Strings    // one a node
	Positions Strings    // where a node stands in what the graph was made of, as file:line:column

	Attributes map[string]string // about the graph as a whole
	Provenance Provenance
}

// Provenance says where a graph comes from.
type Provenance struct {
	Producer string `json:"producer,omitempty"`
	Version  string `json:"version,omitempty"`
	Options  string `json:"options,omitempty"`
}

// With returns the same graph with other data, and shares the arrays of both: none may be written again.
//
// Errors: an array whose length is neither 0 nor that of the nodes or of the arcs; those of Read.
func (g *CSR) With(d Data) (*CSR, error) {
	for _, a := range []struct {
		what      string
		got, want int
		of        string
	}{
		{"node kinds", len(d.NodeKinds), g.Nodes(), "nodes"}, {"tags", len(d.Tags), g.Nodes(), "nodes"}, {"names", d.Names.Len(), g.Nodes(), "nodes"},
		{"positions", d.Positions.Len(), g.Nodes(), "nodes"}, {"weights", len(d.Weights), g.Arcs(), "arcs"},
		{"procedures", len(d.Procedures), g.Nodes(), "nodes"}, {"call sites", len(d.Sites), g.Arcs(), "arcs"},
	} {
		if a.got != 0 && a.got != a.want {
			return nil, fmt.Errorf("graph: %d %s for %d %s", a.got, a.what, a.want, a.of)
		}
	}
	w := &CSR{arrays: arrays{rows: g.rows, targets: g.targets, file: g.file}, data: d, lender: g.lender}
	return w, g.Read(func() error {
		w.masks = g.kinds()
		return nil
	})
}

// Data returns what the graph has beside its arcs. Its arrays must not be written.
func (g *CSR) Data() Data {
	d := g.data
	d.Attributes = maps.Clone(d.Attributes)
	return d
}

// Name returns the name of a node, or an empty one.
func (g *CSR) Name(node uint32) string { return textIn(g, &g.data.Names, node) }

// Position returns where a node stands in what the graph was made of, or nothing.
func (g *CSR) Position(node uint32) string { return textIn(g, &g.data.Positions, node) }

func textIn(g *CSR, s *Strings, node uint32) (text string) {
	g.glance(func() { text = s.At(int(node)) })
	return text
}

// kindNames are the names of the constants.
var kindNames = [16]string{"assign", "argument", "return", "phi", "dominance", "alias", "store", "load", "mutable-reference",
	"control", "field", "index", "call", "call-return", "call-to-return-site", "convert"}

// KindName returns the name of a bit of the masks: that of the graph's data, else the one that all programs have. Bits from
// 16 on have none unless the data has.
func (g *CSR) KindName(bit int) string {
	switch {
	case bit < 0 || bit > 31:
		return ""
	case g.data.KindNames[bit] != "":
		return g.data.KindNames[bit]
	case bit < len(kindNames):
		return kindNames[bit]
	}
	return fmt.Sprintf("kind-%d", bit)
}

// KindNames returns the names of the bits of a mask, the least bit first.
func (g *CSR) KindNames(mask uint32) []string {
	names := []string{}
	for bit := range 32 {
		if mask>>bit&1 != 0 {
			names = append(names, g.KindName(bit))
		}
	}
	return names
}

// Strings is a list of texts that takes two allocations, or none if it is a part of a file. The zero value is empty.
type Strings struct {
	ends  []uint64 // one more than there are texts, the first 0
	bytes []byte
}

// NewStrings makes a list.
func NewStrings(texts []string) Strings {
	if len(texts) == 0 {
		return Strings{}
	}
	s := Strings{ends: make([]uint64, 1, len(texts)+1)}
	var end uint64
	for _, t := range texts {
		end += uint64(len(t))
		s.ends = append(s.ends, end)
	}
	s.bytes = slices.Grow(s.bytes, int(end))
	for _, t := range texts {
		s.bytes = append(s.bytes, t...)
	}
	return s
}

// Collector makes Strings of texts that come one after another, so that they are never all there twice.
type Collector struct {
	made Strings
	n    int
}

// Collect begins a list that will have n texts; other numbers only take more time.
func Collect(n int) *Collector {
	return &Collector{n: n, made: Strings{ends: make([]uint64, 1, n+1)}}
}

// Reserve makes room for so many bytes of texts, which takes less time than room that grows. Fewer or more are no mistake.
func (c *Collector) Reserve(bytes int) {
	c.made.bytes = slices.Grow(c.made.bytes, max(bytes-len(c.made.bytes), 0))
}

// Add appends a text, which it copies.
func (c *Collector) Add(text []byte) {
	s := &c.made
	if has, most := len(s.bytes), cap(s.bytes); most-has < len(text) {
		// Room for all that are still to come, if they are as long as those before, and at least a quarter more.
		all := float64(has+len(text)) / float64(len(s.ends)) * float64(c.n)
		s.bytes = slices.Grow(s.bytes, max(len(text), has/4, int(1.05*all)-has))
	}
	s.bytes = append(s.bytes, text...)
	s.ends = append(s.ends, uint64(len(s.bytes)))
}

// Strings ends the list.
func (c *Collector) Strings() Strings {
	if len(c.made.ends) == 1 {
		return Strings{}
	}
	return c.made
}

// Len returns how many texts there are.
func (s Strings) Len() int { return max(len(s.ends), 1) - 1 }

// At returns text i, and an empty one where there is none.
func (s Strings) At(i int) string {
	if i < 0 || i >= s.Len() {
		return ""
	}
	from, to := s.ends[i], s.ends[i+1]
	if from > to || to > uint64(len(s.bytes)) { // a file that was not verified
		return ""
	}
	return string(s.bytes[from:to])
}

// check looks for an end that is before another, or beyond the bytes.
func (s Strings) check(p *polls) error {
	var last uint64
	for i, e := range s.ends {
		if p.Ended() {
			return p.err()
		}
		if e < last || i == 0 && e != 0 || e > uint64(len(s.bytes)) {
			return fmt.Errorf("end %d is %d after %d, and there are %d bytes", i, e, last, len(s.bytes))
		}
		last = e
	}
	if last != uint64(len(s.bytes)) {
		return fmt.Errorf("the last end is %d, and there are %d bytes", last, len(s.bytes))
	}
	return nil
}
