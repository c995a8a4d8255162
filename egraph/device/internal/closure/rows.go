package closure

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// A row is a head and up to three children, none where there is none. A row of more has none, the place of its first
// child, and their number instead.
const (
	none = ^uint32(0)

	// Commutative is the bit of a head whose two children are in the order of their roots.
	Commutative = 1 << 31
)

// Begin is the signature of nothing.
const Begin = 0xA24BAED4

// Mix adds a word to a signature.
func Mix(h, v uint32) uint32 {
	return bits.RotateLeft32(h^(v+0x9E3779B9+h<<6+h>>2), 13) * 0x85EBCA6B
}

// many is how many children a row has in more: 0 if they are in the row itself.
func many(r [4]uint32) uint32 {
	if r[1] == none && r[2] != none {
		return r[3]
	}
	return 0
}

// signature is that of a row.
func signature(r [4]uint32, more []uint32) uint32 {
	h := Mix(Begin, r[0])
	if n := many(r); n != 0 {
		h = Mix(h, n)
		for k := range n {
			h = Mix(h, more[r[2]+k])
		}
		return h
	}
	n := uint32(0)
	for k := 1; k < 4; k++ {
		if r[k] != none {
			n++
		}
	}
	h = Mix(h, n)
	for k := 1; k < 4; k++ {
		if r[k] != none {
			h = Mix(h, r[k])
		}
	}
	return h
}

// equal compares two rows exactly.
func equal(a, b [4]uint32, more []uint32) bool {
	n := many(a)
	if n == 0 || n != many(b) || a[0] != b[0] {
		return a == b
	}
	for k := range n {
		if more[a[2]+k] != more[b[2]+k] {
			return false
		}
	}
	return true
}

// refresh replaces the children of a row by their roots, and reports whether that changed any.
func refresh(rows [][4]uint32, more, parent []uint32, i uint32) bool {
	r := rows[i]
	if r[1] == none {
		if n := many(r); n != 0 {
			return refreshMany(more, parent, r[2], n)
		}
		return false
	}
	// Absent children look at the first one, so that all three are on their way together. Roots stay roots in a sweep, and only they
	// are their own parents, so a stale parent says as much.
	b, c := r[2], r[3]
	if b == none {
		b = r[1]
	}
	if c == none {
		c = r[1]
	}
	p, q, s := gpu.LoadStale(&parent[r[1]]), gpu.LoadStale(&parent[b]), gpu.LoadStale(&parent[c])
	if p == r[1] && q == b && s == c {
		return false
	}
	p = Root(parent, p)
	if r[2] == none {
		q = none
	} else {
		q = Root(parent, q)
	}
	if r[3] == none {
		s = none
	} else {
		s = Root(parent, s)
	}
	if r[0]&Commutative != 0 {
		p, q = min(p, q), max(p, q)
	}
	rows[i] = [4]uint32{r[0], p, q, s}
	return true
}

// refreshMany does it for n children from at on.
func refreshMany(more, parent []uint32, at, n uint32) bool {
	changed := false
	for k := range n {
		child := more[at+k]
		if root := Root(parent, child); root != child {
			more[at+k] = root
			changed = true
		}
	}
	return changed
}
