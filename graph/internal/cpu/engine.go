package cpu

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/guard"
)

// Engine searches one graph.
type Engine struct {
	mu       sync.Mutex
	g, back  Graph
	both     bool // there is a reverse
	workers  int
	greatest []uint32 // of each node, where the first arc to it comes from that is worth a look; nil until Index
	linked   []uint64 // a bit a node: an arc comes to it; with greatest
	backward int      // searches that went backward, without these
	shape             // with the first search
	places   []uint32 // of nodes, in a question about those near others; nil before the first
	search   *search
	team     *team

	sharedNodes int  // lists of at least so many nodes are shared out
	eager       bool // in tests: and so are all lists of levels
}

// shape is what the direction of a level depends on, beside what was found.
type shape struct {
	closed  uint64 // nodes that no arc comes to
	longest uint64 // arcs of a row at most
}

// Options adjust an engine.
type Options struct {
	Workers int // that work together; 0 is one for each core that Go may use
}

// New makes an engine for a graph whose invariants hold. reverse has the same arcs the other way round; it may be the graph
// itself, where every arc has one back, or have no offsets, and then searches go forward only.
func New(g, reverse Graph, o Options) *Engine {
	e := &Engine{g: g, back: reverse, both: reverse.nodes() > 0, workers: o.Workers, sharedNodes: sharedNodes}
	if e.workers <= 0 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	e.team = newTeam(e.workers)
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

// others is how many workers are worth their coming to a list of so many nodes, beside the caller.
func (e *Engine) others(nodes int) int { return max(1, nodes/perWorker) }

// mayStart returns why a call has nothing to start with or for.
func (e *Engine) mayStart(ctx context.Context, op string) error {
	if e == nil || e.team == nil {
		return &driver.Error{Op: op, Kind: driver.InvalidArgument, Msg: "the engine is nil, or was not made by New", Fix: "make one with New"}
	}
	return driver.MayStart(ctx, op, "", "")
}

// begin is before a call that takes its turn, end after it: it is deferred, and what the call panics with is an error, after
// which the engine begins anew.
func (e *Engine) begin() { e.mu.Lock() }

func (e *Engine) end(err *error) {
	if v := recover(); v != nil {
		e.search, e.greatest, e.linked, e.places = nil, nil, nil, nil
		*err = broken(guard.Of(v))
	}
	e.mu.Unlock()
}

// alone is end for a call that takes no turn.
func alone(err *error) {
	if v := recover(); v != nil {
		*err = broken(guard.Of(v))
	}
}

// broken is the error of a call that panicked.
func broken(p *guard.Panic) error {
	return &driver.Error{Op: "search", Kind: driver.Internal, Msg: p.Error(), Err: p,
		Fix: "give New arrays of a graph that was verified, and do not write them; if they are that, report it"}
}

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
// that an arc comes from, 4 bytes a node and a bit, at the cost of one pass over all arcs. Levels does so itself before the
// search after indexAfter of them that went backward.
func (e *Engine) Index(ctx context.Context) (err error) {
	if err := e.mayStart(ctx, "index"); err != nil {
		return err
	}
	e.begin()
	defer e.end(&err)
	return e.index(ctx)
}

// indexAfter searches have taken about as long as the index does.
const indexAfter = 4

func (e *Engine) index(ctx context.Context) error {
	if !e.both || e.greatest != nil {
		return nil
	}
	n := e.g.nodes()
	if _, last := e.back.row(uint32(n) - 1); last != uint64(len(e.back.Targets)) { // as in a file that was written meanwhile
		panic(fmt.Sprintf("BUG: rows of %d arcs, and there are %d", last, len(e.back.Targets)))
	}
	greatest, linked := make([]uint32, n), make([]uint64, (n+63)/64)
	var next chunks
	next.reset(len(linked), 1<<6)
	e.team.do(e.workers, func(int) {
		for from, to, ok := next.take(); ok && ctx.Err() == nil; from, to, ok = next.take() {
			for w := from; w < to; w++ {
				linked[w] = e.indexWord(greatest[64*w:min(64*w+64, n)], 64*w)
			}
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.greatest, e.linked = greatest, linked
	return nil
}

// indexWord does 64 nodes from some one on, or fewer, and returns which of them an arc comes to.
func (e *Engine) indexWord(greatest []uint32, first int) (linked uint64) {
	for b := range greatest {
		from, to := e.back.row(uint32(first + b))
		if from == to {
			continue
		}
		linked |= 1 << b
		best, most := e.back.Targets[from], uint64(0)
		for _, u := range e.back.Targets[from:to] {
			if arcs := e.g.degree(u); arcs > most {
				best, most = u, arcs
			}
		}
		greatest[b] = best
	}
	return linked
}

// search is the state of searches by levels: it is kept from one to the next. What workers read all the time stands apart from
// what they write.
type search struct {
	*Engine
	asked
	now  uint32 // the level that is walked
	list []uint32
	next []uint32
	backLevel
	found []counted
	tally
	sharing sharing
	steps

	deal chunks
	tail atomic.Int64 // of next
	_    [cacheLine]byte
	long longRows
}

// tally is what a search came to so far.
type tally struct {
	stats  Stats
	walked uint64 // arcs of the lists
	blind  uint64 // seeds that no arc comes to
}

// asked is what a search is for.
type asked struct {
	level    []uint32
	filter   uint32
	filtered bool
}

// backLevel is a level that goes backward: the nodes of the list, those that it finds, and those without a level. Other searches
// keep words in the first two.
type backLevel struct{ in, out, open []uint64 }

// steps are those of the team, made once.
type steps struct {
	clearing, measuring, forward, forwardLong, counting, mapping, lookingBack, gather func(int)
}

// counted is what a worker counts, on cache lines of its own.
type counted struct {
	n    uint64
	arcs uint64
	most uint64 // of a row
	own  []uint32
	rows rows
	_    [cacheLine]byte
}
