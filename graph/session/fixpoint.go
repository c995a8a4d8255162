package session

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// Fixpoint is an analysis of the caller's over the graph of a session: facts that move along arcs until nothing changes. It
// may be used from any goroutine; what runs on one session runs one after another.
type Fixpoint[T flow.Word] struct {
	set          *set
	a            *analysis
	weights      *weights // nil if the graph has none
	along        func(x T, a flow.Arc) T
	join         func(a, b T) T
	wide         bool
	rounds       uint32 // at most
	stagedHost   []byte
	startHost    []byte
	factsHost    []byte
	staged       driver.Buffer // seeds
	start, facts driver.Buffer // of seeds; of all nodes
	queued       driver.Buffer
}

// FixpointOptions adjusts a fixpoint. The zero value is right for most.
type FixpointOptions struct {
	Label string // appears in errors and profiles; empty is "fixpoint"
	// Rounds is after how many rounds it ends though facts change; 0 is 64 times the nodes, or 1<<20 if that is more, which
	// facts of any number of bits that are joined by And or Or never need.
	Rounds uint32
}

// Start says where a fixpoint begins.
type Start[T flow.Word] struct {
	Seeds  []uint32 // nodes with facts
	Values []T      // one a seed; of a node that is listed twice they are joined
	// Others is the fact of all other nodes. They are not looked at until their fact changes, so Along must make
	// nothing of it that changes a node: the greatest number where the join is Min, 0 where it is Max or Or, all bits
	// where it is And, in most analyses.
	Others T
	All    []T    // in the place of all that: the facts of all nodes, which are all looked at
	Kinds  uint32 // of arcs that are allowed; 0 is all
}

// Fixed is what a fixpoint came to.
type Fixed[T flow.Word] struct {
	Run   Run
	facts []T
}

// Facts returns the fact of each node. It must not be written.
func (f *Fixed[T]) Facts() []T { return f.facts }

// Settled reports whether nothing changes any more. If it does after all rounds that were allowed, an Along that is not
// monotone, or that makes ever other facts on a cycle, is the usual reason, and facts are those of the last round.
func (f *Fixed[T]) Settled() bool { return f.Run.Record.Status == megakernel.Converged }

// NewFixpoint prepares an analysis: f says what happens along an arc, and p is the program of a kernel that calls flow.Round
// with f's type (see package flow). It takes one fact and 4 bytes a node, and 4 bytes an arc for the first one over a graph
// with weights.
//
// Where the session's engine is native, f's method runs as it is, on all cores of the host, and p is not looked at.
//
// Errors: out of memory, with the bytes needed and those there are, before anything is allocated; a program with other
// parameters.
func NewFixpoint[T flow.Word, F flow.Flow[T]](ctx context.Context, s *Session, f F, p *ir.Program, o FixpointOptions) (_ *Fixpoint[T], err error) {
	if o.Label == "" {
		o.Label = "fixpoint"
	}
	if err := made(s); err != nil {
		return nil, err
	}
	set := s.sets.first()
	n, fact := int64(set.g.Nodes()), int64(binary.Size(T(0)))
	if o.Rounds == 0 {
		o.Rounds = uint32(min(max(64*n, 1<<20), 1<<31))
	}
	x := &Fixpoint[T]{set: set, a: set.analysis(o.Label), along: f.Along, join: f.Join, wide: wide[T](), rounds: o.Rounds}
	if set.host != nil {
		return x, x.openNative(ctx)
	}
	x.a.want(&x.facts, fact*n, o.Label+" facts")
	x.a.want(&x.queued, 4*n, o.Label+" queued")
	x.a.want(&x.staged, 4*int64(waves.StartHead+set.o.Seeds), o.Label+" seeds")
	x.a.want(&x.start, fact*int64(1+set.o.Seeds), o.Label+" start")
	k, err := set.begin(ctx, "a fixpoint", func(whole *runner) uint64 {
		return x.a.bytes + wantWeights(whole).bytes
	})
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	if x.weights, err = k.openWeights(ctx); err != nil {
		return nil, err
	}
	clear, seed, err := waves.UnpackFacts(x.wide)
	if err == nil {
		err = x.a.open()
	}
	if err != nil {
		return nil, err
	}
	x.stagedHost, x.startHost, x.factsHost = make([]byte, x.staged.Len()), make([]byte, x.start.Len()), make([]byte, x.facts.Len())
	if err := x.a.plan(ctx, x.waves(clear, seed, p), dependencies[:1], megakernel.Options{MaxRounds: o.Rounds}); err != nil {
		return nil, err
	}
	set.keep(x.a)
	return x, nil
}

