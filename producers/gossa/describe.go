package main

import (
	"bytes"
	"cmp"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"

	"github.com/govyre/vyre/graph"
)

// describer says what nodes are called and where they stand. It keeps what is known of one procedure's values, since nodes come
// in the order of procedures.
type describer struct {
	*emitted
	*texts
	where  where
	shared map[int32]sharedName

	of    *proc
	at    []token.Pos // of its values
	names []string    // of its nodes that stand for no value
	ats   map[ssa.Instruction]token.Pos
}

// sharedName is what belongs to no call: a variable, or a source that is one.
type sharedName struct {
	name string
	v    *ssa.Global
}

func (e *emitted) describer(w where) *describer {
	d := &describer{emitted: e, texts: e.p.texts(), where: w, shared: make(map[int32]sharedName), ats: make(map[ssa.Instruction]token.Pos)}
	for v, o := range e.globals {
		d.shared[o] = sharedName{v.RelString(nil), v}
	}
	for _, s := range e.procs[shared].nodes {
		d.shared[s.object] = sharedName{name: s.name}
	}
	return d
}

// describe gives every node its name and its position.
func (e *emitted) describe(w where) (called, positions graph.Strings) {
	d := e.describer(w)
	name, position := graph.Collect(len(e.nodes)), graph.Collect(len(e.nodes))
	var sample room
	const together = 64 // nodes, which are mostly of one procedure
	for i := 0; i < len(e.nodes); i += together * oneIn {
		some := e.nodes[i:min(i+together, len(e.nodes))]
		sample.of += len(some)
		d.both(some, sample.name, sample.position)
	}
	name.Reserve(sample.names(len(e.nodes)))
	position.Reserve(sample.positions(len(e.nodes)))
	d.both(e.nodes, name.Add, position.Add)
	return name.Strings(), position.Strings()
}

// both gives the name and the position of each node. They are not to be kept.
func (d *describer) both(nodes []owner, name, position func([]byte)) {
	var text []byte
	for _, n := range nodes {
		text = append(d.name(text[:0], n.object), [...]string{"", " and all in it", ", all of it", ", all of it that is not hidden", " and all that it gives", ", all of it but captures"}[n.face]...)
		name(text)
		text = d.position(text[:0], n.object)
		position(text)
	}
}

// name appends the name of an object: its own, or that of what it is a part of with its key.
func (d *describer) name(to []byte, o int32) []byte {
	at := &d.heap.objects[o]
	if at.within == none {
		return d.own(to, o)
	}
	before := len(to)
	to = d.name(to, at.within)
	k := &d.heap.texts[at.key]
	if at.key != pointee { // as in Go
		to = append(to[:before], bytes.TrimSuffix(to[before:], []byte(d.heap.texts[pointee].name))...)
	}
	if k.name == "#" {
		return strconv.AppendInt(append(to, ' '), int64(k.n), 10)
	}
	return append(to, k.name...)
}

// own appends the name of an object that is no part.
func (d *describer) own(to []byte, o int32) []byte {
	if s, is := d.shared[o]; is {
		return append(to, s.name...)
	}
	q := d.proc(o)
	if v := int(o - q.first); v >= 0 && v < len(q.values) {
		return d.called(append(append(to, q.name...), ": "...), q.values[v])
	}
	if i, is := q.node(o); is {
		return append(append(append(to, q.name...), ": "...), d.names[i]...)
	}
	return append(append(to, "all "...), strings.TrimPrefix(d.heap.texts[d.heap.objects[o].key].name, ".")...) // a field of all values of a type
}

// position appends where an object stands, or what it is a part of.
func (d *describer) position(to []byte, o int32) []byte {
	for d.heap.objects[o].within != none {
		o = d.heap.objects[o].within
	}
	if s, is := d.shared[o]; is {
		if s.v == nil {
			return to
		}
		return d.p.at(to, s.v.Pkg.Pkg.Path(), s.v.Pos(), d.where)
	}
	q := d.proc(o)
	at := token.NoPos
	if v := int(o - q.first); v >= 0 && v < len(q.values) {
		at = d.at[v]
	} else if i, is := q.node(o); !is {
		return to
	} else if at = q.of.f.Pos(); q.nodes[i].at != nil {
		at = d.ats[q.nodes[i].at]
	}
	return d.p.at(to, names.Package(q.of.f), at, d.where)
}

// node returns which of the nodes that stand for no value an object is.
func (q *proc) node(o int32) (int, bool) {
	return slices.BinarySearchFunc(q.nodes, o, func(s special, o int32) int { return cmp.Compare(s.object, o) })
}

// proc finds the procedure that an object was made for, and what is known of its values. Objects of procedures were made in
// their order: first those of all faces, then those of all bodies.
func (d *describer) proc(o int32) *proc {
	first := func(q *proc) int32 { return q.first }
	if o >= d.procs[1].body {
		first = func(q *proc) int32 { return q.body }
	}
	i, is := slices.BinarySearchFunc(d.procs[1:], o, func(q *proc, o int32) int { return cmp.Compare(first(q), o) })
	if is { // several that have none begin at one object: it is of the last of them
		for i+1 < len(d.procs)-1 && first(d.procs[i+2]) == o {
			i++
		}
		i++
	}
	if q := d.procs[i]; q != d.of {
		d.know(q)
	}
	return d.of
}

// know finds out what nodes of a procedure need.
func (d *describer) know(q *proc) {
	d.of, d.at, d.names = q, d.at[:0], d.names[:0]
	clear(d.ats)
	for _, s := range q.nodes {
		if s.at != nil {
			d.ats[s.at] = token.NoPos
		}
	}
	for _, v := range q.values[:len(q.params)+len(q.free)] {
		d.at = append(d.at, v.Pos())
	}
	places(q.of.f, func(_, _ int, i ssa.Instruction, at token.Pos) {
		if _, is := i.(ssa.Value); is {
			d.at = append(d.at, at)
		}
		if len(d.ats) > 0 {
			if _, is := d.ats[i]; is {
				d.ats[i] = at
			}
		}
	})
	count := make(map[string]int)
	for _, s := range q.nodes {
		name := s.name
		if count[name]++; count[name] > 1 {
			name += " (" + strconv.Itoa(count[name]) + ")"
		}
		d.names = append(d.names, name)
	}
}
