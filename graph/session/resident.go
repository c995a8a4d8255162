package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/internal/guard"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// resident is a graph on a device: its images, what they and searches were planned to take, and the reference on the graph, which
// is held until the session is closed. All sets of a session share it, and only the opening of kernels changes it.
type resident struct {
	footprint
	dev       driver.Device
	symmetric bool         // the graph is
	free      bool         // nobody asked for a topology
	memory    plan.Session // of searches
	stepped   string       // what every answer says beside, of memory that was too little
	analysed  held         // by analyses, beyond memory
	letGo     func()       // of the graph; nil as long as it is not held
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
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bytes
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

// prepared is a graph whose sizes are known, of which nothing is on the device yet.
func prepared(ctx context.Context, dev driver.Device, g *graph.CSR, o Options) (*resident, error) {
	if err := given(dev, g, o); err != nil {
		return nil, err
	}
	o, err := o.budgeted(dev)
	if err != nil {
		return nil, err
	}
	r := &resident{footprint: footprint{g: g, o: o.settled(dev)}, dev: dev, free: o.Topology == megakernel.Auto}
	if g.Nodes() == 0 || r.o.Queries < 0 || r.o.Seeds < 0 || r.o.Parallel < 0 || r.o.Queries > mostQueries || r.o.Parallel > mostParallel {
		return nil, r.refuse(fmt.Sprintf("a graph of %d nodes, %d queries of %d seeds, %d in parallel", g.Nodes(), o.Queries, o.Seeds, o.Parallel),
			fmt.Sprintf("load a graph with nodes, leave what is to be the default at 0, and ask for at most %d queries, and %d in parallel", mostQueries, mostParallel))
	}
	if err := g.Verify(ctx); err != nil {
		return nil, r.canceled(err)
	}
	if r.symmetric, err = g.Symmetric(ctx); err != nil {
		return nil, r.canceled(err)
	}
	r.footprint = newFootprint(g, r.o)
	r.shallow = r.o.sets || wideShape(g)
	if r.o.Levels {
		r.back = r.turned()
		if err := r.back.turn(ctx); err != nil {
			return nil, r.canceled(err)
		}
	}
	return r, r.choose(o.Topology)
}

// choose says whether the native engine is the session's, of which a topology was asked for.
func (r *resident) choose(asked megakernel.Topology) error {
	switch {
	case r.o.Engine > NativeEngine:
		return r.refuse(fmt.Sprintf("%v", r.o.Engine), "ask for AutoEngine, WavesEngine or NativeEngine")
	case r.o.Engine == NativeEngine && asked != megakernel.Auto:
		return r.refuse(fmt.Sprintf("the native engine has no topology, and %v is asked for", asked), "leave one of the two at its default")
	}
	r.native = r.o.Engine == NativeEngine || r.o.Engine == AutoEngine && r.dev.Name() == onHost && asked == megakernel.Auto
	return nil
}

// turned is the graph with its arcs the other way round, which they are when it is put on the device, or by image.turn.
func (r *resident) turned() *image {
	if r.symmetric {
		return r.forward
	}
	return &image{g: r.g, ahead: true}
}

// hostEngine is a native engine for the graph.
func (r *resident) hostEngine() *cpu.Engine {
	var reverse cpu.Graph
	switch {
	case r.symmetric:
		reverse = hostArrays(r.g)
	case r.back != nil:
		reverse = hostArrays(r.back.g)
	}
	return cpu.New(hostArrays(r.g), reverse, cpu.Options{Workers: (runtime.GOMAXPROCS(0) + r.o.Parallel - 1) / r.o.Parallel})
}

// inRounds is the session's topology for what has no drain.
func (r *resident) inRounds() megakernel.Topology {
	if r.o.Topology == megakernel.Drained {
		return megakernel.Cooperative
	}
	return r.o.Topology
}

// limit is what the budget has for analyses.
func (r *resident) limit() uint64 { return r.o.Budget - min(r.o.Budget, r.memory.PeakBytes) }

func (r *resident) refuse(msg, fix string) error {
	return &driver.Error{Op: "session", Label: r.o.Label, Device: r.dev.Name(), Kind: driver.InvalidArgument, Msg: msg, Fix: fix}
}

// blamed is the error of a call if the file of the graph has not changed: else that is the error, whatever else went wrong.
func (r *resident) blamed(err error) error {
	if err == nil && !r.g.Mapped() {
		return nil // nothing is allocated
	}
	if changed := r.g.Changed(err); changed != nil {
		return changed
	}
	var p *guard.Panic
	if !errors.As(err, &p) {
		return err
	}
	return turn.Broken("session", r.o.Label, r.dev.Name(), p)
}

// canceled is the error of a call, which its context may have ended.
func (r *resident) canceled(err error) error {
	return turn.Ended("session", r.o.Label, r.dev.Name(), err)
}

// ended is the error of an analysis of which something is left after all its rounds, which cannot be.
func (r *resident) ended(what string, run Run) error {
	if run.Record.Status == megakernel.Converged {
		return nil
	}
	return r.refuse(fmt.Sprintf("%s are at no end after %d rounds", what, run.Record.Rounds), "that is not possible: each round does a part of what is left")
}

// onHost is the name of the device whose memory and cores are the host's.
const onHost = "cpu"

func hostArrays(g *graph.CSR) cpu.Graph {
	return cpu.Graph{Offsets: g.Offsets(), Wide: g.WideOffsets(), Targets: g.Targets(), Masks: g.Masks()}
}

// alone is how the plan of a query alone is made: by what was measured, where somebody has.
func (s *resident) alone() megakernel.Options {
	if !s.free || s.o.Expected == nil {
		return megakernel.Options{Topology: s.o.Topology, Blocks: s.o.size.blocks}
	}
	return megakernel.Options{Expected: s.o.Expected, Runs: s.expectedRuns(), Costs: s.o.Costs}
}

func (s *resident) expectedRuns() uint64 {
	if s.o.Runs > 0 {
		return s.o.Runs
	}
	return uint64(s.o.Queries)
}
