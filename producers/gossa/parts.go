package main

// get returns a part that an object has, or none.
func (h *heap) get(o int32, k key) int32 {
	for i := h.objects[h.find(o)].parts; i != 0; i = h.parts[i].next {
		if h.parts[i].key == k {
			return h.find(h.parts[i].of)
		}
	}
	return none
}

// part returns a part of an object, which is made if there is none.
func (h *heap) part(o int32, k key) int32 {
	if o == none {
		return none
	}
	if h.flat {
		return h.flatPart(o, k)
	}
	if has := h.get(o, k); has != none {
		return has
	}
	if h.exhausted() {
		return o
	}
	o = h.find(o)
	made := h.repeated(o, k)
	if made == none && h.demoted[k] {
		made = h.ofAll(k)
	}
	if made == none && h.objects[o].proc == shared && h.objects[o].depth >= deepShared && h.texts[k].of != nil {
		made = h.ofAll(k)
	}
	if made == none {
		made = h.own(o, k)
	}
	h.attach(o, k, made)
	h.mark(made, h.flagsOf(k, h.objects[o].flags)) // it may have been there before
	// Its copies have this part as well.
	for i := h.objects[o].links; i != 0; i = h.links[i].next {
		l := h.links[i]
		if has := h.get(l.other, k); has != none {
			h.joinParts(o, l, k)
		} else {
			h.part(l.other, k) // which does the same from there
		}
	}
	return h.get(o, k)
}

// partsFor returns parts of an object, which are made if there are none. The keys are different ones.
func (h *heap) partsFor(o int32, keys []key) []int32 {
	list := make([]int32, len(keys))
	const few = 4
	if o == none || h.flat || len(keys) <= few || h.objects[h.find(o)].size <= few {
		for i, k := range keys {
			list[i] = h.part(o, k)
		}
		return list
	}
	// One after the other, they would all be looked for in the same long list.
	t := &h.table
	t.use++
	if missing := len(h.texts) - len(t.of); missing > 0 {
		t.of, t.used = append(t.of, make([]int32, missing)...), append(t.used, make([]int32, missing)...)
	}
	for i := h.objects[h.find(o)].parts; i != 0; i = h.parts[i].next {
		k := h.parts[i].key
		t.of[k], t.used[k] = h.parts[i].of, t.use
	}
	for i, k := range keys {
		if t.used[k] == t.use {
			list[i] = h.find(t.of[k])
		} else {
			list[i] = h.part(o, k)
		}
	}
	return list
}

// partTable has the parts of one object, by key.
type partTable struct {
	of, used []int32 // used is in which use of the table
	use      int32
}

// exhausted counts a step, and reports whether there were too many: then the heap is of no use.
func (h *heap) exhausted() bool {
	h.steps++
	if h.overshoots() {
		h.most, h.overshot = 0, true
	}
	return h.steps > h.most
}

// flatPart is part where fields are one for all values: an address is the place that it refers to, and so is what holds
// elements. Results of a call are told apart.
func (h *heap) flatPart(o int32, k key) int32 {
	switch of := h.texts[k].of; {
	case k <= wrapped:
		return o
	case of != nil:
		return h.ofAll(k)
	}
	if has := h.get(o, k); has != none {
		return has
	}
	at := h.objects[h.find(o)]
	made := h.object(at.proc)
	h.objects[made].within, h.objects[made].key = o, k
	h.attach(h.find(o), k, made)
	return made
}

// repeated returns the object that a path came by before if it goes the same way once more: a list's next node is of the list.
func (h *heap) repeated(o int32, k key) int32 {
	if k == pointee {
		return none
	}
	for at := o; at != none; at = h.objects[at].within {
		if p := h.objects[at]; p.key == k && p.within != none && h.objects[h.find(at)].proc == h.objects[o].proc {
			return h.find(at)
		}
	}
	return none
}

// ofAll returns the one object for a field, whatever it is a field of, in what belongs to no call.
func (h *heap) ofAll(k key) int32 {
	for len(h.fields) <= int(k) {
		h.fields = append(h.fields, none)
	}
	if h.fields[k] == none {
		o := h.object(shared)
		h.objects[o].depth, h.objects[o].key = deepShared, k
		h.fields[k] = o
	}
	return h.find(h.fields[k])
}

// isOfAll reports whether an object is that of a field of all values.
func (h *heap) isOfAll(o int32) bool {
	at := &h.objects[o]
	return at.within == none && at.key != 0
}

// own makes a part of one object alone. Where that may have no more, a field is that of all values, and anything else is the object.
func (h *heap) own(o int32, k key) int32 {
	if h.room(o) {
		at := h.objects[o]
		made := h.object(at.proc)
		p := &h.objects[made]
		p.within, p.key, p.depth, p.flags = o, k, at.depth+1, h.flagsOf(k, at.flags)
		return made
	}
	if h.texts[k].of != nil {
		return h.ofAll(k)
	}
	h.lumped++
	h.objects[o].lumps = true
	return o
}

// room reports whether an object may have another part.
func (h *heap) room(o int32) bool {
	at := h.objects[o]
	for len(h.made) <= int(at.proc) {
		h.made = append(h.made, 0)
	}
	if at.depth >= mostDepth || h.spread && at.proc != shared && h.made[at.proc] >= mostMade {
		return false
	}
	if h.spread {
		h.made[at.proc]++
	}
	return true
}

func (h *heap) attach(o int32, k key, made int32) {
	h.parts = append(h.parts, part{k, made, h.objects[o].parts})
	h.objects[o].parts = int32(len(h.parts) - 1)
	h.objects[o].size++
	h.changed[h.objects[o].proc] = true
}
