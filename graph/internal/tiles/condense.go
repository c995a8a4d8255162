package tiles

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"github.com/govyre/vyre/internal/guard"
)

// Dag is a graph whose strong components are columns: by ascending name, until edits change it.
type Dag struct {
	Of         []uint32 // by node: its column
	Name, Size []uint32 // by column: one of its nodes, at first the least, and how many it has; None and 0 if it is free
	Height     []uint32 // by column: arcs of the longest way to one without successors
	Single     int      // nodes on no cycle
	Live       int      // columns that are not free
	Between    int      // arcs between columns, once each
	Squares    uint64   // pairs within components

	after         lists    // by column: those that arcs lead to, ascending
	tall          []uint32 // columns of each height
	order, starts []uint32 // the list of all; nil if it is not made
}

// pollEvery is after how many nodes a context is looked at.
const pollEvery = 1 << 16

// Condense makes columns of the components that nodes have these labels of, along arcs that the filter allows.
func Condense(ctx context.Context, g Graph, filter uint32, labels []uint32) (*Dag, error) {
	d := &Dag{Of: make([]uint32, len(labels))}
	d.columns(labels)
	first, members := make([]uint32, len(d.Size)+1), make([]uint32, len(labels))
	for k, n := range d.Size {
		first[k+1] = first[k] + n
	}
	next := slices.Clone(first)
	for v, k := range d.Of {
		members[next[k]] = uint32(v)
		next[k]++
	}
	d.after.first = make([]uint32, len(d.Size)+1)
	parts := 1
	if len(labels) >= pollEvery/4 {
		parts = runtime.GOMAXPROCS(0)
	}
	made := make([]condensing, parts)
	var team guard.Group
	for i := range made {
		made[i] = condensing{Dag: d, g: g, filter: filter, first: first, members: members}
		from, _ := slices.BinarySearch(first, uint32(uint64(len(labels))*uint64(i)/uint64(parts)))
		to, _ := slices.BinarySearch(first, uint32(uint64(len(labels))*uint64(i+1)/uint64(parts)))
		if i == parts-1 {
			to = len(d.Size)
		}
		team.Go(func() { made[i].between(ctx, uint32(from), uint32(to)) })
	}
	team.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for k := range d.Size {
		d.after.first[k+1] += d.after.first[k]
	}
	d.after.of = made[0].to
	for i, m := range made {
		if d.Single += m.single; i > 0 {
			d.after.of = append(d.after.of, m.to...)
		}
	}
	d.Between = len(d.after.of)
	d.heights()
	d.order, d.starts = d.List(nil)
	return d, nil
}

// condensing finds the arcs between columns that leave some of them.
type condensing struct {
	*Dag
	g              Graph
	filter         uint32
	first, members []uint32 // nodes by column
	to             []uint32
	single         int
}

func (c *condensing) between(ctx context.Context, from, to uint32) {
	seen, looked := slices.Repeat([]uint32{None}, len(c.Size)), 0
	for k := from; k < to; k++ {
		loop, begin := c.Size[k] != 1, len(c.to)
		for _, v := range c.members[c.first[k]:c.first[k+1]] {
			if looked++; looked%pollEvery == 0 && ctx.Err() != nil {
				return
			}
			targets, masks := c.g.Row(v)
			for i, u := range targets {
				if masks == nil && c.filter&1 == 0 || masks != nil && masks[i]&c.filter == 0 {
					continue
				}
				loop = loop || u == v
				if j := c.Of[u]; j != k && seen[j] != k {
					seen[j] = k
					c.to = append(c.to, j)
				}
			}
		}
		if !loop {
			c.single++
		}
		row := c.to[begin:]
		if len(row) > len(c.Size)/16 {
			row = row[:0]
			for j, by := range seen {
				if by == k {
					row = append(row, uint32(j))
				}
			}
		} else if !slices.IsSorted(row) {
			slices.Sort(row)
		}
		c.after.first[k+1] = uint32(len(row))
	}
}

// columns numbers components.
func (d *Dag) columns(labels []uint32) {
	for v, label := range labels {
		if uint32(v) != label {
			d.Of[v] = d.Of[label] // which is less, and so has its column
			continue
		}
		d.Of[v] = uint32(len(d.Name))
		d.Name = append(d.Name, label)
	}
	d.Live, d.Size = len(d.Name), make([]uint32, len(d.Name))
	for _, k := range d.Of {
		d.Size[k]++
	}
	for _, n := range d.Size {
		d.Squares += uint64(n) * uint64(n)
	}
}

