package opt

import "github.com/govyre/vyre/ir"

// relations are pairs of values known to be in order, as numbers, and how far apart, where the walk is; and classes of
// values known to be equal.
type relations struct {
	equals
	list  []relation
	first []int32 // by row: 1 + the last relation with it on the left
	marks []relationsMark
}

// relation says a + gap <= b; where b is no row, a + gap <= the elements of object.
type relation struct {
	a, b   ir.Row
	gap    uint64
	object uint32
	sum    ir.Row // 1 + the sum of a and a constant that has to be one without a wrap; 0 for none
	before int32  // of the same a
}

// relationsMark is what was known when a region was entered.
type relationsMark struct{ list, joined int }

// reset forgets all relations. It takes them back one by one, because there are fewer than rows.
func (l *relations) reset(rows int) {
	l.forget(relationsMark{})
	l.marks = l.marks[:0]
	if n := rows - len(l.first); n > 0 {
		l.first = append(l.first, make([]int32, n)...)
	}
}

func (l *relations) mark() { l.marks = append(l.marks, relationsMark{len(l.list), len(l.joined)}) }

func (l *relations) release() {
	n := len(l.marks) - 1
	l.forget(l.marks[n])
	l.marks = l.marks[:n]
}

// forget takes back what is newer than a mark.
func (l *relations) forget(to relationsMark) {
	for i := len(l.list) - 1; i >= to.list; i-- {
		l.first[l.list[i].a] = l.list[i].before
	}
	l.list = l.list[:to.list]
	l.part(to.joined)
}

func (l *relations) add(a, b ir.Row, gap uint64) { l.put(relation{a: a, b: b, gap: gap}) }

func (l *relations) put(r relation) {
	if n := int(r.a) + 1 - len(l.first); n > 0 {
		l.first = append(l.first, make([]int32, n+n/8)...)
	}
	r.before = l.first[r.a]
	l.list = append(l.list, r)
	l.first[r.a] = int32(len(l.list))
}

// last returns 1 + the number of the last relation with a on the left, 0 if there is none.
func (l *relations) last(a ir.Row) int32 {
	if int(a) >= len(l.first) {
		return 0
	}
	return l.first[a]
}
