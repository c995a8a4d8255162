package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/graph/internal/tiles"
)

// Add adds arcs to the graph of the closure, of which 0 as a mask is 1, and returns how many rows were made again:
// those that changed, or all if that is more than a quarter.
//
// Errors: an arc with an end that is no node, before anything changes; those of Reaches.
func (c *Closure) Add(ctx context.Context, arcs []flow.Arc) (rows int, err error) {
	return c.edit(ctx, arcs, true)
}

// Remove takes arcs away, each once, and returns what Add does.
//
// Errors: an arc that is not there, before anything changes; those of Add.
func (c *Closure) Remove(ctx context.Context, arcs []flow.Arc) (rows int, err error) {
	return c.edit(ctx, arcs, false)
}

func (c *Closure) edit(ctx context.Context, arcs []flow.Arc, add bool) (n int, err error) {
	if err := c.enter(ctx); err != nil {
		return 0, err
	}
	defer c.set.exit(&err)
	g, err := c.edited(ctx, arcs, add)
	if err != nil {
		return 0, err
	}
	labels := make([]uint32, g.Nodes())
	if err := cpu.New(hostArrays(g), cpu.Graph{}, cpu.Options{Workers: 1}).StrongComponents(ctx, c.kinds, labels); err != nil {
		return 0, err
	}
	dag, err := c.condense(ctx, g, labels, c.dag)
	if err != nil {
		return 0, err
	}
	before := c.closing
	if n, err = c.remake(ctx, g, dag, labels); err != nil {
		c.closing = before
		c.block = -1
		return 0, err
	}
	c.g = g
	return n, nil
}

// remake makes the rows that differ, or all.
func (c *Closure) remake(ctx context.Context, g *graph.CSR, dag *tiles.Dag, labels []uint32) (n int, err error) {
	all := len(c.cuts) > 2 || tiles.TileColumns(len(dag.Size)) != tiles.TileColumns(len(c.dag.Size))
	var changed []bool
	if !all {
		if err := c.need(ctx, 0); err != nil {
			return 0, err
		}
		changed, err = dag.Changed(c.dag, func(rows []uint32, column uint32) (bool, error) {
			t := int(column / tiles.Columns)
			var spans []span
			for _, k := range rows {
				if at, stored := c.places.Place(k, t); stored {
					spans = append(spans, span{at, make([]tiles.Tile, 1)})
				}
			}
			err := c.rows.read(ctx, spans)
			return slices.ContainsFunc(spans, func(s span) bool { return has(s.tiles, column%tiles.Columns) }), err
		})
		if err != nil {
			return 0, err
		}
		for k, yes := range changed {
			if yes && dag.Size[k] > 0 {
				n++
			}
		}
	}
	var places *tiles.Places
	if all = all || 4*n > dag.Live; !all {
		places = c.places.Again(dag, changed, c.rows.room())
	}
	if places == nil || c.rows.image(dag, places) > c.rows.image(nil, nil) {
		if dag, err = c.condense(ctx, g, labels, nil); err != nil {
			return 0, err
		}
		return dag.Live, c.make(ctx, dag)
	}
	next := closing{dag: dag, places: places, cuts: c.cuts, tiles: places.Tiles()}
	if slices.Contains(changed, true) {
		listed := func(k uint32) bool { return changed[k] }
		order, starts := c.dag.List(listed)
		was, err := c.rows.fill(ctx, filling{tiles.Count, c.dag, c.places, order, starts, c.cuts[0], c.cuts[1]}, &c.run)
		if err != nil {
			return 0, err
		}
		order, starts = dag.List(listed)
		now, err := c.rows.fill(ctx, filling{tiles.Make, dag, places, order, starts, c.cuts[0], c.cuts[1]}, &c.run)
		if err != nil {
			return 0, err
		}
		next.beyond = c.beyond - was + now
	} else {
		next.beyond = c.beyond
	}
	c.closing = next
	return n, nil
}

// edited returns the graph with arcs more or less.
func (c *Closure) edited(ctx context.Context, arcs []flow.Arc, add bool) (*graph.CSR, error) {
	n := c.g.Nodes()
	by := make([]int, len(arcs))
	name := func(i int) string {
		return fmt.Sprintf("arc %d, %d → %d with mask %#x", i, arcs[i].From, arcs[i].To, max(arcs[i].Mask, 1))
	}
	key := func(i int) flow.Arc {
		return flow.Arc{From: arcs[i].From, To: arcs[i].To, Mask: max(arcs[i].Mask, 1)}
	}
	masked := false
	for i, a := range arcs {
		by[i] = i
		masked = masked || add && a.Mask > 1
		if int64(max(a.From, a.To)) >= int64(n) {
			return nil, c.set.refuse(fmt.Sprintf("%s: the graph has %d nodes", name(i), n), "nodes count from 0")
		}
	}
	slices.SortStableFunc(by, func(i, j int) int { return compareArcs(key(i), key(j)) })
	var offsets []uint64
	var targets, masks []uint32
	err := c.g.Read(func() error {
		g := rowsOf(c.g)
		masked = masked || g.masks != nil
		offsets = make([]uint64, 1, n+1)
		targets = make([]uint32, 0, len(g.targets)+len(arcs))
		put := func(to, mask uint32) {
			if targets = append(targets, to); masked {
				masks = append(masks, mask)
			}
		}
		for u := range uint32(n) {
			row, kinds := g.of(u)
			for k, to := range row {
				here := flow.Arc{From: u, To: to, Mask: maskAt(kinds, k)}
				for ; len(by) > 0 && compareArcs(key(by[0]), here) < 0; by = by[1:] {
					if !add {
						return c.absent(name(by[0]))
					}
					put(key(by[0]).To, key(by[0]).Mask)
				}
				if !add && len(by) > 0 && key(by[0]) == here {
					by = by[1:]
					continue
				}
				put(to, here.Mask)
			}
			for ; len(by) > 0 && arcs[by[0]].From == u; by = by[1:] {
				if !add {
					return c.absent(name(by[0]))
				}
				put(key(by[0]).To, key(by[0]).Mask)
			}
			offsets = append(offsets, uint64(len(targets)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	g, err := graph.New(ctx, offsets, targets, masks)
	if err != nil {
		return nil, err
	}
	data := c.g.Data()
	data.Weights, data.Sites = nil, nil // of arcs
	return g.With(data)
}

func (c *Closure) absent(name string) error {
	return c.set.refuse(name+" is not in the graph of the closure", "remove arcs that are there, as often as they are")
}

func compareArcs(a, b flow.Arc) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Mask, b.Mask))
}
