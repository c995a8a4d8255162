package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/internal/tiles"
)

// editable is a closure with what edits need.
type editable struct {
	filled
	kinds      uint32
	arcs, back *tiles.Arcs // of the graph after edits, and the other way round; nil before the first one
	live       *tiles.Live // nil before an edit, and after all rows were made again
	latest     *graph.CSR  // nil if edits came after it
}

func (c *editable) condense(ctx context.Context, rows tiles.Graph, labels []uint32) (dag *tiles.Dag, err error) {
	err = c.g.Read(func() error {
		dag, err = tiles.Condense(ctx, rows, c.kinds, labels)
		return err
	})
	return dag, err
}

// walk searches from u level by level; the least node of a level that leads to a node is before it on the path.
func (c *editable) walk(toward *Reached, u, v uint32) (path []Step) {
	type found struct{ level, before, mask uint32 }
	at, g := map[uint32]found{u: {}}, tiles.Graph(rowsOf(c.g))
	if c.arcs != nil {
		g = c.arcs
	}
	for level, list := uint32(1), []uint32{u}; at[v] == (found{}) && u != v; level++ {
		slices.Sort(list)
		var next []uint32
		for _, w := range list {
			targets, masks := g.Row(w)
			for i, x := range targets {
				mask := maskAt(masks, i)
				if _, seen := at[x]; seen || mask&c.kinds == 0 || !toward.Contains(x) {
					continue
				}
				at[x] = found{level, w, mask}
				next = append(next, x)
			}
		}
		list = next
	}
	for v != u {
		path = append(path, Step{v, at[v].mask})
		v = at[v].before
	}
	path = append(path, Step{Node: u})
	slices.Reverse(path)
	return path
}

// edited makes the graph that edits have made.
func (c *editable) edited(ctx context.Context) (*graph.CSR, error) {
	var offsets []uint64
	var targets, masks []uint32
	err := c.g.Read(func() error {
		n, masked := c.g.Nodes(), c.g.Masks() != nil
		offsets, targets, masks = make([]uint64, 1, n+1), make([]uint32, 0, c.g.Arcs()), make([]uint32, 0, c.g.Arcs())
		for u := range uint32(n) {
			to, kinds := c.arcs.Row(u)
			targets = append(targets, to...)
			for i := range to {
				masks = append(masks, maskAt(kinds, i))
				masked = masked || maskAt(kinds, i) != 1
			}
			offsets = append(offsets, uint64(len(targets)))
		}
		if !masked {
			masks = nil
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

// all makes edits: all of them or, after an error, none.
func (c *editable) all(ctx context.Context, arcs []flow.Arc, add bool) (n int, err error) {
	live, before, done := c.live, c.closing, false
	defer func() { // whatever panics, too
		if done {
			return
		}
		live.Undo()
		c.live = live
		if c.dag != before.dag || c.block != before.block {
			before.block = -1
		}
		c.closing = before
	}()
	live.Begin(c.fewRows())
	if err := c.ask(ctx, arcs, add); err != nil {
		return 0, err
	}
	if err := c.g.Read(func() error { return c.change(ctx, arcs, add) }); err != nil {
		return 0, err
	}
	if n, err = c.remake(ctx); err != nil {
		return 0, err
	}
	c.run.Record.Items += uint64(n)
	c.run.Record.Edges += live.Looked
	live.Keep()
	c.latest, done = nil, true
	return n, nil
}

func arcName(i int, a flow.Arc) string {
	return fmt.Sprintf("arc %d, %d → %d with mask %#x", i, a.From, a.To, max(a.Mask, 1))
}

// fewRows is how many rows are made again one by one at most.
func (c *editable) fewRows() int {
	if len(c.cuts) > 2 {
		return 0
	}
	return c.dag.Live / 4
}

// begin makes what edits need, if it is not there.
func (c *editable) begin(ctx context.Context) error {
	if len(c.cuts) == 2 {
		if err := c.need(ctx, 0); err != nil {
			return err
		}
	}
	if c.live != nil {
		return nil
	}
	if c.arcs == nil {
		back := c.g
		if !c.set.symmetric {
			var err error
			if back, err = c.g.Reverse(ctx); err != nil {
				return err
			}
		}
		c.arcs, c.back = tiles.NewArcs(rowsOf(c.g)), tiles.NewArcs(rowsOf(back))
	}
	return c.g.Read(func() (err error) {
		c.live, err = tiles.NewLive(ctx, c.dag, c.arcs, c.back, c.kinds)
		return err
	})
}

// mostAsked is how many tiles are read before an edit at most.
const mostAsked = 4096

// ask finds out what edits ought to know: whether columns reach others.
func (c *editable) ask(ctx context.Context, arcs []flow.Arc, add bool) error {
	if len(c.cuts) > 2 {
		return nil
	}
	var pairs [][2]uint32
	var spans []span
	for _, a := range arcs {
		for _, p := range c.live.Asks(a.From, a.To, max(a.Mask, 1), add) {
			if at, stored := c.places.Place(p[0], int(p[1]/tiles.Columns)); stored && len(spans) < mostAsked {
				pairs, spans = append(pairs, p), append(spans, span{at, make([]tiles.Tile, 1)})
			}
		}
	}
	if err := c.rows.read(ctx, spans); err != nil {
		return err
	}
	for i, p := range pairs {
		c.live.Answer(p, has(spans[i].tiles, p[1]%tiles.Columns))
	}
	return nil
}

// change makes the edits on the host.
func (c *editable) change(ctx context.Context, arcs []flow.Arc, add bool) error {
	for i, a := range arcs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if mask := max(a.Mask, 1); add {
			c.live.Add(a.From, a.To, mask)
		} else if !c.live.Remove(a.From, a.To, mask) {
			return c.set.refuse(arcName(i, a)+" is not in the graph of the closure", "remove arcs that are there, as often as they are")
		}
	}
	return nil
}

// remake makes the rows again that are stale, or all.
func (c *editable) remake(ctx context.Context) (n int, err error) {
	stale, all := c.live.Stale()
	if columns := len(c.dag.Name); all || tiles.TileColumns(columns) != tiles.TileColumns(c.places.Rows()) {
		return c.remakeAll(ctx)
	}
	if len(stale) > 0 {
		block := c.block
		c.block = -1
		was, now, fit, err := c.rows.refill(ctx, refilling{c.dag, c.places, slices.DeleteFunc(slices.Clone(stale), c.places.Empty), func() (order, starts []uint32, fit bool) {
			n = c.live.Settle(stale)
			order, starts = c.dag.List(stale)
			undo, fit := c.places.Again(c.dag, stale, c.rows.room())
			c.live.Then(undo)
			return order, starts, fit
		}, stale}, &c.run)
		if err != nil {
			return 0, err
		}
		if !fit {
			return c.remakeAll(ctx)
		}
		c.block, c.beyond = block, c.beyond-was+now
	}
	c.count()
	return n, nil
}

// remakeAll makes all rows again, with columns of their own.
func (c *editable) remakeAll(ctx context.Context) (int, error) {
	dag, err := c.condense(ctx, c.arcs, c.dag.Labels())
	if err == nil {
		err = c.make(ctx, dag)
	}
	if err == nil {
		c.live = nil
	}
	return c.dag.Live, err
}
