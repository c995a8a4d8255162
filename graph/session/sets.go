package session

import (
	"context"
	"errors"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel/arcs"
)

// A session of several sets has the graph once, and of all that a search needs as many as Options.Parallel says: memory,
// plans, prepared runs. Each set is a Session that nobody else sees; the first one is the session itself, which also makes the
// analyses.

// sets are those of a session.
type sets struct {
	others  []*Session
	idle    chan *Session // those that answer nothing, the session among them; nil if there are no others
	closing sync.Mutex
}

// held is memory that analyses of all sets have on the device, beyond what was planned for searches.
type held struct {
	mu    sync.Mutex
	bytes uint64
}

// take adds bytes if the limit has room for them and others that are going to follow, and returns how much room there was.
func (h *held) take(bytes, others, limit uint64) (left uint64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	left = limit - min(limit, h.bytes)
	if ok = bytes+others <= left; ok {
		h.bytes += bytes
	}
	return left, ok
}

func (h *held) give(bytes uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bytes -= bytes
}

func (h *held) now() uint64 {
	if h == nil { // of a session that nobody opened
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bytes
}

// openSets makes the other sets. A graph in parts has one: they share the memory that its parts come to.
func (s *Session) openSets(ctx context.Context) error {
	if s.parts != nil || s.o.Parallel == 1 {
		return nil
	}
	s.sets.idle = make(chan *Session, s.o.Parallel)
	s.sets.idle <- s
	for range s.o.Parallel - 1 {
		o := s.another()
		s.sets.others = append(s.sets.others, o)
		s.sets.idle <- o
		if s.native != nil {
			o.native = o.newEngine()
			continue
		}
		if err := o.alloc(o.stateBuffers()); err != nil {
			return err
		}
		if err := o.openState(ctx); err != nil {
			return err
		}
	}
	return nil
}

// another is a set that has nothing on the device yet but the session's graph.
func (s *Session) another() *Session {
	o := &Session{dev: s.dev, g: s.g, o: s.o, digest: s.digest, symmetric: s.symmetric, free: s.free, waved: s.waved, decided: s.decided, stepped: s.stepped,
		memory: s.memory, analysed: s.analysed, forward: s.forward, back: s.back, calls: turn.New(), submissions: map[shape]*submission{}, closers: []interface{ Close() error }{}}
	if s.back == &s.forward {
		o.back = &o.forward
	}
	o.stride, o.slot = s.stride, s.slot
	if s.beside.queries > 0 {
		o.beside = beside{o.newEngine(), s.beside.queries}
	}
	return o
}

// moreBytes is what the other sets take.
func (s *Session) moreBytes() uint64 {
	if s.native != nil {
		return 0
	}
	return uint64(s.o.Parallel-1) * (s.scratchBytes() + 4*uint64(s.o.Queries)*uint64(s.stride+s.slot))
}

// turnBytes is how much stands before the queries: the number of the turn, which begins with 0, and so comes to the device with them.
const turnBytes = 16

// stateBuffers are what a set has beside the graph.
func (s *Session) stateBuffers() []wanted {
	n, q := int64(s.g.Nodes()), int64(s.o.Queries)
	lanes, queued := s.laneBytes(s.together())
	list := []wanted{
		{&s.seen, 4 * int64(s.words()), "seen"}, {&s.list, 8 * n, "list"}, {&s.lengths, 12, "lengths"},
		{&s.filter, 4, "filter"}, {&s.questions, turnBytes + 4*q*int64(s.stride), "queries"}, {&s.answers, 4 * q * int64(s.slot), "answers"},
	}
	if s.together() > 1 {
		list = append(list, wanted{&s.lanes, lanes, "lanes"}, wanted{&s.queued, queued, "queued"})
	}
	if s.back != nil {
		list = append(list, wanted{&s.level, 4 * n, "levels"}, wanted{&s.sums, 4 * arcs.SumsWords, "sums"})
	}
	return list
}

// alloc allocates buffers, which the session closes.
func (s *Session) alloc(list []wanted) error {
	for _, b := range list {
		var err error
		if *b.to, err = s.buffer(b); err != nil {
			return err
		}
		s.closers = append(s.closers, *b.to)
	}
	return nil
}

// openState prepares what a set has.
func (s *Session) openState(ctx context.Context) (err error) {
	s.turn, s.staged = driver.Part(s.questions, 0, 4), driver.Part(s.questions, turnBytes, s.questions.Len()-turnBytes)
	s.questionBytes, s.answerBytes = make([]byte, s.questions.Len()), s.hostBytes(s.answers.Len())
	s.queryBytes = s.questionBytes[turnBytes:]
	if s.back != nil {
		s.levelBytes = s.hostBytes(s.level.Len())
	}
	if err := s.plans(ctx); err != nil {
		return err
	}
	s.memory, err = plan.PlanSession(s.request()) // of the topology that it has come to
	return err
}

// asking is searching by a set that answers nothing, which is waited for as long as ctx allows. It ends with leave.
func (s *Session) asking(ctx context.Context, queries int) (set *Session, by answers, err error) {
	set = s
	if s.sets.idle != nil {
		if set, err = s.sets.unused(ctx, s); err != nil {
			return nil, nil, err
		}
	}
	if by, err = set.searching(ctx, queries); err != nil && s.sets.idle != nil {
		s.sets.idle <- set
	}
	return set, by, err
}

// unused takes a set. The session may be at an analysis: then it is not taken as long as there is another one.
func (t *sets) unused(ctx context.Context, s *Session) (set *Session, err error) {
	if err := turn.Err(ctx); err != nil {
		return nil, s.canceled(err)
	}
	select {
	case set = <-t.idle:
	case <-ctx.Done():
		return nil, s.canceled(ctx.Err())
	}
	if set != s || s.calls.Free() {
		return set, nil
	}
	select {
	case other := <-t.idle:
		t.idle <- s
		return other, nil
	default:
		return s, nil
	}
}

// leave unlocks a set, for whoever is next.
func (s *Session) leave(set *Session, err *error) {
	s.searches.Store(int64(len(set.groups.Groups)))
	set.over(err, recover())
	if s.sets.idle != nil {
		s.sets.idle <- set
	}
}

// Close gives everything on the device back. It waits for what runs.
func (s *Session) Close() (err error) {
	s.sets.closing.Lock()
	defer s.sets.closing.Unlock()
	if s.sets.idle != nil {
		for range len(s.sets.others) + 1 {
			<-s.sets.idle
		}
		defer func() {
			for _, o := range append([]*Session{s}, s.sets.others...) {
				s.sets.idle <- o // so that who asks hears that it is closed
			}
		}()
	}
	for _, o := range s.sets.others {
		o.calls.Wait()
		err = errors.Join(err, o.closeAll())
		o.calls.Give()
	}
	s.calls.Wait()
	defer s.calls.Give()
	if s.letGo != nil {
		defer s.letGo()
	}
	return errors.Join(err, s.closeAll())
}
