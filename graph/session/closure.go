package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
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
	closed bool
	editable
}

// Closure returns the transitive closure of the session's graph. A component takes 8 bytes for each 65,536 components
// and 24 more, an arc between components 4, and each 1,024 columns of a row that are not empty 128. If that does not
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
	c := &Closure{editable: editable{filled: filled{set: set, keep: o.Rows, g: set.g}, kinds: o.Kinds, latest: set.g}}
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
	dag, err := c.condense(ctx, rowsOf(c.g), labels)
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
func (c *Closure) Pairs() uint64 { return c.now().pairs }

// PairsPlus returns how many there are with a path of one arc or more, as Datalog counts.
func (c *Closure) PairsPlus() uint64 { return c.now().plus }

// Components returns how many strong components there are.
func (c *Closure) Components() int { return c.now().components }

// Between returns how many pairs of components have an arc between them.
func (c *Closure) Between() int { return c.now().between }

// Heights returns how many components the longest way through them has.
func (c *Closure) Heights() int { return c.now().heights }

// Tiles returns how many pieces of 1,024 bits rows are stored in. After edits it hangs on their order.
func (c *Closure) Tiles() uint64 { return c.now().tiles }

// Parts returns in how many blocks of columns the rows are made.
func (c *Closure) Parts() int { return c.now().blocks }

// Run says how the closure, and what was asked of it since, was made. Its device time is that of rows and components.
// An edit counts the rows that it made again as items, and the arcs that it looked at as edges.
func (c *Closure) Run() Run { return c.now().run }

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
			path = c.walk(toward, u, v)
			return nil
		})
	}
	return path, err
}

// Add adds arcs to the graph of the closure; a mask of 0 is 1. It returns how many rows were made again: those of
// components that lead to a changed one, or all if that is more than a quarter.
//
// The first edit reverses the graph on the host, in O(n + m). Later ones take time for rows that they make again, for
// their arcs, and for what leaves a component.
//
// Errors: an arc with an end that the graph does not have; those of Reaches. Nothing has changed then.
func (c *Closure) Add(ctx context.Context, arcs []flow.Arc) (rows int, err error) {
	return c.edit(ctx, arcs, true)
}

// Remove takes arcs away, each once, and returns what Add does.
//
// Errors: an arc that is not there; those of Add.
func (c *Closure) Remove(ctx context.Context, arcs []flow.Arc) (rows int, err error) {
	return c.edit(ctx, arcs, false)
}

// Graph returns the graph that the closure is of: the session's, after edits another one with the same data of nodes. It
// is made when it is asked for.
//
// Errors: a closed session; those of the file of the graph.
func (c *Closure) Graph(ctx context.Context) (_ *graph.CSR, err error) {
	if c == nil || c.set == nil {
		return nil, made(nil)
	}
	if err := c.set.enter(ctx); err != nil {
		return nil, err
	}
	defer c.set.exit(&err)
	if c.latest == nil {
		c.latest, err = c.edited(ctx)
	}
	return c.latest, err
}

func (c *Closure) edit(ctx context.Context, arcs []flow.Arc, add bool) (n int, err error) {
	if err := c.enter(ctx); err != nil {
		return 0, err
	}
	defer c.set.exit(&err)
	for i, a := range arcs {
		if n := c.g.Nodes(); int64(max(a.From, a.To)) >= int64(n) {
			return 0, c.set.refuse(fmt.Sprintf("%s: the graph has %d nodes", arcName(i, a), n), "nodes count from 0")
		}
	}
	if err := c.begin(ctx); err != nil {
		return 0, err
	}
	return c.all(ctx, arcs, add)
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
