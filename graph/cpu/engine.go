package cpu

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
)

// None is the level of a node that is not reached.
const None = math.MaxUint32

// Graph is a graph in compressed rows: the arcs of node u lead to Targets[Offsets[u]:Offsets[u+1]], and Masks stand beside
// them, or are nil if every mask is 1.
type Graph struct{ Offsets, Targets, Masks []uint32 }

func (g Graph) nodes() int { return max(len(g.Offsets), 1) - 1 }

// Engine searches one graph.
type Engine struct {
	mu       sync.Mutex
	g, back  Graph
	both     bool // there is a reverse
	workers  int
	greatest []uint32 // of each node, where the first arc to it comes from that is worth a look; nil until Index
	search   *search

	sharedNodes int // lists of at least so many nodes are shared out
}

// Options adjust an engine.
type Options struct {
	Workers int // that work together; 0 is one for each core that Go may use
}

// New makes an engine for a graph whose invariants hold. reverse has the same arcs the other way round; it may be the graph
// itself, where every arc has one back, or have no offsets, and then searches go forward only.
func New(g, reverse Graph, o Options) *Engine {
	e := &Engine{g: g, back: reverse, both: len(reverse.Offsets) > 0, workers: o.Workers, sharedNodes: sharedNodes}
	if e.workers <= 0 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	return e
}

// Stats says what a search did.
type Stats struct {
	Rounds   int    // levels whose nodes were walked
	Backward int    // of these, those that went backward
	Shared   int    // of these, those that more than one worker did
	Reached  uint64 // nodes with an answer
}

// Workers is how many work together.
func (e *Engine) Workers() int { return e.workers }

// check refuses what is not there.
func (e *Engine) check(seeds []uint32, length, of int, what string) error {
	if length != of {
		return fmt.Errorf("graph: %d %s for a graph of %d nodes", length, what, of)
	}
	for i, s := range seeds {
		if uint64(s) >= uint64(e.g.nodes()) {
			return fmt.Errorf("graph: seed %d is node %d, but n = %d", i, s, e.g.nodes())
		}
	}
	return nil
}

// Index prepares searches of graphs with few nodes of very many arcs: it keeps of each node the neighbour with the most arcs
// that an arc comes from, 4 bytes a node, at the cost of one pass over all arcs.
func (e *Engine) Index(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.both || e.greatest != nil {
		return nil
	}
	greatest := make([]uint32, e.g.nodes())
	t := newTeam(e.workers)
	defer t.close()
	var next chunks
	next.reset(len(greatest), 1<<12)
	t.do(func(int) {
		for from, to, ok := next.take(); ok && ctx.Err() == nil; from, to, ok = next.take() {
			for v := from; v < to; v++ {
				best, most := uint32(None), uint32(0)
				for _, u := range e.back.Targets[e.back.Offsets[v]:e.back.Offsets[v+1]] {
					if arcs := e.g.Offsets[u+1] - e.g.Offsets[u]; arcs > most {
						best, most = u, arcs
					}
				}
				greatest[v] = best
			}
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e.greatest = greatest
	return nil
}