// heights takes columns away that lead to no other one, and those that lead to these then (Kahn, 1962).
func (d *Dag) heights() {
	n := len(d.Size)
	before, left, list := d.turned(), make([]uint32, n), make([]uint32, 0, n)
	d.Height = make([]uint32, n)
	for k := range uint32(n) {
		if left[k] = uint32(len(d.After(k))); left[k] == 0 {
			list = append(list, k)
		}
	}
	for at := 0; at < len(list); at++ {
		k := list[at]
		if int(d.Height[k]) == len(d.tall) {
			d.tall = append(d.tall, 0)
		}
		d.tall[d.Height[k]]++
		for _, u := range before.at(k) {
			if left[u]--; left[u] == 0 { // the last of its successors is one of the highest
				d.Height[u] = d.Height[k] + 1
				list = append(list, u)
			}
		}
	}
}

// turned is which columns lead to each, ascending.
func (d *Dag) turned() (before lists) {
	n := len(d.Size)
	before.first, before.of = make([]uint32, n+1), make([]uint32, d.Between)
	for k := range uint32(n) {
		for _, to := range d.After(k) {
			before.first[to+1]++
		}
	}
	for k := range n {
		before.first[k+1] += before.first[k]
	}
	next := slices.Clone(before.first)
	for k := range uint32(n) {
		for _, to := range d.After(k) {
			before.of[next[to]] = k
			next[to]++
		}
	}
	return before
}

// Labels are the components of nodes, by their least nodes.
func (d *Dag) Labels() []uint32 {
	least, labels := slices.Repeat([]uint32{None}, len(d.Name)), make([]uint32, len(d.Of))
	for v, k := range d.Of {
		least[k] = min(least[k], uint32(v))
		labels[v] = least[k]
	}
	return labels
}

// After are the columns that arcs of column k lead to.
func (d *Dag) After(k uint32) []uint32 { return d.after.at(k) }

// Heights is how many heights there are.
func (d *Dag) Heights() int { return len(d.tall) }

// List is what Fill goes through: rows that have successors, in order of heights, and two words a height, where its
// rows of up to Long successors begin, and the others; at the end where the list ends. It lists all, or some columns,
// which it sorts.
func (d *Dag) List(columns []uint32) (order, starts []uint32) {
	if columns == nil && d.order != nil {
		return d.order, d.starts
	}
	if columns == nil {
		columns = d.byHeight()
	} else {
		slices.SortFunc(columns, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(d.Height[a], d.Height[b]), cmp.Compare(a, b))
		})
	}
	var long []uint32
	order, starts = make([]uint32, 0, len(columns)), []uint32{0}
	height := uint32(0)
	flush := func() {
		if n := uint32(len(order)); n+uint32(len(long)) > starts[len(starts)-1] {
			order = append(order, long...)
			starts, long = append(starts, n, uint32(len(order))), long[:0]
		}
	}
	for _, k := range columns {
		if d.Height[k] == 0 {
			continue
		}
		if h := d.Height[k]; h != height {
			flush()
			height = h
		}
		if len(d.After(k)) > Long {
			long = append(long, k)
		} else {
			order = append(order, k)
		}
	}
	flush()
	return order, starts
}

// byHeight are the columns, those of less height first.
func (d *Dag) byHeight() []uint32 {
	next, all := make([]uint32, len(d.tall)+1), make([]uint32, len(d.Height))
	for _, h := range d.Height {
		next[h+1]++
	}
	for h := range d.tall {
		next[h+1] += next[h]
	}
	for k, h := range d.Height {
		all[next[h]] = uint32(k)
		next[h]++
	}
	return all
}

// Entries are the rows of a list as Fill has them, and their successors.
func (d *Dag) Entries(order []uint32) (entries, to []uint32) {
	entries, to = make([]uint32, 0, 4*len(order)), make([]uint32, 0, len(order))
	for _, k := range order {
		from := uint32(len(to))
		to = append(to, d.After(k)...)
		entries = append(entries, k, from, uint32(len(to)), d.Size[k])
	}
	return entries, to
}
