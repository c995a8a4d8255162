package tiles

import (
	"context"
	"slices"
)

// Live is a graph that changes, arc by arc, with its components. A change looks at rows of the components at its ends,
// and of those that lead there. Where a component falls apart it looks at nodes that leave.
//
// A change can be undone, until Keep. Sizes of columns are those before, until Settle.
type Live struct {
	members
	had   map[[2]uint32]bool // pairs of columns that were asked about: whether one reached the other
	stale map[uint32]bool    // columns whose rows are to be made again, all that lead there among them
	most  int                // of those, after which the others are not found
}

// NewLive begins changes of a graph whose components are known, its arcs both ways.
func NewLive(ctx context.Context, d *Dag, out, back *Arcs, filter uint32) (*Live, error) {
	l := &Live{stale: map[uint32]bool{}}
	l.between = between{Dag: d, before: d.turned()}
	l.Edited, l.back, l.filter, l.nodes = out, back, filter, slices.Clone(d.Size)
	l.times.first, l.times.of = d.after.first, make([]uint32, d.Between)
	l.next, l.prev, l.at = make([]uint32, len(d.Of)), make([]uint32, len(d.Of)), make([]uint32, len(d.Of))
	last := slices.Clone(d.Name)
	for u := range uint32(len(d.Of)) {
		if u%pollEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		j := d.Of[u]
		l.next[last[j]], l.prev[u], last[j] = u, last[j], u
		l.next[u], l.prev[d.Name[j]] = d.Name[j], u
		for k := range l.leaving(u) {
			if k != j {
				i, _ := slices.BinarySearch(d.After(j), k)
				l.times.of[d.after.first[j]+uint32(i)]++
			}
		}
	}
	d.order, d.starts = nil, nil
	return l, nil
}

// Begin begins edits, after which at most so many rows are made again one by one.
func (l *Live) Begin(most int) {
	clear(l.stale)
	l.had, l.undo, l.most, l.Looked = map[[2]uint32]bool{}, nil, most, 0
	l.order, l.starts = nil, nil
}

// Stale are the columns whose rows are to be made again; all if these are too many.
func (l *Live) Stale() (rows []uint32, all bool) {
	for k := range l.stale {
		rows = append(rows, k)
	}
	slices.Sort(rows)
	return rows, len(rows) > l.most
}

// Settle makes sizes what they are now, and returns the live ones of some columns.
func (l *Live) Settle(rows []uint32) (live int) {
	for _, k := range rows {
		n := l.nodes[k]
		if n > 0 {
			live++
		}
		if old := l.Size[k]; old != n {
			was := l.Squares
			l.Squares += uint64(n)*uint64(n) - uint64(old)*uint64(old)
			l.set(&l.Size, k, n)
			l.Then(func() { l.Squares = was })
		}
	}
	return live
}

// Asks are pairs of columns: before an arc is added or removed, it is worth to know whether the first reaches the other.
func (l *Live) Asks(u, v, mask uint32, add bool) (pairs [][2]uint32) {
	j, k := l.Of[u], l.Of[v]
	switch {
	case mask&l.filter == 0 || j == k:
	case add:
		pairs = append(pairs, [2]uint32{j, k})
	default:
		for _, s := range l.After(j) {
			if l.Height[s] > l.Height[k] && len(pairs) < Long {
				pairs = append(pairs, [2]uint32{s, k})
			}
		}
	}
	return slices.DeleteFunc(pairs, func(p [2]uint32) bool { return l.Height[p[0]] <= l.Height[p[1]] })
}

// Answer says so.
func (l *Live) Answer(pair [2]uint32, reached bool) { l.had[pair] = reached }

