package main

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
)

// folder makes the steps of findings of paths in the graph. A step says how a value comes from one place of the source
// to another: nodes that only carry it there, such as conversions and loads, are none.
type folder struct {
	*describer
	g *graph.CSR
}

// fold gives a finding its path, what is at its ends, and what was approximated between them.
func (f *folder) fold(path []session.Step, n *finding) {
	for i, s := range path {
		at, words := f.spot(s.Node), ""
		switch {
		case i == 0:
			n.Source, n.From = at, f.source(s.Node)
			words = "from " + n.From
		case i == len(path)-1:
			n.Sink = at
			words = "to " + n.Callee
		default:
			words = f.words(path[i-1].Node, s)
		}
		f.approximated(s.Node, n)
		if words != "" {
			n.add(at, words)
		}
	}
	if f.heap.flat {
		n.suppose("fields of all values")
	}
}

// add adds a step to the path, or to its last step if it is on the same line or on none.
func (n *finding) add(at spot, words string) {
	if len(n.Path) == 0 {
		n.Path = append(n.Path, step{at, words})
		return
	}
	last := &n.Path[len(n.Path)-1]
	if at.Line != 0 && (at.File != last.File || at.Line != last.Line) {
		n.Path = append(n.Path, step{at, words})
		return
	}
	if !slices.Contains(strings.Split(last.Words, ", "), words) {
		last.Words += ", " + words
	}
}

// suppose notes something that was approximated.
func (n *finding) suppose(what string) {
	n.Confidence = max(n.Confidence, approximated)
	if !slices.Contains(n.Because, what) {
		n.Because = append(n.Because, what)
	}
}

// approximated notes what was approximated at a node.
func (f *folder) approximated(v uint32, n *finding) {
	o := f.nodes[v].object
	at := &f.heap.objects[o]
	if name, is := f.supposed[o]; is {
		n.suppose(name)
	}
	if c, is := f.supposedChecked[o]; is && c.isOf(n.Class) {
		n.Confidence = guarded
		n.Because = append(n.Because, "checked by "+c.by)
	}
	if k := f.heap.texts[at.key]; at.within == none && k.of != nil {
		n.suppose("field " + strings.Trim(k.name, ".") + " of all values")
	}
	if at.lumps {
		n.suppose("parts of " + f.g.Name(v))
	}
}

// spot is where a node is. A part of a value, and what stands for no instruction, is nowhere.
func (f *folder) spot(v uint32) spot {
	o := f.nodes[v].object
	q := f.procs[f.nodes[v].proc]
	var s spot
	if f.heap.objects[o].within == none {
		s = spotAt(f.g.Position(v))
	}
	s.Procedure = withoutGot(q.name)
	return s
}

// withoutGot is the name of a procedure without what its copy got.
func withoutGot(name string) string {
	name, _, _ = strings.Cut(name, "{")
	return name
}

// short is a name of a procedure without the folders of its package.
func short(name string) string {
	name = withoutGot(name)
	receiver := len(name) - len(strings.TrimLeft(name, "(*"))
	path, _, _ := strings.Cut(name, "[") // and not those of type arguments
	return name[:receiver] + name[max(receiver, strings.LastIndexByte(path, '/')+1):]
}

// source is what a source is called.
func (f *folder) source(v uint32) string {
	_, name, is := strings.Cut(f.g.Name(v), ": ")
	if !is {
		name = f.g.Name(v) // a variable
	}
	return ordinals.ReplaceAllString(name, "")
}

// words say how a value comes to a node; empty if that is of no interest.
func (f *folder) words(before uint32, s session.Step) string {
	from, to := f.nodes[before], f.nodes[s.Node]
	o := &f.heap.objects[to.object]
	k := f.heap.texts[o.key]
	switch {
	case s.Mask&graph.KindArgument != 0:
		return f.passed(to)
	case s.Mask&graph.KindReturn != 0:
		if o.within != none && k.name != "#" || f.heap.objects[from.object].within != none {
			return "" // what an argument refers to
		}
		return "returned by " + short(f.procs[from.proc].name)
	case s.Mask&kindClosure != 0:
		return "captured as " + strings.Trim(k.name, "{}")
	case s.Mask&kindChannel != 0:
		if o.within != none {
			return "sent on a channel"
		}
		return "received"
	case s.Mask&graph.KindStore != 0:
		return f.stored(to.object)
	case o.within == none && s.Mask&(kindModel|graph.KindAssign) != 0:
		return f.computed(to.object)
	}
	return ""
}

// passed says to which parameter a value is passed.
func (f *folder) passed(to owner) string {
	o := to.object
	path := ""
	for f.heap.objects[o].within != none {
		if k := f.heap.texts[f.heap.objects[o].key]; strings.HasPrefix(k.name, ".") && k.of != nil {
			path = k.name + path
		}
		o = f.heap.objects[o].within
	}
	q := f.procs[to.proc]
	i := int(o - q.first)
	if to.proc == shared || i < 0 || i >= len(q.params)+len(q.free) {
		return ""
	}
	if name := q.values[i].Name() + path; i >= len(q.params) {
		return "captured by " + short(q.name) + " as " + name
	} else {
		return "passed to " + short(q.name) + " as " + name
	}
}

// stored says into which field or variable a value is put.
func (f *folder) stored(o int32) string {
	at := &f.heap.objects[o]
	k := f.heap.texts[at.key]
	switch {
	case k.of != nil && strings.HasPrefix(k.name, "."):
		return "stored in field " + k.name[1:]
	case at.key == mapKey || at.key == element:
		return ""
	}
	for ; at.within != none; at = &f.heap.objects[o] {
		o = at.within
	}
	if v, is := f.shared[o]; is {
		return "stored in variable " + short(v.name)
	}
	return ""
}

// computed says of what function or operator a value comes.
func (f *folder) computed(o int32) string {
	if f.heap.objects[o].proc == shared {
		return ""
	}
	q := f.proc(o)
	if i := int(o - q.first); i >= 0 && i < len(q.values) {
		if b, is := q.values[i].(*ssa.BinOp); is {
			return "part of a " + b.Op.String()
		}
		return ""
	}
	if i, is := q.node(o); is {
		if name, is := strings.CutPrefix(ordinals.ReplaceAllString(f.names[i], ""), "call of "); is {
			return "through " + name
		}
	}
	return ""
}
