package main

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/govyre/vyre/graph"
)

// A heap holds what values are made of. Every value of a procedure is an object, and so is every place in memory that values
// lead to. An object has parts: the place that a pointer, a slice, a map, a channel, an interface or a closure refers to
// (pointee), the fields of a struct, the elements of an array, what a closure has captured. A part is made when somebody
// names it, so that a path like .user.name is a chain of three objects.
//
// Where a pointer is copied, what both refer to becomes one object (Steensgaard, "Points-to analysis in almost linear time",
// POPL 1996), within a procedure. Structs that are copied stay two: a link keeps their parts alike, and an arc leads from
// each part to its copy.
type heap struct {
	objects []object
	parts   []part
	links   []link
	arcs    arcBlocks // from an object, times 3, and which face of it
	keys    map[keyText]key
	texts   []keyText

	fields  []int32 // of keys, what ofAll returns
	table   partTable
	structs typeutil.Map

	hides   func(*types.Struct, int) bool // of a field, whether functions that are not followed cannot set it; or nil
	calls   func(*types.Var) bool         // of a field, whether such functions only call what it has
	hidden  map[key]bool
	called  map[key]bool   // fields of structs from outside whose values are only called: interfaces with methods
	flat    bool           // fields are one for all values of their type
	changed map[int32]bool // procedures whose objects have become different
	steps   int            // that were taken; beyond most none is
	most    int
	made    []int32 // of each procedure, parts that only its calls have asked for
	spread  bool    // calls are asking
	lumped  int     // parts that are the whole, and no fields, because of mostMade and mostDepth
	ladder
}

const (
	// mostMade is how many parts a procedure may have that only its calls ask for. Further ones are taken for the whole: the ladder
	// comes before that.
	mostMade = 100_000
	// mostDepth is how long a path of parts may be. Fields behind that are those of all values.
	mostDepth = 15
	// mostSteps is how much work places may be, where no ladder says more: some seconds. A program that needs more gets a flat heap.
	mostSteps = 20_000_000
	// mostLinks is how many copies and parts an object may have. Beyond, a copy and what it is a copy of are one object.
	mostLinks = 100
	// mostLinksOfAll is the same for a field of all values.
	mostLinksOfAll = 10_000
	// deepShared is how long a path from a global variable is from which on a field is one object for all structs of its
	// type, as in field-based analyses: what is shared is shared by all calls anyway.
	deepShared = 4
)

// object is a value or a place. Objects that are one are found by following up.
type object struct {
	up     int32
	proc   int32
	parts  int32 // the first of its list, or 0
	links  int32
	within int32 // the object that this was made as a part of, or none
	key    key   // as which
	size   int32 // of both lists
	tidy   int32 // what it was when links were last looked through
	depth  uint8
	flags  uint8
	lumps  bool // some parts are the whole
}

const none = -1

const (
	isRead    uint8 = 1 << iota // somebody reads all of it, whatever parts it has, but not what functions in it have captured
	isWritten                   // somebody writes all of it
	isFilled                    // somebody writes all of it that is not hidden
	isYielded                   // somebody reads all of it, and what functions have captured
	isGiven                     // somebody writes all of it but what functions have captured
)

// part is an entry of an object's list.
type part struct {
	key  key
	of   int32
	next int32
}

// link says that an object is a copy of another.
type link struct {
	other int32
	mask  uint32
	from  bool // the arc leads from here to the other
	next  int32
}

// key names a part.
type key int32

const (
	pointee key = 1 + iota
	element
	mapKey
	wrapped // what a value has that a rule says it has
)

// keyText is what a key is called. of tells fields of different structs apart, and captures of different closures.
type keyText struct {
	name string
	n    int
	of   any
}

// shared is the procedure of what belongs to no call: global variables, and all that they lead to.
const shared = 0

func newHeap(flat bool) *heap {
	h := &heap{flat: flat, most: mostSteps, ladder: ladder{demoted: make(map[key]bool)}, parts: make([]part, 1), links: make([]link, 1), keys: make(map[keyText]key), changed: make(map[int32]bool), hidden: make(map[key]bool), called: make(map[key]bool)}
	h.texts = make([]keyText, wrapped+1)
	h.texts[pointee].name, h.texts[element].name, h.texts[mapKey].name, h.texts[wrapped].name = ".*", "[]", "[key]", ".(wrapped)"
	return h
}

// key returns the key of a name.
func (h *heap) key(t keyText) key {
	k, ok := h.keys[t]
	if !ok {
		k = key(len(h.texts))
		h.keys[t] = k
		h.texts = append(h.texts, t)
	}
	return k
}

// component is the key of a value of a tuple.
func (h *heap) component(i int) key { return h.key(keyText{name: "#", n: i + 1}) }

// captured is the key of what a closure has captured.
func (h *heap) captured(f *ssa.Function, i int) key {
	return h.key(keyText{name: "{" + f.FreeVars[i].Name() + "}", n: i, of: f})
}

// field is the key of a field. Identical types have the same.
func (h *heap) field(s *types.Struct, i int) key {
	of := h.structs.At(s)
	if of == nil {
		of = h.structs.Len() + 1
		h.structs.Set(s, of)
	}
	t := keyText{name: "." + s.Field(i).Name(), n: i, of: of}
	if _, ok := h.keys[t]; !ok && h.hides != nil {
		h.hidden[h.key(t)] = h.hides(s, i)
		h.called[h.key(t)] = h.calls(s.Field(i))
	}
	return h.key(t)
}

