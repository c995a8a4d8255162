package pipeline

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// Fusion says how far stages may be joined.
type Fusion uint8

// The settings.
const (
	Fused    Fusion = iota // inline where that is legal, else a barrier where that is, else launches
	Barriers               // no stage is inlined
	Separate               // a launch for each stage
)

// Options adjusts a pipeline. The zero value is right for most.
type Options struct {
	Label    string // appears in errors and profiles; empty is "pipeline"
	Fusion   Fusion
	Budget   uint64 // bytes of temps that a stage may have at one time; 0 is no bound but the device's
	Optimise string // see driver.Options

	// Expected is what earlier runs of these stages came to, by Trial and Observe. If every way was measured, stages are
	// joined as far as took the least time over so many Runs, or as many as pipelines did on average; else, and where
	// Fusion asks for a way, by Fusion.
	Expected *megakernel.History
	Runs     uint64
}

// Pipeline is a chain of stages made ready to run.
type Pipeline struct {
	*looker
	o      Options
	plan   plan.Pipeline
	ways   []way // of the stages
	parts  []*part
	steps  []step
	last   driver.Result
	rounds megakernel.Record // of the last run, added up
	memory uint64            // bytes of temps that pass from launch to launch

	choice    string        // why stages are joined so far, if that went by evidence
	planning  time.Duration // that New took
	projected uint64        // nanoseconds that a run is expected to take, likewise
	begun     *megakernel.History

	closers []interface{ Close() error }
}

// way is how a stage follows the one before it.
type way struct {
	follows follows
	part    int  // number of its launch
	inline  *why // it was not inlined
	launch  *why // it does not even share the launch
}

type follows uint8

const (
	launched follows = iota
	afterBarrier
	inlined
)

// New looks into stages and makes a pipeline of them for a device. It holds its kernels and temps until Close; the
// ranges of the stages are the caller's.
//
// Errors are driver.Problems with a Reason each: empty, program, arguments, items, temp, unwritten; of the planner
// budget, over_budget and overflow.
func New(ctx context.Context, dev driver.Device, stages []Stage, o Options) (*Pipeline, error) {
	if o.Label == "" {
		o.Label = "pipeline"
	}
	if o.Budget == 0 {
		o.Budget = math.MaxUint64
	}
	begin := time.Now()
	l, err := look(dev, o.Label, stages)
	if err != nil {
		return nil, err
	}
	if o.Fusion > Separate {
		return nil, driver.Problems{l.problem("fusion", -1, "options", fmt.Sprintf("there is no fusion %d", o.Fusion), "use one of the constants")}
	}
	p := &Pipeline{looker: l, o: o, ways: make([]way, len(stages))}
	if err := plan.PlanPipeline(l.envelopes(), o.Budget, &p.plan); err != nil {
		return nil, err
	}
	if err := p.choose(); err != nil {
		return nil, err
	}
	if err := p.build(ctx); err != nil {
		p.Close() // whose error would hide the cause
		return nil, err
	}
	p.planning = time.Since(begin)
	return p, nil
}

// envelopes describes the stages to the planner. A temp that lives through a stage takes room there, too.
func (l *looker) envelopes() []plan.Stage {
	all := make([]plan.Stage, len(l.stages))
	for i, s := range l.stages {
		e := plan.Stage{ID: uint64(i), Layout: l.layout(i), HostInput: s.Feed != nil, HostOutput: s.Take != nil}
		for k := range l.bindings {
			b := &l.bindings[k]
			if b.temp == nil || i < b.first || i > b.last {
				continue
			}
			switch u, n := s.uses[k], uint64(b.bytes()); {
			case u.writes && b.last > i:
				e.Output += n
			case u.reads && b.first < i:
				e.Input += n
			default:
				e.Scratch += n
			}
		}
		all[i] = e
	}
	return all
}

// layout is the size of group that a stage asks for. A stage of items asks for none, and takes that of the stages before
// it, or of those that come.
func (l *looker) layout(i int) uint64 {
	size := func(s *stage) uint64 {
		w := s.Program.Workgroup()
		return uint64(w[0]) | uint64(w[1])<<16 | uint64(w[2])<<32
	}
	for k := i; k >= 0; k-- {
		if s := l.stages[k]; !s.items {
			return size(s)
		}
	}
	for _, s := range l.stages[i:] {
		if !s.items {
			return size(s)
		}
	}
	return 0
}

// Run runs the stages once, and waits.
func (p *Pipeline) Run(ctx context.Context) error {
	p.last, p.rounds = driver.Result{Timing: driver.Timing{HasDevice: true}}, megakernel.Record{}
	for i := range p.steps {
		if err := p.steps[i].run(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// Result returns what the device says about the last run: times and findings of all its launches. Device time is there
// if every launch has it.
func (p *Pipeline) Result() driver.Result { return p.last }

// Launches returns how many launches a run has.
func (p *Pipeline) Launches() int { return len(p.parts) }

// TempBytes returns how many bytes those temps have that need memory, and how many all have. Temps of one launch with
// barriers may share memory, when they are not needed at one time.
func (p *Pipeline) TempBytes() (have, all uint64) {
	have = p.memory
	for _, q := range p.parts {
		have += q.temps
	}
	for k := range p.bindings {
		if b := &p.bindings[k]; b.temp != nil {
			all += uint64(b.bytes())
		}
	}
	return have, all
}

// Explain says what was decided, one line a stage, the same for equal stages.
func (p *Pipeline) Explain() string {
	var s strings.Builder
	for i, w := range p.ways {
		st := p.stages[i]
		form := "items"
		if !st.items {
			form = "groups"
		}
		fmt.Fprintf(&s, "%v (%d %s): launch %d", st, st.Items, form, w.part)
		switch w.follows {
		case afterBarrier:
			s.WriteString(", after a barrier")
		case inlined:
			s.WriteString(", inlined")
		}
		if w.inline != nil {
			fmt.Fprintf(&s, "; not inlined: %v", w.inline)
		}
		if w.launch != nil {
			fmt.Fprintf(&s, "; another launch: %v", w.launch)
		}
		s.WriteByte('\n')
	}
	have, all := p.TempBytes()
	fmt.Fprintf(&s, "%d launches for %d stages, %d bytes for %d of temps\n", len(p.parts), len(p.stages), have, all)
	s.WriteString(p.choice)
	return s.String()
}

// Close closes what the pipeline made. The ranges of the stages stay.
func (p *Pipeline) Close() error {
	var first error
	shut := func(c interface{ Close() error }) {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	for i := range p.steps { // which hold the kernels
		if s := p.steps[i].seq; s != nil {
			shut(s)
		}
	}
	for k := len(p.closers) - 1; k >= 0; k-- {
		shut(p.closers[k])
	}
	if first == nil {
		p.steps, p.closers = nil, nil
	}
	return first
}
