package tiles

import "slices"

// between are the arcs between columns, both ways, and heights, which change with them.
type between struct {
	*Dag
	journal
	Looked uint64 // arcs that changes looked at
	before lists  // by column: those that lead there, ascending
	times  lists  // by column: how many arcs of the graph each arc between columns is
}

// link adds arcs between two columns, or takes some away, and reports whether the first came or the last went.
func (l *between) link(j, k uint32, n int32) (other bool) {
	other = l.linked(j, k, n)
	l.Then(func() { l.linked(j, k, -n) })
	return other
}

func (l *between) linked(j, k uint32, n int32) bool {
	i, there := slices.BinarySearch(l.After(j), k)
	if there && int64(l.times.at(j)[i])+int64(n) > 0 {
		l.times.mine(j)[i] += uint32(n)
		return false
	}
	from, _ := slices.BinarySearch(l.before.at(k), j)
	if there {
		l.after.cut(j, i)
		l.times.cut(j, i)
		l.before.cut(k, from)
		l.Between--
		return true
	}
	l.after.put(j, i, k)
	l.times.put(j, i, uint32(n))
	l.before.put(k, from, j)
	l.Between++
	return true
}

// rise makes heights again of columns, each after those that it leads to. If a height changes, or if other arcs lead to
// the column, it goes on to what leads there. No arc has changed among these. So by their heights of before, a column
// comes after all that it leads to.
func (l *between) rise(others bool, columns ...uint32) {
	var open heap
	opened := map[uint32]bool{}
	for _, k := range columns {
		opened[k] = true
	}
	for _, k := range columns {
		if l.rose(k) || others {
			l.open(&open, opened, k)
		}
	}
	for len(open) > 0 {
		if k := uint32(open.pop()); l.rose(k) {
			l.open(&open, opened, k)
		}
	}
}

// open adds the columns that lead to one.
func (l *between) open(open *heap, opened map[uint32]bool, k uint32) {
	l.Looked += uint64(len(l.before.at(k)))
	for _, p := range l.before.at(k) {
		if !opened[p] {
			opened[p] = true
			open.push(uint64(l.Height[p])<<32 | uint64(p))
		}
	}
}

// rose makes the height of a column again, and reports whether it is another one.
func (l *between) rose(k uint32) bool {
	h := uint32(0)
	l.Looked += uint64(len(l.After(k)))
	for _, j := range l.After(k) {
		h = max(h, l.Height[j]+1)
	}
	if h == l.Height[k] {
		return false
	}
	l.tell(l.Height[k], -1)
	l.tell(h, 1)
	l.set(&l.Height, k, h)
	return true
}

// tell counts a column of some height, or no longer.
func (l *between) tell(height uint32, by int) {
	l.told(height, by)
	l.Then(func() { l.told(height, -by) })
}

func (l *between) told(height uint32, by int) {
	if n := int(height) + 1 - len(l.tall); n > 0 {
		l.tall = append(l.tall, make([]uint32, n)...)
	}
	l.tall[height] += uint32(by)
	for n := len(l.tall); n > 0 && l.tall[n-1] == 0; n-- {
		l.tall = l.tall[:n-1]
	}
}

// heap has the least number first.
type heap []uint64

func (h *heap) push(x uint64) {
	*h = append(*h, x)
	for i := len(*h) - 1; i > 0 && (*h)[(i-1)/2] > (*h)[i]; i = (i - 1) / 2 {
		(*h)[i], (*h)[(i-1)/2] = (*h)[(i-1)/2], (*h)[i]
	}
}

func (h *heap) pop() uint64 {
	a := *h
	least, n := a[0], len(a)-1
	a[0] = a[n]
	a = a[:n]
	for i := 0; 2*i+1 < n; {
		child := 2*i + 1
		if child+1 < n && a[child+1] < a[child] {
			child++
		}
		if a[i] <= a[child] {
			break
		}
		a[i], a[child] = a[child], a[i]
		i = child
	}
	*h = a
	return least
}

// cycle returns the columns that a new arc from j to k has made one component; none if k does not lead to j. On the way
// back from j, heights are less than that of k.
func (l *between) cycle(j, k uint32) []uint32 {
	if l.Height[k] <= l.Height[j] {
		return nil
	}
	back := map[uint32]bool{j: true}
	for list := []uint32{j}; len(list) > 0; {
		x := list[len(list)-1]
		list = list[:len(list)-1]
		l.Looked += uint64(len(l.before.at(x)))
		for _, p := range l.before.at(x) {
			if !back[p] && (p == k || l.Height[p] < l.Height[k]) {
				if back[p] = true; p != k {
					list = append(list, p)
				}
			}
		}
	}
	if !back[k] {
		return nil
	}
	on := []uint32{k}
	delete(back, k)
	for i := 0; i < len(on); i++ {
		l.Looked += uint64(len(l.After(on[i])))
		for _, t := range l.After(on[i]) {
			if back[t] {
				delete(back, t)
				on = append(on, t)
			}
		}
	}
	slices.Sort(on)
	return on
}
