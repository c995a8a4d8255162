package session

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/tiles"
)

// filled is the rows of a closure, and what says which they are.
type filled struct {
	set  *set
	keep bool
	g    *graph.CSR // before all edits
	rows closureRows
	run  Run
	closing
}

// closing is what changes when all rows are made again, together.
type closing struct {
	dag    *tiles.Dag
	places *tiles.Places
	cuts   []int // columns of tiles that blocks begin with, and their end
	block  int   // which one is there; -1 is none
	beyond uint64
	counts closureCounts
}

// closureCounts are what a closure comes to.
type closureCounts struct {
	pairs, plus                          uint64
	components, between, heights, blocks int
	tiles                                uint64
	run                                  Run
}

// count notes what the rows come to.
func (c *filled) count() {
	d, pairs := c.dag, c.beyond+c.dag.Squares
	c.counts = closureCounts{pairs: pairs, plus: pairs - uint64(d.Single), components: d.Live, between: d.Between, heights: d.Heights(), blocks: len(c.cuts) - 1, tiles: c.places.Tiles}
}

// now is what they come to while no edit is under way.
func (c *filled) now() closureCounts {
	if c.set == nil {
		return closureCounts{}
	}
	c.set.calls.Wait()
	defer c.set.calls.Give()
	counts := c.counts
	counts.run = c.run
	return counts
}

// make makes all rows anew, and counts them.
func (c *filled) make(ctx context.Context, dag *tiles.Dag) error {
	if n := len(dag.Size); uint64(n)*uint64((tiles.TileColumns(n)+63)/64) > math.MaxUint32 { // kernels count places in 32 bits
		return c.set.refuse(fmt.Sprintf("closure: %d components are too many", n), "ask for rows by Reach")
	}
	c.closing = closing{dag: dag, places: tiles.NewPlaces(dag), block: -1}
	if err := c.fit(); err != nil {
		return err
	}
	for i := range len(c.cuts) - 1 {
		sum, err := c.fill(ctx, i)
		if err != nil {
			return err
		}
		c.beyond += sum
	}
	c.count()
	return nil
}

// fit makes sure that there is memory, for all rows or for a block of them, and says where blocks are cut.
func (c *filled) fit() error {
	s, columns := c.set, tiles.TileColumns(len(c.dag.Size))
	image := c.rows.image(c.dag, c.places)
	most := c.places.Tiles
	c.cuts = []int{0, columns}
	limit := s.limit()
	left := min(limit-min(limit, s.analysed.now()-c.rows.held()), tiles.Bytes*math.MaxUint32)
	if fixed := image + 2*planRoom; s.o.Parts && fixed+tiles.Bytes*most > left && left > fixed {
		if cuts, n := cut(c.places.ByColumn(1, nil), (left-fixed)/tiles.Bytes); cuts != nil {
			c.cuts, most = cuts, n
		}
	}
	if image <= c.rows.image(nil, nil) && most <= c.rows.room() {
		return nil
	}
	if err := c.rows.free(); err != nil {
		return err
	}
	if c.keep { // what edits may need, if there is room for it
		if more := image/8 + tiles.Bytes*(most/8+64); image+tiles.Bytes*most+2*planRoom+more <= left {
			image, most = image+image/8, most+most/8+64
		}
	}
	return c.rows.open(image, most)
}

// cut makes blocks of columns with up to so many tiles; none if a column has more.
func cut(of []uint64, room uint64) (cuts []int, most uint64) {
	sum := uint64(0)
	cuts = []int{0}
	for t, n := range of {
		if n > room {
			return nil, 0
		}
		if sum+n > room {
			cuts, sum = append(cuts, t), 0
		}
		sum += n
		most = max(most, sum)
	}
	return append(cuts, len(of)), most
}

// fill makes the rows of a block, and returns the pairs in them.
func (c *filled) fill(ctx context.Context, i int) (sum uint64, err error) {
	c.block = -1
	c.places.Lay(c.cuts[i], c.cuts[i+1])
	order, starts := c.dag.List(nil)
	if sum, err = c.rows.fill(ctx, filling{tiles.Make, c.dag, c.places, order, starts, c.cuts[i], c.cuts[i+1]}, &c.run); err == nil {
		c.block = i
	}
	return sum, err
}

// need makes sure that a block of rows is there.
func (c *filled) need(ctx context.Context, i int) error {
	if c.block == i {
		return nil
	}
	if err := c.fit(); err != nil {
		return err
	}
	_, err := c.fill(ctx, i)
	return err
}

// several returns rows of components.
func (c *filled) several(ctx context.Context, of []uint32) ([][]tiles.Tile, error) {
	all := make([][]tiles.Tile, len(of))
	for i := range all {
		all[i] = make([]tiles.Tile, tiles.TileColumns(len(c.dag.Size)))
	}
	for b := range len(c.cuts) - 1 {
		if err := c.need(ctx, b); err != nil {
			return nil, err
		}
		var spans []span
		var columns [][]int
		for _, k := range of {
			first, stored := c.places.Span(k, c.cuts[b], c.cuts[b+1], nil)
			columns = append(columns, stored)
			spans = append(spans, span{first, make([]tiles.Tile, len(stored))})
		}
		if err := c.rows.read(ctx, spans); err != nil {
			return nil, err
		}
		for i, stored := range columns {
			for j, t := range stored {
				all[i][t] = spans[i].tiles[j]
			}
		}
	}
	return all, nil
}

// has reports whether a row has a column.
func has(row []tiles.Tile, k uint32) bool {
	return row[k/tiles.Columns][k%tiles.Columns/64]>>(k%64)&1 != 0
}

func (c *filled) reaches(ctx context.Context, u, v uint32) (bool, error) {
	from, to := c.dag.Of[u], c.dag.Of[v]
	if from == to {
		return true, nil
	}
	if err := c.need(ctx, c.blockOf(to)); err != nil {
		return false, err
	}
	at, stored := c.places.Place(from, int(to/tiles.Columns))
	if !stored {
		return false, nil
	}
	one := []span{{at, make([]tiles.Tile, 1)}}
	if err := c.rows.read(ctx, one); err != nil {
		return false, err
	}
	return has(one[0].tiles, to%tiles.Columns), nil
}

// blockOf is the block that a column is in.
func (c *filled) blockOf(k uint32) int {
	at, found := slices.BinarySearch(c.cuts, int(k/tiles.Columns))
	if found {
		return at
	}
	return at - 1
}

func (c *filled) column(ctx context.Context, v uint32) (*Reached, error) {
	own := c.dag.Of[v]
	if err := c.need(ctx, c.blockOf(own)); err != nil {
		return nil, err
	}
	from, err := c.rows.column(ctx, c.places, own)
	if err != nil {
		return nil, err
	}
	return c.nodes(func(k uint32) bool { return k == own || from[k/32]>>(k%32)&1 != 0 }), nil
}

// nodes are those of some components.
func (c *filled) nodes(of func(k uint32) bool) *Reached {
	r := &Reached{Run: c.run, why: "a closure"}
	r.words = make([]uint32, (len(c.dag.Of)+31)/32)
	for v, k := range c.dag.Of {
		if of(k) {
			r.words[v/32] |= 1 << (v % 32)
		}
	}
	for _, w := range r.words {
		r.count += bits.OnesCount32(w)
	}
	return r
}
