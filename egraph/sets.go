package egraph

import "sync/atomic"

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

// join makes one class of two and returns the id that stopped being a root, None if they were one.
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

// root is find beside other goroutines. That a parent changes meanwhile only makes the way longer.
func (s *sets) root(c Class) Class {
	for {
		up := s.load(c)
		if up == c {
			return c
		}
		top := s.load(up)
		if top == up {
			return up
		}
		atomic.CompareAndSwapUint32((*uint32)(&s.parent[c]), uint32(up), uint32(top))
		c = top
	}
}

func (s *sets) load(c Class) Class { return Class(atomic.LoadUint32((*uint32)(&s.parent[c]))) }

// hook is join beside other goroutines, without the count. Only a root's entry is changed, so no union is lost.
func (s *sets) hook(a, b Class) Class {
	for {
		a, b = s.root(a), s.root(b)
		if a == b {
			return None
		}
		if lo, hi := min(a, b), max(a, b); atomic.CompareAndSwapUint32((*uint32)(&s.parent[hi]), uint32(hi), uint32(lo)) {
			return hi
		}
	}
}

// flatten makes every entry a root: a parent is smaller, so it is flat before its children.
func (s *sets) flatten() {
	for c, p := range s.parent {
		s.parent[c] = s.parent[p]
	}
}
