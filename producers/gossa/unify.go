package main

import "slices"

// unify makes two objects one, with all parts that they have in common.
func (h *heap) unify(a, b int32) {
	if a == none || b == none {
		return
	}
	a, b = h.find(a), h.find(b)
	if a == b || h.exhausted() {
		return
	}
	x, y := &h.objects[a], &h.objects[b]
	if y.proc == shared && x.proc != shared || (x.proc == shared) == (y.proc == shared) && y.size > x.size {
		a, b = b, a
		x, y = y, x
	}
	h.changed[x.proc], h.changed[y.proc] = true, true
	if x.proc == shared {
		h.share(b)
	}
	flags := x.flags | y.flags
	h.mark(a, flags)
	h.mark(b, flags)
	x.depth, x.lumps = min(x.depth, y.depth), x.lumps || y.lumps
	mine, theirs := h.keysOf(a), h.keysOf(b)
	onlyMine, onlyTheirs := without(mine, theirs), without(theirs, mine)
	// Both ends of a link have the same parts, so links matter to what they did not have. And the longer list stays as it is: to
	// write it again each time would take as long as the square of its length.
	var myLinks []link
	if len(onlyTheirs) > 0 {
		myLinks = h.listed(a)
	}
	theirLinks, theirParts := h.listed(b), y.parts
	h.steps += len(theirLinks) + len(myLinks)*len(onlyTheirs) + len(theirLinks)*len(onlyMine) + len(mine)*len(theirs)
	y.up = a
	x.size += y.size
	for _, l := range theirLinks {
		if l.other == a {
			x.size -= 2 // here and there
			continue
		}
		h.addLink(a, l)
		x.size-- // it is counted
	}
	if x.size > 2*x.tidy+mostLinks {
		h.tidyLinks(a)
	}
	for i := theirParts; i != 0; {
		next := h.parts[i].next
		p := h.parts[i]
		if has := h.get(a, p.key); has != none {
			h.unify(has, p.of)
		} else {
			a = h.find(a)
			h.parts[i].next = h.objects[a].parts
			h.objects[a].parts = i
		}
		i = next
	}
	h.catchUp(a, myLinks, onlyTheirs)
	h.catchUp(a, theirLinks, onlyMine)
}

// tidyLinks leaves out links of an object to itself, and all but one of those to another, which became one since they were made.
func (h *heap) tidyLinks(o int32) {
	links := h.listed(o)
	at := &h.objects[o]
	h.steps += int(at.size)
	at.size, at.links = 0, 0
	for i := at.parts; i != 0; i = h.parts[i].next {
		at.size++
	}
	for _, l := range links {
		h.addLink(o, l)
	}
	at.tidy = at.size
}

// without are the keys of a list that are not in another.
func without(list, other []key) (only []key) {
	for _, k := range list {
		if !slices.Contains(other, k) {
			only = append(only, k)
		}
	}
	return only
}

// listed are the links of an object to others, each once.
func (h *heap) listed(o int32) (all []link) {
	seen := make(map[link]bool)
	for i := h.objects[o].links; i != 0; i = h.links[i].next {
		l := h.links[i]
		l.other, l.next = h.find(l.other), 0
		if l.other != o && !seen[l] {
			seen[l] = true
			all = append(all, l)
		}
	}
	return all
}

// catchUp gives the other ends of links the parts that an object has got.
func (h *heap) catchUp(o int32, links []link, keys []key) {
	for _, l := range links {
		for _, k := range keys {
			if h.get(o, k) == none {
				continue
			}
			if h.get(l.other, k) != none {
				h.joinParts(o, l, k)
			} else {
				h.part(l.other, k)
			}
		}
	}
}
