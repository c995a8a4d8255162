package tiles

import "slices"

// members are the nodes of columns, and the graph that has arcs between them.
type members struct {
	between
	Edited, back *Arcs // the graph, and the other way round
	filter       uint32
	next, prev   []uint32 // nodes of a component are a ring
	nodes        []uint32 // by column: how many it has now
	at           []uint32 // by node: marks of searches, up to mark
	mark         uint32
	free         []uint32 // columns
}

// leaving are the columns that allowed arcs of a node lead to.
func (l *members) leaving(u uint32) func(yield func(k uint32) bool) {
	return func(yield func(k uint32) bool) {
		for v := range l.allowed(l.Edited, u) {
			if !yield(l.Of[v]) {
				return
			}
		}
	}
}

// allowed are the other ends of a node's arcs that the filter allows.
func (l *members) allowed(a *Arcs, u uint32) func(yield func(v uint32) bool) {
	return func(yield func(v uint32) bool) {
		to, masks := a.Row(u)
		l.Looked += uint64(len(to))
		for i, v := range to {
			if maskAt(masks, i)&l.filter != 0 && !yield(v) {
				return
			}
		}
	}
}

func (l *members) put(a *Arcs, u, v, mask uint32) {
	a.put(u, v, mask)
	l.Then(func() { a.cut(u, v, mask) })
}

func (l *members) cut(a *Arcs, u, v, mask uint32) {
	a.cut(u, v, mask)
	l.Then(func() { a.put(u, v, mask) })
}

// single counts a column if its only node is on no cycle.
func (l *members) single(k uint32, n int) {
	if v := l.Name[k]; l.nodes[k] == 1 && l.Edited.same(v, v, l.filter) == 0 {
		l.sum(&l.Single, n)
	}
}

// swallow gives the nodes and arcs of column x to column k, and frees it.
func (l *members) swallow(k, x uint32) {
	for i := len(l.After(x)) - 1; i >= 0; i-- {
		to, n := l.After(x)[i], int32(l.times.at(x)[i])
		if l.link(x, to, -n); to != k {
			l.link(k, to, n)
		}
	}
	for i := len(l.before.at(x)) - 1; i >= 0; i-- {
		from := l.before.at(x)[i]
		at, _ := slices.BinarySearch(l.After(from), x)
		n := int32(l.times.at(from)[at])
		if l.link(from, x, -n); from != k {
			l.link(from, k, n)
		}
	}
	a, b := l.Name[k], l.Name[x]
	for v := b; l.Of[v] != k; v = l.next[v] {
		l.set(&l.Of, v, k)
	}
	afterA, afterB := l.next[a], l.next[b]
	l.join(a, afterB)
	l.join(b, afterA)
	l.set(&l.nodes, k, l.nodes[k]+l.nodes[x])
	l.set(&l.nodes, x, 0)
	l.set(&l.Name, x, None)
	l.tell(l.Height[x], -1)
	l.set(&l.Height, x, 0)
	l.sum(&l.Live, -1)
	l.free = append(l.free, x)
	l.Then(func() { l.free = l.free[:len(l.free)-1] })
}

// join makes a node the next one in a ring.
func (l *members) join(v, next uint32) {
	l.set(&l.next, v, next)
	l.set(&l.prev, next, v)
}

// search looks for a path from u to v inside their component, from both ends. If it finds none, it returns the nodes of
// the search that came to an end. With them come their mark, and whether it went back from v.
func (l *members) search(u, v uint32) (nodes []uint32, mark uint32, back bool) {
	if l.mark > 1<<30 {
		clear(l.at)
		l.mark = 0
	}
	l.mark += 2
	type side struct {
		a     *Arcs
		nodes []uint32
		next  int
		mark  uint32
		arcs  uint64
	}
	sides := [2]side{{l.Edited, []uint32{u}, 0, l.mark - 1, 0}, {l.back, []uint32{v}, 0, l.mark, 0}}
	l.at[u], l.at[v] = sides[0].mark, sides[1].mark
	for {
		s, other := &sides[0], &sides[1]
		if s.arcs > other.arcs {
			s, other = other, s
		}
		if s.next == len(s.nodes) {
			return s.nodes, s.mark, s.a == l.back
		}
		looked := l.Looked
		for w := range l.allowed(s.a, s.nodes[s.next]) {
			switch {
			case l.Of[w] != l.Of[u] || l.at[w] == s.mark:
			case l.at[w] == other.mark:
				return nil, 0, false
			default:
				l.at[w] = s.mark
				s.nodes = append(s.nodes, w)
			}
		}
		s.next++
		s.arcs += l.Looked - looked + 1
	}
}

// leave gives marked nodes of component j a column of their own, and returns it. With it come nodes of the rest: those
// that arcs to them come from, and those that arcs from them lead to.
func (l *members) leave(j uint32, nodes []uint32, mark uint32) (k uint32, ends [2][]uint32) {
	k = l.column()
	ends = l.part(j, nodes, func(v uint32) uint32 {
		if l.at[v] == mark {
			return k
		}
		return j
	})
	for _, v := range nodes {
		l.join(l.prev[v], l.next[v])
		if l.Name[j] == v {
			l.set(&l.Name, j, l.next[v])
		}
	}
	l.set(&l.nodes, j, l.nodes[j]-uint32(len(nodes)))
	l.name(k, nodes)
	l.sum(&l.Live, 1)
	return k, ends
}