// object makes an object.
func (h *heap) object(proc int32) int32 {
	id := int32(len(h.objects))
	h.objects = append(h.objects, object{up: id, proc: proc, within: none})
	return id
}

func (h *heap) find(o int32) int32 {
	for h.objects[o].up != o {
		h.objects[o].up = h.objects[h.objects[o].up].up
		o = h.objects[o].up
	}
	return o
}

// copied says that what is in one object comes to be in another. Scalars have no parts.
func (h *heap) copied(from, to int32, mask uint32, scalar bool) {
	if from == none || to == none {
		return
	}
	h.arc(from, itself, to, itself, mask)
	switch {
	case scalar:
	case h.flat: // an address is the place, so what is written through the copy is in what it is a copy of
		h.arc(to, itself, from, itself, graph.KindAlias)
	default:
		h.link(from, to, mask)
	}
}

// link keeps the parts of two objects alike.
func (h *heap) link(from, to int32, mask uint32) {
	from, to = h.find(from), h.find(to)
	if from == to || h.exhausted() {
		return
	}
	if max(h.objects[from].size, h.objects[to].size) > h.mostOf(from, to) {
		h.unify(from, to)
		return
	}
	if h.linked(from, to) {
		return
	}
	h.addLink(from, link{other: to, mask: mask, from: true})
	h.addLink(to, link{other: from, mask: mask})
	h.alike(from, h.links[h.objects[from].links])
}

// mostOf is how many copies and parts two objects may have.
func (h *heap) mostOf(x, y int32) int32 {
	if h.isOfAll(x) || h.isOfAll(y) {
		return mostLinksOfAll
	}
	return mostLinks
}

// linked reports whether there is a link from one object to another.
func (h *heap) linked(from, to int32) bool {
	of, other, leaves := to, from, false
	if h.objects[from].size < h.objects[to].size {
		of, other, leaves = from, to, true
	}
	for i := h.objects[of].links; i != 0; i = h.links[i].next {
		if l := h.links[i]; l.from == leaves && h.find(l.other) == other {
			return true
		}
	}
	return false
}

func (h *heap) addLink(o int32, l link) {
	l.next = h.objects[o].links
	h.links = append(h.links, l)
	h.objects[o].links = int32(len(h.links) - 1)
	h.objects[o].size++
}

// alike gives both ends of a link the parts of the other.
func (h *heap) alike(o int32, l link) {
	for _, k := range h.keysOf(o) {
		if h.get(l.other, k) != none {
			h.joinParts(o, l, k)
		} else {
			h.part(l.other, k)
		}
	}
	for _, k := range h.keysOf(l.other) {
		if h.get(o, k) == none {
			h.part(o, k)
		}
	}
}

func (h *heap) keysOf(o int32) (list []key) {
	for i := h.objects[h.find(o)].parts; i != 0; i = h.parts[i].next {
		list = append(list, h.parts[i].key)
	}
	return list
}

// joinParts makes a part that both ends of a link have one object, if it is a pointee, or a copy.
func (h *heap) joinParts(o int32, l link, k key) {
	a, b := h.get(o, k), h.get(l.other, k)
	switch {
	case k == pointee:
		h.unify(a, b)
	case l.from:
		h.copied(a, b, l.mask, false)
	default:
		h.copied(b, a, l.mask, false)
	}
}

// mark says of an object and all its parts that somebody reads or writes all of it.
func (h *heap) mark(o int32, flags uint8) {
	if o == none {
		return
	}
	o = h.find(o)
	if h.objects[o].flags&flags == flags {
		return
	}
	h.objects[o].flags |= flags
	h.changed[h.objects[o].proc] = true
	for i := h.objects[o].parts; i != 0; i = h.parts[i].next {
		h.mark(h.parts[i].of, h.flagsOf(h.parts[i].key, flags))
	}
}

// flagsOf are those of an object that a part of it has too: a function that is not followed has no access to what others have captured,
// and none to fields that are hidden.
func (h *heap) flagsOf(k key, flags uint8) uint8 {
	if _, captured := h.texts[k].of.(*ssa.Function); captured {
		flags &^= isRead | isFilled | isGiven
	} else if h.hidden[k] || h.called[k] {
		flags &^= isFilled
	}
	return flags
}

// share makes an object and all that it leads to belong to no call.
func (h *heap) share(o int32) {
	o = h.find(o)
	if h.objects[o].proc == shared {
		return
	}
	h.changed[h.objects[o].proc] = true
	h.objects[o].proc = shared
	for i := h.objects[o].parts; i != 0; i = h.parts[i].next {
		h.share(h.parts[i].of)
	}
}

// face is which node of an object an arc is about.
type face uint32

const (
	itself  face = iota
	all          // the object and all its parts, as somebody reads them
	into         // the same, as somebody writes them
	filled       // the same without what is hidden
	yielded      // as all, with what functions have captured
	given        // as into, without what functions have captured
	faces
)

// arc says that something goes from one face of an object to one of another.
func (h *heap) arc(from int32, fromFace face, to int32, toFace face, mask uint32) {
	h.arcs.add(uint32(from)*uint32(faces)+uint32(fromFace), uint32(to)*uint32(faces)+uint32(toFace), mask, noSite)
}
