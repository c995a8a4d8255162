package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/cpu"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
	"github.com/govyre/vyre/megakernel/plan"
)

// Session is a graph on a device, and what searches of it need there. The graph is uploaded once; a batch of queries
// uploads its seeds, is one submission where the device drives the rounds, and is read back at once. Queries that allow
// the same kinds of arcs are one search, of up to 64. A Session may be used from any goroutine; batches run one after
// another, or as many side by side as SessionOptions.Parallel says.
type Session struct {
	mu     sync.Mutex
	dev    driver.Device
	g      *CSR
	o      SessionOptions
	digest [32]byte
	memory plan.Session
	batching

	forward image
	back    *image // with the arcs the other way round: forward itself where that is the same; nil without SessionOptions.Levels

	one, many *megakernel.Plan // of a query alone, and of several together; many is nil if no batch has any
	leveled   *megakernel.Plan // of levels

	totals     Totals
	moved      moved
	parts      *parts      // nil if the graph is whole
	native     *cpu.Engine // nil if the session is one of kernels
	beside     beside      // of kernels
	decided    decision
	waved      bool  // what they need is open
	sizing     bool  // nobody opens it: it is asked what it would take
	symmetric  bool  // the graph is
	free       bool  // nobody asked for a topology
	analysed   *held // by analyses, beyond memory
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

// SessionOptions adjusts a session. The zero value is right for most.
type SessionOptions struct {
	Label   string // appears in errors and profiles; empty is "graph"
	Queries int    // of a batch, for whose answers there is memory; 0 is 32. Larger batches take several.
	Seeds   int    // of a query, at most; 0 is 1024
	Budget  uint64 // bytes of device memory; 0 is what the device has room for when the session is opened, of which 256 MiB or 3 % are left to others
	Levels  bool   // Session.Levels can be asked; that takes 4 bytes a node, and unless the graph is symmetric all of it a second time
	Engine  Engine // what answers; see AutoEngine
	// Topology is who drives the rounds; Auto is a drain where the device has cooperative launches. Queries that
	// run together have rounds even so, in one launch. With Auto a symmetric graph is not searched at all if there is
	// memory to keep the labels of its components: see Reached.Algorithm.
	Topology megakernel.Topology

	// Expected is what earlier runs of a query alone came to, by Session.Trial. With Auto, and if every way was measured in a
	// session like this one, it chooses who drives the rounds of such queries, and whether the host's cores answer them.
	Expected *megakernel.History
	// Costs are times measured on the device, by megakernel.Calibrate. With AutoEngine, and without evidence of a trial, the
	// host's cores answer searches that they finish in less time than the device is predicted to take by them. Nil are those
	// that Calibrate kept, if Expected holds a run; without costs kernels answer.
	Costs *plan.Costs
	// Runs is how many such queries the session is going to answer, by which what it takes to plan is weighed; 0 is Queries.
	Runs uint64

	// Parallel is how many searches of this session run side by side, on the device or on the host's cores; 0 is 1, and then queries
	// wait for each other. Each more takes all memory of a session but the graph once more, see DeviceBytes; native engines share
	// the cores out among them. A symmetric graph has labels for each. A graph in parts is searched by one at a time, and
	// analyses, which are made once, run one after another beside the searches.
	Parallel int

	// Parts allows that a graph which does not fit is searched in parts: its arcs come to the device again and again, as searches
	// need them, which takes the link to the device as long as that takes. Sets, levels, trees, topological levels and weak
	// components are answered so; queries together as far as lanes have room beside parts (see Reached.Algorithm). Run.Parts and Run.Streamed say that it was done. What
	// does not fit even so is an error.
	Parts bool

	partArcs uint64 // of a part at most, in tests
	blocks   uint32 // of searches, in place of what the graph's shape says; for measurements
}

// Query asks which nodes can be reached.
type Query struct {
	Seeds []uint32 // nodes to begin with; they are reached
	Kinds uint32   // of arcs that are allowed, as a mask; 0 is all
	Count bool     // how many nodes are reached, and not which: a query alone then leaves the set on the device, and the answer has none
}

// Reached is the answer to a query.
type Reached struct {
	Run Run // with the queries that it was answered with

	words     []uint32
	count     int
	algorithm Algorithm
	why       string
}

// Count returns how many nodes are reached.
func (r *Reached) Count() int { return r.count }

// Contains reports whether a node is reached; none that the graph does not have.
func (r *Reached) Contains(node uint32) bool {
	return int(node/32) < len(r.words) && r.words[node/32]>>(node%32)&1 != 0
}

// Nodes are the nodes that are reached, ascending.
func (r *Reached) Nodes() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for k, w := range r.words {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(32*k + bits.TrailingZeros32(w))) {
					return
				}
			}
		}
	}
}

