package files

import (
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/guard"
)

// third is what a line has after the two ends of its arc.
type third uint8

const (
	chunkBytes = 1 << 20
	mostLine   = 64 << 10 // bytes of a line
	slack      = 16       // bytes after a chunk's text, so that numbers can be loaded as words
	mostErrors = 100

	bufferBytes = mostLine + chunkBytes + slack
)

// chunk is whole lines of a file, and what a worker made of them.
type chunk struct {
	text   []byte // with slack after it
	offset int64  // of the first byte
	done   chan struct{}

	arcs
	lines  int64
	nodes  int64 // of a comment that says so, else 0
	failed []failure
	broke  *guard.Panic // what the worker panicked with
}

// failure is an error in a chunk.
type failure struct {
	line      int64 // from 0, in the chunk
	column    int   // from 0
	at        int   // in the chunk
	got, want string
}

// arcs are arcs in the order of the file. Ids that have more than 32 bits make a chunk wide.
type arcs struct {
	from, to         []uint32
	wideFrom, wideTo []uint64
	masks, weights   []uint32
}

func (a *arcs) len() int { return max(len(a.from), len(a.wideFrom)) }

func (a *arcs) bytes() int64 {
	return 4*int64(cap(a.from)+cap(a.to)+cap(a.masks)+cap(a.weights)) + 8*int64(cap(a.wideFrom)+cap(a.wideTo))
}

// parsed is all arcs of a file, and what its header promised.
type parsed struct {
	arcs    []arcs
	count   int64                      // of arcs
	nodes   int64                      // promised; −1 without a promise
	atLeast int64                      // nodes that a comment speaks of
	list    bool                       // ids may be names
	mirror  bool                       // each arc stands for one back, too
	rows    func() (*graph.CSR, error) // makes the graph, in place of arcs; nil if there are those

	names     graph.Strings // of nodes
	kindNames [32]string    // that the file has
	kinds     []int         // bits that got theirs by order of appearance
}

// rules say what lines of a format look like.
type rules struct {
	tag       byte   // that each arc starts with, 0 if none
	comment   string // what lines may start with that say nothing
	first     uint64 // id of the first node
	nodes     uint64 // from there on, where the file or the caller says how many
	any       bool   // nobody does: ids are all that 64 bits have
	third     third
	scale     uint32    // of weights
	nodeNames [2]string // of the ends of an arc, in errors
	missing   string    // is what a line without a weight lacks
	named     string    // is what to do with words
}

// scratch is where a worker gathers the arcs of a chunk before it knows how many there are.
type scratch struct{ arcs }

func (s *scratch) reset() {
	s.from, s.to, s.masks, s.weights, s.wideFrom, s.wideTo = s.from[:0], s.to[:0], s.masks[:0], s.weights[:0], s.wideFrom[:0], s.wideTo[:0]
}
