package session

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/cpu"
	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// Session is a graph on a device, and what searches of it need there. The graph is uploaded once; a batch of queries
// uploads its seeds, is one submission where the device drives the rounds, and is read back at once. Queries that allow
// the same kinds of arcs are one search, of up to 64. A Session may be used from any goroutine; batches run one after
// another, or as many side by side as Options.Parallel says.
//
// A call whose context ends, before its turn or after it, answers Canceled at once, and what it has left on the device is waited for
// by the next one, as long as the context of that allows. After any error the session is as it was before the call, unless the
// device is lost. What is closed answers Closed.
type Session struct {
	calls  turn.Turn
	dev    driver.Device
	g      *graph.CSR
	o      Options
	digest [32]byte
	memory plan.Session
	batching

	forward image
	back    *image // with the arcs the other way round: forward itself where that is the same; nil without Options.Levels

	one, many *megakernel.Plan // of a query alone, and of several together; many is nil if no batch has any
	leveled   *megakernel.Plan // of levels

	totals     Totals
	moved      moved
	parts      *parts      // nil if the graph is whole
	native     *cpu.Engine // nil if the session is one of kernels
	beside     beside      // of kernels
	decided    decision
	stepped    string // what every answer says beside, of memory that was too little
	waved      bool   // what they need is open
	symmetric  bool   // the graph is
	free       bool   // nobody asked for a topology
	letGo      func() // of the graph, which is held until then
	faults     bool   // what debug.SetPanicOnFault returned when the call began
	analysed   *held  // by analyses, beyond memory
	sets       sets
	searches   atomic.Int64 // that the last batch was
	weak       *weak        // nil until it is asked for
	labels     *labels      // nil until they are tried
	weights    *weights
	order      *peels
	strong     *strong
	parents    *parents
	flows      *bitflow
	procedures *procedures

	stride, slot                                    int // words of a query, of an answer
	seen, list, lengths, filter, questions, answers driver.Buffer
	turn, staged                                    driver.Range  // of questions
	lanes, queued                                   driver.Buffer // of queries together
	level, sums                                     driver.Buffer // of levels
	questionBytes, answerBytes, levelBytes          []byte        // on the host
	queryBytes                                      []byte        // of questionBytes, those of staged
	submissions                                     map[shape]*submission
	last                                            settler             // what ran last of all that is kept
	ran                                             func(driver.Result) // is told of submissions; nil but in tests
	closers                                         []interface{ Close() error }
}

// batching is what a batch needs while it runs, kept for the next one.
type batching struct {
	groups   plan.Queries
	planning []plan.Query // what these are planned from
	kept     [1]plan.KeptGraph
	ways     []answered // how groups are answered
	placed   []int      // queries, as they are staged
	reached  []uint32   // levels, of the native engine
	asked    [1]Query   // by ReachInto
	only     [1]int     // number of the query of a batch of one
	answer   [1]*Reached
	hosts    [2]answers // the native engine as the session's, and beside kernels
}

// New uploads a graph and prepares searches of it. What it needs is compared with the budget before anything is
// allocated. Of a *vyre.Device the device is its field Device.
//
// Errors: out of memory, with the bytes needed and those there are; a graph without nodes; a device without the topology.
func New(ctx context.Context, dev driver.Device, g *graph.CSR, o Options) (_ *Session, err error) {
	s, err := prepared(ctx, dev, g, o)
	if err != nil {
		return nil, err
	}
	if s.letGo, err = g.Hold(fmt.Sprintf("session %q", s.o.Label)); err != nil {
		return nil, err
	}
	err = g.Read(func() error { return s.begun(ctx) })
	if err != nil {
		return nil, s.canceled(errors.Join(err, s.Close()))
	}
	return s, nil
}

// begun opens what is prepared.
func (s *Session) begun(ctx context.Context) error {
	if err := turn.Err(ctx); err != nil {
		return err
	}
	if s.native == nil { // else waves are opened when somebody asks for what it does not have
		if err := s.openWaves(ctx); err != nil {
			return err
		}
	}
	s.decide()
	return s.openSets(ctx)
}

// What options may ask for: bytes of so many queries are counted in 64 bits, and more sets than goroutines that ask, or than a
// device runs side by side, wait for each other.
const (
	mostQueries  = 1 << 24
	mostParallel = 1 << 12
)

// given refuses a session of nothing.
func given(dev driver.Device, g *graph.CSR, o Options) error {
	e := &driver.Error{Op: "session", Label: o.Label, Kind: driver.InvalidArgument}
	switch {
	case dev == nil:
		e.Msg, e.Fix = "the device is nil", "open one: device cpu is there on every machine"
	case g == nil:
		e.Device, e.Msg, e.Fix = dev.Name(), "the graph is nil", "load one, and look at the error of that"
	default:
		return nil
	}
	return e
}