func (x *Fixpoint[T]) waves(clear, seed, round *ir.Program) []megakernel.Wave {
	s := x.a.s
	staged, start, facts, queued, list, lengths := driver.All(x.staged), driver.All(x.start), driver.All(x.facts), driver.All(x.queued), driver.All(s.list), driver.All(s.lengths)
	arrays := s.forward.arrays()
	has, weights := uint32(0), arrays[1]
	if s.g.Masks() != nil {
		has |= flow.HasMasks
	} else {
		arrays = append(arrays, arrays[1]) // in the place of masks
	}
	if x.weights != nil {
		has, weights = has|flow.HasWeights, driver.All(x.weights.memory)
	}
	args := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}, driver.U32(has)}, arrays...)
	args = append(args, weights, facts, queued, driver.All(s.filter), list, lengths, megakernel.Vote{}, megakernel.Edges{})
	return []megakernel.Wave{
		clearWave: {Program: clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), 3))), Args: []driver.Arg{staged, start, facts, queued, list, lengths}},
		seedWave:  {Program: seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{staged, start, facts, list}},
		roundWave: {Program: round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: args},
	}
}

// Run returns the fixpoint from there on. That facts still change after all rounds is no error: see Fixed.Settled.
//
// Errors: a seed that is no node, more different seeds than Options.Seeds, facts that are not one a seed or one a node, before
// anything runs; those of the device; with the native engine, a method that panics.
func (x *Fixpoint[T]) Run(ctx context.Context, start Start[T]) (_ *Fixed[T], err error) {
	if x == nil || x.a == nil {
		return nil, &driver.Error{Op: "session", Kind: driver.InvalidArgument, Msg: "the fixpoint is nil, or was not made by NewFixpoint", Fix: "make one, and look at the error of that"}
	}
	s := x.set
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.exit(&err)
	if x.a.closers == nil {
		return nil, s.refuse("the fixpoint is closed", "make another one")
	}
	nodes, values, err := x.first(start)
	if err != nil {
		return nil, err
	}
	if s.host != nil {
		return x.runNative(ctx, start, nodes, values)
	}
	x.stage(start, nodes, values)
	before := s.moved
	up := s.dev.NewSequence(s.o.Label + " " + x.a.label + " start")
	up.Upload(driver.All(x.staged), x.stagedHost, driver.Always)
	up.Upload(driver.All(x.start), x.startHost, driver.Always)
	if start.All != nil {
		putFacts(x.factsHost, start.All)
		up.Upload(driver.All(x.facts), x.factsHost, driver.Always)
		s.moved.uploaded += uint64(len(x.factsHost))
	}
	if _, err = up.Once(ctx); err != nil {
		return nil, err
	}
	s.moved.uploaded += uint64(len(x.stagedHost) + len(x.startHost))
	r, err := x.a.run(ctx, s.kinds(Query{Kinds: start.Kinds}))
	if err != nil {
		return nil, err
	}
	if err := s.read(ctx, driver.All(x.facts), x.factsHost); err != nil {
		return nil, err
	}
	s.moved.since(before, &r)
	return &Fixed[T]{Run: r, facts: x.read()}, nil
}

