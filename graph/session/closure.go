package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/tiles"
)

// ClosureOptions says what a closure is of.
type ClosureOptions struct {
	Kinds uint32 // of arcs that are allowed; 0 is all
	Rows  bool   // the closure keeps its rows, so that it can be asked and edited; without, it has counts alone
}

// Closure is which nodes reach which. Rows of bits over strong components stay in the memory of the session. It may be
// used from any goroutine; what runs on one session runs one after another.
//
// After an error the closure is as it was, and makes rows again that were lost when it is next asked.
type Closure struct {
	kinds  uint32
	closed bool
	filled
}

// Closure returns the transitive closure of the session's graph. A component takes 16 bytes for each 65,536 components
// and 20 more, an arc between components 4, and each 1,024 columns of a row that are not empty 128. If that does not
// fit, a session with Options.Parts makes as many columns at a time as do. All counts against the budget, on the host's
// cores too.
//
// Errors: out of memory, with the bytes needed and those there are, before rows are allocated; those of
// StrongComponents.
func (s *Session) Closure(ctx context.Context, o ClosureOptions) (_ *Closure, err error) {
	if err := made(s); err != nil {
		return nil, err
	}
	set := s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	c := &Closure{kinds: o.Kinds, filled: filled{set: set, keep: o.Rows, closing: closing{g: set.g}}}
	if c.kinds == 0 {
		c.kinds = graph.AllKinds
	}
	ask, before, began := by.strong, set.moved, time.Now()
	if set.symmetric {
		ask = by.weak
	}
	labels, run, err := ask(ctx, set.kinds(Query{Kinds: o.Kinds}))
	if err != nil {
		return nil, err
	}
	c.run = run
	if set.host != nil {
		c.rows = &hostRows{s: set.runner}
	} else if c.rows, err = newKernelRows(ctx, set.runner); err != nil {
		return nil, err
	}
	dag, err := c.condense(ctx, c.g, labels, nil)
	if err == nil {
		err = c.make(ctx, dag)
	}
	if err != nil {
		return nil, errors.Join(err, c.rows.Close())
	}
	c.run.Result.Wall = time.Since(began)
	set.moved.since(before, &c.run)
	if !c.keep {
		return c, c.rows.Close()
	}
	set.keep(c.rows)
	return c, nil
}

func (c *Closure) condense(ctx context.Context, g *graph.CSR, labels []uint32, old *tiles.Dag) (dag *tiles.Dag, err error) {
	err = g.Read(func() error {
		dag, err = tiles.Condense(ctx, rowsOf(g), c.kinds, labels, old)
		return err
	})
	return dag, err
}

// enter begins a call that needs rows, about some nodes. It ends with set.exit.
func (c *Closure) enter(ctx context.Context, nodes ...uint32) error {
	if c == nil || c.set == nil {
		return made(nil)
	}
	if err := c.set.enter(ctx); err != nil {
		return err
	}
	err := c.mayAsk(nodes)
	if err != nil {
		c.set.exit(&err)
	}
	return err
}

func (c *Closure) mayAsk(nodes []uint32) error {
	switch {
	case c.closed:
		return c.set.refuse("the closure is closed", "make another one")
	case !c.keep:
		return c.set.refuse("the closure has no rows", "set ClosureOptions.Rows")
	}
	for _, v := range nodes {
		if int64(v) >= int64(c.g.Nodes()) {
			return c.set.refuse(fmt.Sprintf("closure: node %d, the graph has %d", v, c.g.Nodes()), "nodes count from 0")
		}
	}
	return nil
}

// Pairs returns how many pairs (u, v) there are with a path of no arcs or more.
func (c *Closure) Pairs() uint64 {
	now, _ := c.now()
	return now.beyond + now.dag.Squares()
}

// PairsPlus returns how many there are with a path of one arc or more, as Datalog counts.
func (c *Closure) PairsPlus() uint64 {
	now, _ := c.now()
	return now.beyond + now.dag.Squares() - uint64(now.dag.Single)
}

// Components returns how many strong components there are.
func (c *Closure) Components() int {
	now, _ := c.now()
	return now.dag.Live
}

// Between returns how many pairs of components have an arc between them.
func (c *Closure) Between() int {
	now, _ := c.now()
	return len(now.dag.To)
}

// Heights returns how many components the longest way through them has.
func (c *Closure) Heights() int {
	now, _ := c.now()
	return now.dag.Heights()
}

// Tiles returns how many pieces of 1,024 bits rows are stored in.
func (c *Closure) Tiles() uint64 {
	now, _ := c.now()
	return now.tiles
}

