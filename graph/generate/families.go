package generate

import (
	"fmt"
	"strings"

	"github.com/govyre/vyre/graph"
)

var families = []*family{
	{name: "kron", params: []param{{"scale S", 0, 31}}, size: sixteen, arcs: kronArcs, seeds: kronSeeds},
	{name: "uniform", params: []param{{"scale S", 0, 31}}, size: sixteen, arcs: uniformArcs},
	{name: "grid", params: []param{{"width W", 1, graph.MaxNodes}, {"height H", 1, graph.MaxNodes}}, size: gridSize, arcs: gridArcs},
	{name: "road", params: []param{{"width W", 1, graph.MaxNodes}, {"height H", 1, graph.MaxNodes}}, size: gridSize, arcs: roadArcs},
	{name: "chain", params: []param{{"length N", 1, graph.MaxNodes}}, size: func(p [3]uint64) (n, m uint64) { return p[0], p[0] - 1 }, arcs: chainArcs},
	{name: "ladder", params: []param{{"length N", 1, graph.MaxNodes}, {"width W", 1, graph.MaxNodes}}, size: ladderSize, arcs: ladderArcs},
	{name: "star", params: []param{{"size N", 1, graph.MaxNodes}}, size: func(p [3]uint64) (n, m uint64) { return p[0], p[0] - 1 }, arcs: starArcs},
	{name: "complete", params: []param{{"size N", 1, graph.MaxNodes}}, size: func(p [3]uint64) (n, m uint64) { return p[0], product(p[0], p[0]-1) }, arcs: completeArcs},
	{name: "tree", params: []param{{"size N", 1, graph.MaxNodes}, {"children K", 1, graph.MaxNodes}}, comma: true, size: func(p [3]uint64) (n, m uint64) { return p[0], p[0] - 1 }, arcs: treeArcs},
	{name: "icfg", params: []param{{"procedures P", 1, graph.MaxNodes}, {"places B", 2, graph.MaxNodes}, {"facts F", 1, graph.MaxNodes}},
		comma: true, masked: true, size: icfgSize, arcs: icfgArcs, procedures: icfgProcedures},
	{name: "skew", params: []param{{"size N", 1, 1 << 31}}, masked: true, valid: skewValid, size: skewSize, arcs: skewArcs, seeds: skewSeeds},
}

func familyOf(name string) *family {
	for _, f := range families {
		if f.name == name {
			return f
		}
	}
	return nil
}

// separator stands between the numbers of a name.
func (f *family) separator() string {
	if f.comma {
		return ","
	}
	return "x"
}

// form is how names of the family look: the last word of each number's name is its letter.
func (f *family) form() string {
	var letters []string
	for _, p := range f.params {
		letters = append(letters, p.name[strings.LastIndexByte(p.name, ' ')+1:])
	}
	return f.name + ":" + strings.Join(letters, f.separator())
}

func familyForms() string {
	var forms []string
	for _, f := range families {
		forms = append(forms, f.form())
	}
	return strings.Join(forms, ", ")
}

// skewValid asks for a power of two.
func skewValid(p [3]uint64) error {
	if n := p[0]; n&(n-1) != 0 {
		return fmt.Errorf("size N is %d, want a power of two", n)
	}
	return nil
}
