package session

import (
	"fmt"
	"math"

	"github.com/govyre/vyre/driver"
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

// stateBytes is what a session of parts takes beside the slots: four sets, the list, levels or labels, the offsets, and control
// words, those of the cuts and counts of parts among them.
func (s *Session) stateBytes() uint64 {
	n := uint64(s.g.Nodes())
	return 4*4*uint64(s.words()) + 8*n + 4*n + uint64(s.offsetBytes())*(n+1) + 4*(3+1) + 8*(mostParts+1) + sessionRoom
}

// partLaneBytes is what so many lanes add to that: words of lanes and of queues, the queries, the lane whose turn it is, how many
// nodes each has, and the part that is none.
func (s *Session) partLaneBytes(lanes int) uint64 {
	if lanes == 1 {
		return 0
	}
	seen, queued := s.laneBytes(lanes)
	return uint64(seen+queued) + 4*uint64(lanes*s.stride) + 4 + 4*uint64(lanes) + 4*waves.VisitWords
}

// slotBytes is what a slot for so many arcs takes: their targets, and masks if there are any, offsets for all nodes, and plans.
func (s *Session) slotBytes(arcs uint64) uint64 {
	return s.arcBytes()*max(arcs, 1) + 4*uint64(s.g.Nodes()+1) + 4*waves.VisitWords + plansOfSlot*planRoom
}

func (s *Session) arcBytes() uint64 {
	if s.g.Masks() != nil {
		return 8
	}
	return 4
}

// inParts cuts the graph, for as many queries together as a batch may have, for 32, or for one: lanes of more take memory from
// parts, and get half of what there is at most.
//
// Errors: out of memory, with the bytes that would do.
func (s *Session) inParts() (l *laidOut, err error) {
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
func (s *Session) inPartsFor(lanes int) (*laidOut, error) {
	l := &laidOut{state: s.stateBytes() + s.partLaneBytes(lanes), cuts: []uint32{0}, lanes: lanes}
	left := s.o.Budget - min(s.o.Budget, l.state)
	limit := uint64(math.MaxUint32)
	if s.o.partArcs > 0 {
		limit = max(s.o.partArcs, s.longestWord())
	}
	if room := s.slotBytes(1); left/2 < room {
		return nil, s.overBudget(l.state+2*s.slotBytes(s.longestWord()), s.onHost())
	} else {
		limit = min(limit, (left/2-room)/s.arcBytes()+1)
	}
	var arcs uint64
	for w := range uint32(s.words()) {
		here := s.wordArcs(w)
		if here > limit {
			return nil, s.overBudget(l.state+2*s.slotBytes(s.longestWord()), s.onHost())
		}
		if arcs+here > limit {
			l.cut(w, arcs)
			arcs = 0
		}
		arcs += here
	}
	if l.cut(uint32(s.words()), arcs); l.parts() > mostParts {
		return nil, s.overBudget(l.state+2*s.slotBytes(uint64(s.g.Arcs())/(mostParts/2)), s.onHost())
	}
	l.slot = s.slotBytes(l.most)
	l.held = int(min(uint64(l.parts()), left/l.slot))
	l.need = l.total()
	return l, nil
}

// cut ends a part.
func (l *laidOut) cut(word uint32, arcs uint64) {
	l.widest = max(l.widest, word-l.cuts[len(l.cuts)-1])
	l.most = max(l.most, arcs)
	l.cuts = append(l.cuts, word)
}

// wordArcs is how many arcs the nodes of a word have. A part has no less.
func (s *Session) wordArcs(w uint32) uint64 {
	last := min(uint64(w)*32+32, uint64(s.g.Nodes()))
	return s.firstArc(int(last)) - s.firstArc(int(w)*32)
}

func (s *Session) longestWord() (most uint64) {
	for w := range uint32(s.words()) {
		most = max(most, s.wordArcs(w))
	}
	return most
}

// overBudget is the refusal of a session that needs so many bytes.
func (s *Session) overBudget(need uint64, fix string) error {
	e := plan.OverBudget("session", "parts", "session in parts", -1, need, s.o.Budget, fix)
	e.Label, e.Device = s.o.Label, s.dev.Name()
	return e
}

// onHost says what needs no device memory.
func (s *Session) onHost() string {
	return "the cores of the host need none of it (NativeEngine, device cpu)"
}

// lacks refuses what a graph in parts is not asked, with what a session takes that has all of the graph on the device, and more for
// that.
func (p *parts) lacks(what string, more func(whole *Session) uint64) error {
	s := p.s
	e := &driver.Error{Op: "session", Label: s.o.Label, Device: s.dev.Name(), Kind: driver.Unsupported, Fix: s.onHost(),
		Msg: fmt.Sprintf("%s needs all of the graph on the device, which is in %d parts", what, p.parts())}
	if s.g.WideOffsets() != nil { // no budget would do
		return e
	}
	whole := &Session{dev: s.dev, g: s.g, o: s.o, digest: s.digest, symmetric: s.symmetric, analysed: new(held)}
	whole.o.Budget = math.MaxUint64
	whole.size()
	if whole.back = s.back; s.back == &s.forward {
		whole.back = &whole.forward
	}
	var err error
	if whole.memory, err = plan.PlanSession(whole.request()); err != nil {
		return err
	}
	need := whole.memory.PeakBytes + more(whole)
	e.Kind, e.Requested, e.Available = driver.OutOfMemory, int64(need), int64(min(s.o.Budget, math.MaxInt64))
	e.Msg += fmt.Sprintf(": %d bytes of %d", need, s.o.Budget)
	e.Fix = "raise session.Options.Budget to that, on a device that has them; " + e.Fix
	return e
}