// Parts returns in how many blocks of columns the rows are made.
func (c *Closure) Parts() int {
	now, _ := c.now()
	return len(now.cuts) - 1
}

// Run says how the closure, and what was asked of it since, was made. Its device time is that of rows and components.
func (c *Closure) Run() Run {
	_, run := c.now()
	return run
}

// Graph returns the graph that the closure is of: the session's, after edits another one with the same data of nodes.
func (c *Closure) Graph() *graph.CSR {
	now, _ := c.now()
	return now.g
}

// Reaches reports whether there is a path from u to v, of no arcs or more.
//
// Errors: a node that the graph does not have; a closure without rows; those of the device.
func (c *Closure) Reaches(u, v uint32) (_ bool, err error) {
	ctx := context.Background()
	if err := c.enter(ctx, u, v); err != nil {
		return false, err
	}
	defer c.set.exit(&err)
	return c.reaches(ctx, u, v)
}

// Row returns the nodes that u reaches, itself among them, as Session.Reach does.
//
// Errors: those of Reaches.
func (c *Closure) Row(ctx context.Context, u uint32) (_ *Reached, err error) {
	if err := c.enter(ctx, u); err != nil {
		return nil, err
	}
	defer c.set.exit(&err)
	own := c.dag.Of[u]
	row, err := c.several(ctx, []uint32{own})
	if err != nil {
		return nil, err
	}
	return c.nodes(func(k uint32) bool { return k == own || has(row[0], k) }), nil
}

// Column returns the nodes that reach v, itself among them.
//
// Errors: those of Reaches.
func (c *Closure) Column(ctx context.Context, v uint32) (_ *Reached, err error) {
	if err := c.enter(ctx, v); err != nil {
		return nil, err
	}
	defer c.set.exit(&err)
	return c.column(ctx, v)
}

// Cut returns for each node of from which of to it reaches: bit j%64 of word i·⌈len(to)/64⌉ + j/64; and how many pairs
// do.
//
// Errors: those of Reaches.
func (c *Closure) Cut(ctx context.Context, from, to []uint32) (words []uint64, pairs uint64, err error) {
	if err := c.enter(ctx, slices.Concat(from, to)...); err != nil {
		return nil, 0, err
	}
	defer c.set.exit(&err)
	each := (len(to) + 63) / 64
	words = make([]uint64, len(from)*each)
	for first := 0; first < len(from); first += cutRows {
		some := from[first:min(first+cutRows, len(from))]
		columns := make([]uint32, len(some))
		for i, u := range some {
			columns[i] = c.dag.Of[u]
		}
		all, err := c.several(ctx, columns)
		if err != nil {
			return nil, 0, err
		}
		for i, row := range all {
			for j, v := range to {
				if k := c.dag.Of[v]; k == columns[i] || has(row, k) {
					words[(first+i)*each+j/64] |= 1 << (j % 64)
					pairs++
				}
			}
		}
	}
	return words, pairs, nil
}

// cutRows is how many rows are read at a time.
const cutRows = 256

// Path returns a shortest path from u to v, that of Session.Path; none if u does not reach v. Only nodes that reach v
// are looked at.
//
// Errors: those of Reaches.
func (c *Closure) Path(ctx context.Context, u, v uint32) (path []Step, err error) {
	if err := c.enter(ctx, u, v); err != nil {
		return nil, err
	}
	defer c.set.exit(&err)
	if found, err := c.reaches(ctx, u, v); err != nil || !found {
		return nil, err
	}
	toward, err := c.column(ctx, v)
	if err == nil {
		err = c.g.Read(func() error {
			path = walk(c.g, c.kinds, toward, u, v)
			return nil
		})
	}
	return path, err
}

// walk searches from u level by level; the least node of a level that leads to a node is before it on the path.
func walk(graph *graph.CSR, kinds uint32, toward *Reached, u, v uint32) (path []Step) {
	type found struct{ level, before, mask uint32 }
	at, g := map[uint32]found{u: {}}, rowsOf(graph)
	for level, list := uint32(1), []uint32{u}; at[v] == (found{}) && u != v; level++ {
		slices.Sort(list)
		var next []uint32
		for _, w := range list {
			targets, masks := g.of(w)
			for i, x := range targets {
				mask := maskAt(masks, i)
				if _, seen := at[x]; seen || mask&kinds == 0 || !toward.Contains(x) {
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

// Close gives the rows back. The session does so, too, when it is closed.
func (c *Closure) Close() error {
	if c == nil || c.set == nil {
		return nil
	}
	c.set.calls.Wait()
	defer c.set.calls.Give()
	if c.closed || !c.keep {
		c.closed = true
		return nil
	}
	c.closed = true
	return c.set.drop(c.rows)
}
