package egraph

// sets is a union-find over class ids. The smaller root stays one, so roots do not depend on the order of unions.
type sets struct {
	parent []Class
	joined int  // unions so far: classes less this are roots
	larger bool // the mistake of faultLarger
}

// find returns the root, and halves the way to it (Tarjan and van Leeuwen, Worst-case Analysis of Set Union Algorithms, 1984).
func (s *sets) find(c Class) Class {
	p := s.parent
	for p[c] != c {
		p[c] = p[p[c]]
		c = p[c]
	}
	return c
}

// join makes one class of two and returns the id that is no root any more, None if they were one.
func (s *sets) join(a, b Class) Class {
	a, b = s.find(a), s.find(b)
	if a == b {
		return None
	}
	lo, hi := min(a, b), max(a, b)
	if s.larger {
		lo, hi = hi, lo
	}
	s.parent[hi] = lo
	s.joined++
	return hi
}

// flatten makes every entry a root: a parent is smaller, so it is flat before its children.
func (s *sets) flatten() {
	for c, p := range s.parent {
		s.parent[c] = s.parent[p]
	}
}

const noUse = 1<<32 - 1

// uses lists, for each root, the rows that have it as a child, once for each place. A list is a ring of which the class
// knows the last: two of them become one by swapping two links.
type uses struct {
	last []uint32 // by class
	list []use    // one for each child in the columns
}

type use struct {
	row, next uint32
}

// note puts a new row into the lists of its children.
func (u *uses) note(g *Graph, row uint32) {
	for _, k := range g.children(row) {
		u.add(g.sets.find(k), row)
	}
}

func (u *uses) add(c Class, row uint32) {
	at := uint32(len(u.list))
	u.list = append(u.list, use{row, at})
	u.splice(c, at)
}

// splice puts the ring that ends with at behind that of class c.
func (u *uses) splice(c Class, at uint32) {
	if was := u.last[c]; was != noUse {
		u.list[was].next, u.list[at].next = u.list[at].next, u.list[was].next
	}
	u.last[c] = at
}

// move takes the list of one class to another one, and appends its rows to dirty.
func (u *uses) move(from, to Class, dirty []uint32) []uint32 {
	last := u.last[from]
	if last == noUse {
		return dirty
	}
	dirty = u.rows(from, dirty)
	u.last[from] = noUse
	u.splice(to, last)
	return dirty
}

// rows appends the rows of a list.
func (u *uses) rows(c Class, to []uint32) []uint32 {
	last := u.last[c]
	if last == noUse {
		return to
	}
	for at := u.list[last].next; ; at = u.list[at].next {
		to = append(to, u.list[at].row)
		if at == last {
			return to
		}
	}
}
