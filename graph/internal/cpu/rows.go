package cpu

import (
	"fmt"
	"sync"
)

// When a level is done how. Workers come to a level in about a microsecond, in which one core walks some hundred nodes.
const (
	sharedNodes  = 768     // lists of at least so many nodes are shared out, where it is not measured
	perWorker    = 128     // of which one more worker comes for so many
	chunkNodes   = 64      // and which are dealt out so many at a time
	chunkWords   = 16      // words of 64 nodes that a worker takes of a level that goes backward
	clearedNodes = 1 << 14 // whose levels a worker clears at once
	longRow      = 1 << 12 // rows of at least so many arcs are shared out, so many at a time
	forwardCost  = 8       // of an arc that a level walks forward, in quarters of one that it looks at backward
	scanCost     = 1       // of a node that a level backward passes, in sixteenths
	askedAgain   = 64      // levels after which a context is asked again, and chunks
	ownedBuffer  = 1 << 10
)

// Levels that go forward. What takes time where rows are short is not the arcs but that a core cannot guess where a row ends: a
// wrong guess is known only when the offset has come from memory, and all that was begun since is thrown away. So the first
// arcs of many rows are put one after the other without asking how many there are, and looked at after that.

const (
	shortRow = 4  // arcs that are copied whether the row has so many or not
	someRows = 64 // whose arcs are looked at together
)

// rows has the arcs of some short rows.
type rows struct {
	first   [someRows]uint64
	arcs    [someRows]uint32
	targets [shortRow * (someRows + 1)]uint32
	fresh   [shortRow*someRows + 1]uint32 // those of them that had no level
}

// gather copies the arcs of short rows of the list, and returns how many; it stops where a row is longer, or there is no room,
// and returns the rest of the list.
func (r *rows) gather(list []uint32, g *Graph) (arcs int, rest []uint32) {
	some, targets := list[:min(len(list), someRows)], g.Targets
	for i, u := range some {
		first, last := g.row(u)
		if last-first > shortRow || int(first)+shortRow > len(targets) {
			some = some[:i]
			break
		}
		r.first[i], r.arcs[i] = first, uint32(last-first)
	}
	first, counts := r.first[:len(some)], r.arcs[:len(some)]
	for i, at := range first {
		*(*[shortRow]uint32)(r.targets[arcs:]) = *(*[shortRow]uint32)(targets[at:])
		arcs += int(counts[i])
	}
	return arcs, list[len(some):]
}

// longRows are nodes whose rows are shared out, in pieces of longRow arcs.
type longRows struct {
	mu     sync.Mutex
	pieces []piece
}

type piece struct{ first, last uint64 } // arcs

// add cuts a row. One that ends before it begins, as in a file that was written meanwhile, has no end of pieces.
func (l *longRows) add(first, last uint64) {
	if last < first {
		panic(fmt.Sprintf("BUG: a row from arc %d to %d", first, last))
	}
	l.mu.Lock()
	for ; last-first > longRow; first += longRow {
		l.pieces = append(l.pieces, piece{first, first + longRow})
	}
	l.pieces = append(l.pieces, piece{first, last})
	l.mu.Unlock()
}
