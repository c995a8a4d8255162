package main

import (
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/graph"
)

const noSite = graph.NoSite

// Tags of nodes, in the files of graphs.
const (
	tagSource = 1 << iota
	tagSink
	tagSanitizer
)

// graph makes the graph of values.
func (e *emitted) graph(where func(in string, at token.Position) string, options string) (*graph.CSR, error) {
	g, _, err := graph.FromBlocks(int64(len(e.nodes)), []graph.Block{e.block}, graph.BuildOptions{Dedup: true})
	if err != nil {
		return nil, err
	}
	e.block = graph.Block{}
	d := g.Data()
	d.Procedures = make([]uint32, len(e.nodes))
	for v, n := range e.nodes {
		d.Procedures[v] = uint32(n.proc)
	}
	names, positions := e.texts(where)
	d.Names, d.Positions = graph.NewStrings(names), graph.NewStrings(positions)
	if len(e.places) > 0 {
		d.Tags = make([]uint32, len(e.nodes))
		for _, p := range e.places {
			d.Tags[e.id(p.object, itself)] |= map[ruleKind]uint32{sourceRule: tagSource, sinkRule: tagSink, sanitizerRule: tagSanitizer}[p.rule.kind]
		}
	}
	d.KindNames[16], d.KindNames[17], d.KindNames[18], d.KindNames[19] = "channel", "closure", "copy", "model"
	unseen, err := json.Marshal(e.notSeen())
	if err != nil {
		return nil, err
	}
	d.Attributes = map[string]string{"graph": "dataflow", "procedures": strconv.Itoa(len(e.procs)), "calls": strconv.Itoa(len(e.sites)), "copies": strconv.Itoa(e.calls.copies),
		"copies left out": strconv.Itoa(e.calls.left), "parts put together": strconv.Itoa(e.heap.lumped), "unseen": string(unseen)}
	if d.Attributes["fields"] = "value"; e.heap.flat {
		d.Attributes["fields"] = "type"
	}
	d.Provenance = graph.Provenance{Producer: "gossa", Version: runtime.Version(), Options: options}
	return g.With(d)
}

// notSeen counts what the graph does not see.
func (f *flow) notSeen() map[string]int {
	why := maps.Clone(f.unseen)
	for _, u := range f.calls.unseen {
		if f.rules == nil || !f.rules.opaque(f.p, u.in) {
			why[u.why]++
		}
	}
	return why
}

// texts are the names and positions of nodes.
func (e *emitted) texts(where func(string, token.Position) string) (names, positions []string) {
	byObject, at := make([]string, len(e.heap.objects)), make([]string, len(e.heap.objects))
	for _, q := range e.procs {
		e.describe(q, where, byObject, at)
	}
	for v, o := range e.globals {
		byObject[o] = v.RelString(nil)
		at[o] = e.p.at(v.Pkg.Pkg.Path(), v.Pos(), where)
	}
	names, positions = make([]string, len(e.nodes)), make([]string, len(e.nodes))
	for i, n := range e.nodes {
		name, pos := e.named(n.object, byObject, at)
		names[i], positions[i] = name+[...]string{"", " and all in it", ", all of it"}[n.face], pos
	}
	return names, positions
}

// named is the name of an object: its own, or that of what it is a part of with its key.
func (e *emitted) named(o int32, names, at []string) (name, pos string) {
	if names[o] == "" && e.heap.objects[o].within != none {
		within := e.heap.objects[o].within
		of, pos := e.named(within, names, at)
		k := e.heap.texts[e.heap.objects[o].key]
		if e.heap.objects[o].key != pointee {
			of = strings.TrimSuffix(of, e.heap.texts[pointee].name) // as in Go
		}
		names[o], at[o] = of+k.name, pos
		if k.name == "#" {
			names[o] = of + " " + strconv.Itoa(k.n)
		}
	}
	return names[o], at[o]
}

// describe names the values of a procedure.
func (e *emitted) describe(q *proc, where func(string, token.Position) string, names, at []string) {
	if q.of == nil {
		for _, s := range q.nodes {
			names[s.object] = s.name
		}
		return
	}
	f := q.of.f
	in := packageOf(f)
	here := f.Pos()
	lines := make(map[ssa.Instruction]token.Pos)
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if i.Pos().IsValid() {
				here = i.Pos()
			}
			lines[i] = here
		}
	}
	for k, v := range q.values {
		o := q.first + int32(k)
		pos := v.Pos()
		if i, is := v.(ssa.Instruction); is {
			pos = lines[i]
		}
		names[o], at[o] = q.name+": "+called(v), e.p.at(in, pos, where)
	}
	count := make(map[string]int)
	for _, s := range q.nodes {
		pos, name := f.Pos(), s.name
		if s.at != nil {
			pos = lines[s.at]
		}
		if count[s.name]++; count[s.name] > 1 {
			name += fmt.Sprintf(" (%d)", count[s.name])
		}
		names[s.object], at[s.object] = q.name+": "+name, e.p.at(in, pos, where)
	}
}

// called is what a reader calls a value.
func called(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return v.Name()
	case *ssa.Alloc:
		return v.Name() + " " + v.Comment
	case *ssa.Call:
		return v.Name() + " = " + callee(&v.Call)
	case *ssa.Extract:
		return v.Name() + " = " + v.Tuple.Name() + " " + strconv.Itoa(v.Index+1)
	case *ssa.Field, *ssa.FieldAddr:
		_, field, _ := strings.Cut(v.String(), ".")
		field, _, _ = strings.Cut(field, " ")
		return v.Name() + " = ." + field
	case *ssa.MakeClosure:
		return v.Name() + " = " + shortName(v.Fn.(*ssa.Function))
	case *ssa.BinOp:
		return v.Name() + " = " + v.Op.String()
	}
	return v.Name()
}

// callee is what a call says it calls.
func callee(c *ssa.CallCommon) string {
	switch f := c.Value.(type) {
	case *ssa.Function:
		return ruleName(f) + "()"
	case *ssa.Builtin:
		return f.Name() + "()"
	}
	if c.IsInvoke() {
		return methodName(c.Method) + "()"
	}
	return c.Value.Name() + "()"
}

// inPackage is a position that is the same on every machine: the path of the package, the file's name, line and column.
func inPackage(in string, at token.Position) string {
	return fmt.Sprintf("%s/%s:%d:%d", in, path.Base(strings.ReplaceAll(at.Filename, `\`, "/")), at.Line, at.Column)
}

// report says what a graph of values has.
func (e *emitted) report(g *graph.CSR) (lines []string) {
	lines = append(lines, fmt.Sprintf("%d procedures, %d copies among them, %d calls; %d nodes, %d arcs", len(e.procs)-1, e.calls.copies, len(e.sites), g.Nodes(), g.Arcs()))
	if e.instead {
		lines = append(lines, "it is too large to tell fields of different values apart: they are one for all of their type, and what is passed whole to a function that is not followed is passed without them")
	}
	if e.heap.lumped > 0 {
		lines = append(lines, fmt.Sprintf("%d parts of values were taken for the whole, since their procedures have too many", e.heap.lumped))
	}
	why := e.notSeen()
	var said []string
	for _, name := range slices.Sorted(maps.Keys(why)) {
		said = append(said, fmt.Sprintf("%d × %s", why[name], name))
	}
	if len(said) > 0 {
		lines = append(lines, "not seen: "+strings.Join(said, "; "))
	}
	return lines
}
