package session

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/plan"
)

// mostParts is how many parts a graph is cut into. Each visit takes some submissions, so that more would be worth nothing.
const mostParts = 4096

// laidOut is how a graph is cut, and what that takes.
type laidOut struct {
	cuts   []uint32 // part k has the nodes of the words of 32 from cuts[k] up to cuts[k+1]
	most   uint64   // arcs of a part at most
	widest uint32   // words
	held   int      // parts that are on the device at a time
	lanes  int      // queries that are searched together at most; 1 if there is no memory for more

	state, slot, need uint64 // bytes of what stays, of a slot, of all
}

func (l *laidOut) parts() int { return len(l.cuts) - 1 }

func (l *laidOut) total() uint64 { return l.state + uint64(l.held)*l.slot }

// how says what would do.
func (l *laidOut) how() string {
	return fmt.Sprintf("in %d parts, %d of them at a time, it needs %d bytes and searches for %d queries together (session.Options.Parts, --allow-partitioned)", l.parts(), l.held, l.total(), l.lanes)
}

// why says why queries are answered as they are.
func (l *laidOut) why() string {
	return fmt.Sprintf("the graph is in %d parts, %d of them on the device at a time, and searched for %d queries together at most", l.parts(), l.held, l.lanes)
}

// cutter cuts a graph into parts.
type cutter struct {
	*resident
	rows        rows
	offsetBytes uint64 // of each
}

func newCutter(r *resident) *cutter {
	c := &cutter{resident: r, rows: rowsOf(r.g)}
	_, each := c.rows.starts()
	c.offsetBytes = uint64(each)
	return c
}

// stateBytes is what a session of parts takes beside the slots: four sets, the list, levels or labels, the offsets, and control
// words, those of the cuts and counts of parts among them.
func (s *cutter) stateBytes() uint64 {
	n := uint64(s.g.Nodes())
	return 4*4*uint64(s.words()) + 8*n + 4*n + s.offsetBytes*(n+1) + 4*(3+1) + 8*(mostParts+1) + sessionRoom
}

// partLaneBytes is what so many lanes add to that: words of lanes and of queues, the queries, the lane whose turn it is, how many
// nodes each has, and the part that is none.
func (s *cutter) partLaneBytes(lanes int) uint64 {
	if lanes == 1 {
		return 0
	}
	seen, queued := s.laneBytes(lanes)
	return uint64(seen+queued) + 4*uint64(lanes*s.stride) + 4 + 4*uint64(lanes) + 4*waves.VisitWords
}

// slotBytes is what a slot for so many arcs takes: their targets, and masks if there are any, offsets for all nodes, and plans.
func (s *cutter) slotBytes(arcs uint64) uint64 {
	return s.arcBytes()*max(arcs, 1) + 4*uint64(s.g.Nodes()+1) + 4*waves.VisitWords + plansOfSlot*planRoom
}

// inParts cuts the graph, for as many queries together as a batch may have, for 32, or for one: lanes of more take memory from
// parts, and get half of what there is at most.
//
// Errors: out of memory, with the bytes that would do.
func (s *cutter) inParts() (l *laidOut, err error) {
	for _, lanes := range []int{s.together(), min(s.together(), 32)} {
		more, state := s.partLaneBytes(lanes), s.stateBytes()
		if left := s.o.Budget - min(s.o.Budget, state); lanes == 1 || more > left/2 {
			continue
		}
		if l, err = s.inPartsFor(lanes); err == nil {
			return l, nil
		}
	}
	return s.inPartsFor(1)
}

// inPartsFor cuts the graph, so that two parts fit beside the state: one comes while the other is searched.
func (s *cutter) inPartsFor(lanes int) (*laidOut, error) {
	l := &laidOut{state: s.stateBytes() + s.partLaneBytes(lanes), cuts: []uint32{0}, lanes: lanes}
	left := s.o.Budget - min(s.o.Budget, l.state)
	limit := uint64(math.MaxUint32)
	if s.o.partArcs > 0 {
		limit = max(s.o.partArcs, s.longestWord())
	}
	if room := s.slotBytes(1); left/2 < room {
		return nil, s.overBudget(l.state+2*s.slotBytes(s.longestWord()), onTheHost)
	} else {
		limit = min(limit, (left/2-room)/s.arcBytes()+1)
	}
	var arcs uint64
	for w := range uint32(s.words()) {
		here := s.rows.wordArcs(w, s.g.Nodes())
		if here > limit {
			return nil, s.overBudget(l.state+2*s.slotBytes(s.longestWord()), onTheHost)
		}
		if arcs+here > limit {
			l.end(w, arcs)
			arcs = 0
		}
		arcs += here
	}
	if l.end(uint32(s.words()), arcs); l.parts() > mostParts {
		return nil, s.overBudget(l.state+2*s.slotBytes(uint64(s.g.Arcs())/(mostParts/2)), onTheHost)
	}
	l.slot = s.slotBytes(l.most)
	l.held = int(min(uint64(l.parts()), left/l.slot))
	l.need = l.total()
	return l, nil
}

// end ends a part.
func (l *laidOut) end(word uint32, arcs uint64) {
	l.widest = max(l.widest, word-l.cuts[len(l.cuts)-1])
	l.most = max(l.most, arcs)
	l.cuts = append(l.cuts, word)
}

// longestWord is the most arcs that the nodes of a word have. A part has no less.
func (s *cutter) longestWord() (most uint64) {
	for w := range uint32(s.words()) {
		most = max(most, s.rows.wordArcs(w, s.g.Nodes()))
	}
	return most
}

// overBudget is the refusal of a session that needs so many bytes.
func (s *cutter) overBudget(need uint64, fix string) error {
	e := plan.OverBudget("session", "parts", "session in parts", -1, need, s.o.Budget, fix)
	e.Label, e.Device = s.o.Label, s.dev.Name()
	return e
}

// onTheHost says what needs no device memory.
const onTheHost = "the cores of the host need none of it (NativeEngine, device cpu)"

// visiting is what is done in a part.
type visiting uint8

const (
	searchPart   visiting = iota // all that can be reached within it
	levelPart                    // one level
	linkPart                     // the ends of its arcs are joined
	lanesPart                    // all that several queries can reach within it
	parentsPart                  // nodes that its arcs lead to get parents
	incomingPart                 // and these arcs are counted
	peelPart                     // one level of nodes is taken away
	visitings    = iota
)

// plansOfSlot is how many plans a slot has at most: of visits, and of the offsets of its part.
const plansOfSlot = 1 + visitings
