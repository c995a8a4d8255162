package frontiers

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
)

// Frontier is a piece of work of one kind, with so many active items.
type Frontier = plan.FrontierNode

// Kind says what kind of work a frontier is.
type Kind = plan.FrontierKind

// The kinds.
const (
	Parser     = plan.ParserFrontier
	Semantic   = plan.SemanticFrontier
	Dataflow   = plan.DataflowFrontier
	Diagnostic = plan.DiagnosticFrontier
)

// Order says that one frontier has to see what another did.
type Order = plan.FrontierOrder

// Program is what runs for each item of frontiers of a kind.
type Program struct {
	Program *ir.Program
	Args    []driver.Arg // one a parameter; Starts{} and Places{} in the places of the fields of Work
}

// Starts is the argument of a []uint32: Work.Starts of the wave.
type Starts struct{ driver.Range }

// Places is the argument of a []uint32: Work.Places of the wave.
type Places struct{ driver.Range }

// Options adjusts a plan. The zero value is right for most.
type Options struct {
	Label string        // appears in errors and profiles; empty is "frontiers"
	Each  plan.Envelope // bytes: frontier and scratch of an item, output of a wave
	Run   megakernel.Options
}

// Plan is frontiers made ready to run, each once.
type Plan struct {
	dev   driver.Device
	label string
	made  plan.Frontiers
	work  driver.Buffer
	run   *megakernel.Plan
}

// New makes waves of frontiers, one of each kind in each layer, and a plan of those. Frontiers that
// nothing orders may run at one time, so what they write must not be what others touch.
func New(ctx context.Context, dev driver.Device, list []Frontier, order []Order, programs map[Kind]Program, o Options) (*Plan, error) {
	p := &Plan{dev: dev, label: o.Label}
	if p.label == "" {
		p.label = "frontiers"
	}
	if err := new(plan.FrontierPlanner).Plan(plan.FrontierRequest{Nodes: list, Order: order, Each: o.Each}, &p.made); err != nil {
		return nil, err
	}
	if err := p.check(programs); err != nil {
		return nil, err
	}
	if err := p.load(ctx, list, programs, o.Run); err != nil {
		_ = p.Close() // nobody else has what was made
		return nil, err
	}
	return p, nil
}

// check looks for what no wave could be made of.
func (p *Plan) check(programs map[Kind]Program) error {
	var found driver.Problems
	for i, w := range p.made.Waves {
		refuse := func(code, msg, fix string, numbers ...uint64) {
			e := plan.Refusal("frontiers", driver.InvalidArgument, fmt.Sprintf("wave %d", i), msg, fix, plan.Reason{Code: code, Index: i, Numbers: numbers})
			e.Label, e.Device = p.label, p.dev.Name()
			found = append(found, e)
		}
		if programs[w.Kind].Program == nil {
			refuse("no_program", fmt.Sprintf("no program runs %v frontiers", w.Kind), "register one")
		}
		if w.Active > megakernel.MaxItems {
			refuse("domain", fmt.Sprintf("it has %d items, at most %d are possible", w.Active, uint64(megakernel.MaxItems)), "divide its frontiers", w.Active)
		}
	}
	if len(found) > 0 {
		return found
	}
	return nil
}

// load uploads where the items of waves belong, and makes the plan.
func (p *Plan) load(ctx context.Context, list []Frontier, programs map[Kind]Program, o megakernel.Options) error {
	var host []byte
	word := func(v uint32) { host = binary.LittleEndian.AppendUint32(host, v) }
	for _, w := range p.made.Waves {
		word(uint32(w.Active))
	}
	for _, w := range p.made.Waves {
		item := uint32(0)
		for _, at := range w.Nodes {
			word(item)
			item += uint32(list[at].Active)
		}
		word(item)
		for _, at := range w.Nodes {
			word(uint32(at))
		}
	}
	var err error
	if p.work, err = p.dev.Alloc(int64(len(host)), driver.AllocOptions{Label: p.label + " work"}); err != nil {
		return err
	}
	if err := driver.Write(ctx, driver.All(p.work), host); err != nil {
		return err
	}
	o.Label = p.label
	o.MaxRounds = 1               // each frontier runs once
	o.Tail = megakernel.TailNever // which begins with the second round
	p.run, err = megakernel.New(ctx, p.dev, p.waves(programs), p.made.Dependencies, o)
	return err
}

// waves fills the arguments of programs. How many items a wave has is read on the device, so that plans of the same kinds
// and layers have the same kernels in a cache.
func (p *Plan) waves(programs map[Kind]Program) (waves []megakernel.Wave) {
	at := int64(0)
	part := func(words int) driver.Range {
		r := driver.Part(p.work, at, 4*int64(words))
		at = r.End()
		return r
	}
	counts := part(len(p.made.Waves))
	for k, w := range p.made.Waves {
		starts, places := part(len(w.Nodes)+1), part(len(w.Nodes))
		program := programs[w.Kind]
		args := make([]driver.Arg, len(program.Args))
		for i, a := range program.Args {
			switch a.(type) {
			case Starts:
				a = starts
			case Places:
				a = places
			}
			args[i] = a
		}
		waves = append(waves, megakernel.Wave{Program: program.Program, Args: args, Domain: megakernel.Counted(driver.Part(counts.Buffer, counts.Off+4*int64(k), 4), megakernel.MaxItems), Bytes: w.Bytes})
	}
	return waves
}

// Waves are what the frontiers of a plan were put together to.
type Waves = plan.Frontiers

// Waves says what runs, and what waits for what. It must not be changed.
func (p *Plan) Waves() *Waves { return &p.made }

// Run runs every frontier once.
func (p *Plan) Run(ctx context.Context) (megakernel.Record, error) { return p.run.Run(ctx) }

// Plan is what runs the waves.
func (p *Plan) Plan() *megakernel.Plan { return p.run }

// Close gives back what New took. The memory of the programs' arguments stays.
func (p *Plan) Close() error {
	var first error
	if p.run != nil {
		first = p.run.Close()
	}
	if p.work != nil {
		if err := p.work.Close(); first == nil {
			first = err
		}
	}
	return first
}
