package main

// joining makes many objects one at once. To unify them one after the other would take as long as the product of what
// they have.
type joining struct {
	*heap
	queue   [][2]int32
	parts   map[int32]map[key]int32 // of the objects that others have become
	touched []int32
}

// joinDemoted makes all objects of a demoted field one.
func (h *heap) joinDemoted() {
	j := &joining{heap: h, parts: make(map[int32]map[key]int32)}
	for o := range len(h.objects) {
		if at := h.objects[o]; at.up == int32(o) && at.within != none && h.demoted[at.key] {
			j.queue = append(j.queue, [2]int32{h.ofAll(at.key), int32(o)})
		}
	}
	for len(j.queue) > 0 {
		last := j.queue[len(j.queue)-1]
		j.queue = j.queue[:len(j.queue)-1]
		j.join(h.find(last[0]), h.find(last[1]))
	}
	var left []int32
	for _, o := range j.touched {
		if h.objects[o].up == o && j.parts[o] != nil {
			left = append(left, o)
			j.rewrite(o)
		}
	}
	for _, o := range left {
		for _, l := range h.listed(o) {
			h.alike(h.find(o), l)
		}
	}
}

// partsOf has the parts of an object by key.
func (j *joining) partsOf(o int32) map[key]int32 {
	of := j.parts[o]
	if of == nil {
		of = make(map[key]int32)
		for i := j.objects[o].parts; i != 0; i = j.heap.parts[i].next {
			of[j.heap.parts[i].key] = j.heap.parts[i].of
		}
		j.parts[o] = of
		j.touched = append(j.touched, o)
	}
	return of
}

// join makes one object of two. Their parts follow.
func (j *joining) join(a, b int32) {
	if a == b {
		return
	}
	j.steps++
	x, y := &j.objects[a], &j.objects[b]
	if y.proc == shared && x.proc != shared || (x.proc == shared) == (y.proc == shared) && y.size > x.size {
		a, b, x, y = b, a, y, x
	}
	j.changed[x.proc], j.changed[y.proc] = true, true
	if x.proc == shared {
		j.share(b)
	}
	flags := x.flags | y.flags
	j.mark(a, flags)
	j.mark(b, flags)
	x.depth, x.lumps = min(x.depth, y.depth), x.lumps || y.lumps
	mine := j.partsOf(a)
	for _, k := range sortedKeys(j.partsOf(b)) {
		of := j.parts[b][k]
		if has, is := mine[k]; is {
			j.queue = append(j.queue, [2]int32{has, of})
		} else {
			mine[k] = of
		}
	}
	delete(j.parts, b)
	y.up = a
	if y.links == 0 {
		return
	}
	last := y.links
	for j.links[last].next != 0 {
		last = j.links[last].next
	}
	j.links[last].next, x.links = x.links, y.links
	x.size += y.size
}

// rewrite makes the lists of an object what they are now: a part for each key, and a link to each other object.
func (j *joining) rewrite(o int32) {
	h := j.heap
	at := &h.objects[o]
	at.parts = 0
	for _, k := range sortedKeys(j.parts[o]) {
		h.parts = append(h.parts, part{k, h.find(j.parts[o][k]), at.parts})
		at.parts = int32(len(h.parts) - 1)
		h.mark(h.find(j.parts[o][k]), at.flags)
		if at.proc == shared {
			h.share(j.parts[o][k])
		}
	}
	h.tidyLinks(o)
}