// instead returns the arcs that the rest of a component may lack after marked nodes have left it. A way through these
// is one from where it came to them to where it left them. With arcs that it may lack the component is whole, so there
// are such ways.
func (l *members) instead(lost [][2]uint32, ends [2][]uint32, mark uint32) (rest [][2]uint32) {
	for _, a := range lost {
		from, to := l.at[a[0]] == mark, l.at[a[1]] == mark
		switch {
		case from && !to:
			ends[1] = append(ends[1], a[1])
		case to && !from:
			ends[0] = append(ends[0], a[0])
		case !from:
			rest = append(rest, a)
		}
	}
	for i := range ends {
		slices.Sort(ends[i])
		ends[i] = slices.Compact(ends[i])
	}
	hub := ends[1][0]
	if len(ends[0]) == 1 {
		hub = ends[0][0]
	}
	for _, v := range ends[0] {
		if v != hub {
			rest = append(rest, [2]uint32{v, hub})
		}
	}
	for _, v := range ends[1] {
		if v != hub {
			rest = append(rest, [2]uint32{hub, v})
		}
	}
	return rest
}

// column returns a free one.
func (l *members) column() (k uint32) {
	if n := len(l.free); n > 0 {
		k = l.free[n-1]
		l.free = l.free[:n-1]
		l.Then(func() { l.free = append(l.free, k) })
	} else {
		k = uint32(len(l.Name))
		l.Name, l.Size, l.Height, l.nodes = append(l.Name, None), append(l.Size, 0), append(l.Height, 0), append(l.nodes, 0)
		l.Then(func() { l.Name, l.Size, l.Height, l.nodes = l.Name[:k], l.Size[:k], l.Height[:k], l.nodes[:k] })
	}
	l.tell(l.Height[k], 1)
	return k
}

// fall makes the columns of a component that may have fallen apart, and returns them, those first that lead to no other
// one. The largest part keeps its column.
func (l *members) fall(j uint32) []uint32 {
	closed, ends := l.parts(j)
	columns, keeps, first, most := make([]uint32, len(ends)), 0, 0, 0
	for p, end := range ends {
		if end-first > most {
			keeps, most = p, end-first
		}
		first = end
	}
	for p := range columns {
		if columns[p] = j; p != keeps {
			columns[p] = l.column()
		}
	}
	if len(ends) > 1 {
		l.part(j, closed, func(v uint32) uint32 { return columns[^l.at[v]] })
		for p, from := 0, 0; p < len(ends); p++ {
			l.name(columns[p], closed[from:ends[p]])
			from = ends[p]
		}
		l.sum(&l.Live, len(ends)-1)
	}
	for _, k := range columns {
		l.single(k, 1)
	}
	for _, v := range closed {
		l.at[v] = 0
	}
	return columns
}

// name gives nodes to a column.
func (l *members) name(k uint32, nodes []uint32) {
	for i, v := range nodes {
		l.set(&l.Of, v, k)
		l.join(v, nodes[(i+1)%len(nodes)])
	}
	l.set(&l.Name, k, nodes[0])
	l.set(&l.nodes, k, uint32(len(nodes)))
}

// part gives the arcs of component j to its parts: column says which one a node of it comes to. Nodes are those of
// which some leave. It returns the nodes that stay and have an arc to one that leaves, or from one.
func (l *members) part(j uint32, nodes []uint32, column func(v uint32) uint32) (ends [2][]uint32) {
	for _, v := range nodes {
		k := column(v)
		if k == j {
			continue
		}
		for to := range l.allowed(l.Edited, v) {
			other := l.Of[to]
			if other != j {
				l.link(j, other, -1)
			} else if other = column(to); other == j {
				ends[1] = append(ends[1], to)
			}
			if other != k {
				l.link(k, other, 1)
			}
		}
		for from := range l.allowed(l.back, v) {
			if other := l.Of[from]; other != j {
				l.link(other, j, -1)
				l.link(other, k, 1)
			} else if column(from) == j {
				l.link(j, k, 1)
				ends[0] = append(ends[0], from)
			}
		}
	}
	return ends
}

// parts finds the strong components of component j, those first that lead to no other one (Tarjan, 1972): its nodes by
// part, and where parts end. Marks of nodes are then the parts, counted down from the greatest number.
func (l *members) parts(j uint32) (closed []uint32, ends []int) {
	root := l.Name[j]
	for v := l.next[root]; ; v = l.next[v] {
		if l.at[v] = 0; v == root {
			break
		}
	}
	type visit struct {
		v, low uint32
		i      int
	}
	found := uint32(0)
	var path []uint32
	var visits []visit
	enter := func(v uint32) {
		found++
		l.at[v] = found
		path, visits = append(path, v), append(visits, visit{v: v, low: found})
	}
	half := ^uint32(0) / 2 // marks above are of parts
	for s := l.next[root]; ; s = l.next[s] {
		if l.at[s] == 0 {
			enter(s)
		}
	walk:
		for len(visits) > 0 {
			top := &visits[len(visits)-1]
			to, masks := l.Edited.Row(top.v)
			for ; top.i < len(to); top.i++ {
				w := to[top.i]
				switch {
				case maskAt(masks, top.i)&l.filter == 0 || l.Of[w] != j || l.at[w] > half:
				case l.at[w] == 0:
					enter(w) // whose mark is looked at when it is over
					continue walk
				default:
					top.low = min(top.low, l.at[w])
				}
			}
			l.Looked += uint64(len(to))
			v, low := top.v, top.low
			if visits = visits[:len(visits)-1]; len(visits) > 0 {
				below := &visits[len(visits)-1]
				below.low = min(below.low, low)
			}
			if low == l.at[v] {
				from := len(path)
				for w := None; w != v; from-- {
					w = path[from-1]
					l.at[w] = ^uint32(len(ends))
				}
				closed = append(closed, path[from:]...)
				path, ends = path[:from], append(ends, len(closed))
			}
		}
		if s == root {
			return closed, ends
		}
	}
}
