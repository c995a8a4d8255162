package opt

import "github.com/govyre/vyre/ir"

// equals are the classes of values known to be equal, as numbers, where the walk is. Each class has one representative,
// so that equalities make no edges between values: k values that are equal in pairs are one class of k, not k² relations.
//
// A class is a ring, and two rings become one, or one two, by the same exchange of links. The representatives are a
// forest without path compression, in which the smaller class hangs below the larger (Tarjan, 1975), so that a join can be
// taken back: find takes O(log n), all else O(1).
type equals struct {
	next   []ir.Row // by row: 1 + the next of its class, 0 if it is alone
	parent []ir.Row // by row: 1 + the row that it hangs below, 0 for a representative
	size   []int32  // by representative: members beside it
	joined []union  // in order
}

// union is two members of what were two classes, and the representatives.
type union struct{ a, b, above, below ir.Row }

// of returns the representative of v.
func (e *equals) of(v ir.Row) ir.Row {
	for int(v) < len(e.parent) && e.parent[v] != 0 {
		v = e.parent[v] - 1
	}
	return v
}

// after returns the member of the class of v that comes after it, which is v itself if there is no other.
func (e *equals) after(v ir.Row) ir.Row {
	if int(v) >= len(e.next) || e.next[v] == 0 {
		return v
	}
	return e.next[v] - 1
}

// join makes one class of those of a and b, in a program of that many rows.
func (e *equals) join(a, b ir.Row, rows int) {
	above, below := e.of(a), e.of(b)
	if above == below {
		return
	}
	if n := rows - len(e.next); n > 0 {
		e.next, e.parent = append(e.next, make([]ir.Row, n)...), append(e.parent, make([]ir.Row, n)...)
		e.size = append(e.size, make([]int32, n)...)
	}
	if e.size[above] < e.size[below] {
		above, below = below, above
	}
	e.parent[below] = above + 1
	e.size[above] += e.size[below] + 1
	e.exchange(a, b)
	e.joined = append(e.joined, union{a, b, above, below})
}

// exchange gives a and b the links of each other.
func (e *equals) exchange(a, b ir.Row) {
	e.next[a], e.next[b] = e.after(b)+1, e.after(a)+1
}

// part takes back all joins but the first n.
func (e *equals) part(n int) {
	for i := len(e.joined) - 1; i >= n; i-- {
		j := e.joined[i]
		e.exchange(j.a, j.b)
		e.parent[j.below] = 0
		e.size[j.above] -= e.size[j.below] + 1
	}
	e.joined = e.joined[:n]
}
