package egraph

const noUse = 1<<32 - 1

// uses lists, for each root, the rows that have it as a child, once for each place. A list is a ring of which the class
// knows the last: two of them become one by swapping two links.
type uses struct {
	last []uint32 // by class
	list []use    // one for each child in the columns
	late []Class  // classes that are no roots any more, whose lists are still theirs
	many int      // if not 0, how many such classes there are, which late does not list
}

type use struct {
	row, next uint32
}

// note puts a new row into the lists of its children.
func (u *uses) note(c *columns, s *sets, row uint32) {
	for _, k := range c.children(row) {
		u.add(s.find(k), row)
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

// later notes classes whose lists are to be moved, all or the first of so many.
func (u *uses) later(some []Class, all int) {
	if u.many > 0 || len(some) < all {
		u.many += len(u.late) + all
		u.late = u.late[:0]
		return
	}
	u.late = append(u.late, some...)
}

// waiting is how many lists are to be moved.
func (u *uses) waiting() int { return len(u.late) + u.many }

// settle moves the lists that wait, and appends their rows to dirty, up to a number.
func (u *uses) settle(s *sets, dirty []uint32, most int) []uint32 {
	move := func(c, root Class) {
		if len(dirty) <= most {
			dirty = u.rows(c, dirty)
		}
		u.move(c, root)
	}
	if u.many > 0 {
		for c, up := range s.parent {
			if up != Class(c) {
				move(Class(c), s.find(up))
			}
		}
	}
	for _, c := range u.late {
		move(c, s.find(c))
	}
	u.late, u.many = u.late[:0], 0
	return dirty
}

// move takes the list of one class to another one.
func (u *uses) move(from, to Class) {
	if last := u.last[from]; last != noUse {
		u.last[from] = noUse
		u.splice(to, last)
	}
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
