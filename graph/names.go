package graph

import (
	"fmt"
	"maps"
)

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