// first checks where it begins, and returns the seeds, each once and ascending, with their facts.
func (x *Fixpoint[T]) first(start Start[T]) (nodes []uint32, values []T, err error) {
	s := x.a.s
	if start.All != nil {
		if len(start.All) != s.g.Nodes() || start.Seeds != nil {
			err = s.refuse(fmt.Sprintf("%s: facts of %d nodes and %d seeds, the graph has %d nodes", x.a.label, len(start.All), len(start.Seeds), s.g.Nodes()), "give Seeds and their Values, or a fact for each node")
		}
		return nil, nil, err
	}
	if len(start.Seeds) != len(start.Values) {
		return nil, nil, s.refuse(fmt.Sprintf("%s: %d seeds and %d facts of them", x.a.label, len(start.Seeds), len(start.Values)), "give each seed a fact")
	}
	if _, err := s.distinct(func() string { return x.a.label }, start.Seeds); err != nil {
		return nil, nil, err
	}
	facts := map[uint32]T{}
	for i, v := range start.Seeds {
		if fact, twice := facts[v]; twice {
			facts[v] = x.join(fact, start.Values[i])
			continue
		}
		facts[v], nodes = start.Values[i], append(nodes, v)
	}
	slices.Sort(nodes)
	for _, v := range nodes {
		values = append(values, facts[v])
	}
	return nodes, values, nil
}

// stage puts that down for the device.
func (x *Fixpoint[T]) stage(start Start[T], nodes []uint32, values []T) {
	if start.All != nil {
		putWords(x.stagedHost, []uint32{1, uint32(x.a.s.g.Nodes())})
		return
	}
	putWords(x.stagedHost, append([]uint32{0, uint32(len(nodes))}, nodes...))
	putFacts(x.startHost, append([]T{start.Others}, values...))
}

// read returns the facts that were read.
func (x *Fixpoint[T]) read() []T {
	facts := make([]T, x.a.s.g.Nodes())
	for i := range facts {
		if x.wide {
			facts[i] = T(binary.LittleEndian.Uint64(x.factsHost[8*i:]))
		} else {
			facts[i] = T(binary.LittleEndian.Uint32(x.factsHost[4*i:]))
		}
	}
	return facts
}

// wide reports whether facts have 64 bits.
func wide[T flow.Word]() bool { return binary.Size(T(0)) == 8 }

func putFacts[T flow.Word](to []byte, facts []T) {
	wide := wide[T]()
	for i, v := range facts {
		if wide {
			binary.LittleEndian.PutUint64(to[8*i:], uint64(v))
		} else {
			binary.LittleEndian.PutUint32(to[4*i:], uint32(v))
		}
	}
}

// Close gives back what the fixpoint has on the device. The session does so, too, when it is closed.
func (x *Fixpoint[T]) Close() error {
	if x == nil || x.a == nil {
		return nil
	}
	x.set.calls.Wait()
	defer x.set.calls.Give()
	return x.set.drop(x.a)
}

// openNative makes it one that the host's cores find, where that is the session's engine.
func (x *Fixpoint[T]) openNative(ctx context.Context) (err error) {
	if err := x.set.enter(ctx); err != nil {
		return err
	}
	defer x.set.exit(&err)
	x.a.bytes = 0
	x.a.closers = []closer{} // open, and nothing to close
	x.set.keep(x.a)
	return nil
}

func (x *Fixpoint[T]) runNative(ctx context.Context, start Start[T], nodes []uint32, values []T) (*Fixed[T], error) {
	s, began := x.set, time.Now()
	facts := slices.Clone(start.All)
	if start.All == nil {
		facts = slices.Repeat([]T{start.Others}, s.g.Nodes())
		for i, v := range nodes {
			facts[v] = values[i]
		}
	}
	weights := s.g.Data().Weights
	if len(weights) == 0 {
		weights = nil
	}
	stats, settled, err := cpu.Fixpoint(ctx, s.host.e, x.along, x.join, weights, s.kinds(Query{Kinds: start.Kinds}), nodes, start.All != nil, facts, x.rounds)
	if err != nil {
		return nil, err
	}
	r := s.host.ran(began, stats)
	if !settled {
		r.Record.Status = megakernel.BudgetSpent
	}
	return &Fixed[T]{Run: r, facts: facts}, nil
}