// prepared is a session that knows its sizes, and has nothing on the device yet.
func prepared(ctx context.Context, dev driver.Device, g *graph.CSR, o Options) (*Session, error) {
	if err := given(dev, g, o); err != nil {
		return nil, err
	}
	o, err := o.budgeted(dev)
	if err != nil {
		return nil, err
	}
	s := &Session{dev: dev, g: g, o: o.settled(dev), free: o.Topology == megakernel.Auto, calls: turn.New(), submissions: map[shape]*submission{}, analysed: new(held)}
	if g.Nodes() == 0 || s.o.Queries < 0 || s.o.Seeds < 0 || s.o.Parallel < 0 || s.o.Queries > mostQueries || s.o.Parallel > mostParallel {
		return nil, s.refuse(fmt.Sprintf("a graph of %d nodes, %d queries of %d seeds, %d in parallel", g.Nodes(), o.Queries, o.Seeds, o.Parallel),
			fmt.Sprintf("load a graph with nodes, leave what is to be the default at 0, and ask for at most %d queries, and %d in parallel", mostQueries, mostParallel))
	}
	if err := g.Verify(ctx); err != nil {
		return nil, s.canceled(err)
	}
	if s.digest, err = g.Digest(ctx); err != nil {
		return nil, s.canceled(err)
	}
	if s.symmetric, err = g.Symmetric(ctx); err != nil {
		return nil, s.canceled(err)
	}
	s.size()
	if s.o.Levels {
		s.back = s.turned()
		if err := s.back.turn(ctx); err != nil {
			return nil, s.canceled(err)
		}
	}
	return s, g.Read(func() error { return s.engine(o.Topology) })
}

// size is what follows from the graph and the options.
func (s *Session) size() {
	s.forward.g = s.g
	s.o.Seeds = min(s.o.Seeds, s.g.Nodes())
	s.stride, s.slot = waves.QueryHead+s.o.Seeds, waves.AnswerHead+s.words()
}

// turned is the graph with its arcs the other way round, which they are when it is put on the device, or by image.turn.
func (s *Session) turned() *image {
	if s.symmetric {
		return &s.forward
	}
	return &image{g: s.g, ahead: true}
}

// twice reports whether the session has such a graph beside the other.
func (s *Session) twice() bool { return s.back != nil && s.back != &s.forward }

func (s *Session) refuse(msg, fix string) error {
	return &driver.Error{Op: "session", Label: s.o.Label, Device: s.dev.Name(), Kind: driver.InvalidArgument, Msg: msg, Fix: fix}
}

// open allocates, uploads and prepares.
func (s *Session) open(ctx context.Context) error {
	list := append([]wanted{{&s.forward.memory, s.forward.bytes(), "graph"}}, s.stateBuffers()...)
	if s.twice() {
		list = append(list, wanted{&s.back.memory, s.back.bytes(), "reverse"})
	}
	if err := s.alloc(list); err != nil {
		return err
	}
	err := s.put(ctx, &s.forward)
	if err == nil && s.twice() {
		err = s.put(ctx, s.back)
	}
	if err != nil {
		return err
	}
	return s.openState(ctx)
}

// mostPinned is how much memory of the host a session takes out of the system's hands for what it reads.
const mostPinned = 256 << 20

// hostBytes is memory of the host that the device writes to without a copy in between, or any other if it is too much.
func (s *Session) hostBytes(n int64) []byte {
	if n <= mostPinned {
		if m, err := s.dev.AllocHost(n); err == nil {
			s.closers = append(s.closers, m)
			return m.Bytes()
		}
	}
	return make([]byte, n)
}

// Topology returns who drives the rounds of a query alone; Auto where the native engine answers, which knows no such thing.
func (s *Session) Topology() megakernel.Topology {
	switch {
	case s.parts != nil:
		return s.parts.count.Topology()
	case s.native != nil || s.one == nil:
		return megakernel.Auto
	}
	return s.one.Topology()
}

// Turns returns how many searches the last batch was.
func (s *Session) Turns() int { return int(s.searches.Load()) }

func (s *Session) closeAll() error {
	err := errors.Join(s.forget(), s.closeFrom(0))
	s.closers = nil
	return err
}

// closeFrom closes all but the first few things that the session has.
func (s *Session) closeFrom(first int) (err error) {
	for k := len(s.closers) - 1; k >= first; k-- {
		err = errors.Join(err, s.closers[k].Close())
	}
	s.closers = s.closers[:min(first, len(s.closers))]
	return err
}