// sessionRoom is what a session may take beside what is counted: control words.
const sessionRoom = 64 << 10

// NewSession uploads a graph and prepares searches of it. What it needs is compared with the budget before anything is
// allocated.
//
// Errors: out of memory, with the bytes needed and those there are; a graph without nodes; a device without the topology.
func NewSession(ctx context.Context, dev driver.Device, g *CSR, o SessionOptions) (*Session, error) {
	s, err := prepared(dev, g, o)
	if err != nil {
		return nil, err
	}
	if s.native == nil { // else waves are opened when somebody asks for what it does not have
		if err := s.openWaves(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	s.decide()
	if err := s.openSets(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepared is a session that knows its sizes, and has nothing on the device yet.
func prepared(dev driver.Device, g *CSR, o SessionOptions) (*Session, error) {
	o, err := o.budgeted(dev)
	if err != nil {
		return nil, err
	}
	s := &Session{dev: dev, g: g, o: o.settled(dev), free: o.Topology == megakernel.Auto, submissions: map[shape]*submission{}, analysed: new(held)}
	if g.Nodes() == 0 || s.o.Queries < 0 || s.o.Seeds < 0 || s.o.Parallel < 0 {
		return nil, s.refuse(fmt.Sprintf("a graph of %d nodes, %d queries of %d seeds, %d in parallel", g.Nodes(), o.Queries, o.Seeds, o.Parallel), "load a graph with nodes, and leave what is to be the default at 0")
	}
	if err := g.Verify(); err != nil {
		return nil, err
	}
	s.digest = g.Digest()
	s.symmetric = g.Symmetric()
	s.size()
	if s.o.Levels {
		s.back = s.turned()
	}
	return s, s.engine(o.Topology)
}

// size is what follows from the graph and the options.
func (s *Session) size() {
	s.forward.g = s.g
	s.o.Seeds = min(s.o.Seeds, s.g.Nodes())
	s.stride, s.slot = waves.QueryHead+s.o.Seeds, waves.AnswerHead+s.words()
}

// turned is the graph with its arcs the other way round, or another as large where nothing else is asked.
func (s *Session) turned() *image {
	switch {
	case s.symmetric:
		return &s.forward
	case s.sizing:
		return &image{g: s.g}
	}
	return &image{g: s.g.Reverse()}
}

// twice reports whether the session has such a graph beside the other.
func (s *Session) twice() bool { return s.back != nil && s.back != &s.forward }

// DeviceBytes returns what a session of a graph is planned to take, on a device with cooperative launches unless the options
// name another topology.
func DeviceBytes(g *CSR, o SessionOptions) uint64 {
	if o.Topology == megakernel.Auto {
		o.Topology = megakernel.Drained
	}
	s := &Session{g: g, o: o.settled(nil), digest: g.Digest()}
	s.size()
	if s.o.Levels && g.Symmetric() {
		s.back = &s.forward
	} else if s.o.Levels {
		s.back = &image{g: g} // as large as the reverse
	}
	p, err := plan.PlanSession(s.request())
	if err != nil {
		return math.MaxUint64
	}
	return p.PeakBytes
}

func (o SessionOptions) settled(dev driver.Device) SessionOptions {
	if o.Label == "" {
		o.Label = "graph"
	}
	if o.Queries == 0 {
		o.Queries = 32
	}
	if o.Seeds == 0 {
		o.Seeds = 1024
	}
	if o.Parallel == 0 {
		o.Parallel = 1
	}
	if o.Budget == 0 {
		o.Budget = math.MaxUint64
	}
	if o.Topology == megakernel.Auto && dev.Caps().GridBarrier {
		o.Topology = megakernel.Drained
	}
	return o
}

func (s *Session) refuse(msg, fix string) error {
	return &driver.Error{Op: "session", Label: s.o.Label, Device: s.dev.Name(), Kind: driver.InvalidArgument, Msg: msg, Fix: fix}
}

// words is how many words of 32 bits a set of nodes has.
func (s *Session) words() int { return (s.g.Nodes() + 31) / 32 }

// together is how many queries run together at most.
func (s *Session) together() int { return min(s.o.Queries, 64) }

// wide reports whether lanes have words of 64 bits.
func (s *Session) wide() bool { return s.together() > 32 }

// laneBytes is what so many lanes take: a word a node, and the round in which it was listed. One query has no lanes.
func (s *Session) laneBytes(lanes int) (seen, queued int64) {
	n := int64(s.g.Nodes())
	switch {
	case lanes == 1:
		return 0, 0
	case lanes > 32:
		return 8 * n, 4 * n
	}
	return 4 * n, 4 * n
}

// graphBytes is what the graph takes on the device.
func (s *Session) graphBytes() int64 {
	n := s.forward.bytes()
	if s.twice() {
		n += s.back.bytes()
	}
	return n
}

// request is what the session's memory is planned from.
func (s *Session) request() plan.SessionRequest {
	return plan.SessionRequest{Graph: s.digest, GraphBytes: uint64(s.graphBytes()), Runs: uint64(s.o.Queries), FrontierBytes: 4 * uint64(s.stride),
		ScratchBytes: s.scratchBytes() + s.moreBytes(), OutputBytes: 4 * uint64(s.slot), Budget: s.o.Budget, Staged: true, KeepAll: true}
}

// scratchBytes is what the session takes whatever the queries are.
func (s *Session) scratchBytes() uint64 {
	n := uint64(s.g.Nodes())
	seen, queued := s.laneBytes(s.together())
	bytes := 4*uint64(s.words()) + 8*n + 4*(3+1) + turnBytes + sessionRoom + uint64(seen+queued)
	if s.back != nil {
		bytes += 4 * (n + arcs.SumsWords)
	}
	if s.drains() {
		bytes += 8 * arcs.Slots(n, uint64(s.g.Arcs()))
	}
	return bytes
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

// plans makes the plans of all searches.
func (s *Session) plans(ctx context.Context) error {
	p, err := waves.Unpack(s.g.Masks() != nil, s.wide())
	if err != nil {
		return err
	}
	if s.one, err = s.plan(ctx, s.waves(p), dependencies, "", s.alone()); err != nil {
		return err
	}
	in := megakernel.Options{Topology: s.inRounds(), Blocks: s.blocks()}
	if s.together() > 1 {
		if s.many, err = s.plan(ctx, s.laneWaves(p), dependencies, " together", in); err != nil {
			return err
		}
	}
	if s.back != nil {
		s.leveled, err = s.plan(ctx, s.levelWaves(p), dependencies[:1], " levels", in)
	}
	return err
}

// plan makes a plan that the session closes.
func (s *Session) plan(ctx context.Context, list []megakernel.Wave, deps []megakernel.Dependency, label string, o megakernel.Options) (*megakernel.Plan, error) {
	o.Label = s.o.Label + label
	p, err := megakernel.New(ctx, s.dev, list, deps, o)
	if err == nil {
		s.closers = append(s.closers, p)
	}
	return p, err
}

// The waves, by number, and what waits for what.
const (
	clearWave = iota
	seedWave
	roundWave
	answerWave
	nextWave
)

var dependencies = []megakernel.Dependency{{Before: clearWave, After: seedWave}, {Before: answerWave, After: nextWave}}

// waves search for one query.
func (s *Session) waves(p waves.Programs) []megakernel.Wave {
	turn, seen, list, lengths, filter := s.turn, driver.All(s.seen), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	staged, answers, slot, stride := s.staged, driver.All(s.answers), driver.U32(uint32(s.slot)), driver.U32(uint32(s.stride))
	arrays := s.forward.arrays()
	with := func(first []driver.Arg, last ...driver.Arg) []driver.Arg {
		args := append(first, arrays...)
		return append(append(args, seen, filter, list, lengths), last...)
	}
	round := with([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, megakernel.Vote{}, megakernel.Edges{})
	stay := with([]driver.Arg{megakernel.Round{}, megakernel.Size{}, megakernel.Limit{}, megakernel.Many{}}, megakernel.Edges{}, megakernel.Result{})
	drain := with(nil, megakernel.Slots{}, megakernel.Control{})
	return []megakernel.Wave{
		clearWave: {Program: p.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.words(), 3))), Args: []driver.Arg{stride, slot, turn, staged, seen, lengths, answers}},
		seedWave:  {Program: p.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{stride, turn, staged, seen, list, lengths, filter}},
		roundWave: {Program: p.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: round,
			Stay:  &megakernel.Stay{Program: p.Stay, Args: stay},
			Drain: &megakernel.Drain{Program: p.Drain, Args: drain, Slots: arcs.Slots(uint64(s.g.Nodes()), uint64(s.g.Arcs()))}},
		answerWave: {Program: p.Answer, Phase: megakernel.After, Domain: s.answerDomain(), Args: []driver.Arg{stride, slot, turn, staged, seen, answers}},
		nextWave:   nextTurn(p, turn),
	}
}

// laneWaves search for several queries together.
func (s *Session) laneWaves(p waves.Programs) []megakernel.Wave {
	turn, seen, queued, list, lengths, filter := s.turn, driver.All(s.lanes), driver.All(s.queued), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	staged, answers, slot, stride := s.staged, driver.All(s.answers), driver.U32(uint32(s.slot)), driver.U32(uint32(s.stride))
	round := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, s.forward.arrays()...)
	round = append(round, seen, queued, filter, list, lengths, megakernel.Vote{}, megakernel.Edges{})
	return []megakernel.Wave{
		clearWave: {Program: p.Lanes.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), s.together(), 3))),
			Args: []driver.Arg{stride, slot, turn, staged, seen, queued, lengths, answers}},
		seedWave:   {Program: p.Lanes.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{stride, turn, staged, seen, queued, list, lengths, filter}},
		roundWave:  {Program: p.Lanes.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: round},
		answerWave: {Program: p.Lanes.Answer, Phase: megakernel.After, Domain: s.nodeDomain(), Args: []driver.Arg{stride, slot, turn, staged, seen, answers}},
		nextWave:   nextTurn(p, turn),
	}
}