// Add adds an arc.
func (l *Live) Add(u, v, mask uint32) {
	l.put(l.Edited, u, v, mask)
	l.put(l.back, v, u, mask)
	j, k := l.Of[u], l.Of[v]
	switch {
	case mask&l.filter == 0:
	case j == k:
		if u == v && l.nodes[j] == 1 && l.Edited.same(u, u, l.filter) == 1 {
			l.sum(&l.Single, -1)
		}
	case !l.link(j, k, 1) || l.had[[2]uint32{j, k}]:
	default:
		cycle := l.cycle(j, k)
		if cycle != nil {
			j = l.merge(cycle)
			delete(l.stale, j) // for columns that lead to the others may not be stale
		}
		l.rise(cycle != nil, j)
		l.spread(j)
	}
}

// Remove removes an arc, and reports whether it was there.
func (l *Live) Remove(u, v, mask uint32) bool {
	if _, found := l.Edited.find(u, v, mask); !found {
		return false
	}
	l.cut(l.Edited, u, v, mask)
	l.cut(l.back, v, u, mask)
	j, k := l.Of[u], l.Of[v]
	switch {
	case mask&l.filter == 0:
	case u == v:
		if l.nodes[j] == 1 && l.Edited.same(u, u, l.filter) == 0 {
			l.sum(&l.Single, 1)
		}
	case j == k:
		if l.Edited.same(u, v, l.filter) == 0 {
			l.split(j, u, v)
		}
	case l.link(j, k, -1):
		l.rise(false, j)
		if !l.stillReaches(j, k) {
			l.spread(j)
		}
	}
	return true
}

// stillReaches reports whether it is known that column j reaches k by another column. Answers hold for rows that are
// not stale.
func (l *Live) stillReaches(j, k uint32) bool {
	return slices.ContainsFunc(l.After(j), func(s uint32) bool { return l.had[[2]uint32{s, k}] && !l.stale[s] })
}

// spread makes the rows stale of a column, and of all that lead there.
func (l *Live) spread(j uint32) {
	for list := []uint32{j}; len(list) > 0 && len(l.stale) <= l.most; {
		k := list[len(list)-1]
		if list = list[:len(list)-1]; !l.stale[k] {
			l.stale[k] = true
			list = append(list, l.before.at(k)...)
			l.Looked += uint64(len(l.before.at(k)))
		}
	}
}

// merge makes one component of columns. It keeps the column of the one that has most nodes, which it returns.
func (l *Live) merge(columns []uint32) uint32 {
	most := columns[0]
	for _, k := range columns {
		if l.nodes[k] > l.nodes[most] {
			most = k
		}
		l.single(k, -1)
	}
	for _, k := range columns {
		if k != most {
			l.swallow(most, k)
			l.stale[k] = true
		}
	}
	return most
}

// split makes the columns of component j again, which has lost an arc from u to v. While arcs that it may lack lead to
// parts that it leads to without them, it is whole. A search from one end, or back from the other, may come to an end without it.
// Then its nodes have left the component: no arc leads back to the rest, or none comes from there. The shorter search
// ends first, so that a split takes time for what leaves. If searches take longer than the component is large, all its
// parts are found at once.
func (l *Live) split(j, u, v uint32) {
	var front, tail []uint32 // columns that the rest leads to, and that lead there, each after those that it leads to
	lost, most := [][2]uint32{{u, v}}, l.Looked+8*uint64(l.nodes[j])+Long
	for len(lost) > 0 && l.Looked < most {
		last := lost[len(lost)-1]
		nodes, mark, back := l.search(last[0], last[1])
		if nodes == nil {
			lost = lost[:len(lost)-1]
			continue
		}
		k, ends := l.leave(j, nodes, mark)
		lost = l.instead(lost, ends, mark)
		if columns := l.fall(k); back {
			tail = append(columns, tail...)
		} else {
			front = append(front, columns...)
		}
	}
	rest := []uint32{j}
	if len(lost) > 0 {
		rest = l.fall(j)
	} else if len(front)+len(tail) == 0 {
		return
	} else {
		l.single(j, 1)
	}
	columns := slices.Concat(front, rest, tail)
	l.rise(true, columns...)
	for _, k := range columns {
		l.spread(k)
	}
}
