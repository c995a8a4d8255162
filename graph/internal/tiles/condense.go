package tiles

import (
	"context"
	"runtime"
	"slices"

	"github.com/govyre/vyre/internal/guard"
)

// None is no node, and no column.
const None = ^uint32(0)

// Graph is the rows of a graph: the targets of a node, and their masks, nil if all are 1.
type Graph interface {
	Row(u uint32) (targets, masks []uint32)
}

// Dag is a graph whose strong components are columns, by ascending name. One that was made from another keeps the
// columns of components whose name stayed.
type Dag struct {
	Of         []uint32 // by node: its column
	Name, Size []uint32 // by column: its least node, and how many it has; None and 0 if it is free
	Single     int      // nodes on no cycle
	Offsets    []uint32
	To         []uint32 // arcs between columns, ascending and once each
	Height     []uint32 // by column: arcs of the longest way to one without successors
	ByHeight   []uint32 // columns, those of less height first
	Live       int      // columns that are not free

	order, starts []uint32 // the list of all
}

// pollEvery is after how many nodes a context is looked at.
const pollEvery = 1 << 16

// Condense makes columns of the components that nodes have these labels of, along arcs that the filter allows. Of a
// graph that was another before, old keeps columns; else it is nil.
func Condense(ctx context.Context, g Graph, filter uint32, labels []uint32, old *Dag) (*Dag, error) {
	d := &Dag{Of: make([]uint32, len(labels))}
	d.columns(labels, old)
	first, members := make([]uint32, len(d.Size)+1), make([]uint32, len(labels))
	for k, n := range d.Size {
		first[k+1] = first[k] + n
	}
	next := slices.Clone(first)
	for v, k := range d.Of {
		members[next[k]] = uint32(v)
		next[k]++
	}
	d.Offsets = make([]uint32, len(d.Size)+1)
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
		d.Offsets[k+1] += d.Offsets[k]
	}
	d.To = made[0].to
	for i, m := range made {
		if d.Single += m.single; i > 0 {
			d.To = append(d.To, m.to...)
		}
	}
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
		c.Offsets[k+1] = uint32(len(row))
	}
}

// columns numbers components.
func (d *Dag) columns(labels []uint32, old *Dag) {
	if old != nil {
		d.Name = slices.Clone(old.Name)
		for k, name := range d.Name {
			if name != None && labels[name] != name {
				d.Name[k] = None
			}
		}
	}
	free := 0
	for v, label := range labels {
		if uint32(v) != label {
			d.Of[v] = d.Of[label] // which is less, and so has its column
			continue
		}
		d.Live++
		if old != nil && old.Name[old.Of[v]] == label {
			d.Of[v] = old.Of[v]
			continue
		}
		for free < len(d.Name) && d.Name[free] != None {
			free++
		}
		if free == len(d.Name) {
			d.Name = append(d.Name, label)
		}
		d.Name[free], d.Of[v] = label, uint32(free)
	}
	d.Size = make([]uint32, len(d.Name))
	for _, k := range d.Of {
		d.Size[k]++
	}
}

// heights takes columns away that lead to no other one, and those that lead to these then (Kahn, 1962). A free column
// has height 0.
func (d *Dag) heights() {
	n := len(d.Size)
	left, first := make([]uint32, n), make([]uint32, n+1)
	for k := range n {
		left[k] = d.Offsets[k+1] - d.Offsets[k]
	}
	for _, k := range d.To {
		first[k+1]++
	}
	for k := range n {
		first[k+1] += first[k]
	}
	before, next := make([]uint32, len(d.To)), slices.Clone(first)
	for k := range uint32(n) {
		for _, to := range d.After(k) {
			before[next[to]] = k
			next[to]++
		}
	}
	d.Height, d.ByHeight = make([]uint32, n), make([]uint32, 0, n)
	for k := range uint32(n) {
		if left[k] == 0 {
			d.ByHeight = append(d.ByHeight, k)
		}
	}
	for at := 0; at < len(d.ByHeight); at++ {
		k := d.ByHeight[at]
		for _, u := range before[first[k]:first[k+1]] {
			if left[u]--; left[u] == 0 { // the last of its successors is one of the highest
				d.Height[u] = d.Height[k] + 1
				d.ByHeight = append(d.ByHeight, u)
			}
		}
	}
}

// After are the columns that arcs of column k lead to.
func (d *Dag) After(k uint32) []uint32 { return d.To[d.Offsets[k]:d.Offsets[k+1]] }

// Heights is how many heights there are.
func (d *Dag) Heights() int {
	if len(d.ByHeight) == 0 {
		return 0
	}
	return int(d.Height[d.ByHeight[len(d.ByHeight)-1]]) + 1
}

// List is what Fill goes through: rows that have successors, in order of heights, and two words a height, where its
// rows of up to Long successors begin, and the others; at the end where the list ends. A nil function lists all.
func (d *Dag) List(listed func(k uint32) bool) (order, starts []uint32) {
	if listed == nil && d.order != nil {
		return d.order, d.starts
	}
	var long []uint32
	order, starts = make([]uint32, 0, len(d.ByHeight)), []uint32{0}
	height := uint32(0)
	flush := func() {
		if n := uint32(len(order)); n+uint32(len(long)) > starts[len(starts)-1] {
			order = append(order, long...)
			starts, long = append(starts, n, uint32(len(order))), long[:0]
		}
	}
	for _, k := range d.ByHeight {
		if d.Height[k] == 0 || listed != nil && !listed(k) {
			continue
		}
		if h := d.Height[k]; h != height {
			flush()
			height = h
		}
		if d.Offsets[k+1]-d.Offsets[k] > Long {
			long = append(long, k)
		} else {
			order = append(order, k)
		}
	}
	flush()
	return order, starts
}

// Entries are the rows of a list as Fill has them.
func (d *Dag) Entries(order []uint32) []uint32 {
	e := make([]uint32, 0, 4*len(order))
	for _, k := range order {
		e = append(e, k, d.Offsets[k], d.Offsets[k+1], d.Size[k])
	}
	return e
}

// Squares is how many pairs there are within components.
func (d *Dag) Squares() (n uint64) {
	for _, size := range d.Size {
		n += uint64(size) * uint64(size)
	}
	return n
}

// Changed returns for each column whether its row may differ from that in old, whose columns these keep. A row is the
// same if it reached before what it leads to now, and if what it led to before is reached by what it leads to. Had
// reports whether some row of old had a column.
func (d *Dag) Changed(old *Dag, had func(rows []uint32, column uint32) (bool, error)) ([]bool, error) {
	moved, changed := make([]bool, max(len(d.Size), len(old.Size))), make([]bool, len(d.Size))
	for v, k := range d.Of {
		if was := old.Of[v]; was != k {
			moved[was], moved[k] = true, true
		}
	}
	for _, k := range d.ByHeight {
		after := d.After(k)
		changed[k] = moved[k] || slices.ContainsFunc(after, func(j uint32) bool { return changed[j] })
		if changed[k] || d.Size[k] == 0 {
			continue
		}
		before := old.After(k)
		if slices.Equal(before, after) {
			continue
		}
		for _, j := range after {
			if _, same := slices.BinarySearch(before, j); !same && !changed[k] {
				yes, err := had([]uint32{k}, j)
				if err != nil {
					return nil, err
				}
				changed[k] = !yes
			}
		}
		for _, j := range before {
			if _, same := slices.BinarySearch(after, j); !same && !changed[k] {
				yes, err := had(after, j)
				if err != nil {
					return nil, err
				}
				changed[k] = !yes
			}
		}
	}
	return changed, nil
}