// seedDomain is a seed of each query, answerDomain groups with a thread for each word of an answer, nodeDomain groups whose warps
// go over the nodes, and add up once each: there are no more than are resident about, since they all add to one word.
func (s *Session) seedDomain() megakernel.Domain { return megakernel.Fixed(uint32(max(s.o.Seeds, 1))) }

func (s *Session) answerDomain() megakernel.Domain {
	return megakernel.Fixed(uint32((s.words() + 255) / 256))
}

func (s *Session) nodeDomain() megakernel.Domain {
	return megakernel.Fixed(uint32(min((s.words()+31)/32, 1024)))
}

func nextTurn(p waves.Programs, turn driver.Range) megakernel.Wave {
	return megakernel.Wave{Program: p.Next, Phase: megakernel.After, Domain: megakernel.Fixed(1), Args: []driver.Arg{turn}}
}

// Memory returns what the session was planned to take, and what it saves against runs that keep nothing. It is all 0 as long
// as the native engine answers.
func (s *Session) Memory() plan.Session { return s.memory }

// Topology returns who drives the rounds of a query alone; Auto where the native engine answers, which knows no such thing.
func (s *Session) Topology() megakernel.Topology {
	switch {
	case s.parts != nil:
		return s.parts.count.Topology()
	case s.one == nil:
		return megakernel.Auto
	}
	return s.one.Topology()
}

// Turns returns how many searches the last batch was.
func (s *Session) Turns() int { return int(s.searches.Load()) }

func (s *Session) closeAll() error {
	err := s.forget()
	for k := len(s.closers) - 1; k >= 0; k-- {
		err = errors.Join(err, s.closers[k].Close())
	}
	s.closers = nil
	return err
}
